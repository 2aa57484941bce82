/* Compilers' words, without names of the tool's own. */
#ifndef HT_RUNTIME_COMPILE_COMPILE_WORDS_H
#define HT_RUNTIME_COMPILE_COMPILE_WORDS_H

#include <stddef.h>

/* `words` ("error: no member named 'w' in ...") with HIP's names for the types that stand for its
 * types, and with names of the source for those of the linker. free(). */
char *ht_compile_words(const char *words, size_t length);

#endif
