/* Constant memory, tables in device memory and texture references. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_CONSTANT_H
#define HT_REFACTOR_INFER_INFER_CONSTANT_H

#include "refactor/infer/infer.h"

#include <jansson.h>

/* Appends the lines of all that the kernel needs and that other code fills. */
void ht_infer_constants(ht_infer *in, json_t *args);
/* Returns the bytes of all arrays in device memory that the kernel needs, initialised or not. */
int64_t ht_infer_constants_bytes(const ht_infer *in);

#endif
