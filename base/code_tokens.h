/* C++ code as its tokens alone, for keys that comments and layout are not to change. */
#ifndef HT_BASE_CODE_TOKENS_H
#define HT_BASE_CODE_TOKENS_H

#include "base/text.h"

#include <stddef.h>

/* Appends the tokens of `code`, one a line; each preprocessor line is one, with single blanks in
 * it. Comments and #line are left out, unless the code uses its own lines or names (__LINE__,
 * __FILE__ and the like): then it is appended as it is. Two codes that compile to the same but for
 * debugging information give equal text more often than not; two that do not never do. */
void ht_code_tokens(const char *code, ht_text *out);

/* The same, but lines and names that are printed by host code and go nowhere else
 * (base/code_printed.h) are tokens as they are written: what two codes of equal text print may
 * differ. */
void ht_code_tokens_printed(const char *code, ht_text *out);

/* Where the tokens stand. */
typedef struct ht_code_token {
    size_t begin, end;   /* in the code; a preprocessor line ends before its comment and newline */
    size_t text, length; /* in the text of ht_code_tokens, the newline after it left out */
} ht_code_token;

typedef struct ht_code_token_list {
    ht_code_token *items; /* owned */
    size_t count;
} ht_code_token_list;

/* The same as ht_code_tokens_printed, and *out_list (free its items) says where each token stands.
 * Code that uses its own lines or names otherwise has none. */
void ht_code_tokens_list(const char *code, ht_text *out, ht_code_token_list *out_list);

#endif
