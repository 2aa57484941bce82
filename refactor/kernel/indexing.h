/* Uses of threadIdx, blockIdx, blockDim and gridDim, axis by axis. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_INDEXING_H
#define HT_REFACTOR_KERNEL_INDEXING_H

#include "refactor/kernel/model.h"

/* Returns the built-in variable of this name, threadIdx and its like; HT_INDEX_NONE for others. */
ht_index_kind ht_index_named(const char *name);

/* Notes the axes. */
void ht_indexing_build(ht_model *model);

/* Returns true if the expression is blockIdx.a * PITCH + threadIdx.a. *out_pitch is the pitch's
 * cursor. */
bool ht_index_global(const ht_model *model, CXCursor expression, int *out_axis,
                     CXCursor *out_pitch);

/* Returns the built-in index that a cursor is. `resolve`: look through locals that only rename an
 * index. */
ht_index_kind ht_index_plain(const ht_model *model, CXCursor expression, bool resolve,
                             int *out_axis);
/* Returns true if the expression is blockIdx.a * PITCH, with a pitch that equals the launch's
 * block. */
bool ht_index_origin(const ht_model *model, CXCursor expression, int *out_axis);

/* Returns true if a local only renames an index or a block's origin. */
bool ht_index_alias(const ht_model *model, CXCursor declaration);
/* Returns true if the expression is blockDim.a * gridDim.a, or a variable that holds it. */
bool ht_index_total(const ht_model *model, CXCursor expression, int *out_axis);

/* Returns which built-in index a (stripped) expression is, or that it is a global index. *out_axis
 * is 0..2. */
ht_index_kind ht_ast_index(const ht_model *model, CXCursor expression, int *out_axis);

#endif
