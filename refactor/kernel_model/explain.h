/* Kernel models of a file's kernels, as text (`refactor --explain`) and as JSON. */
#ifndef HT_REFACTOR_KERNEL_MODEL_EXPLAIN_H
#define HT_REFACTOR_KERNEL_MODEL_EXPLAIN_H

#include "base/text.h"

#include <jansson.h>

/* Defined in refactor/kernel_model/kernel_model.h, which is private to refactor/. */
typedef struct ht_kernel_model ht_kernel_model;

/* Appends the model in words. */
void ht_kernel_model_print(const ht_kernel_model *model, ht_text *out);
/* Returns a new reference. */
json_t *ht_kernel_model_json(const ht_kernel_model *model);

#endif
