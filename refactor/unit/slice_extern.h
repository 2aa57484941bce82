/* Variables in device memory that a header declares for a definition in another file. */
#ifndef HT_REFACTOR_UNIT_SLICE_EXTERN_H
#define HT_REFACTOR_UNIT_SLICE_EXTERN_H

#include "refactor/unit/slice.h"

/* Makes definitions of such declarations that the kernel needs, without their `extern`: the unit
 * stands alone. */
void ht_slice_define_externs(ht_slice *slice);
/* Returns true for a declaration that another one, or a definition, of the same variable in the
 * unit's files makes needless. */
bool ht_slice_is_declared_again(CXCursor variable);

#endif
