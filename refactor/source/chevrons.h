/* Launches whose brackets are written apart, k << <grid, block >> > (a), as some editors format
 * them and CUDA's compiler takes them, are written k <<< grid, block >>>  (a) before the source is
 * analysed. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_CHEVRONS_H
#define HT_REFACTOR_SOURCE_CHEVRONS_H

#include "refactor/source/whole_block.h"

/* Returns a file's text with such launches in clang's form, as long as before, and appends their
 * lines to `lines`; NULL: there are none. free(). */
char *ht_chevrons_text(const char *text, ht_whole_blocks *lines);
/* Returns the text in clang's form, whether or not that is another one; free(). */
char *ht_chevrons_plain(const char *text);

#endif
