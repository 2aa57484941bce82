/* The checker, seen by its parts: check.c (plans, barriers, orders), check_access.c (accesses),
 * check_image.c (names of shared arrays), check_launch.c (blocks), check_order.c (what orders
 * blocks) and check_report.c (words). */
#ifndef HT_RUNTIME_HOST_CHECK_INTERNAL_H
#define HT_RUNTIME_HOST_CHECK_INTERNAL_H

#include "runtime/host/block_internal.h"
#include "runtime/host/check.h"
#include "runtime/host/module.h"

/* The last time that some thread touched a cell. Epochs count the intervals between barriers, on
 * and on over blocks and launches, so that an epoch gives the block too. */
typedef struct ht_touch {
    uint32_t epoch; /* 0: never */
    uint32_t place; /* offset of the code in its image */
    uint32_t stamp; /* meetings of its wavefront that the thread had seen */
    uint32_t time;  /* counts atomics on global memory: even for them, odd for what is between */
    uint16_t thread;
    bool atomic;
} ht_touch;

/* Two readers, so that a writer that is one of them meets the other. */
typedef struct ht_cell {
    ht_touch write, read, other;
    uint32_t use; /* the latest of its address, in ht_launch_progress.uses */
} ht_cell;

enum { HT_CHECK_NO_SHIFT = 64, HT_CHECK_PAGE_CELLS = 64 };

typedef struct ht_region {
    const char *name;    /* NULL: shared memory, whose arrays the image names */
    uintptr_t low, high; /* addresses that can only mean this region */
    uintptr_t data;
    size_t bytes;
    size_t granule; /* bytes of a cell */
    unsigned shift; /* the granule is 1 << shift; HT_CHECK_NO_SHIFT: no power of two */
    bool splits;    /* no type is known: cells are of 4 bytes until an access is to a part of one */
    bool shared, read_only, variables;
    bool poisoned; /* until it is written, with bytes of `poison` */
    unsigned char poison;
    ht_cell *cells; /* of `cell_bytes` */
    size_t cell_bytes;
    unsigned char *pages; /* 1 for HT_CHECK_PAGE_CELLS cells of which some were touched: a look at
                             one of the others would make the system find memory for it */
} ht_region;

typedef struct ht_check_array {
    char *name;
    uintptr_t data;
    size_t bytes;
} ht_check_array;

/* Sections of the unit's own variables. */
enum { HT_CHECK_SECTIONS = 2 };

typedef struct ht_check_image {
    uintptr_t low, high; /* where it is loaded */
    uintptr_t lds;
    size_t lds_bytes;
    uintptr_t dynamic; /* 0: none */
    char *dynamic_name;
    struct {
        uintptr_t data;
        size_t bytes;
    } variables[HT_CHECK_SECTIONS];
    ht_check_array *arrays; /* shared ones, and variables */
    size_t array_count;
    int fd; /* borrowed */
} ht_check_image;

/* One thread's atomics on global memory: times and stamps as in ht_touch; 0: none. */
typedef struct ht_thread_atomics {
    uint32_t first, first_stamp, last, last_stamp;
} ht_thread_atomics;

/* One block's atomics on one address of global memory. */
typedef struct ht_atomic_use {
    ht_cell *cell;
    uint32_t block;                   /* its first epoch */
    uint32_t first_epoch, last_epoch; /* of the atomics */
    uint32_t mark;                    /* of ht_check_ordered */
} ht_atomic_use;

/* A block that was looked at. */
typedef struct ht_checked_block {
    uint32_t epoch; /* its first */
    uint64_t index;
    bool atomics; /* used some on global memory */
    size_t first_use, end_use;
    ht_thread_atomics *threads; /* owned; NULL without atomics, and while it runs */
} ht_checked_block;

/* A finding, before words are made of it. */
typedef struct ht_raw_finding {
    const char *kind; /* NULL: nothing */
    const ht_region *region;
    uintptr_t address;
    size_t size;
    bool write;
    ht_touch now, before;
    bool has_before, before_write;
    uintptr_t code; /* of the access; 0: `file` and `line` */
    const char *file;
    int line;
    uint32_t thread;
    char text[256]; /* what the above does not say */
} ht_raw_finding;

/* Regions: static and dynamic shared memory, the unit's variables, then the plan's buffers. */
enum {
    HT_CHECK_STATIC,
    HT_CHECK_DYNAMIC,
    HT_CHECK_VARIABLES,
    HT_CHECK_FIRST_BUFFER = HT_CHECK_VARIABLES + HT_CHECK_SECTIONS,
    HT_CHECK_BUFFERS = 72
};

typedef struct ht_region_list {
    ht_region items[HT_CHECK_FIRST_BUFFER + HT_CHECK_BUFFERS];
    size_t count;
} ht_region_list;

/* The launch that is looked at, and its blocks so far. */
typedef struct ht_launch_progress {
    const ht_check_image *image;
    const ht_block_launch *given;
    uint32_t epoch; /* its first */
    size_t pages;   /* as in the plan */
    uint64_t most;  /* accesses after which even a block begun is looked at no longer; 0: never */
    ht_checked_block *blocks;
    size_t block_count;
    ht_atomic_use *uses; /* of all blocks, in their order */
    size_t use_count;
    uint32_t atomic_count, walks;
} ht_launch_progress;

/* The block that runs, and its threads so far. */
typedef struct ht_block_progress {
    ht_block *given;
    uint32_t epoch, first_epoch;         /* the present one; the block's first */
    uint16_t sequence[HT_BLOCK_THREADS]; /* threads in their order */
    uint32_t started;
    uint32_t stamps[HT_BLOCK_THREADS];
    ht_thread_atomics atomics[HT_BLOCK_THREADS];
} ht_block_progress;

typedef struct ht_checker {
    bool planned;
    bool tracking; /* accesses are looked at now */
    ht_check_plan plan;
    ht_check_outcome outcome;
    size_t pages; /* of cells that were touched */
    bool blind;   /* an earlier launch of the plan wrote what was not looked at */
    ht_region_list regions;
    ht_launch_progress launch;
    ht_block_progress block;
    ht_raw_finding raw, unwritten;
    bool reported; /* AddressSanitizer did, and went on; `raw` holds it */
} ht_checker;

extern ht_checker ht_the_checker;

/* check.c, called by the runner of blocks. All that have not ended have met at a barrier; `file` is
 * NULL when the last of them ended instead of coming. */
void ht_check_barrier(ht_block *block, const char *file, int line, const char *what);
/* The lanes of a wavefront have met. */
void ht_check_meeting(ht_block *block, const ht_wave *wave, uint64_t lanes);
/* Prepares the order of a block's threads. */
void ht_check_enter(ht_checker *checker, uint64_t index);
/* Notes a finding of the running thread and leaves the block. */
void ht_check_fail(ht_checker *checker, const ht_raw_finding *raw) __attribute__((noreturn));
/* Leaves it with what `raw` holds already. */
void ht_check_leave(ht_checker *checker) __attribute__((noreturn));

/* check_address.c. Memory that held frames, which AddressSanitizer guards, is as new. */
void ht_check_clean(const void *memory, size_t size);

/* check_access.c. */
void ht_region_make(ht_region *region, uintptr_t data, size_t bytes, size_t granule);
/* For memory of no known type, of which any byte may be accessed. */
void ht_region_make_untyped(ht_region *region, uintptr_t data, size_t bytes);
void ht_region_free(ht_region *region);
/* Returns the first cell in [cell, end) that some thread wrote; `end`: there is none. */
size_t ht_region_next_written(const ht_region *region, size_t cell, size_t end);
/* The region that an address can only mean; NULL for none. */
const ht_region *ht_check_region(const ht_checker *checker, uintptr_t address);
const ht_checked_block *ht_check_block_of(const ht_checker *checker, uint32_t epoch);

/* check_order.c. The running thread uses an atomic on global memory, whose blocks[] has the block
 * last; called before the access itself is looked at. */
void ht_check_note_atomic(ht_checker *checker, ht_cell *cell, ht_touch now);
/* The block that ran has ended. */
void ht_check_close_block(ht_checker *checker, uint32_t threads);
/* Before a launch, and at the end. */
void ht_check_forget_blocks(ht_checker *checker);
/* Returns true if atomics order what the running thread does after the touch of an earlier block.
 */
bool ht_check_ordered(ht_checker *checker, const ht_touch *before, ht_touch now);

/* check_image.c. */
ht_check_image *ht_check_image_open(void *handle, const void *image, int fd);
void ht_check_image_free(ht_check_image *image);
const ht_check_array *ht_check_image_array(const ht_check_image *image, uintptr_t address,
                                           size_t size);

/* check_launch.c. */
typedef struct ht_checked_launch {
    const ht_check_image *image;
    ht_block_launch block;
    unsigned dynamic_lds;
    uint64_t blocks;
} ht_checked_launch;
/* Runs it in this OS thread. False as ht_block_run. */
bool ht_check_launch(const ht_checked_launch *launch, int *out_code,
                     char message[HT_BLOCK_MESSAGE]);

/* check_report.c: words for a finding. */
void ht_check_describe(const ht_checker *checker, const ht_raw_finding *raw,
                       ht_check_finding *out_finding);

#endif
