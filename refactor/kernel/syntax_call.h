/* The builder of a syntax tree's calls: recognizes operators, and finds what calls may do. Private
 * to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_CALL_H
#define HT_REFACTOR_KERNEL_SYNTAX_CALL_H

#include "refactor/kernel/syntax_build.h"

ht_syntax *ht_syntax_build_call(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor);

#endif
