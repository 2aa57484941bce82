/* Raw C++ tokens of a text, with byte offsets, for parts that the AST does not keep (pragmas,
 * commas, comments between). Never fails: text that is not C++ becomes single-character
 * punctuation. */
#ifndef HT_REFACTOR_SOURCE_LEXER_H
#define HT_REFACTOR_SOURCE_LEXER_H

#include "base/lexeme.h"
#include "refactor/source/range.h"

#include <stdbool.h>

typedef struct ht_token {
    ht_token_kind kind;
    size_t begin, end;
} ht_token;

typedef struct ht_tokens {
    const char *text; /* borrowed */
    ht_token *items;
    size_t count;
} ht_tokens;

/* Reads the tokens of a range, without comments and white space. `directives` false: a '#' is
 * punctuation, as inside a directive's own text. */
void ht_tokens_read(const char *text, ht_range range, bool directives, ht_tokens *out_tokens);
/* Reads the tokens of a directive, which is one token of a file. */
void ht_tokens_read_line(const ht_tokens *tokens, size_t directive, ht_tokens *out_line);
void ht_tokens_free(ht_tokens *tokens);
/* Returns the index of the first token that begins at or after `offset`; count: there is none. */
size_t ht_tokens_at(const ht_tokens *tokens, size_t offset);
bool ht_tokens_is(const ht_tokens *tokens, size_t index, const char *spelling);
/* Returns true if the token is one of several spellings, NULL-terminated. */
bool ht_tokens_is_any(const ht_tokens *tokens, size_t index, const char *const *spellings);
/* Returns how many tokens that begin in the range are one of the spellings; _count_of: this one. */
size_t ht_tokens_count(const ht_tokens *tokens, ht_range range, const char *const *spellings);
size_t ht_tokens_count_of(const ht_tokens *tokens, ht_range range, const char *spelling);
/* Returns a token's text; free(). */
char *ht_tokens_text(const ht_tokens *tokens, size_t index);
/* Returns the index of the bracket that closes the one at `open` ( ( [ { or < ); count: there is
 * none. */
size_t ht_tokens_close(const ht_tokens *tokens, size_t open);

#endif
