/* Models of a file's kernels, for people (`refactor --explain`) and as JSON. */
#ifndef HT_REFACTOR_KERNEL_MODEL_EXPLAIN_H
#define HT_REFACTOR_KERNEL_MODEL_EXPLAIN_H

#include "base/text.h"

#include <jansson.h>

/* Its inside is refactor/kernel_model/kernel_model.h, private to refactor/. */
typedef struct ht_kernel_model ht_kernel_model;

/* For people. */
void ht_kernel_model_print(const ht_kernel_model *model, ht_text *out);
/* New reference. */
json_t *ht_kernel_model_json(const ht_kernel_model *model);

#endif
