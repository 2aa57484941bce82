/* libclang's cursors of a syntax tree's nodes, for code that is built next to the tree. Private to
 * refactor/, not for transformations. */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_ORIGIN_H
#define HT_REFACTOR_KERNEL_SYNTAX_ORIGIN_H

#include "refactor/kernel/syntax.h"

CXCursor ht_syntax_cursor(const ht_syntax *node);
/* Returns the declaration of a variable. */
CXCursor ht_syntax_declared(const ht_syntax_tree *tree, size_t variable);
/* Returns the node that was built from a cursor; NULL: there is none. */
const ht_syntax *ht_syntax_find(const ht_syntax_tree *tree, CXCursor cursor);
/* Returns the index of a variable by its declaration; SIZE_MAX: the body does not name it. */
size_t ht_syntax_variable_of(const ht_syntax_tree *tree, CXCursor declaration);

/* Returns the place for a remark about a cursor; the kernel for a null cursor. */
ht_position ht_syntax_place(const ht_syntax_tree *tree, CXCursor cursor);

#endif
