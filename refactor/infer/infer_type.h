/* Types of arguments as problem files have them. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_TYPE_H
#define HT_REFACTOR_INFER_INFER_TYPE_H

#include "refactor/kernel/model.h"

/* Returns the type of a parameter's element, or of a scalar, as problem files have it; NULL: they
 * have no such type. A structure whose fields all have one type counts as that type; *out_parts
 * (may be NULL) is the number of fields, else 1. free(). */
char *ht_infer_type(const ht_model *model, const ht_parameter *parameter, long long *out_parts);

#endif
