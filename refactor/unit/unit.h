/* Writes the template's unit: the slice, with the original kernel and the parameterized one. */
#ifndef HT_REFACTOR_UNIT_UNIT_H
#define HT_REFACTOR_UNIT_UNIT_H

#include "refactor/plan/transform.h"
#include "refactor/unit/slice.h"

/* Writes the unit: the slice with the kernel twice, original and parameterized, and `annotations`.
 * Returns why the plan cannot be rendered; NULL: it can, and *out_unit is the text. free()
 * either. */
char *ht_unit_write(const ht_plan *plan, const ht_slice *slice, const char *annotations,
                    char **out_unit);

#endif
