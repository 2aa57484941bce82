/* Values of texts for which libclang has no expression: those in attributes. Private to refactor/.
 */
#ifndef HT_REFACTOR_KERNEL_NAMED_H
#define HT_REFACTOR_KERNEL_NAMED_H

#include "refactor/kernel/model.h"
#include "refactor/source/source.h"

/* Evaluates a text of numbers, template parameters as launched, macros and the user's
 * constants. */
bool ht_model_text_value(const ht_model *model, ht_range range, int64_t *out_value);
/* Returns the only constant or variable of this name outside of functions; null cursor: there is
 * none, or more than one. */
CXCursor ht_source_constant(const ht_source *source, const char *name);

#endif
