/* Kernels that a macro writes, as MAKE(name) does with
 *
 *     #define MAKE(name) __global__ void name(float *out) { ... }
 *
 * and launches that one writes, are written out in place of the call, and analysed like all others.
 * Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_MACRO_KERNEL_H
#define HT_REFACTOR_SOURCE_MACRO_KERNEL_H

#include "refactor/source/whole_block.h"

/* Returns the text of a file of the unit with calls of the user's macros that write kernels or
 * launches replaced by what they write, and appends the calls to `blocks`; NULL: there are none
 * that are understood. Macros in what is written stay, and lines keep their numbers. The unit must
 * have clang's record of preprocessing. free(). */
char *ht_macro_kernel_text(CXTranslationUnit unit, CXFile file, ht_whole_blocks *blocks);
/* Returns all that the user's files declare, to the last literal, as clang sees it: the same for
 * two texts of a file only if they are the same code. free(). */
char *ht_unit_code(CXTranslationUnit unit);

#endif
