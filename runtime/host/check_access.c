/* One access after the other: whether it is inside, and whether it clashes with an earlier one. */
#include "runtime/host/check_internal.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Fewer bytes of cells are allocated: a mapping costs two calls of the system and a fault a page.
 * Larger ones are mapped, and those up to some size kept for the regions to come, which the next
 * pass or launch makes as large: to clear what was touched costs a tenth of its faults. */
enum { CELLS_ALLOCATED = 64 * 1024, CELLS_KEPT_FIRST = 2 * CELLS_ALLOCATED, KEPT_SIZES = 6 };

/* Most accesses to memory of no known type are of words. */
enum { WORD_BYTES = 4 };

enum { PAGE_BYTES = HT_CHECK_PAGE_CELLS * sizeof(ht_cell) };
_Static_assert(PAGE_BYTES == 4096, "a page of cells is one of memory");

/* At the begin of a mapping that is kept. */
typedef struct kept {
    struct kept *next;
} kept;

/* Mappings in no use, by size: of CELLS_KEPT_FIRST bytes, twice as many, and so on. Checks are made
 * one at a time. */
static kept *kept_cells[KEPT_SIZES];

/* Returns which of the kept sizes has room for this many bytes; KEPT_SIZES: none has. */
static size_t kept_size(size_t bytes) {
    size_t size = 0;
    while (size < KEPT_SIZES && (size_t)CELLS_KEPT_FIRST << size < bytes)
        ++size;
    return size;
}

/* Clears cells, and the marks of their pages: what was not touched is clear. */
static void clear_touched(char *cells, unsigned char *pages, size_t bytes) {
    for (size_t at = 0; at * PAGE_BYTES < bytes; ++at)
        if (pages[at])
            memset(cells + at * PAGE_BYTES, 0, PAGE_BYTES);
    memset(pages, 0, bytes / PAGE_BYTES);
}

/* Returns the bytes of a mapping for the cells, without the marks that follow them. */
static size_t room_of(size_t cell_bytes) {
    size_t size = kept_size(cell_bytes);
    return size < KEPT_SIZES ? (size_t)CELLS_KEPT_FIRST << size : cell_bytes;
}

static size_t page_count(size_t bytes) {
    return bytes / PAGE_BYTES + 1;
}

static void map_cells(ht_region *region) {
    size_t size = kept_size(region->cell_bytes), room = room_of(region->cell_bytes);
    kept *again = size < KEPT_SIZES ? kept_cells[size] : NULL;
    if (again != NULL) {
        kept_cells[size] = again->next;
        region->cells = (void *)again;
        region->pages = (unsigned char *)again + room;
        region->pages[0] = 1; /* has this */
        clear_touched((char *)region->cells, region->pages, room);
        return;
    }
    void *fresh = mmap(NULL, room + page_count(room), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED) {
        fputs("hiptemper: out of memory for what accesses are compared with\n", stderr);
        abort();
    }
    region->cells = fresh;
    region->pages = (unsigned char *)fresh + room;
}

/* Makes the cells of a region whose `data` and `bytes` are set. */
static void make_cells(ht_region *region, size_t granule) {
    region->granule = granule;
    region->shift =
        granule & (granule - 1) ? HT_CHECK_NO_SHIFT : (unsigned)__builtin_ctzll(granule);
    region->cell_bytes = (region->bytes / granule + 1) * sizeof(ht_cell);
    if (region->cell_bytes > CELLS_ALLOCATED) {
        map_cells(region);
        return;
    }
    region->cells = ht_alloc(1, region->cell_bytes);
    region->pages = ht_alloc(page_count(region->cell_bytes), 1);
}

static void place_region(ht_region *region, uintptr_t data, size_t bytes) {
    region->data = region->low = data;
    region->high = data + bytes;
    region->bytes = bytes;
}

void ht_region_make(ht_region *region, uintptr_t data, size_t bytes, size_t granule) {
    place_region(region, data, bytes);
    region->splits = false;
    make_cells(region, granule ? granule : 1);
}

void ht_region_make_untyped(ht_region *region, uintptr_t data, size_t bytes) {
    place_region(region, data, bytes);
    region->splits = true;
    make_cells(region, WORD_BYTES);
}

void ht_region_free(ht_region *region) {
    size_t size = kept_size(region->cell_bytes);
    if (region->cell_bytes <= CELLS_ALLOCATED) {
        free(region->cells);
        free(region->pages);
    } else if (size < KEPT_SIZES) {
        kept *cells = (void *)region->cells;
        cells->next = kept_cells[size];
        kept_cells[size] = cells;
    } else {
        size_t room = room_of(region->cell_bytes);
        munmap(region->cells, room + page_count(room));
    }
    *region = (ht_region){0};
}

/* Makes cells of 1 << shift bytes of a region's larger ones. Each gets the state of the one that it
 * was part of: every access so far was to whole cells, so was to all parts of it, one as the other.
 */
__attribute__((noinline, cold)) static void split_cells(ht_region *region, unsigned shift) {
    ht_region before = *region;
    size_t parts = (size_t)1 << (before.shift - shift);
    make_cells(region, (size_t)1 << shift);
    size_t count = region->cell_bytes / sizeof(ht_cell);
    for (size_t at = 0; at < count; ++at) {
        size_t whole = at / parts;
        if (!before.pages[whole / HT_CHECK_PAGE_CELLS])
            continue;
        region->pages[at / HT_CHECK_PAGE_CELLS] = 1;
        region->cells[at] = before.cells[whole];
    }
    ht_region_free(&before);
}

size_t ht_region_next_written(const ht_region *region, size_t cell, size_t end) {
    while (cell < end) {
        if (!region->pages[cell / HT_CHECK_PAGE_CELLS])
            cell += HT_CHECK_PAGE_CELLS - cell % HT_CHECK_PAGE_CELLS;
        else if (region->cells[cell].write.epoch != 0)
            return cell;
        else
            ++cell;
    }
    return end;
}

const ht_checked_block *ht_check_block_of(const ht_checker *checker, uint32_t epoch) {
    size_t low = 0, high = checker->launch.block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (checker->launch.blocks[middle].epoch <= epoch)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &checker->launch.blocks[low - 1] : NULL;
}

/* Arguments on the way of nearly every access go by value and stay in registers: for an ht_touch
 * that is written by its members and read whole, the processor waits. */
static inline bool clashes(ht_checker *checker, const ht_region *region, const ht_touch *before,
                           ht_touch now) {
    if (before->epoch == 0 || (before->atomic && now.atomic))
        return false;
    if (before->epoch >= checker->block.first_epoch) {
        if (before->epoch != now.epoch || before->thread == now.thread)
            return false;
        uint32_t shift = checker->block.given->shift;
        bool met = before->thread >> shift == now.thread >> shift && now.stamp > before->stamp;
        return !met;
    }
    return !region->shared && before->epoch >= checker->launch.epoch &&
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

static ht_raw_finding finding_of(access in, const char *kind) {
    return (ht_raw_finding){.kind = kind,
                            .region = in.region,
                            .address = in.address,
                            .size = in.size,
                            .write = in.write,
                            .now = in.now,
                            .code = in.code};
}

/* Apart from the rest, so that what nearly every access does stays in registers: so are the other
 * findings below. */
__attribute__((noinline, cold)) static void fail_at(ht_checker *checker, access in,
                                                    const char *kind) {
    ht_raw_finding raw = finding_of(in, kind);
    ht_check_fail(checker, &raw);
}

__attribute__((noinline, cold)) static void race(ht_checker *checker, access in,
                                                 const ht_touch *before, bool write) {
    ht_raw_finding raw = finding_of(in, "race");
    raw.before = *before;
    raw.has_before = true;
    raw.before_write = write;
    ht_check_fail(checker, &raw);
}

__attribute__((noinline, cold)) static void note_unwritten(ht_checker *checker, access in) {
    if (checker->unwritten.kind)
        return;
    checker->unwritten = finding_of(in, "unwritten");
    checker->unwritten.thread = ht_linear_thread(&ht_device_state);
    checker->outcome.has_unwritten = true;
    ht_check_describe(checker, &checker->unwritten, &checker->outcome.unwritten);
}

/* Returns true if a read of the cell is of an earlier run's values: outputs begin as poison, so
 * reads before any write are of those. Poison is compared too: stores that are not announced may
 * have been there. */
static bool is_left_over(const ht_checker *checker, const ht_region *region, const ht_cell *cell) {
    if (!region->poisoned || checker->blind || cell->write.epoch != 0)
        return false;
    const unsigned char *at =
        (const unsigned char *)region->data + (size_t)(cell - region->cells) * region->granule;
    for (size_t i = 0; i < region->granule; ++i)
        if (at[i] != region->poison)
            return false;
    return true;
}

__attribute__((noinline, cold)) static void left_over(ht_checker *checker, access in,
                                                      const ht_cell *cell) {
    ht_raw_finding raw = finding_of(in, "unwritten");
    raw.address = in.region->data + (size_t)(cell - in.region->cells) * in.region->granule;
    ht_check_fail(checker, &raw);
}

static inline void note_read(const ht_checker *checker, ht_cell *cell, ht_touch now) {
    const ht_touch *last = &cell->read;
    bool other_thread = last->epoch == now.epoch && last->thread != now.thread;
    if (last->epoch && (other_thread || last->epoch < checker->block.first_epoch))
        cell->other = *last;
    cell->read = now;
}

static inline void touch(ht_checker *checker, access in, ht_cell *cell) {
    if (clashes(checker, in.region, &cell->write, in.now))
        race(checker, in, &cell->write, true);
    if (in.read && is_left_over(checker, in.region, cell))
        left_over(checker, in, cell);
    if (in.write) {
        if (clashes(checker, in.region, &cell->read, in.now))
            race(checker, in, &cell->read, false);
        if (clashes(checker, in.region, &cell->other, in.now))
            race(checker, in, &cell->other, false);
        cell->write = in.now;
        return;
    }
    if (in.region->shared && cell->write.epoch < checker->block.first_epoch)
        note_unwritten(checker, in);
    note_read(checker, cell, in.now);
}

/* Returns its index; the number of regions: there is none. */
static inline size_t region_at(const ht_checker *checker, uintptr_t address) {
    size_t at = 0;
    while (at < checker->regions.count &&
           (address < checker->regions.items[at].low || address >= checker->regions.items[at].high))
        ++at;
    return at;
}

const ht_region *ht_check_region(const ht_checker *checker, uintptr_t address) {
    size_t at = region_at(checker, address);
    return at < checker->regions.count ? &checker->regions.items[at] : NULL;
}

/* Returns true for a thread's own stack, constants and variables of the unit. */
static bool is_known_elsewhere(const ht_checker *checker, uintptr_t address) {
    return (address >= checker->launch.image->low && address < checker->launch.image->high) ||
           ht_stacks_find(&checker->block.given->stacks, (void *)address) != HT_STACK_NONE;
}

static bool is_inside(const ht_checker *checker, const ht_region *region, uintptr_t address,
                      size_t size) {
    if (address < region->data || address - region->data > region->bytes ||
        size > region->bytes - (address - region->data))
        return false;
    return region != &checker->regions.items[HT_CHECK_STATIC] ||
           ht_check_image_array(checker->launch.image, address, size);
}

/* Returns true for an access between variables, where there is only what the compiler put there. */
static bool is_no_variable(const ht_checker *checker, const ht_region *region, uintptr_t address,
                           size_t size) {
    return region->variables && !ht_check_image_array(checker->launch.image, address, size);
}

/* Returns the index of the cell at an offset. Divisions were what cost most here. */
static size_t cell_at(const ht_region *region, size_t offset) {
    return region->shift == HT_CHECK_NO_SHIFT ? offset / region->granule : offset >> region->shift;
}

/* Splits cells of which the access is to a part. Atomics on global memory are noted by cell: before
 * the first, cells become bytes. */
static inline void fit_cells(ht_region *region, size_t offset, size_t size, bool meets) {
    size_t ends = offset | size;
    if (meets ? region->granule > 1 : (ends & (region->granule - 1)) != 0)
        split_cells(region, meets ? 0 : (unsigned)__builtin_ctzll(ends));
}

/* Marks the page of a cell that is the first of it to be touched. It is written before anything
 * reads it: memory that was read first costs two faults, one for the reading. */
__attribute__((noinline)) static void open_page(ht_checker *checker, unsigned char *page,
                                                ht_cell *cell) {
    ++checker->pages;
    *page = 1;
    *(volatile uint32_t *)&cell->use = 0;
}

static inline void look_at(ht_checker *checker, ht_region *region, access in) {
    if (in.write && region->read_only)
        fail_at(checker, in, "input");
    bool meets = in.now.atomic && !region->shared;
    checker->launch.atomic_count += meets;
    in.now.time = 2 * checker->launch.atomic_count + !meets;
    size_t offset = in.address - region->data;
    if (region->splits)
        fit_cells(region, offset, in.size, meets);
    ht_cell *cells = region->cells;
    unsigned char *pages = region->pages;
    size_t end = in.size ? cell_at(region, offset + in.size - 1) + 1 : 0;
    for (size_t at = cell_at(region, offset); at < end; ++at) {
        if (!pages[at / HT_CHECK_PAGE_CELLS])
            open_page(checker, &pages[at / HT_CHECK_PAGE_CELLS], &cells[at]);
        if (meets)
            ht_check_note_atomic(checker, &cells[at], in.now);
        touch(checker, in, &cells[at]);
    }
}

static inline void count(ht_check_outcome *outcome, bool shared, access in) {
    if (in.read) {
        ++*(shared ? &outcome->shared_reads : &outcome->global_reads);
        outcome->global_bytes_read += shared ? 0 : in.size;
    }
    if (in.write)
        ++*(shared ? &outcome->shared_writes : &outcome->global_writes);
}

void ht_device_access(const volatile void *at, unsigned long size, unsigned kind,
                      const void *place) {
    ht_checker *checker = &ht_the_checker;
    if (!checker->tracking)
        return;
    if (checker->reported)
        ht_check_leave(checker);
    if (++checker->outcome.accesses == checker->launch.most ||
        (checker->pages >= checker->launch.pages && checker->launch.most))
        checker->tracking = false;
    uintptr_t address = (uintptr_t)at;
    size_t index = region_at(checker, address);
    ht_region *region = index < checker->regions.count ? &checker->regions.items[index] : NULL;
    if (region ? is_no_variable(checker, region, address, size)
               : !checker->planned || is_known_elsewhere(checker, address))
        return;
    uint32_t thread = ht_linear_thread(&ht_device_state);
    access in = {.region = region,
                 .address = address,
                 .size = size,
                 .read = !(kind & HT_ACCESS_WRITE) || (kind & HT_ACCESS_UPDATE),
                 .write = kind & HT_ACCESS_WRITE,
                 .code = (uintptr_t)place,
                 .now = {.epoch = checker->block.epoch,
                         .place = (uint32_t)((uintptr_t)place - checker->launch.image->low),
                         .stamp = checker->block.stamps[thread],
                         .thread = (uint16_t)thread,
                         .atomic = kind & HT_ACCESS_ATOMIC}};
    if (!region || !is_inside(checker, region, address, size))
        fail_at(checker, in, "outside");
    count(&checker->outcome, region->shared, in);
    look_at(checker, region, in);
}
