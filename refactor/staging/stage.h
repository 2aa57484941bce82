/* The part of an input that a block may keep in shared memory: for reads of one array that differ
 * only by constants, the box of elements that the block's outputs and the inner loops read, the
 * place where the box is loaded, and the elements in it that the original reads at all. Private to
 * refactor/.
 *
 * A dimension of a read is a sum of multiples of the outputs' indices, of multiples of loops'
 * symbols, and of a rest that is the same for the whole block at the place of the load (`given`).
 * In this dimension the box begins at `low` plus the multiples of the block's first outputs. */
#ifndef HT_REFACTOR_STAGE_H
#define HT_REFACTOR_STAGE_H

#include "refactor/kernel_model/kernel_model.h"

enum { HT_STAGE_DIMENSIONS_MAX = 6, HT_STAGE_LOOPS_MAX = 8, HT_STAGE_BOUNDS_MAX = 24 };

/* The outputs of a block, and the constants of the template. */
typedef struct ht_stage_frame {
    bool axis[3];          /* a thread's index along the axis is that of its outputs */
    const char *tile[3];   /* outputs of a block along the axis, as template expressions */
    int64_t tile_usual[3]; /* a usual number of them, to judge whether staging may pay */
    /* Returns true if the control of a loop, and of all loops around it, is the same for all
     * threads of a block. */
    bool (*is_uniform)(const void *context, const ht_syntax *loop);
    /* Returns the template constant for an argument, which is 0 for any value; NULL: there is
     * none. */
    const char *(*constant)(const void *context, const char *argument);
    const void *context;
} ht_stage_frame;

/* A test for elements to be loaded: `value`, over given symbols and the element's coordinates
 * (ht_stage.coordinates), is not negative. An element is loaded if all tests of one alternative
 * hold. Tests are in the order of alternatives. */
typedef struct ht_stage_bound {
    size_t alternative;
    const ht_poly *value;
} ht_stage_bound;

typedef struct ht_stage_dimension {
    const ht_poly *stride;
    bool uniform; /* one element wide, and the same for all elements that are loaded together */
    int64_t factor[3];   /* multiples of the outputs' indices */
    const ht_poly *low;  /* begin of the box without the outputs' origins; over given symbols */
    const ht_poly *span; /* width added by loops and neighbours: constants, arguments */
    char *extent;        /* template expression; owned */
    int64_t extent_usual;
} ht_stage_dimension;

typedef struct ht_stage_read {
    const ht_km_access *access;
    /* Its place in the box without the outputs' part: over loops' symbols and given ones. */
    const ht_poly *inside[HT_STAGE_DIMENSIONS_MAX];
    bool held[HT_STAGE_DIMENSIONS_MAX]; /* clamped by min and max: print the index itself */
} ht_stage_read;

typedef struct ht_stage {
    ht_kernel_model *km;
    const ht_stage_frame *frame;
    size_t array;
    const char *type;                 /* of coordinates: "int", "long long" */
    size_t outer[HT_STAGE_LOOPS_MAX]; /* loops around the load, outermost first */
    size_t outer_count;
    ht_stage_dimension dimensions[HT_STAGE_DIMENSIONS_MAX];
    size_t dimension_count;
    ht_stage_read *reads; /* owned */
    size_t read_count;
    ht_stage_bound bounds[HT_STAGE_BOUNDS_MAX];
    size_t bound_count;
    size_t coordinates[HT_STAGE_DIMENSIONS_MAX]; /* symbols for an element's index */
    /* Names for printing; set them first. Borrowed. */
    const char *coordinate_names[HT_STAGE_DIMENSIONS_MAX], *output_names[3];
    const char *ahead_name;
    const char *constants[HT_STAGE_LOOPS_MAX]; /* template constants that must not be 0; borrowed */
    size_t constant_count;
    char *wide; /* a template expression that must hold, so that there are no gaps between windows;
                   NULL: none; owned */
    const char *problem; /* why nothing can be staged; owned by the model or static */
    ht_position problem_at;
} ht_stage;

/* Symbols that are printed by name: an element's coordinate (by dimension), an output's index (by
 * axis), the number of iterations by which a load is early, a loop's counter. */
enum {
    HT_STAGE_OUTPUT = HT_STAGE_DIMENSIONS_MAX,
    HT_STAGE_AHEAD = HT_STAGE_OUTPUT + 3,
    HT_STAGE_COUNTER
};

#endif
