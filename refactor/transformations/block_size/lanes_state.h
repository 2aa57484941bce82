/* The state of a run by all threads of a block. Private to the files lanes*.c. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_STATE_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_STATE_H

#include "refactor/transformations/block_size/lanes.h"

typedef enum ht_lane_kind {
    HT_LANE_UNKNOWN,
    HT_LANE_NUMBER, /* a whole number */
    HT_LANE_REAL,   /* a real number */
    HT_LANE_PART,   /* some threads' values of a seeded variable, each once */
    /* of an online softmax (lanes_scaled.h) */
    HT_LANE_SCALED,     /* some threads' sums, scaled to the maximum of `against` */
    HT_LANE_DIFFERENCE, /* the maximum of `part` (NULL: a value below all) less that of `against` */
    HT_LANE_FACTOR      /* the exponential of such a difference */
} ht_lane_kind;

struct ht_lane_value {
    ht_lane_kind kind;
    int64_t number;
    double real;
    size_t source;           /* PART, SCALED: the variable; else the maximum's */
    const uint64_t *part;    /* PART and on: a bit for each thread; the run's */
    const uint64_t *against; /* SCALED and on: the same */
};

/* An element of shared memory. */
typedef struct ht_lane_element {
    ht_lane_value value;
    size_t written, read;  /* the last interval between barriers in which it was; 0: never */
    size_t writer, reader; /* the thread; SIZE_MAX: several */
} ht_lane_element;

typedef struct ht_lane_variable {
    ht_lane_value *values;     /* by thread; NULL: not set in the run; owned */
    ht_lane_element *elements; /* of shared memory; NULL: not accessed; owned */
    size_t element_count;
    bool touched;
    ht_combine op;                        /* of a seeded variable */
    ht_lane_value floor;                  /* of a seeded variable: it holds no less, or no more */
    size_t scale;                         /* of a scaled sum: the maximum's variable */
    int base;                             /* of that maximum: of the exponentials; 0: it has none */
    const ht_syntax_variable *stands_for; /* a reference to this variable; NULL: itself */
} ht_lane_variable;

struct ht_lanes {
    const ht_syntax_tree *tree;
    size_t threads, wavefront;
    size_t words;                /* of a set of threads */
    ht_lane_variable *variables; /* by index; owned */
    uint64_t **sets;             /* owned */
    size_t set_count;
    size_t epoch;    /* counts the barriers, from 1 */
    int depth;       /* of calls */
    const char *why; /* the run failed; static */
    ht_position at;
};

#endif
