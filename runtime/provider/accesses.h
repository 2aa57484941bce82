/* How often a compiled kernel goes to memory, found by following its instructions. */
#ifndef HT_RUNTIME_PROVIDER_ACCESSES_H
#define HT_RUNTIME_PROVIDER_ACCESSES_H

#include "templates/bind.h"

#include <stdint.h>

/* X(field, meaning): of lanes, each active lane counts; of waves, each wave's instruction once. */
#define HT_ACCESS_FIELDS(X)                                                                        \
    X(outputs, "elements of outputs that were written")                                            \
    X(global_loads, "vector loads from memory, of lanes")                                          \
    X(global_load_bytes, "their bytes, of lanes")                                                  \
    X(global_load_issues, "vector loads from memory, of waves")                                    \
    X(global_load_lines, "different 64-byte lines that those of a wave touch")                     \
    X(scalar_loads, "scalar loads of data, of waves")                                              \
    X(scalar_load_bytes, "their bytes, of waves")                                                  \
    X(global_stores, "vector stores, of lanes")                                                    \
    X(global_store_bytes, "their bytes, of lanes")                                                 \
    X(atomics, "atomic operations on memory, of lanes")                                            \
    X(lds_reads, "places of LDS that are read (a read2 has two), of lanes")                        \
    X(lds_read_bytes, "their bytes, of lanes")                                                     \
    X(lds_writes, "the same for writing")                                                          \
    X(lds_write_bytes, "their bytes, of lanes")                                                    \
    X(scratch, "loads and stores of scratch memory, of lanes")                                     \
    X(scratch_bytes, "their bytes, of whole waves")                                                \
    X(products, "multiplications of data, with addition or not, of lanes")                         \
    X(barriers, "barriers, of waves")                                                              \
    X(instructions, "instructions, of waves")                                                      \
    X(vector_instructions, "of these vector arithmetic at the full rate")                          \
    X(slow_instructions, "at a quarter of it: divisions, roots, multiplications of integers")      \
    X(double_instructions, "on float64")                                                           \
    X(scalar_instructions, "scalar arithmetic and branches")                                       \
    X(matrix_cycles, "cycles of a SIMD that matrix instructions take")                             \
    X(l1_bytes, "bytes that vector loads and stores take of L1: of all lanes, or whole lines")     \
    X(lds_passes, "passes over the 32 banks of LDS, more where lanes meet in one")                 \
    X(block_lines, "different 64-byte lines that a block loads, of all blocks")                    \
    X(memory_waits, "waits for a load of a line that no wave of the block had loaded, of waves")   \
    X(scratch_waits, "waits for scratch memory and no such load, of waves")                        \
    X(cached_waits, "waits for other vector accesses to memory, of waves")                         \
    X(scalar_waits, "waits for scalar loads, of waves")                                            \
    X(lds_waits, "waits for LDS, of waves")                                                        \
    X(threads, "threads that were started")                                                        \
    X(waves, "waves")                                                                              \
    X(blocks, "blocks that were followed")

typedef struct ht_access_counts {
#define HT_ACCESS_MEMBER(field, meaning) uint64_t field;
    HT_ACCESS_FIELDS(HT_ACCESS_MEMBER)
#undef HT_ACCESS_MEMBER
} ht_access_counts;

typedef struct ht_accesses {
    ht_access_counts counts; /* of the blocks that were followed */
    uint64_t blocks;         /* that the launch has */
    double working;          /* of these, those that are like the followed ones: the others end
                                without going to memory; estimated where not all were tried */
    uint64_t output_size;    /* elements that all outputs have */
    uint64_t input_bytes;    /* of the buffers that vector loads read */
} ht_accesses;

/* Returns how many blocks of the launch each that was followed stands for; 0: there is none. */
static inline double ht_accesses_share(const ht_accesses *accesses) {
    return accesses->counts.blocks ? accesses->working / (double)accesses->counts.blocks : 0;
}

/* An argument of a kernel, in its order. */
typedef struct ht_kernel_argument {
    const void *value;    /* of a scalar; borrowed. NULL: a buffer */
    uint64_t size;        /* bytes of the scalar, or of the buffer */
    const void *contents; /* of a buffer, where they decide addresses; borrowed. NULL: unknown */
    uint64_t output_unit; /* bytes of an element of an output that is counted; 0: none */
} ht_kernel_argument;

/* A launch whose accesses are to be counted. */
typedef struct ht_counted_launch {
    ht_geometry geometry;
    const ht_kernel_argument *arguments; /* borrowed */
    size_t argument_count;
    uint64_t blocks_max; /* of a larger grid this many blocks that do something are followed, one
                            from each equal part; 0: all of these */
} ht_counted_launch;

#endif
