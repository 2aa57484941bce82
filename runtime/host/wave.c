/* Shuffles and ballots: the lanes of a mask that have not ended meet at one place and exchange a
 * word each. */
#include "runtime/host/block_internal.h"
#include "runtime/host/check_internal.h"

#include <string.h>

static bool same_place(const ht_runner *a, const ht_runner *b) {
    return a->what == b->what && a->mask == b->mask && a->line == b->line &&
           (a->file == b->file || strcmp(a->file, b->file) == 0);
}

static ht_runner **wave_waiters(ht_block *block, const ht_wave *wave) {
    return &block->waiter[(size_t)(wave - block->waves) << block->shift];
}

static uint64_t count_votes(ht_runner *const *waiters, uint64_t lanes) {
    uint64_t votes = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        votes |= (uint64_t)(waiters[lane]->value != 0) << lane;
    }
    return votes;
}

/* Lets the meeting that `first` waits for take place, if it can: then every lane gets its result,
 * and all but `running` become ready. The last to come does it for all, so no lane can overwrite
 * its value before another has read it. */
static bool meet(ht_block *block, ht_wave *wave, const ht_runner *first, const ht_runner *running) {
    uint64_t lanes = first->mask & wave->lanes & ~wave->ended;
    if (lanes & ~wave->waiting)
        return false;
    ht_runner **waiters = wave_waiters(block, wave);
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        if (!same_place(first, waiters[__builtin_ctzll(rest)]))
            return false;
    uint64_t votes = first->wish == HT_WAVE_BALLOT ? count_votes(waiters, lanes) : 0;
    wave->waiting &= ~lanes;
    if (block->checked)
        ht_check_meeting(block, wave, lanes);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        ht_runner *runner = waiters[__builtin_ctzll(rest)];
        if (runner->wish >= 64)
            runner->result = runner->wish == HT_WAVE_NONE ? ~0ull : votes;
        else
            runner->result = lanes >> runner->wish & 1 ? waiters[runner->wish]->value : ~0ull;
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

unsigned long ht_block_wave(unsigned wish, unsigned long mask, unsigned long value,
                            const char *file, int line, const char *what) {
    ht_block *block = ht_block_current;
    if (!ht_device_state.waited)
        ht_block_first_wait(block);
    uint32_t linear = ht_linear_thread(&ht_device_state);
    uint32_t lane = linear & (block->wavefront - 1);
    ht_wave *wave = &block->waves[linear >> block->shift];
    ht_runner *self = block->running;
    self->what = what;
    self->file = file;
    self->line = line;
    self->wish = wish;
    self->mask = mask | 1ull << lane;
    self->value = value;
    block->waiter[linear] = self;
    wave->waiting |= 1ull << lane;
    if (!meet(block, wave, self, self))
        ht_block_park(block);
    return ht_block_current->running->result;
}
