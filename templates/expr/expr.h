/* The expression language of templates: C integer expressions over names, in checked 64-bit
 * arithmetic.
 *
 * One parser and one evaluator serve constraints, launch geometry, buffer sizes and scalar
 * arguments (later also the predictor's constraint files). Grammar, by rising precedence, as in C:
 *   ?:   ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %   unary - + ! ~   primary
 * Primary: decimal, hexadecimal (0x) or binary (0b) integers; true, false; names with dots
 * (BLOCK_X, problem.K, device.max_threads); parentheses; calls min(a, b...), max(a, b...),
 * ceil_div(a, b), round_up(a, b), abs(a), clamp(x, lo, hi), is_pow2(a), log2(a) (floor), pow2(a) (1
 * << a), gcd(a, b), sizeof(TYPE or type parameter).
 * && || and ?: evaluate only what they need. Overflow, division by zero, a shift outside 0..63 and
 * an unknown name are errors that point at their line and column. */
#ifndef HT_TEMPLATES_EXPR_EXPR_H
#define HT_TEMPLATES_EXPR_EXPR_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a piece of text starts in a file, so that errors inside it can be placed. With line 0,
 * errors have line 0 and a column that counts characters from the text's start. */
typedef struct ht_place {
    const char *file; /* borrowed; may be NULL */
    int line;         /* 1-based; 0 unknown */
    int column;       /* 1-based; 0 unknown */
} ht_place;

typedef struct ht_expr ht_expr; /* immutable once parsed; may be shared between threads */

/* Answers a name; false when the name is unknown. */
typedef bool (*ht_name_lookup)(const void *context, const char *name, int64_t *out_value);

typedef struct ht_scope {
    ht_name_lookup lookup; /* integers */
    /* Size in bytes of a named type or of the type a type parameter holds; may be NULL. Built-in C
     * and HIP type names are known without it. */
    ht_name_lookup type_size;
    const void *context; /* borrowed */
} ht_scope;

/* Parses the whole of `text` (NUL-terminated). `where` is the place of its first character; its
 * file name is copied. */
ht_status ht_expr_parse(const char *text, ht_place where, ht_expr **out_expr, ht_error *error);
/* An expression that is just this number. */
ht_expr *ht_expr_number(int64_t value);
ht_expr *ht_expr_copy(const ht_expr *expr);
void ht_expr_free(ht_expr *expr);

ht_status ht_expr_evaluate(const ht_expr *expr, const ht_scope *scope, int64_t *out_value,
                           ht_error *error);

/* Evaluates an expression's text. Returns false if it does not parse or has no value. */
bool ht_expr_text_value(const char *text, const ht_scope *scope, int64_t *out_value);
/* Calls `visit` with each name in an expression's text. Returns false if it does not parse. */
bool ht_expr_text_names(const char *text, void (*visit)(void *context, const char *name),
                        void *context);

/* Prints so that parsing the print gives an equal expression; fewest parentheses that keep the
 * tree. */
void ht_expr_print(const ht_expr *expr, ht_text *out);
/* The same as a fresh string; free(). */
char *ht_expr_string(const ht_expr *expr);

/* Calls `visit` once for every occurrence of a name (and of a name inside sizeof). */
void ht_expr_names(const ht_expr *expr, void (*visit)(void *context, const char *name),
                   void *context);
/* Calls `visit` for each condition of a ?:, outermost first; the expression is borrowed for the
 * call. NULL has none. */
void ht_expr_choices(const ht_expr *expr, void (*visit)(void *context, const ht_expr *condition),
                     void *context);
bool ht_expr_equal(const ht_expr *a, const ht_expr *b);
ht_place ht_expr_place(const ht_expr *expr);

/* Bytes of a C or HIP scalar or vector type ("float", "unsigned int", "float4", "__half", "uint2");
 * 0 if unknown. */
size_t ht_type_size(const char *type_name);

#endif
