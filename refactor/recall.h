/* A pass's result as a document, from which a later run makes it again without reading the source:
 * templates, inferred problems and outcomes, but not what is needed to change the source. */
#ifndef HT_REFACTOR_RECALL_H
#define HT_REFACTOR_RECALL_H

#include "refactor/refactor.h"

#include <jansson.h>

/* Returns the document; new reference. NULL: another run might come to another result (a limit of
 * time, a defect), or a template would not be the same when it is made again. */
json_t *ht_refactor_pack(const ht_refactor *refactor);
/* Makes a result of a document; NULL: it is not one. ht_refactor_apply_all, and whatever else
 * changes the source, fails for it. */
ht_refactor *ht_refactor_recall(const json_t *document);
/* Returns true if it was made of a document. */
bool ht_refactor_is_recalled(const ht_refactor *refactor);
/* Returns true if both have the same kernels, with the same outcomes and templates. */
bool ht_refactor_agrees(const ht_refactor *refactor, const ht_refactor *with);

#endif
