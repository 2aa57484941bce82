/* Models of a file's kernels, one after the other. */
#ifndef HT_REFACTOR_EXPLAIN_H
#define HT_REFACTOR_EXPLAIN_H

#include "base/error.h"
#include "refactor/kernel_model/explain.h"
#include "refactor/source/options.h"
#include "templates/problem_file/problem_file.h"

/* Calls `visit` with the model of each kernel of this name (qualified or not; NULL: of all) that
 * the file itself defines; *out_found counts them. For a kernel with errors in its text, `visit`
 * gets the reason in `problem`, and no model. */
typedef void ht_kernel_model_visit(const ht_kernel_model *model, const char *name,
                                   const char *problem, void *context);
ht_status ht_kernel_model_each(const char *path, const ht_problem_file *problems,
                               const ht_refactor_options *options, const char *kernel,
                               ht_kernel_model_visit *visit, void *context, size_t *out_found,
                               ht_error *error);

#endif
