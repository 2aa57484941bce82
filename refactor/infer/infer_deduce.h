/* Deduces template arguments that the launch does not write, or that are the host's own template
 * parameters. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_DEDUCE_H
#define HT_REFACTOR_INFER_INFER_DEDUCE_H

#include "refactor/kernel/model.h"

/* Finds types and values of template parameters that the launch does not name.
 * Returns false if there were none. */
bool ht_infer_deduce(ht_model *model);

#endif
