/* The style in which a file writes names of variables. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_NAME_STYLE_H
#define HT_REFACTOR_SOURCE_NAME_STYLE_H

#include "refactor/source/source.h"

/* Returns true for a main file whose variables of several words are written likeThis, and none
 * like_this. Names of the language, of HIP and of CUDA, of functions that are called, of types
 * (size_t) and of constants (kRadius) are not looked at. */
bool ht_name_style_is_camel(const ht_source *source);
/* Returns "rowFirst" for "row_first", and other names as they are; free(). */
char *ht_name_camel(const char *name);

#endif
