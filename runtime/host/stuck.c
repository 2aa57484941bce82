/* The reason that no thread of a block can go on: who waits where. */
#include "runtime/host/block_internal.h"

#include <stdio.h>
#include <string.h>

enum { PLACES = 8 };

typedef struct place {
    const ht_runner *runner; /* one that waits there */
    uint32_t count;
    uint32_t first; /* lowest linear thread */
} place;

static void count_place(place *places, size_t *count, const ht_runner *runner, uint32_t linear) {
    for (size_t i = 0; i < *count; ++i) {
        const ht_runner *known = places[i].runner;
        if (known->line == runner->line && known->what == runner->what &&
            strcmp(known->file, runner->file) == 0) {
            ++places[i].count;
            if (linear < places[i].first)
                places[i].first = linear;
            return;
        }
    }
    if (*count < PLACES)
        places[(*count)++] = (place){runner, 1, linear};
}

static uint32_t linear_of(const ht_block *block, const ht_word thread[3]) {
    const uint32_t *size = block->launch->size;
    return (thread[2] * size[1] + thread[1]) * size[0] + thread[0];
}

void ht_block_explain(ht_block *block) {
    place places[PLACES];
    size_t count = 0;
    /* The running thread's index is not in its runner yet, unless it has just ended. */
    memcpy(block->running->thread, ht_device_state.thread, sizeof block->running->thread);
    for (const ht_runner *runner = block->barrier.head; runner; runner = runner->next)
        count_place(places, &count, runner, linear_of(block, runner->thread));
    for (uint32_t i = 0; i < block->threads; ++i) {
        const ht_wave *wave = &block->waves[i / block->wavefront];
        if (wave->waiting >> i % block->wavefront & 1)
            count_place(places, &count, block->waiter[i], i);
    }
    const struct ht_device_state *state = &ht_device_state;
    size_t used = (size_t)snprintf(block->message, sizeof block->message,
                                   "no thread of block (%u, %u, %u) can go on: ", state->block[0],
                                   state->block[1], state->block[2]);
    for (size_t i = 0; i < count && used < sizeof block->message; ++i) {
        const place *at = &places[i];
        used += (size_t)snprintf(block->message + used, sizeof block->message - used,
                                 "%s%u thread%s (from thread %u) at %s", i ? ", " : "", at->count,
                                 at->count == 1 ? "" : "s", at->first, at->runner->what);
        if (at->runner->line > 0 && used < sizeof block->message)
            used += (size_t)snprintf(block->message + used, sizeof block->message - used,
                                     " in %s:%d", at->runner->file, at->runner->line);
    }
    if (used < sizeof block->message && block->live < block->threads)
        snprintf(block->message + used, sizeof block->message - used, ", %u ended",
                 block->threads - block->live);
}
