/* Words of a Python expression. Private to templates/. */
#ifndef HT_TEMPLATES_T1_PYTHON_LEX_H
#define HT_TEMPLATES_T1_PYTHON_LEX_H

#include "templates/t1/python.h"

typedef enum ht_python_token_kind {
    HT_PYTHON_TOKEN_END,
    HT_PYTHON_TOKEN_NUMBER,
    HT_PYTHON_TOKEN_TEXT,
    HT_PYTHON_TOKEN_NAME,
    HT_PYTHON_TOKEN_SIGN
} ht_python_token_kind;

typedef struct ht_python_token {
    ht_python_token_kind kind;
    size_t begin, end; /* in the text */
    ht_code_type type; /* of a number */
    ht_number number;
} ht_python_token;

/* Reads the token at *at and moves past it. */
ht_status ht_python_token_next(const char *text, size_t *at, ht_python_token *out_token,
                               ht_error *error);
/* The characters of a string token, escapes undone; free(). */
ht_status ht_python_token_text(const char *text, const ht_python_token *token, char **out_text,
                               ht_error *error);
/* An error at a place in the text. */
ht_status ht_python_fail(ht_error *error, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
