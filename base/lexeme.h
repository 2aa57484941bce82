/* Where tokens of C++ end in a text. */
#ifndef HT_BASE_LEXEME_H
#define HT_BASE_LEXEME_H

#include <stddef.h>

typedef enum ht_token_kind {
    HT_TOKEN_NAME,
    HT_TOKEN_NUMBER,
    HT_TOKEN_STRING, /* string or character literal, also a raw string */
    HT_TOKEN_PUNCT,
    HT_TOKEN_DIRECTIVE /* a whole preprocessor line with its continuations, without the last newline
                        */
} ht_token_kind;

/* Returns the end of the token that begins at `at`, which is no blank and begins no comment; `end`
 * is the text's. Never HT_TOKEN_DIRECTIVE: a '#' is punctuation. Text that is not C++ becomes
 * single-character punctuation; a literal that is not closed ends with its line, a raw one with the
 * text. */
size_t ht_lexeme_end(const char *text, size_t at, size_t end, ht_token_kind *out_kind);
/* Returns the end of the comment whose "/" "*" is at `at`. */
size_t ht_block_comment_end(const char *text, size_t at, size_t end);

#endif
