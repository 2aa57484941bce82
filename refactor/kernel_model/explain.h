/* Models of a file's kernels, for people (`refactor --explain`) and as JSON. */
#ifndef HT_REFACTOR_EXPLAIN_H
#define HT_REFACTOR_EXPLAIN_H

#include "base/text.h"
#include "refactor/refactor.h"

#include <jansson.h>

/* Its inside is refactor/kernel_model/kernel_model.h, private to refactor/. */
typedef struct ht_kernel_model ht_kernel_model;

/* Calls `visit` with the model of each kernel of this name (qualified or not; NULL: all) that the
 * file itself defines; *out_found counts them. A kernel with errors in its text is passed over with
 * its reason in `visit`'s `problem`, and no model. */
typedef void ht_kernel_model_visit(const ht_kernel_model *model, const char *name,
                                   const char *problem, void *context);
ht_status ht_kernel_model_each(const char *path, const ht_problem_file *problems,
                               const ht_refactor_options *options, const char *kernel,
                               ht_kernel_model_visit *visit, void *context, size_t *out_found,
                               ht_error *error);

/* For people. */
void ht_kernel_model_print(const ht_kernel_model *model, ht_text *out);
/* New reference. */
json_t *ht_kernel_model_json(const ht_kernel_model *model);

#endif
