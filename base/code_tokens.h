/* C++ code as its tokens alone, for keys that comments and layout are not to change. */
#ifndef HT_BASE_CODE_TOKENS_H
#define HT_BASE_CODE_TOKENS_H

#include "base/text.h"

/* Appends the tokens of `code`, one a line; each preprocessor line is one, with single blanks in
 * it. Comments and #line are left out, unless the code uses its own lines or names (__LINE__,
 * __FILE__ and the like): then it is appended as it is. Two codes that compile to the same but for
 * debugging information give equal text more often than not; two that do not never do. */
void ht_code_tokens(const char *code, ht_text *out);

#endif
