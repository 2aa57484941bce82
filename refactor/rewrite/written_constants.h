/* Sizes of a problem that the program itself fixes: `const int h = 512;`. Private to
 * refactor/rewrite/written*.c. */
#ifndef HT_REFACTOR_REWRITE_WRITTEN_CONSTANTS_H
#define HT_REFACTOR_REWRITE_WRITTEN_CONSTANTS_H

#include "refactor/kernel/model.h"
#include "refactor/rewrite/written.h"

/* Finds the fields of the kernel's problem that every launch has as the same constant. Free with
 * ht_written_constants_free. */
void ht_written_constants_find(const ht_model *original, ht_written_constants *out);
void ht_written_constants_free(ht_written_constants *constants);

#endif
