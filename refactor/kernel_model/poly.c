/* Polynomials, interned. */
#include "refactor/kernel_model/poly.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_DEPTH_MAX = 12 };

void ht_poly_pool_return(ht_poly_pool *pool, const ht_poly_pool *mark) {
    while (pool->symbol_count > mark->symbol_count)
        free(pool->symbols[--pool->symbol_count].name);
    while (pool->poly_count > mark->poly_count)
        free(pool->polys[--pool->poly_count]);
    while (pool->block_count > mark->block_count)
        free(pool->blocks[--pool->block_count]);
}

void ht_poly_pool_free(ht_poly_pool *pool) {
    ht_poly_pool_return(pool, &(ht_poly_pool){0});
    free(pool->symbols);
    free(pool->polys);
    free(pool->blocks);
    *pool = (ht_poly_pool){0};
}

void *ht_poly_pool_keep(ht_poly_pool *pool, void *block) {
    HT_GROW(pool->blocks, pool->block_count);
    pool->blocks[pool->block_count++] = block;
    return block;
}

void *ht_poly_pool_alloc(ht_poly_pool *pool, size_t count, size_t size) {
    return ht_poly_pool_keep(pool, ht_alloc(count ? count : 1, size));
}

size_t ht_poly_symbol(ht_poly_pool *pool, const ht_km_symbol *like) {
    bool fresh = like->kind == HT_KM_OPAQUE || like->kind == HT_KM_LOOP;
    for (size_t i = 0; !fresh && i < pool->symbol_count; ++i) {
        const ht_km_symbol *have = &pool->symbols[i];
        if (have->kind == like->kind && have->axis == like->axis &&
            have->operands[0] == like->operands[0] && have->operands[1] == like->operands[1] &&
            have->test == like->test &&
            strcmp(have->name ? have->name : "", like->name ? like->name : "") == 0)
            return i;
    }
    HT_GROW(pool->symbols, pool->symbol_count);
    ht_km_symbol *symbol = &pool->symbols[pool->symbol_count];
    *symbol = *like;
    symbol->name = ht_strdup(like->name ? like->name : "");
    return pool->symbol_count++;
}

/* ---- terms ---- */

static int compare_products(const ht_term *a, const ht_term *b) {
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    for (size_t i = 0; i < a->count; ++i)
        if (a->symbols[i] != b->symbols[i])
            return a->symbols[i] < b->symbols[i] ? -1 : 1;
    return 0;
}

static int compare_terms(const void *a, const void *b) {
    return compare_products(a, b);
}

static int compare_symbols(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

static bool same_terms(const ht_poly *poly, const ht_term *terms, size_t count) {
    if (poly->count != count)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (poly->terms[i].coefficient != terms[i].coefficient ||
            compare_products(&poly->terms[i], &terms[i]) != 0)
            return false;
    return true;
}

const ht_poly *ht_poly_make(ht_poly_pool *pool, ht_term *terms, size_t count) {
    size_t kept = 0;
    if (count)
        qsort(terms, count, sizeof *terms, compare_terms);
    for (size_t i = 0; i < count; ++i) {
        if (kept && compare_products(&terms[kept - 1], &terms[i]) == 0) {
            if (__builtin_add_overflow(terms[kept - 1].coefficient, terms[i].coefficient,
                                       &terms[kept - 1].coefficient))
                return NULL;
        } else {
            if (kept && terms[kept - 1].coefficient == 0)
                --kept;
            terms[kept++] = terms[i];
        }
    }
    if (kept && terms[kept - 1].coefficient == 0)
        --kept;
    if (kept > HT_POLY_TERMS_MAX)
        return NULL;
    for (size_t i = 0; i < pool->poly_count; ++i)
        if (same_terms(pool->polys[i], terms, kept))
            return pool->polys[i];
    ht_poly *poly = ht_alloc(1, sizeof *poly + kept * sizeof *terms);
    poly->count = kept;
    if (kept)
        memcpy(poly->terms, terms, kept * sizeof *terms);
    HT_GROW(pool->polys, pool->poly_count);
    pool->polys[pool->poly_count++] = poly;
    return poly;
}

const ht_poly *ht_poly_constant(ht_poly_pool *pool, int64_t value) {
    ht_term term = {.coefficient = value};
    return ht_poly_make(pool, &term, 1);
}

const ht_poly *ht_poly_of(ht_poly_pool *pool, size_t symbol) {
    ht_term term = {.coefficient = 1, .count = 1, .symbols = {symbol}};
    return ht_poly_make(pool, &term, 1);
}

const ht_poly *ht_poly_add(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b, int64_t factor) {
    if (!a || !b)
        return NULL;
    ht_term *terms = ht_alloc(a->count + b->count + 1, sizeof *terms);
    bool fits = true;
    if (a->count)
        memcpy(terms, a->terms, a->count * sizeof *terms);
    for (size_t i = 0; i < b->count; ++i) {
        ht_term *term = &terms[a->count + i];
        *term = b->terms[i];
        fits = fits && !__builtin_mul_overflow(term->coefficient, factor, &term->coefficient);
    }
    const ht_poly *sum = fits ? ht_poly_make(pool, terms, a->count + b->count) : NULL;
    free(terms);
    return sum;
}

/* Replaces blockIdx.a * blockDim.a by a symbol of its own, so that block origins are affine. */
static void join_origin(ht_poly_pool *pool, ht_term *term) {
    for (size_t i = 0; i < term->count; ++i)
        for (size_t j = 0; j < term->count; ++j) {
            const ht_km_symbol *a = &pool->symbols[term->symbols[i]];
            const ht_km_symbol *b = &pool->symbols[term->symbols[j]];
            if (a->kind != HT_KM_BLOCK || b->kind != HT_KM_BLOCK_DIM || a->axis != b->axis)
                continue;
            static const char *const names[] = {"ox", "oy", "oz"};
            ht_km_symbol origin = {.kind = HT_KM_ORIGIN,
                                   .scope = HT_SCOPE_BLOCK,
                                   .axis = a->axis,
                                   .name = (char *)(size_t)names[a->axis]};
            size_t symbol = ht_poly_symbol(pool, &origin);
            term->symbols[i] = symbol;
            term->symbols[j] = term->symbols[--term->count];
            qsort(term->symbols, term->count, sizeof *term->symbols, compare_symbols);
            return;
        }
}

static bool multiply_terms(ht_poly_pool *pool, const ht_term *a, const ht_term *b, ht_term *out) {
    *out = *a;
    if (a->count + b->count > HT_TERM_SYMBOLS_MAX ||
        __builtin_mul_overflow(a->coefficient, b->coefficient, &out->coefficient))
        return false;
    for (size_t i = 0; i < b->count; ++i)
        out->symbols[out->count++] = b->symbols[i];
    qsort(out->symbols, out->count, sizeof *out->symbols, compare_symbols);
    for (int axis = 0; axis < 3; ++axis)
        join_origin(pool, out);
    return true;
}

const ht_poly *ht_poly_plus(ht_poly_pool *pool, const ht_poly *a, int64_t number) {
    return ht_poly_add(pool, a, ht_poly_constant(pool, number), 1);
}

const ht_poly *ht_poly_negate(ht_poly_pool *pool, const ht_poly *a) {
    return ht_poly_add(pool, ht_poly_constant(pool, 0), a, -1);
}

const ht_poly *ht_poly_outer(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b, bool high) {
    const ht_poly *difference = ht_poly_add(pool, a, b, -1);
    int64_t gap;
    if (!difference || !ht_poly_is_constant(difference, &gap))
        return NULL;
    return (gap > 0) == high ? a : b;
}

const ht_poly *ht_poly_multiply(ht_poly_pool *pool, const ht_poly *a, const ht_poly *b) {
    if (!a || !b)
        return NULL;
    if (a->count * b->count > HT_POLY_TERMS_MAX)
        return NULL;
    ht_term *terms = ht_alloc(a->count * b->count + 1, sizeof *terms);
    size_t count = 0;
    bool fits = true;
    for (size_t i = 0; i < a->count; ++i)
        for (size_t j = 0; j < b->count; ++j)
            fits = fits && multiply_terms(pool, &a->terms[i], &b->terms[j], &terms[count++]);
    const ht_poly *product = fits ? ht_poly_make(pool, terms, count) : NULL;
    free(terms);
    return product;
}

/* ---- queries ---- */

bool ht_poly_is_constant(const ht_poly *poly, int64_t *out_value) {
    *out_value = poly->count ? poly->terms[0].coefficient : 0;
    return poly->count == 0 || (poly->count == 1 && poly->terms[0].count == 0);
}

bool ht_poly_coefficient(const ht_poly *poly, size_t symbol, int64_t *out) {
    *out = 0;
    for (size_t i = 0; i < poly->count; ++i)
        for (size_t k = 0; k < poly->terms[i].count; ++k) {
            if (poly->terms[i].symbols[k] != symbol)
                continue;
            if (poly->terms[i].count != 1)
                return false;
            *out = poly->terms[i].coefficient;
        }
    return true;
}

bool ht_poly_mentions(const ht_poly *poly, size_t symbol) {
    for (size_t i = 0; i < poly->count; ++i)
        for (size_t j = 0; j < poly->terms[i].count; ++j)
            if (poly->terms[i].symbols[j] == symbol)
                return true;
    return false;
}

bool ht_term_divide(const ht_term *term, const ht_term *by, ht_term *out) {
    *out = *term;
    for (size_t i = 0; i < by->count; ++i) {
        size_t at = 0;
        while (at < out->count && out->symbols[at] != by->symbols[i])
            ++at;
        if (at == out->count)
            return false;
        memmove(&out->symbols[at], &out->symbols[at + 1],
                (out->count - at - 1) * sizeof *out->symbols);
        --out->count;
    }
    return true;
}

ht_km_scope ht_poly_scope(const ht_poly_pool *pool, const ht_poly *poly) {
    ht_km_scope scope = HT_SCOPE_LAUNCH;
    for (size_t i = 0; i < poly->count; ++i)
        for (size_t j = 0; j < poly->terms[i].count; ++j) {
            ht_km_scope own = pool->symbols[poly->terms[i].symbols[j]].scope;
            scope = own > scope ? own : scope;
        }
    return scope;
}

/* ---- text ---- */

static void write_poly(const ht_poly_pool *pool, const ht_poly *poly, int depth, ht_text *out);

static void write_operand(const ht_poly_pool *pool, const ht_poly *poly, int depth, ht_text *out) {
    bool plain =
        poly->count == 0 ||
        (poly->count == 1 && (poly->terms[0].count == 0 ||
                              (poly->terms[0].count == 1 && poly->terms[0].coefficient == 1)));
    if (!plain)
        ht_text_append(out, "(");
    write_poly(pool, poly, depth + 1, out);
    if (!plain)
        ht_text_append(out, ")");
}

static void write_symbol(const ht_poly_pool *pool, size_t index, int depth, ht_text *out) {
    static const char letters[] = "xyz";
    const ht_km_symbol *symbol = &pool->symbols[index];
    if (depth > TEXT_DEPTH_MAX) {
        ht_text_append(out, "...");
        return;
    }
    switch (symbol->kind) {
    case HT_KM_THREAD:
        ht_text_printf(out, "threadIdx.%c", letters[symbol->axis]);
        break;
    case HT_KM_BLOCK:
        ht_text_printf(out, "blockIdx.%c", letters[symbol->axis]);
        break;
    case HT_KM_ORIGIN:
        ht_text_printf(out, "blockIdx.%c*blockDim.%c", letters[symbol->axis],
                       letters[symbol->axis]);
        break;
    case HT_KM_BLOCK_DIM:
        ht_text_printf(out, "blockDim.%c", letters[symbol->axis]);
        break;
    case HT_KM_GRID_DIM:
        ht_text_printf(out, "gridDim.%c", letters[symbol->axis]);
        break;
    case HT_KM_QUOTIENT:
    case HT_KM_REMAINDER:
        ht_text_append(out, "(");
        write_operand(pool, symbol->operands[0], depth, out);
        ht_text_append(out, symbol->kind == HT_KM_QUOTIENT ? " / " : " % ");
        write_operand(pool, symbol->operands[1], depth, out);
        ht_text_append(out, ")");
        break;
    case HT_KM_MIN:
    case HT_KM_MAX:
    case HT_KM_CHOICE:
        ht_text_append(out, symbol->kind == HT_KM_MIN   ? "min("
                            : symbol->kind == HT_KM_MAX ? "max("
                                                        : "choice(");
        write_poly(pool, symbol->operands[0], depth + 1, out);
        ht_text_append(out, ", ");
        write_poly(pool, symbol->operands[1], depth + 1, out);
        ht_text_append(out, ")");
        break;
    case HT_KM_PRODUCT:
    case HT_KM_SUM:
        write_operand(pool, symbol->operands[0], depth, out);
        break;
    case HT_KM_ARGUMENT:
    case HT_KM_LOOP:
    case HT_KM_OPAQUE:
        ht_text_append(out, symbol->name);
        break;
    }
}

static void write_poly(const ht_poly_pool *pool, const ht_poly *poly, int depth, ht_text *out) {
    if (poly->count == 0)
        ht_text_append(out, "0");
    for (size_t i = 0; i < poly->count; ++i) {
        const ht_term *term = &poly->terms[i];
        int64_t factor = term->coefficient;
        if (i)
            ht_text_append(out, factor < 0 ? " - " : " + ");
        else if (factor < 0)
            ht_text_append(out, "-");
        uint64_t size = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
        if (size != 1 || term->count == 0)
            ht_text_printf(out, "%llu%s", (unsigned long long)size, term->count ? "*" : "");
        for (size_t j = 0; j < term->count; ++j) {
            if (j)
                ht_text_append(out, "*");
            write_symbol(pool, term->symbols[j], depth, out);
        }
    }
}

char *ht_poly_text(const ht_poly_pool *pool, const ht_poly *poly) {
    ht_text text = {0};
    write_poly(pool, poly, 0, &text);
    return ht_text_take(&text);
}

char *ht_km_symbol_text(const ht_poly_pool *pool, size_t symbol) {
    ht_text text = {0};
    write_symbol(pool, symbol, 0, &text);
    return ht_text_take(&text);
}
