/* The model of a kernel that transformations and their proofs share: who launches it, its loops in
 * normal form, its guards, every access with its subscript as a polynomial over block, thread, loop
 * counters and arguments, and, through isl, the sets that follow: iteration domains, access
 * relations, dependences between threads, footprints of a block. What is not known is said to be
 * unknown, with its place.
 *
 * Subscripts are polynomials (y * width + x), which isl cannot hold: sets.c splits them into
 * dimensions whose strides are products of arguments. Integer arithmetic is taken not to overflow,
 * and unsigned comparisons of differences are left out of domains. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_KERNEL_MODEL_H
#define HT_REFACTOR_KERNEL_MODEL_KERNEL_MODEL_H

#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel_model/explain.h"
#include "refactor/kernel_model/poly.h"

#include <isl/map.h>
#include <isl/set.h>

typedef enum ht_answer { HT_NO, HT_YES, HT_UNKNOWN } ht_answer;

typedef struct ht_km_place {
    size_t file; /* of the source's user files; SIZE_MAX: none of them */
    int line, column;
} ht_km_place;

/* A condition as it is proved with: a tree. Owned by the model. */
typedef enum ht_km_test_kind {
    HT_TEST_TRUE,
    HT_TEST_FALSE,
    HT_TEST_NOT_NEGATIVE, /* value >= 0 */
    HT_TEST_ZERO,
    HT_TEST_NOT_ZERO,
    HT_TEST_AND,
    HT_TEST_OR,
    HT_TEST_UNKNOWN /* `reason`; may hold or not */
} ht_km_test_kind;

typedef struct ht_km_test ht_km_test;
struct ht_km_test {
    ht_km_test_kind kind;
    const ht_poly *value;
    const ht_km_test *left, *right;
    ht_km_scope scope; /* of an unknown one */
    const char *reason;
    ht_km_place place;
};

/* counter = first + step * k for k = 0, 1, ... while `condition` (over the loop's symbol) holds. */
typedef struct ht_km_loop {
    size_t symbol; /* k itself; where the step is no constant, k * step */
    char *counter; /* the variable's name; "" when there is none */
    bool normal;   /* else `problem` says why not: how often it runs is unknown */
    const char *problem;
    const ht_poly *first, *step;
    const ht_km_test *condition; /* of an iteration */
    const ht_poly *bound; /* counter stays below (above, for a negative step) it; NULL: unknown */
    bool leaves;          /* break or return inside: may end early */
    ht_km_place place;
} ht_km_loop;

typedef struct ht_km_guard {
    const ht_km_test *test;
    ht_km_place place;
} ht_km_guard;

/* A comparison of whole numbers in the body. */
typedef struct ht_km_comparison {
    CXCursor cursor;        /* the expression, without parentheses */
    const ht_km_test *test; /* NULL: it stands for different things */
} ht_km_comparison;

/* Where a statement stands: inside which loops, under which conditions. */
typedef struct ht_km_control {
    size_t *loops; /* indices, outermost first */
    size_t loop_count;
    ht_km_guard *guards;
    size_t guard_count;
} ht_km_control;

typedef enum ht_km_space {
    HT_SPACE_GLOBAL, /* behind a pointer argument, or unknown */
    HT_SPACE_CONSTANT,
    HT_SPACE_SHARED,
    HT_SPACE_DYNAMIC_SHARED,
    HT_SPACE_PRIVATE
} ht_km_space;

typedef struct ht_km_array {
    char *name;
    char *element; /* type as written */
    ht_km_space space;
    CXCursor declaration; /* or null */
    bool is_parameter;    /* a pointer argument itself */
    bool is_restrict, is_const;
    bool read, written, atomic;
    bool escapes; /* handed to something unknown: both may happen unseen */
    bool mixed;   /* accessed as elements of different sizes: subscripts cannot be compared */
    long long element_bytes; /* of the accesses; 0: none, or unknown */
    const ht_poly **extents; /* as declared, outermost first; NULL entries unknown */
    char **extent_texts;     /* as written */
    size_t extent_count;
    ht_km_place place;
} ht_km_array;

/* One dimension of a subscript after splitting: index * stride, of arguments. */
typedef struct ht_km_dimension {
    const ht_poly *index;  /* affine, or with one argument as factor */
    const ht_poly *stride; /* over arguments; 1 for the innermost */
} ht_km_dimension;

typedef struct ht_km_access {
    size_t array;
    bool read, write, atomic;
    const ht_poly **subscripts; /* as written, outermost first; one for a pointer */
    size_t subscript_count;
    ht_km_dimension *dimensions; /* outermost first */
    size_t dimension_count;
    bool affine;         /* every dimension is affine for isl */
    const char *problem; /* why not; owned by the model */
    bool aligned;        /* dimensions are proved distinct: equal address means equal dimensions */
    ht_km_control control;
    bool exact;        /* `domain` holds just the threads that get there */
    isl_set *domain;   /* over the symbols of ht_km_access_symbols */
    isl_map *relation; /* domain -> dimensions; NULL when not affine */
    size_t *symbols;   /* the domain's dimensions */
    size_t symbol_count;
    size_t order; /* in the text, barriers counted too */
    ht_km_place place;
    CXCursor cursor; /* the expression that names the element */
} ht_km_access;

typedef struct ht_km_barrier {
    ht_km_control control;
    ht_answer uniform;  /* do all threads of a block reach it together? */
    ht_km_place reason; /* what stands against it, when not */
    size_t order;
    ht_km_place place;
} ht_km_barrier;

/* Wavefront operations, atomics, unknown calls, assembly. */
typedef struct ht_km_effect {
    const char *kind;
    char *name;
    ht_km_control control;
    ht_km_place place;
} ht_km_effect;

/* A write that another thread of the launch (of the block, for shared arrays, with no barrier
 * between) reads or writes. */
typedef struct ht_km_dependence {
    size_t array;
    ht_answer answer;
    ht_answer races;      /* the same, atomic updates that meet each other left out */
    size_t first, second; /* accesses: the pair that says so */
    bool has_pair;
    char *reason;
} ht_km_dependence;

/* What a block touches of an array: the hull box of its reads and writes, in the array's
 * dimensions. Guards are left out, so that it does not shrink at edges. */
typedef struct ht_km_footprint {
    size_t array;
    bool written; /* of writes; else of reads */
    bool known;
    const char *problem;
    ht_km_place problem_place;
    size_t dimension_count;
    const ht_poly **strides;
    /* The hull box, outermost first, over blocks and arguments; polynomials are NULL where only
     * text could be made. */
    const ht_poly **low, **high;
    char **low_text, **high_text, **extent_text;
    /* How far it reaches before and after what the block writes in the same dimension (of the
     * first written array with as many); NULL: unknown. */
    const ht_poly **before, **behind;
} ht_km_footprint;

struct ht_kernel_model {
    const ht_model *facts;
    isl_ctx *context;
    uint64_t allowed; /* operations of isl until the next ht_km_step */
    ht_poly_pool pool;
    ht_km_loop *loops;
    size_t loop_count;
    ht_km_array *arrays;
    size_t array_count;
    ht_km_access *accesses;
    size_t access_count;
    ht_km_barrier *barriers;
    size_t barrier_count;
    ht_km_effect *effects;
    size_t effect_count;
    ht_km_comparison *comparisons; /* in the order of the text */
    size_t comparison_count;
    ht_km_dependence *dependences; /* one for each array that is written */
    size_t dependence_count;
    ht_km_footprint *footprints;
    size_t footprint_count;
    bool tied[3]; /* the kernel's constants follow from the block: blockDim is taken at its value */
    bool complete;          /* nothing of the body was passed over */
    const char *incomplete; /* what was, first */
    ht_km_place incomplete_place;
};

/* Never fails: what cannot be understood is unknown. `facts` must outlive it. Footprints are left
 * out. */
ht_kernel_model *ht_kernel_model_build(const ht_model *facts);
/* For blocks of any size along an axis: what is proved holds for them all. */
ht_kernel_model *ht_kernel_model_build_any_block(const ht_model *facts, int axis);
/* With arguments, by the names of the kernel's parameters, taken at values. */
typedef struct ht_km_fixed {
    const char *argument;
    int64_t value;
} ht_km_fixed;
ht_kernel_model *ht_kernel_model_build_fixed(const ht_model *facts, const ht_km_fixed *fixed,
                                             size_t count);
/* Adds the footprints to a model that was built (once): they take most of the time, and proofs do
 * not need them. */
void ht_kernel_model_footprints(ht_kernel_model *model);
/* Only the walk over the body, which takes little: loops, arrays, accesses with their subscripts as
 * written, guards; no sets, dimensions, dependences or footprints. */
ht_kernel_model *ht_kernel_model_scan(const ht_model *facts);
ht_kernel_model *ht_kernel_model_scan_fixed(const ht_model *facts, const ht_km_fixed *fixed,
                                            size_t count);
void ht_kernel_model_free(ht_kernel_model *model);
/* A question to isl is done with: its operations are taken off what the kernel may take, and the
 * next gets what is left. Without any left isl answers nothing, and all that is asked is unknown.
 */
void ht_km_step(ht_kernel_model *model);

/* Says whether two pointer arguments (arrays of the model) may name the same memory. HT_NO where
 * `__restrict__` or the kinds of memory say so. */
ht_answer ht_kernel_model_alias(const ht_kernel_model *model, size_t first, size_t second);

/* For people. */
const char *ht_km_space_name(ht_km_space space);
char *ht_km_test_text(const ht_kernel_model *model, const ht_km_test *test);

#endif
