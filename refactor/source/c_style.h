/* Whether a file reads as C apart from its kernels. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_C_STYLE_H
#define HT_REFACTOR_SOURCE_C_STYLE_H

#include <stdbool.h>

/* Returns true for a text that includes headers of C's library by their names in C, and none of
 * C++'s, and has no word that C++ alone has. */
bool ht_c_style_has(const char *text);

#endif
