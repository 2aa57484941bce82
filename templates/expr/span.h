/* A piece of text that knows where it stands in its file: what the parsers of directives take
 * apart. A plain value; the text is borrowed. For templates/, predictor/'s
 * schemas and refactor/'s recipes. */
#ifndef HT_TEMPLATES_EXPR_SPAN_H
#define HT_TEMPLATES_EXPR_SPAN_H

#include "templates/expr/expr.h"

#include <stddef.h>

typedef struct ht_span {
    const char *text;
    size_t length;
    ht_place place; /* of the first character */
} ht_span;

ht_span ht_span_of(const char *text, ht_place where);
/* Bytes [from, to) of the span. */
ht_span ht_span_part(ht_span span, size_t from, size_t to);
/* Without white space at both ends. */
ht_span ht_span_trim(ht_span span);
bool ht_span_is(ht_span span, const char *text);
char *ht_span_string(ht_span span);
/* Returns true if it is one identifier. */
bool ht_span_is_name(ht_span span);

/* Fails with HT_ERROR_INPUT at the span's place. */
ht_status ht_span_error(ht_span span, ht_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Index of the first `separator` outside of (), [] and {}; the length when there is none. With
 * `angles`, outside of <> too. */
size_t ht_span_find(ht_span span, char separator, bool angles);
/* Takes the text before the next top-level `separator` off the front of *span (the separator too);
 * the piece is trimmed. Returns false when *span was used up: text == NULL marks that. An empty
 * span gives one empty piece. */
bool ht_span_split(ht_span *span, char separator, bool angles, ht_span *out_piece);

/* Takes an identifier off the front; `qualified` allows a::b. `what` names it in the error. */
ht_status ht_span_take_name(ht_span *span, bool qualified, const char *what, ht_span *out_name,
                            ht_error *error);
/* Returns true if the next character, after white space, is this one. Takes it if so. */
bool ht_span_take(ht_span *span, char c);
/* Takes a bracketed group whose opening character comes next, and gives its inside. */
ht_status ht_span_take_group(ht_span *span, char open, const char *what, ht_span *out_inside,
                             ht_error *error);

/* Parses the whole span. */
ht_status ht_span_expr(ht_span span, ht_expr **out_expr, ht_error *error);
ht_status ht_span_integer(ht_span span, int64_t *out_value, ht_error *error);
ht_status ht_span_real(ht_span span, double *out_value, ht_error *error);
/* Returns true if the span looks like a real literal (a point or an exponent) and not like an
 * expression. */
bool ht_span_is_real(ht_span span);
/* The span as a canonical type text; free(). */
ht_status ht_span_type(ht_span span, char **out_type, ht_error *error);

#endif
