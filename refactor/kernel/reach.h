/* Properties of the functions that a kernel calls. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_REACH_H
#define HT_REFACTOR_KERNEL_REACH_H

#include "refactor/kernel/syntax.h"

/* Returns true if threads synchronize or share an array in one of them. *out_at is the place. */
bool ht_reach_meets(const ht_model *model, ht_position *out_at);
/* Returns true if one of them uses a thread's or a block's index. */
bool ht_reach_asks_index(const ht_model *model);

/* Notes the reached functions, and features. */
void ht_reach_build(ht_model *model);

/* Returns the definition that a call runs: the template's, unless it is specialised. */
CXCursor ht_function_definition(CXCursor declaration);

/* Returns the feature that a name stands for; HT_FEATURE_COUNT: none. */
ht_feature ht_feature_of_name(const char *name);

#endif
