/* Shuffles and ballots: the lanes of a mask that have not ended meet at one place and exchange a
 * word each. */
#include "runtime/host/block_internal.h"

#include <string.h>

static bool same_place(const ht_runner *a, const ht_runner *b) {
    return a->kind == b->kind && a->mask == b->mask && a->line == b->line && a->what == b->what &&
           (a->file == b->file || strcmp(a->file, b->file) == 0);
}

static ht_runner **wave_waiters(ht_block *block, const ht_wave *wave) {
    return &block->waiter[(size_t)(wave - block->waves) * block->wavefront];
}

/* Gives every lane of the meeting its result. The last to come does it for all, so no lane can
 * overwrite its value before another has read it. */
static void exchange(ht_runner **waiters, uint64_t lanes) {
    uint64_t ballot = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (waiters[lane]->value)
            ballot |= 1ull << lane;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        ht_runner *runner = waiters[__builtin_ctzll(rest)];
        if (runner->kind != HT_WAVE_SHUFFLE)
            runner->result = ballot;
        else if (runner->source < 64 && lanes >> runner->source & 1)
            runner->result = waiters[runner->source]->value;
        else
            runner->result = ~0ull;
    }
}

/* Can the meeting that `first` waits for take place? If so, all of its lanes but `running` become
 * ready. */
static bool meet(ht_block *block, ht_wave *wave, const ht_runner *first, const ht_runner *running) {
    uint64_t lanes = first->mask & wave->lanes & ~wave->ended;
    if (lanes & ~wave->waiting)
        return false;
    ht_runner **waiters = wave_waiters(block, wave);
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        if (!same_place(first, waiters[__builtin_ctzll(rest)]))
            return false;
    exchange(waiters, lanes);
    wave->waiting &= ~lanes;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        ht_runner *runner = waiters[__builtin_ctzll(rest)];
        if (runner != running)
            ht_queue_push(&block->ready, runner);
    }
    return true;
}

void ht_wave_lane_ended(ht_block *block, ht_wave *wave) {
    ht_runner **waiters = wave_waiters(block, wave);
    for (uint64_t rest = wave->waiting; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (wave->waiting >> lane & 1)
            meet(block, wave, waiters[lane], NULL);
    }
}

unsigned long ht_device_wave(unsigned kind, unsigned long mask, unsigned long value,
                             unsigned source, const char *file, int line, const char *what) {
    ht_block *block = ht_block_current;
    const struct ht_device_state *state = &ht_device_state;
    if (!state->waited)
        ht_block_first_wait(block);
    uint32_t linear =
        (state->thread[2] * state->size[1] + state->thread[1]) * state->size[0] + state->thread[0];
    uint32_t lane = linear % block->wavefront;
    ht_wave *wave = &block->waves[linear / block->wavefront];
    ht_runner *self = block->running;
    self->what = what;
    self->file = file;
    self->line = line;
    self->kind = kind;
    self->source = source;
    self->mask = mask | 1ull << lane;
    self->value = value;
    block->waiter[linear] = self;
    wave->waiting |= 1ull << lane;
    if (!meet(block, wave, self, self))
        ht_block_park(block);
    return self->result;
}
