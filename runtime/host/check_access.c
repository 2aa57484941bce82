/* One access after the other: is it inside, and does it clash with an earlier one? */
#include "runtime/host/check_internal.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void ht_region_make(ht_region *region, uintptr_t data, size_t bytes, size_t granule) {
    region->data = region->low = data;
    region->high = data + bytes;
    region->bytes = bytes;
    region->granule = granule ? granule : 1;
    region->cell_bytes = (bytes / region->granule + 1) * sizeof(ht_cell);
    void *cells = mmap(NULL, region->cell_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED) {
        fputs("hiptemper: out of memory for what accesses are compared with\n", stderr);
        abort();
    }
    region->cells = cells;
}

void ht_region_free(ht_region *region) {
    if (region->cells)
        munmap(region->cells, region->cell_bytes);
    *region = (ht_region){0};
}

const ht_checked_block *ht_check_block_of(const ht_checker *checker, uint32_t epoch) {
    size_t low = 0, high = checker->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (checker->blocks[middle].epoch <= epoch)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &checker->blocks[low - 1] : NULL;
}

static bool clashes(ht_checker *checker, const ht_region *region, const ht_touch *before,
                    const ht_touch *now) {
    if (before->epoch == 0 || (before->atomic && now->atomic))
        return false;
    if (before->epoch >= checker->block_epoch) {
        uint32_t shift = checker->block->shift;
        bool met = before->thread >> shift == now->thread >> shift && now->stamp > before->stamp;
        return before->epoch == now->epoch && before->thread != now->thread && !met;
    }
    return !region->shared && before->epoch >= checker->launch_epoch &&
           !ht_check_ordered(checker, before, now);
}

typedef struct access {
    const ht_region *region;
    uintptr_t address;
    size_t size;
    bool read, write;
    ht_touch now;
    uintptr_t code;
} access;

static ht_raw_finding finding_of(const access *in, const char *kind) {
    return (ht_raw_finding){.kind = kind,
                            .region = in->region,
                            .address = in->address,
                            .size = in->size,
                            .write = in->write,
                            .now = in->now,
                            .code = in->code};
}

static void race(ht_checker *checker, const access *in, const ht_touch *before, bool write) {
    ht_raw_finding raw = finding_of(in, "race");
    raw.before = *before;
    raw.has_before = true;
    raw.before_write = write;
    ht_check_fail(checker, &raw);
}

static void note_unwritten(ht_checker *checker, const access *in) {
    if (checker->unwritten.kind)
        return;
    checker->unwritten = finding_of(in, "unwritten");
    checker->unwritten.thread = ht_linear_thread(&ht_device_state);
    checker->outcome.has_unwritten = true;
    ht_check_describe(checker, &checker->unwritten, &checker->outcome.unwritten);
}

/* Outputs begin as poison, so what is read before anything was written is what an earlier run left.
 * Poison is looked for too: stores that are not announced may have been there. */
static bool is_left_over(const ht_checker *checker, const access *in, const ht_cell *cell) {
    const ht_region *region = in->region;
    if (!region->poisoned || checker->blind || cell->write.epoch != 0)
        return false;
    const unsigned char *at =
        (const unsigned char *)region->data + (size_t)(cell - region->cells) * region->granule;
    for (size_t i = 0; i < region->granule; ++i)
        if (at[i] != region->poison)
            return false;
    return true;
}

static void left_over(ht_checker *checker, const access *in, const ht_cell *cell) {
    ht_raw_finding raw = finding_of(in, "unwritten");
    raw.address = in->region->data + (size_t)(cell - in->region->cells) * in->region->granule;
    ht_check_fail(checker, &raw);
}

static void note_read(ht_checker *checker, ht_cell *cell, const ht_touch *now) {
    const ht_touch *last = &cell->read;
    bool other_thread = last->epoch == now->epoch && last->thread != now->thread;
    if (last->epoch && (other_thread || last->epoch < checker->block_epoch))
        cell->other = *last;
    cell->read = *now;
}

static void touch(ht_checker *checker, const access *in, ht_cell *cell) {
    if (clashes(checker, in->region, &cell->write, &in->now))
        race(checker, in, &cell->write, true);
    if (in->read && is_left_over(checker, in, cell))
        left_over(checker, in, cell);
    if (in->write) {
        if (clashes(checker, in->region, &cell->read, &in->now))
            race(checker, in, &cell->read, false);
        if (clashes(checker, in->region, &cell->other, &in->now))
            race(checker, in, &cell->other, false);
        cell->write = in->now;
        return;
    }
    if (in->region->shared && cell->write.epoch < checker->block_epoch)
        note_unwritten(checker, in);
    note_read(checker, cell, &in->now);
}

const ht_region *ht_check_region(const ht_checker *checker, uintptr_t address) {
    for (size_t i = 0; i < checker->region_count; ++i)
        if (address >= checker->regions[i].low && address < checker->regions[i].high)
            return &checker->regions[i];
    return NULL;
}

/* A thread's own stack, constants and variables of the unit. */
static bool is_known_elsewhere(const ht_checker *checker, uintptr_t address) {
    return (address >= checker->image->low && address < checker->image->high) ||
           ht_stacks_find(&checker->block->stacks, (void *)address) != HT_STACK_NONE;
}

static bool is_inside(const ht_checker *checker, const access *in) {
    const ht_region *region = in->region;
    if (in->address < region->data || in->address - region->data > region->bytes ||
        in->size > region->bytes - (in->address - region->data))
        return false;
    return region != &checker->regions[HT_CHECK_STATIC] ||
           ht_check_image_array(checker->image, in->address, in->size);
}

/* Between variables lies what the compiler put there. */
static bool is_no_variable(const ht_checker *checker, const access *in) {
    return in->region->variables && !ht_check_image_array(checker->image, in->address, in->size);
}

static void look_at(ht_checker *checker, access *in) {
    const ht_region *region = in->region;
    if (in->write && region->read_only) {
        ht_raw_finding raw = finding_of(in, "input");
        ht_check_fail(checker, &raw);
    }
    bool meets = in->now.atomic && !region->shared;
    checker->atomic_count += meets;
    in->now.time = 2 * checker->atomic_count + !meets;
    size_t offset = in->address - region->data, granule = region->granule;
    for (size_t at = offset / granule; at * granule < offset + in->size; ++at) {
        if (meets)
            ht_check_note_atomic(checker, &region->cells[at], &in->now);
        touch(checker, in, &region->cells[at]);
    }
}

static void count(ht_check_outcome *outcome, const access *in) {
    bool shared = in->region->shared;
    if (in->read) {
        ++*(shared ? &outcome->shared_reads : &outcome->global_reads);
        outcome->global_bytes_read += shared ? 0 : in->size;
    }
    if (in->write)
        ++*(shared ? &outcome->shared_writes : &outcome->global_writes);
}

void ht_device_access(const volatile void *at, unsigned long size, unsigned kind,
                      const void *place) {
    ht_checker *checker = &ht_the_checker;
    if (!checker->tracking)
        return;
    if (checker->reported)
        ht_check_leave(checker);
    if (++checker->outcome.accesses == checker->most)
        checker->tracking = false;
    uint32_t thread = ht_linear_thread(&ht_device_state);
    access in = {.address = (uintptr_t)at,
                 .size = size,
                 .read = !(kind & HT_ACCESS_WRITE) || (kind & HT_ACCESS_UPDATE),
                 .write = kind & HT_ACCESS_WRITE,
                 .code = (uintptr_t)place,
                 .now = {.epoch = checker->epoch,
                         .place = (uint32_t)((uintptr_t)place - checker->image->low),
                         .stamp = checker->stamps[thread],
                         .thread = (uint16_t)thread,
                         .atomic = kind & HT_ACCESS_ATOMIC}};
    in.region = ht_check_region(checker, in.address);
    if (in.region ? is_no_variable(checker, &in)
                  : !checker->planned || is_known_elsewhere(checker, in.address))
        return;
    if (!in.region || !is_inside(checker, &in)) {
        ht_raw_finding raw = finding_of(&in, "outside");
        ht_check_fail(checker, &raw);
    }
    count(&checker->outcome, &in);
    look_at(checker, &in);
}
