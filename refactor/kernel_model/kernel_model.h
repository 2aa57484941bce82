/* The model of a kernel that transformations and their proofs share: its loops in normal form, its
 * guards, every access with its subscript as a polynomial over block, thread, loop counters and
 * arguments, and the sets that isl computes from them: iteration domains, access relations,
 * dependences between threads, footprints of a block. Anything that the model does not know is
 * marked unknown, with its place in the source.
 *
 * Subscripts are polynomials (y * width + x), which isl cannot represent: sets.c splits them into
 * dimensions whose strides are products of arguments. Integer arithmetic is taken not to overflow.
 * Domains leave out unsigned comparisons of differences. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_KERNEL_MODEL_H
#define HT_REFACTOR_KERNEL_MODEL_KERNEL_MODEL_H

#include "refactor/kernel/syntax.h"
#include "refactor/kernel_model/poly.h"

#include <isl/map.h>
#include <isl/set.h>

typedef enum ht_answer { HT_NO, HT_YES, HT_UNKNOWN } ht_answer;

typedef struct ht_km_place {
    size_t file; /* index among the source's user files; SIZE_MAX: in none of them */
    int line, column;
} ht_km_place;

/* A condition in the form that proofs use: a tree. Owned by the model. */
typedef enum ht_km_test_kind {
    HT_TEST_TRUE,
    HT_TEST_FALSE,
    HT_TEST_NOT_NEGATIVE, /* value >= 0 */
    HT_TEST_ZERO,
    HT_TEST_NOT_ZERO,
    HT_TEST_AND,
    HT_TEST_OR,
    HT_TEST_UNKNOWN /* may hold or not; `reason` says why it is not known */
} ht_km_test_kind;

typedef struct ht_km_test ht_km_test;
struct ht_km_test {
    ht_km_test_kind kind;
    const ht_poly *value;
    const ht_km_test *left, *right;
    ht_km_scope scope; /* of an HT_TEST_UNKNOWN */
    const char *reason;
    ht_km_place place;
};

/* counter = first + step * k for k = 0, 1, ... while `condition` (over the loop's symbol) holds. */
typedef struct ht_km_loop {
    size_t symbol; /* k itself; if the step is not a constant, k * step */
    char *counter; /* the variable's name, or "" */
    bool normal;   /* false: the number of iterations is unknown, and `problem` says why */
    const char *problem;
    const ht_poly *first, *step;
    const ht_km_test *condition; /* holds at the start of each iteration */
    const ht_poly *bound; /* counter stays below (above, for a negative step) it; NULL: unknown */
    bool leaves;          /* has a break or return and so may end early */
    ht_km_place place;
    const ht_syntax *from; /* its statement in the whole tree */
    const ht_syntax
        *node; /* the same in the body's tree; NULL: it is in a function that the kernel calls */
} ht_km_loop;

typedef struct ht_km_guard {
    const ht_km_test *test;
    ht_km_place place;
} ht_km_guard;

/* A comparison of whole numbers in the body. */
typedef struct ht_km_comparison {
    const ht_syntax *from; /* the expression in the whole tree, without parentheses */
    const ht_syntax
        *node; /* the same in the body's tree; NULL: it is in a function that the kernel calls */
    const ht_km_test *test; /* NULL: it differs between passes over it */
} ht_km_comparison;

/* The loops and conditions around a statement. */
typedef struct ht_km_control {
    size_t *loops; /* indices, outermost first */
    size_t loop_count;
    ht_km_guard *guards;
    size_t guard_count;
} ht_km_control;

typedef struct ht_km_array {
    char *name;
    char *element; /* type as written */
    ht_memory_space space;
    const ht_syntax_variable *declaration; /* of the whole tree; NULL: a field, or not known */
    const ht_parameter *parameter;         /* the parameter that points to it; NULL: none does */
    bool is_parameter;                     /* it is the memory of a pointer argument itself */
    bool is_restrict, is_const;
    bool read, written, atomic;
    bool escapes; /* passed to unknown code, which may read and write it */
    bool mixed;   /* accessed as elements of different sizes: subscripts cannot be compared */
    long long element_bytes; /* of the accesses; 0: none, or unknown */
    const ht_poly **extents; /* as declared, outermost first; NULL entries unknown */
    char **extent_texts;     /* as written */
    size_t extent_count;
    ht_km_place place;
} ht_km_array;

enum { HT_KM_DIMENSIONS_MAX = 8 };

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
    bool aligned; /* the dimensions are proved distinct: equal addresses have equal dimensions */
    ht_km_control control;
    bool exact;        /* `domain` holds exactly the threads that reach the access */
    isl_set *domain;   /* over the symbols of ht_km_access_symbols */
    isl_map *relation; /* domain -> dimensions; NULL when not affine */
    size_t *symbols;   /* the domain's dimensions */
    size_t symbol_count;
    size_t order; /* position in the text; barriers are counted as well */
    ht_km_place place;
    const ht_syntax *from; /* the expression in the whole tree that names the element */
    const ht_syntax
        *node; /* the same in the body's tree; NULL: it is in a function that the kernel calls */
} ht_km_access;

typedef struct ht_km_barrier {
    ht_km_control control;
    ht_answer uniform;  /* all threads of a block reach it together */
    ht_km_place reason; /* the statement that prevents it, unless `uniform` is HT_YES */
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

/* Answers whether another thread of the launch (for shared arrays: of the block, with no barrier
 * between) accesses an element that one thread writes. */
typedef struct ht_km_dependence {
    size_t array;
    ht_answer answer;
    ht_answer races;      /* the same without pairs of atomic updates */
    size_t first, second; /* indices of the two accesses, if `has_pair` */
    bool has_pair;
    char *reason;
} ht_km_dependence;

/* The part of an array that a block accesses: the hull box of its reads or writes, in the array's
 * dimensions. Guards are left out, so that the box does not shrink at the edges of the data. */
typedef struct ht_km_footprint {
    size_t array;
    bool written; /* of writes; else of reads */
    bool known;
    const char *problem;
    ht_km_place problem_place;
    size_t dimension_count;
    const ht_poly **strides;
    /* The hull box, outermost dimension first, over blocks and arguments. Polynomials are NULL if
     * the bound has no form but text. */
    const ht_poly **low, **high;
    char **low_text, **high_text, **extent_text;
    /* Distances by which it reaches before and after the elements that the block writes in the same
     * dimension (of the first written array with as many dimensions); NULL: unknown. */
    const ht_poly **before, **behind;
} ht_km_footprint;

/* An argument, by the name of the kernel's parameter, taken at a value. */
typedef struct ht_km_fixed {
    const char *argument;
    int64_t value;
} ht_km_fixed;

/* Which model of a kernel is meant; {0}: that of the kernel as it is. */
typedef struct ht_km_variant {
    bool any_block; /* for blocks of any size along `axis`: proofs hold for all of them */
    int axis;
    bool ordered; /* barriers stay: with one between, threads of one block do not conflict in global
                     memory either */
    bool own_blocks; /* blocks stay, each with its iterations: in global memory, too, threads of one
                        block alone are asked about; what different blocks do is as it was */
    const ht_km_fixed *fixed; /* arguments taken at values */
    size_t fixed_count;
    /* Statements of the kernel's body, of the whole tree, taken for something else that all threads
     * do together: a barrier, after which the variables that they set have any values. */
    const ht_syntax *const *replaced;
    size_t replaced_count;
} ht_km_variant;

typedef struct ht_kernel_model {
    const ht_model *facts;
    ht_km_variant variant;
    struct ht_kernel_model *next; /* another variant of the same kernel */
    bool has_sets, cut;           /* domains, dependences; cut: isl did not answer all of it */
    ht_poly_pool mark;            /* how much of the pool is the model's own */
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
    bool tied[3];  /* blockDim has the launch's value, since constants of the kernel depend on it */
    bool complete; /* no part of the body was left out */
    const char *incomplete; /* why the first part was left out */
    ht_km_place incomplete_place;
} ht_kernel_model;

#endif
