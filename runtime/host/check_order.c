/* The order among the blocks of a launch, by atomics. A block that has used an atomic on an address
 * takes over what blocks before it that used one there had done until then (release and acquire, as
 * C++ has them), and passes it on by its own atomics. Blocks run one after another, so that who was
 * first is known.
 *
 * Within a block these come before an atomic: accesses of its own thread, of the threads of its
 * wavefront before they met it, and of all before the last barrier. Kept small: of a thread's
 * atomics the first and the last, of an address those of each block. So an order may be believed
 * that does not hold, where a thread uses several addresses; one that holds is not missed. */
#include "runtime/host/check_internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool has_use(const ht_checker *checker, const ht_cell *cell) {
    return cell->use < checker->launch.use_count && checker->launch.uses[cell->use].cell == cell;
}

static ht_atomic_use *use_of(ht_checker *checker, ht_cell *cell) {
    if (has_use(checker, cell) &&
        checker->launch.uses[cell->use].block == checker->block.first_epoch)
        return &checker->launch.uses[cell->use];
    HT_GROW(checker->launch.uses, checker->launch.use_count);
    ht_atomic_use *use = &checker->launch.uses[checker->launch.use_count];
    *use = (ht_atomic_use){
        .cell = cell, .block = checker->block.first_epoch, .first_epoch = checker->block.epoch};
    cell->use = (uint32_t)checker->launch.use_count++;
    return use;
}

void ht_check_note_atomic(ht_checker *checker, ht_cell *cell, ht_touch now) {
    ht_checked_block *block = &checker->launch.blocks[checker->launch.block_count - 1];
    ht_thread_atomics *thread = &checker->block.atomics[now.thread];
    if (!block->atomics)
        block->first_use = checker->launch.use_count;
    block->atomics = checker->outcome.atomics = true;
    use_of(checker, cell)->last_epoch = now.epoch;
    block->end_use = checker->launch.use_count;
    if (thread->first == 0) {
        thread->first = now.time;
        thread->first_stamp = now.stamp;
    }
    thread->last = now.time;
    thread->last_stamp = now.stamp;
}

void ht_check_close_block(ht_checker *checker, uint32_t threads) {
    ht_checked_block *block = &checker->launch.blocks[checker->launch.block_count - 1];
    if (!block->atomics)
        return;
    block->threads = ht_alloc(threads, sizeof *block->threads);
    memcpy(block->threads, checker->block.atomics, threads * sizeof *block->threads);
    memset(checker->block.atomics, 0, sizeof checker->block.atomics);
}

void ht_check_forget_blocks(ht_checker *checker) {
    for (size_t i = 0; i < checker->launch.block_count; ++i)
        free(checker->launch.blocks[i].threads);
    memset(checker->block.atomics, 0, sizeof checker->block.atomics);
    checker->launch.block_count = checker->launch.use_count = 0;
}

/* Returns true if the thread, or one of its wavefront after they met, used an atomic after the
 * touch. */
static bool thread_released(const ht_checker *checker, const ht_checked_block *block,
                            const ht_touch *touch) {
    uint32_t width = 1u << checker->block.given->shift, threads = checker->block.given->threads;
    uint32_t first = touch->thread & ~(width - 1);
    if (block->threads[touch->thread].last >= touch->time)
        return true;
    for (uint32_t lane = first; lane < first + width && lane < threads; ++lane)
        if (block->threads[lane].last > touch->time &&
            block->threads[lane].last_stamp > touch->stamp)
            return true;
    return false;
}

/* Does the same for one before the touch, in the block that runs. */
static bool thread_acquired(const ht_checker *checker, const ht_touch *touch) {
    const ht_thread_atomics *threads = checker->block.atomics, *own = &threads[touch->thread];
    uint32_t width = 1u << checker->block.given->shift, count = checker->block.given->threads;
    uint32_t first = touch->thread & ~(width - 1);
    if (own->first && own->first <= touch->time)
        return true;
    for (uint32_t lane = first; lane < first + width && lane < count; ++lane)
        if (threads[lane].first && threads[lane].first < touch->time &&
            threads[lane].first_stamp < touch->stamp)
            return true;
    return false;
}

/* A walk from an earlier touch to the running thread's, along addresses. */
typedef struct walk {
    ht_checker *checker;
    const ht_touch *now;
    bool acquired; /* by the thread itself or its wavefront */
} walk;

/* Marks the address as one that passes the order on; true when the running thread has it from
 * there. The mark is in the address's latest use. */
static bool pass_on(const walk *in, const ht_atomic_use *use) {
    ht_checker *checker = in->checker;
    ht_atomic_use *latest = &checker->launch.uses[use->cell->use];
    latest->mark = checker->launch.walks;
    return latest->block == checker->block.first_epoch &&
           (in->acquired || latest->first_epoch < in->now->epoch);
}

static bool is_reached(const ht_checker *checker, const ht_checked_block *block) {
    for (size_t i = block->first_use; i < block->end_use; ++i)
        if (checker->launch.uses[checker->launch.uses[i].cell->use].mark == checker->launch.walks)
            return true;
    return false;
}

bool ht_check_ordered(ht_checker *checker, const ht_touch *before, ht_touch now) {
    const ht_checked_block *from = ht_check_block_of(checker, before->epoch);
    const ht_checked_block *here = &checker->launch.blocks[checker->launch.block_count - 1];
    if (!from || !from->atomics || !here->atomics)
        return false;
    const walk in = {checker, &now, thread_acquired(checker, &now)};
    bool released = thread_released(checker, from, before);
    ++checker->launch.walks;
    for (size_t i = from->first_use; i < from->end_use; ++i)
        if ((released || checker->launch.uses[i].last_epoch > before->epoch) &&
            pass_on(&in, &checker->launch.uses[i]))
            return true;
    for (const ht_checked_block *block = from + 1; block < here; ++block) {
        if (!block->atomics || !is_reached(checker, block))
            continue;
        for (size_t i = block->first_use; i < block->end_use; ++i)
            if (pass_on(&in, &checker->launch.uses[i]))
                return true;
    }
    return false;
}
