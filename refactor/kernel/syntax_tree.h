/* Syntax trees of kernels, whole ones among them: building, and what is not analysed in them.
 * Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_TREE_H
#define HT_REFACTOR_KERNEL_SYNTAX_TREE_H

#include "refactor/kernel/syntax.h"

/* The tree of a model's body. Built when it is first asked for; freed with the model. */
const ht_syntax_tree *ht_syntax_of(const ht_model *model);
/* The same of the kernel and of all functions that it reaches, to the last literal: extents of
 * arrays, arguments of templates, defaults of parameters; global indices as the sums that they are.
 * Each function is a COMPOUND below `all`, the kernel the first. */
const ht_syntax_tree *ht_syntax_whole(const ht_model *model);
/* How often trees of bodies have been built in this process, and whole trees. */
size_t ht_syntax_built(void);
size_t ht_syntax_whole_built(void);
/* Why the first construct that is not analysed is not; NULL: all are. Borrowed. `shared`: arrays
 * that the block shares may be declared. */
const char *ht_syntax_unknown(const ht_syntax_tree *tree, bool shared, ht_position *out_at);

/* Index of a position's file among the user's files; SIZE_MAX: it is in none. */
size_t ht_syntax_file(const ht_syntax_tree *tree, ht_position at);
/* The node of the body's tree that was built from the same as one of a whole tree; NULL: none was,
 * as of those in functions that the kernel calls. */
const ht_syntax *ht_syntax_in_body(const ht_syntax *node);

void ht_syntax_free(ht_syntax_tree *tree);

#endif
