/* The files that `refactor` reads: those of the given paths, and headers with kernels that they
 * include. */
#ifndef HT_PIPELINE_REFACTOR_INPUTS_H
#define HT_PIPELINE_REFACTOR_INPUTS_H

#include "pipeline/input.h"
#include "pipeline/refactor_files.h"
#include "refactor/source/tree.h"

typedef struct ht_refactor_inputs {
    ht_tree tree;
    ht_source *sources; /* as many as tree.files */
} ht_refactor_inputs;

/* An error: a path that cannot be read, a malformed compilation database. */
ht_status ht_refactor_inputs_find(const ht_refactor_request *request,
                                  ht_refactor_inputs *out_inputs, ht_error *error);
void ht_refactor_inputs_free(ht_refactor_inputs *inputs);

/* Returns a file's compiler arguments; those of the command line win. free() the array. */
const char **ht_refactor_inputs_arguments(const ht_refactor_inputs *inputs,
                                          const ht_refactor_request *request, size_t index,
                                          size_t *out_count);

#endif
