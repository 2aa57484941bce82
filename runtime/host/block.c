#include "runtime/host/block_internal.h"

#include "base/memory.h"
#include "runtime/host/check_internal.h"
#include "runtime/host/errors.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread struct ht_device_state ht_device_state;
__thread ht_block *ht_block_current;

static pthread_key_t block_key;
static pthread_once_t block_once = PTHREAD_ONCE_INIT;

static void free_block(void *value) {
    ht_block *block = value;
    ht_stacks_free(&block->stacks);
    free(block->runners);
    free(block);
    ht_block_current = NULL;
}

static void free_own_block(void) {
    if (ht_block_current)
        free_block(ht_block_current);
}

static void make_key(void) {
    pthread_key_create(&block_key, free_block);
    atexit(free_own_block);
}

ht_block *ht_block_here(void) {
    if (ht_block_current)
        return ht_block_current;
    pthread_once(&block_once, make_key);
    ht_block *block = ht_alloc(1, sizeof *block);
    if (posix_memalign((void **)&block->runners, 64, HT_BLOCK_THREADS * sizeof *block->runners)) {
        fputs("hiptemper: out of memory\n", stderr);
        abort();
    }
    pthread_setspecific(block_key, block);
    return ht_block_current = block;
}

static void runner_body(void *argument);

static ht_runner *take_idle(ht_block *block) {
    ht_runner *runner = block->idle;
    if (runner) {
        block->idle = runner->next;
        return runner;
    }
    size_t size;
    void *stack = ht_stacks_get(&block->stacks, block->runner_count, &size);
    if (!stack)
        return NULL;
    runner = &block->runners[block->runner_count++];
    ht_fiber_prepare(&runner->fiber, stack, size, runner_body, block);
    return runner;
}

static bool unstarted(void) {
    return ht_device_state.next[2] != ht_device_state.size[2];
}

void ht_block_abandon(ht_block *block, int code) {
    block->code = code;
    ht_fiber_switch(&block->running->fiber, &block->main);
    abort(); /* an abandoned fiber is prepared anew, never resumed */
}

static void stuck(ht_block *block) {
    ht_block_explain(block);
    ht_block_abandon(block, HT_HIP_ERROR_LAUNCH_FAILURE);
}

/* Returns a fiber for a thread not yet started; when all have been, nobody can go on. */
static __attribute__((noinline)) ht_runner *take_fresh(ht_block *block) {
    if (!unstarted())
        stuck(block);
    ht_runner *runner = take_idle(block);
    if (!runner) {
        snprintf(block->message, sizeof block->message,
                 "no memory for the stacks of %u threads; lower the block size or raise "
                 "vm.max_map_count",
                 block->threads);
        ht_block_abandon(block, HT_HIP_ERROR_OUT_OF_MEMORY);
    }
    return runner;
}

/* Fetches what the thread after the next will need on its way from the outer caches: with a few
 * hundred stacks in turn, the innermost holds none of it any more. */
static inline void fetch_ahead(const ht_runner *after) {
    if (!after)
        return;
    const char *stack = after->fiber.context;
    __builtin_prefetch(after->next);
    __builtin_prefetch(stack);
    __builtin_prefetch(stack + 64);
    __builtin_prefetch(stack + 128);
    __builtin_prefetch(stack + 192);
}

/* Returns the next fiber to run. A ready thread comes before one not yet started, which keeps the
 * number of begun threads small.
 */
static inline ht_runner *take_next(ht_block *block) {
    ht_runner *runner = block->ready.head;
    if (__builtin_expect(!runner, 0))
        return take_fresh(block);
    block->ready.head = runner->next;
    fetch_ahead(runner->next);
    memcpy(ht_device_state.thread, runner->thread, sizeof runner->thread);
    return runner;
}

/* Switches from a thread that waits. Nothing but the two stack pointers lives across the switch:
 * every register kept for later would be one more word on each of the stacks. */
static inline void park(ht_block *block, ht_runner *self) {
    memcpy(self->thread, ht_device_state.thread, sizeof self->thread);
    ht_runner *next = take_next(block);
    block->running = next;
    ht_fiber_switch(&self->fiber, &next->fiber);
}

void ht_block_park(ht_block *block) {
    park(block, block->running);
}

/* Runs a fiber's life: threads until none is left to start, then it hands over to whoever is ready;
 * used again by later blocks. */
static void runner_body(void *argument) {
    ht_block *block = argument;
    for (;;) {
        block->launch->run(block->launch->arguments);
        ht_runner *self = block->running;
        ht_fiber *next = &block->main;
        if (ht_device_state.waited && block->live != 0) {
            ht_runner *ready = take_next(block);
            block->running = ready;
            next = &ready->fiber;
        }
        self->next = block->idle;
        block->idle = self;
        ht_fiber_switch(&self->fiber, next);
    }
}

/* Threads start in order and none has waited before: all in front of this one have ended. */
void ht_block_first_wait(ht_block *block) {
    uint32_t self = ht_linear_thread(&ht_device_state);
    ht_device_state.waited = 1;
    block->live = block->threads - self;
    uint32_t width = block->wavefront;
    for (uint32_t first = 0, i = 0; first < block->threads; first += width, ++i) {
        uint32_t count = block->threads - first < width ? block->threads - first : width;
        ht_wave *wave = &block->waves[i];
        wave->lanes = count == 64 ? ~0ull : (1ull << count) - 1;
        wave->waiting = 0;
        wave->ended = self >= first + count ? wave->lanes
                      : self > first        ? (1ull << (self - first)) - 1
                                            : 0;
    }
}

/* Releases the barrier, as all that have not ended are here. */
static void release_barrier(ht_block *block) {
    block->result_votes = block->votes;
    block->votes = 0;
    block->arrived = 0;
    ht_queue_move(&block->ready, &block->barrier);
}

unsigned ht_block_barrier(unsigned predicate, const char *file, int line, const char *what) {
    ht_block *block = ht_block_current;
    if (!ht_device_state.waited)
        ht_block_first_wait(block);
    block->votes += predicate;
    if (++block->arrived == block->live) {
        if (block->checked)
            ht_check_barrier(block, file, line, what);
        release_barrier(block);
        return block->result_votes;
    }
    ht_runner *self = block->running;
    self->what = what;
    self->file = file;
    self->line = line;
    ht_queue_push(&block->barrier, self);
    park(block, self);
    return ht_block_current->result_votes;
}

void ht_device_thread_end(void) {
    ht_block *block = ht_block_current;
    uint32_t self = ht_linear_thread(&ht_device_state);
    ht_wave *wave = &block->waves[self >> block->shift];
    wave->ended |= 1ull << (self & (block->wavefront - 1));
    --block->live;
    if (block->arrived != 0 && block->arrived == block->live) {
        if (block->checked)
            ht_check_barrier(block, NULL, 0, NULL);
        release_barrier(block);
    }
    if (wave->waiting)
        ht_wave_lane_ended(block, wave);
}

void ht_device_fail(const char *expression, const char *file, int line) {
    ht_block *block = ht_block_current;
    const struct ht_device_state *state = &ht_device_state;
    snprintf(block->message, sizeof block->message,
             "%s:%d: assertion '%s' failed in thread (%u, %u, %u) of block (%u, %u, %u)", file,
             line, expression, state->thread[0], state->thread[1], state->thread[2],
             state->block[0], state->block[1], state->block[2]);
    ht_block_abandon(block, HT_HIP_ERROR_ASSERT);
}

void ht_device_exceeded(unsigned bound) {
    ht_block *block = ht_block_current;
    snprintf(block->message, sizeof block->message,
             "launched with %u threads a block, more than its __launch_bounds__ of %u",
             block->threads, bound);
    ht_block_abandon(block, HT_HIP_ERROR_LAUNCH_FAILURE);
}

static void enter(ht_block *block, const ht_block_launch *launch, const uint32_t at[3]) {
    struct ht_device_state *state = &ht_device_state;
    for (int i = 0; i < 3; ++i) {
        state->thread[i] = state->next[i] = 0;
        state->block[i] = at[i];
        state->size[i] = launch->size[i];
        state->grid[i] = launch->grid[i];
    }
    state->waited = 0;
    block->launch = launch;
    block->threads = launch->size[0] * launch->size[1] * launch->size[2];
    block->wavefront = launch->wavefront;
    block->shift = (uint32_t)__builtin_ctz(launch->wavefront);
    block->code = 0;
    block->checked = launch->checked;
    state->threads = block->threads;
    /* Threads of a checked block start in any order, so their ends must be known from the first. */
    if (block->checked)
        ht_block_first_wait(block);
}

/* Forgets all fibers, which stand in the middle of threads after an error. */
static void forget(ht_block *block) {
    block->idle = NULL;
    block->runner_count = 0;
    block->ready.head = NULL;
    block->barrier.head = NULL;
    block->arrived = 0;
    block->votes = 0;
    ht_stacks_each(&block->stacks, ht_check_clean);
}

bool ht_block_run(ht_block *block, const ht_block_launch *launch, const uint32_t at[3],
                  int *out_code, char message[HT_BLOCK_MESSAGE]) {
    enter(block, launch, at);
    ht_runner *first = take_idle(block);
    if (!first) {
        *out_code = HT_HIP_ERROR_OUT_OF_MEMORY;
        snprintf(message, HT_BLOCK_MESSAGE, "no memory for a thread's stack");
        return false;
    }
    block->running = first;
    ht_fiber_switch(&block->main, &first->fiber);
    if (block->code == 0)
        return true;
    *out_code = block->code;
    memcpy(message, block->message, HT_BLOCK_MESSAGE);
    forget(block);
    return false;
}
