/* Launches of images that were compiled for checking: every access to memory is checked before it
 * happens, one block at a time, threads in a chosen order. docs/checking.md says what is found. One
 * plan a process at a time; a checked image that is launched without one has only its shared memory
 * and barriers checked. */
#ifndef HT_RUNTIME_HOST_CHECK_H
#define HT_RUNTIME_HOST_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ht_check_order { HT_CHECK_FORWARD, HT_CHECK_BACKWARD, HT_CHECK_RANDOM } ht_check_order;

typedef struct ht_check_buffer {
    const char *name; /* borrowed during the plan */
    char *data;
    size_t bytes;
    size_t guard;   /* bytes on either side that belong to nobody else */
    size_t element; /* bytes of what cannot be written by halves */
    bool read_only;
    bool poisoned; /* until it is written, with bytes of `poison`: reading it then is a fault */
    unsigned char poison;
} ht_check_buffer;

/* 256 MiB: the notes of 4 million elements. */
enum { HT_CHECK_PAGES = 1 << 16 };

typedef struct ht_check_plan {
    ht_check_order order; /* of a block's threads; backward takes the blocks so too */
    uint64_t seed;        /* of random orders, and of which blocks are looked at */
    uint64_t accesses;    /* no further block is begun after this many; 0: all blocks */
    bool complete; /* run the other blocks too, without looking: something later needs them */
    bool ended;    /* threads that ended before a barrier are no finding: they count as arrived */
    uint64_t affordable; /* run them too if the launch's blocks, going by those looked at, make no
                            more accesses than this; 0: do not */
    size_t pages; /* of 4 KiB of what is noted of elements, with a limit of accesses: none are
                     looked at past these, so that memory ends; 0: HT_CHECK_PAGES */
    const ht_check_buffer *buffers;
    size_t buffer_count;
} ht_check_plan;

/* One side of a finding. */
typedef struct ht_check_place {
    char file[96];
    int line; /* 0: not known */
    uint32_t thread[3], block[3];
    bool write;
} ht_check_place;

typedef struct ht_check_finding {
    const char *kind; /* "race", "outside", "input", "unwritten", "barrier", "bounds", "memory",
                         "stack", "fault"; static */
    char message[512];
    char array[64]; /* a buffer, or a shared array; "" when none is meant */
    int64_t element;
    size_t place_count; /* of `places`: the access, and the earlier one that it clashes with */
    ht_check_place places[2];
} ht_check_finding;

typedef struct ht_check_outcome {
    uint64_t blocks, blocks_run, blocks_checked; /* of all launches */
    uint64_t accesses;
    /* Of these, what goes to global memory and to shared memory; a thread's own arrays are neither.
     * As the code is compiled for checking: without vectors, values that are asked for twice are
     * loaded once where the compiler sees it. */
    uint64_t global_reads, global_bytes_read, global_writes, shared_reads, shared_writes;
    bool spent;   /* the process is to check nothing more: AddressSanitizer reported, or fell, which
                     may leave its lock held; its next report would wait for ever */
    bool atomics; /* blocks met in global memory, so that part of the blocks gives part of a sum */
    bool found;
    ht_check_finding finding; /* the first, when found */
    bool has_unwritten; /* shared memory was read that its block never wrote: no error in itself,
                           but what a wrong result may come from */
    ht_check_finding unwritten;
} ht_check_outcome;

/* The environment that a process needs to run checked images, as names and values; ends in NULL.
 * Empty when AddressSanitizer is not installed: images are then compiled without it. */
const char *const *ht_check_environment(void);
/* Returns true if AddressSanitizer is in this process, loaded first or linked. */
bool ht_check_sanitized(void);
/* First thing in such a process. */
void ht_check_prepare(void);

/* From now on launches of checked images follow the plan. The buffers must stay. */
void ht_check_begin(const ht_check_plan *plan);
/* Ends it. */
void ht_check_end(ht_check_outcome *out_outcome);
/* Gives the findings so far, during a plan. */
void ht_check_progress(ht_check_outcome *out_outcome);
/* Returns the first in [element, end) of a buffer's elements (of the size given in the plan) that a
 * checked block wrote; `end`: there is none. During a plan. */
size_t ht_check_next_written(size_t buffer, size_t element, size_t end);

#endif
