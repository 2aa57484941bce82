/* Words of an expression. Private to templates/. */
#ifndef HT_TEMPLATES_EXPR_EXPR_LEX_H
#define HT_TEMPLATES_EXPR_EXPR_LEX_H

#include "templates/expr/expr.h"

typedef enum ht_token_kind {
    HT_TOKEN_END,
    HT_TOKEN_NUMBER,
    HT_TOKEN_NAME, /* with its dots */
    HT_TOKEN_SIGN  /* an operator or punctuation, longest first */
} ht_token_kind;

typedef struct ht_token {
    ht_token_kind kind;
    const char *text; /* borrowed from the lexed text */
    size_t length;
    uint64_t number; /* may be 2^63, which only a minus in front makes representable */
    int line, column;
} ht_token;

typedef struct ht_lexer {
    const char *next;
    const char *file;
    int line, column; /* of `next` */
} ht_lexer;

void ht_lexer_start(ht_lexer *lexer, const char *text, ht_place where);
ht_status ht_lexer_next(ht_lexer *lexer, ht_token *out_token, ht_error *error);
bool ht_token_is(const ht_token *token, const char *text);

/* Reads an unsigned integer at `text`: decimal, 0x, 0b; up to 2^63. Returns its length, or 0 with
 * *out_problem naming what is wrong with the digits there. */
size_t ht_number_scan(const char *text, uint64_t *out_value, const char **out_problem);

#endif
