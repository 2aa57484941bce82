/* The builder of a syntax tree's expressions. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_EXPRESSION_H
#define HT_REFACTOR_KERNEL_SYNTAX_EXPRESSION_H

#include "refactor/kernel/syntax_build.h"

ht_syntax *ht_syntax_build_expression(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor);

#endif
