/* Polynomials with integer coefficients over symbols. They are interned: equal polynomials are the
 * same pointer, owned by the pool. Private to refactor/. */
#ifndef HT_REFACTOR_POLY_H
#define HT_REFACTOR_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Extent over which a value is the same: the launch; all threads of the launch in the same
 * iteration of the loops around; the block; a single thread. */
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
    HT_KM_ARGUMENT,  /* any value that is the same for the whole launch, by name */
    HT_KM_LOOP, /* a loop's iteration number; if its step is not a constant, that number times the
                   step */
    HT_KM_QUOTIENT, /* operands[0] / operands[1] as C divides; HT_KM_REMAINDER as C's % */
    HT_KM_REMAINDER,
    HT_KM_MIN,
    HT_KM_MAX,
    HT_KM_CHOICE,  /* test ? operands[0] : operands[1] */
    HT_KM_PRODUCT, /* operands[0], a product; made for isl, which knows no products */
    HT_KM_SUM,     /* operands[0], a sum of arguments that is multiplied, as a pitch is */
    HT_KM_OPAQUE   /* unknown; `name` describes it */
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
    size_t loop;        /* of HT_KM_LOOP */
    const char *reason; /* of HT_KM_OPAQUE: why it is not known; the pool's */
    bool is_int;        /* of an HT_KM_ARGUMENT: its type converts to int without a change */
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
    void **blocks; /* other memory with the pool's lifetime */
    size_t block_count;
} ht_poly_pool;

void ht_poly_pool_free(ht_poly_pool *pool);
/* Drops what was added since `mark`, a copy of the pool: symbols, polynomials and memory. */
void ht_poly_pool_return(ht_poly_pool *pool, const ht_poly_pool *mark);
/* Returns zeroed memory with the pool's lifetime. */
void *ht_poly_pool_alloc(ht_poly_pool *pool, size_t count, size_t size);
/* Gives a malloc()ed block to the pool, which frees it. */
void *ht_poly_pool_keep(ht_poly_pool *pool, void *block);

/* Returns the symbol with this kind, axis, operands, test and name, adding it if there is none.
 * Copies `name`. Opaque symbols and loops are always new. */
size_t ht_poly_symbol(ht_poly_pool *pool, const ht_km_symbol *like);

const ht_poly *ht_poly_constant(ht_poly_pool *pool, int64_t value);
const ht_poly *ht_poly_of(ht_poly_pool *pool, size_t symbol);
/* Return a + factor * b, a * b, a + number and -a; NULL if it would overflow or has too many terms,
 * or if an operand is NULL. */
const ht_poly *ht_poly_add(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b, int64_t factor);
const ht_poly *ht_poly_multiply(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b);
const ht_poly *ht_poly_plus(ht_poly_pool *pool, const ht_poly *a, int64_t number);
const ht_poly *ht_poly_negate(ht_poly_pool *pool, const ht_poly *a);
/* Returns the upper (`high`) or lower of two that differ by a constant; NULL: they do not. */
const ht_poly *ht_poly_outer(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b, bool high);
/* Returns the sum of the terms, which it puts in order. */
const ht_poly *ht_poly_make(ht_poly_pool *pool, ht_term *terms, size_t count);

bool ht_poly_is_constant(const ht_poly *poly, int64_t *out_value);
bool ht_poly_mentions(const ht_poly *poly, size_t symbol);
/* Finds the coefficient of the symbol alone; 0: there is no such term. Returns false if the symbol
 * is multiplied by another. */
bool ht_poly_coefficient(const ht_poly *poly, size_t symbol, int64_t *out);
/* Divides the term by the symbols of `by`, keeping the term's coefficient. Returns false if the
 * term lacks one of them. */
bool ht_term_divide(const ht_term *term, const ht_term *by, ht_term *out);
ht_km_scope ht_poly_scope(const ht_poly_pool *pool, const ht_poly *poly);
/* For messages; free(). */
char *ht_poly_text(const ht_poly_pool *pool, const ht_poly *poly);
char *ht_km_symbol_text(const ht_poly_pool *pool, size_t symbol);

#endif
