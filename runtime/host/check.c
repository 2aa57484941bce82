/* Plans, the order of a block's threads, and barriers. */
#include "runtime/host/check_internal.h"

#include "base/random.h"
#include "runtime/host/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_checker ht_the_checker;

void ht_check_begin(const ht_check_plan *plan) {
    ht_checker *checker = &ht_the_checker;
    ht_check_outcome unused;
    if (checker->planned)
        ht_check_end(&unused);
    checker->planned = true;
    checker->blind = false;
    checker->pages = 0;
    checker->plan = *plan;
    checker->outcome = (ht_check_outcome){0};
    checker->raw.kind = checker->unwritten.kind = NULL;
    checker->regions.count = HT_CHECK_FIRST_BUFFER;
    for (size_t i = 0; i < plan->buffer_count && i < HT_CHECK_BUFFERS; ++i) {
        const ht_check_buffer *buffer = &plan->buffers[i];
        ht_region *region = &checker->regions.items[checker->regions.count++];
        *region = (ht_region){.name = buffer->name,
                              .read_only = buffer->read_only,
                              .poisoned = buffer->poisoned,
                              .poison = buffer->poison};
        ht_region_make(region, (uintptr_t)buffer->data, buffer->bytes, buffer->element);
        region->low -= buffer->guard;
        region->high += buffer->guard;
    }
}

void ht_check_end(ht_check_outcome *out_outcome) {
    ht_checker *checker = &ht_the_checker;
    *out_outcome = checker->outcome;
    for (size_t i = HT_CHECK_FIRST_BUFFER; i < checker->regions.count; ++i)
        ht_region_free(&checker->regions.items[i]);
    checker->regions.count = HT_CHECK_FIRST_BUFFER;
    ht_check_forget_blocks(checker);
    free(checker->launch.blocks);
    checker->launch.blocks = NULL;
    free(checker->launch.uses);
    checker->launch.uses = NULL;
    checker->planned = false;
}

void ht_check_progress(ht_check_outcome *out_outcome) {
    *out_outcome = ht_the_checker.outcome;
}

size_t ht_check_next_written(size_t buffer, size_t element, size_t end) {
    const ht_checker *checker = &ht_the_checker;
    size_t at = HT_CHECK_FIRST_BUFFER + buffer;
    return at < checker->regions.count
               ? ht_region_next_written(&checker->regions.items[at], element, end)
               : end;
}

static void shuffle(ht_random *random, uint16_t *items, uint32_t count) {
    for (uint32_t i = count; i > 1; --i) {
        uint32_t with = (uint32_t)ht_random_below(random, i);
        uint16_t item = items[i - 1];
        items[i - 1] = items[with];
        items[with] = item;
    }
}

void ht_check_enter(ht_checker *checker, uint64_t index) {
    const uint32_t *size = checker->launch.given->size;
    uint32_t threads = size[0] * size[1] * size[2];
    bool backward = checker->plan.order == HT_CHECK_BACKWARD;
    for (uint32_t i = 0; i < threads; ++i)
        checker->block.sequence[i] = (uint16_t)(backward ? threads - 1 - i : i);
    if (checker->plan.order == HT_CHECK_RANDOM) {
        ht_random random;
        ht_random_stream(&random, checker->plan.seed, index);
        shuffle(&random, checker->block.sequence, threads);
    }
    memset(checker->block.stamps, 0, threads * sizeof *checker->block.stamps);
    checker->block.started = 0;
    checker->block.first_epoch = ++checker->block.epoch;
}

int ht_device_next_thread(void) {
    ht_checker *checker = &ht_the_checker;
    struct ht_device_state *state = &ht_device_state;
    if (checker->block.started == state->threads)
        return 0;
    uint32_t thread = checker->block.sequence[checker->block.started++];
    state->thread[0] = thread % state->size[0];
    state->thread[1] = thread / state->size[0] % state->size[1];
    state->thread[2] = thread / state->size[0] / state->size[1];
    if (checker->block.started == state->threads)
        state->next[2] = state->size[2];
    return 1;
}

void ht_check_fail(ht_checker *checker, const ht_raw_finding *raw) {
    checker->raw = *raw;
    checker->raw.thread = ht_linear_thread(&ht_device_state);
    ht_check_leave(checker);
}

void ht_check_leave(ht_checker *checker) {
    checker->tracking = false;
    ht_block_abandon(checker->block.given, HT_HIP_ERROR_LAUNCH_FAILURE);
}

void ht_device_undefined(const char *what, unsigned long index, const char *file, int line) {
    ht_raw_finding raw = {.kind = "bounds", .file = file, .line = line};
    if (strcmp(what, "index") == 0)
        snprintf(raw.text, sizeof raw.text, "index %ld is outside its array", (long)index);
    else
        snprintf(raw.text, sizeof raw.text, "%s", what);
    ht_check_fail(&ht_the_checker, &raw);
}

/* Compares places. A name has one address in nearly all cases: names are compared once per thread
 * and barrier. */
static bool waits_at(const ht_runner *runner, const char *file, int line) {
    return runner->line == line && (runner->file == file || strcmp(runner->file, file) == 0);
}

static uint32_t count_at(const ht_runner *head, const char *file, int line) {
    uint32_t count = 0;
    for (; head; head = head->next)
        count += waits_at(head, file, line);
    return count;
}

void ht_check_barrier(ht_block *block, const char *file, int line, const char *what) {
    ht_checker *checker = &ht_the_checker;
    const ht_runner *head = block->barrier.head;
    uint32_t running = file != NULL; /* who runs is not in the list */
    if (!file && head) {
        file = head->file;
        line = head->line;
        what = head->what;
    }
    ++checker->block.epoch;
    if (!file)
        return;
    const ht_runner *elsewhere = head;
    while (elsewhere && waits_at(elsewhere, file, line))
        elsewhere = elsewhere->next;
    if (!elsewhere && (block->live == block->threads || checker->plan.ended))
        return;
    ht_raw_finding raw = {.kind = "barrier", .file = file, .line = line};
    uint32_t here = running + count_at(head, file, line);
    if (elsewhere)
        snprintf(raw.text, sizeof raw.text,
                 "%s was reached by %u of %u threads, while %u wait at %s in %.80s:%d", what, here,
                 block->threads, count_at(head, elsewhere->file, elsewhere->line), elsewhere->what,
                 elsewhere->file, elsewhere->line);
    else
        snprintf(raw.text, sizeof raw.text, "%s was reached by %u of %u threads; %u ended before",
                 what, here, block->threads, block->threads - block->live);
    ht_check_fail(checker, &raw);
}

void ht_check_meeting(ht_block *block, const ht_wave *wave, uint64_t lanes) {
    ht_checker *checker = &ht_the_checker;
    uint32_t first = (uint32_t)(wave - block->waves) << block->shift;
    uint32_t most = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t stamp = checker->block.stamps[first + (uint32_t)__builtin_ctzll(rest)];
        most = stamp > most ? stamp : most;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        checker->block.stamps[first + (uint32_t)__builtin_ctzll(rest)] = most + 1;
}
