/* Polynomials with whole coefficients over symbols, interned: equal ones are the same pointer. All
 * belong to their pool. Private to refactor/. */
#ifndef HT_REFACTOR_POLY_H
#define HT_REFACTOR_POLY_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Over what a value is the same: the launch; the threads of the launch in the same iteration of the
 * loops around; the block; a thread. */
typedef enum ht_km_scope {
    HT_SCOPE_LAUNCH,
    HT_SCOPE_ITERATION,
    HT_SCOPE_BLOCK,
    HT_SCOPE_THREAD
} ht_km_scope;

typedef enum ht_km_symbol_kind {
    HT_KM_THREAD,    /* threadIdx.axis */
    HT_KM_BLOCK,     /* blockIdx.axis */
    HT_KM_ORIGIN,    /* blockIdx.axis * blockDim.axis */
    HT_KM_BLOCK_DIM, /* blockDim.axis */
    HT_KM_GRID_DIM,  /* gridDim.axis */
    HT_KM_ARGUMENT,  /* anything that is the same for the launch, by name */
    HT_KM_LOOP,      /* a loop's iteration number, or that times a step which is no constant */
    HT_KM_QUOTIENT,  /* operands[0] / operands[1] as C divides */
    HT_KM_REMAINDER,
    HT_KM_MIN,
    HT_KM_MAX,
    HT_KM_CHOICE,  /* test ? operands[0] : operands[1] */
    HT_KM_PRODUCT, /* operands[0], a product; made for isl */
    HT_KM_SUM,     /* operands[0], a sum of arguments that is multiplied: a pitch */
    HT_KM_OPAQUE   /* unknown: `name` says what */
} ht_km_symbol_kind;

typedef struct ht_poly ht_poly;
struct ht_km_test;

typedef struct ht_km_symbol {
    ht_km_symbol_kind kind;
    ht_km_scope scope;
    int axis;
    char *name;
    const ht_poly *operands[2];
    const struct ht_km_test *test;
    size_t loop;     /* of HT_KM_LOOP */
    CXCursor cursor; /* HT_KM_ARGUMENT, or what an opaque value stands at */
    int line;
} ht_km_symbol;

enum { HT_TERM_SYMBOLS_MAX = 8, HT_POLY_TERMS_MAX = 200 };

typedef struct ht_term {
    int64_t coefficient;
    size_t count;
    size_t symbols[HT_TERM_SYMBOLS_MAX]; /* ascending, with repetition */
} ht_term;

struct ht_poly {
    size_t count;
    ht_term terms[]; /* in order; no zero coefficients */
};

typedef struct ht_poly_pool {
    ht_km_symbol *symbols;
    size_t symbol_count;
    ht_poly **polys;
    size_t poly_count;
    void **blocks; /* other memory that lives as long */
    size_t block_count;
} ht_poly_pool;

void ht_poly_pool_free(ht_poly_pool *pool);
/* Zeroed memory that lives as long as the pool. */
void *ht_poly_pool_alloc(ht_poly_pool *pool, size_t count, size_t size);
/* Hands a malloc()ed block to the pool. */
void *ht_poly_pool_keep(ht_poly_pool *pool, void *block);

/* The symbol with this kind, axis, operands, test and name; added when there is none. `name` is
 * copied. Opaque symbols and loops are always new. */
size_t ht_poly_symbol(ht_poly_pool *pool, const ht_km_symbol *like);

const ht_poly *ht_poly_constant(ht_poly_pool *pool, int64_t value);
const ht_poly *ht_poly_of(ht_poly_pool *pool, size_t symbol);
/* NULL when it would overflow or grow too long. */
const ht_poly *ht_poly_add(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b, int64_t factor);
const ht_poly *ht_poly_multiply(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b);
/* A polynomial of some terms of another, each divided by `divisor`'s symbols and coefficient; the
 * caller knows that it divides. */
const ht_poly *ht_poly_make(ht_poly_pool *pool, ht_term *terms, size_t count);

bool ht_poly_is_constant(const ht_poly *poly, int64_t *out_value);
bool ht_poly_mentions(const ht_poly *poly, size_t symbol);
/* The coefficient of the symbol alone; 0: there is no such term. False: the symbol is multiplied by
 * another. */
bool ht_poly_coefficient(const ht_poly *poly, size_t symbol, int64_t *out);
/* The term without the symbols of `by`, each as often as it stands there, and with the term's
 * coefficient; false when it does not have them all. */
bool ht_term_divide(const ht_term *term, const ht_term *by, ht_term *out);
ht_km_scope ht_poly_scope(const ht_poly_pool *pool, const ht_poly *poly);
/* As people write it; free(). */
char *ht_poly_text(const ht_poly_pool *pool, const ht_poly *poly);
char *ht_km_symbol_text(const ht_poly_pool *pool, size_t symbol);

#endif
