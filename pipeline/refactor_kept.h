/* The files of a tree whose results an earlier run of `refactor` has kept. */
#ifndef HT_PIPELINE_REFACTOR_KEPT_H
#define HT_PIPELINE_REFACTOR_KEPT_H

#include "pipeline/refactor_inputs.h"

typedef struct ht_refactor_kept ht_refactor_kept;

/* Both are borrowed. NULL: nothing is kept, as ht_kept_open says, or as a recipe is followed. */
ht_refactor_kept *ht_refactor_kept_open(const ht_refactor_request *request,
                                        const ht_refactor_inputs *inputs);
void ht_refactor_kept_free(ht_refactor_kept *kept);

/* Returns the document of a file ("rows", "names", "parsed", "code") if it was kept and nothing has
 * changed; its outputs are in their places then. New reference. */
json_t *ht_refactor_kept_find(ht_refactor_kept *kept, size_t index);

/* Keeps a file's document, with all its proofs made, if each of its kernels came to a result that
 * depends on nothing but what was read: no error, no limit reached, no defect found. */
void ht_refactor_kept_put(ht_refactor_kept *kept, size_t index, json_t *document);

#endif
