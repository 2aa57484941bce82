/* The builder of a syntax tree's variables, and of the types of its nodes. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_VARIABLE_H
#define HT_REFACTOR_KERNEL_SYNTAX_VARIABLE_H

#include "refactor/kernel/syntax_build.h"

void ht_syntax_set_type(ht_syntax *node, CXType written);
/* Returns the index of a variable, which it adds if it is new. */
size_t ht_syntax_note_variable(ht_syntax_builder *b, CXCursor declaration);

#endif
