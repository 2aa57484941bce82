/* Makes a template of a unit, and checks it. */
#ifndef HT_REFACTOR_UNIT_MAKE_TEMPLATE_H
#define HT_REFACTOR_UNIT_MAKE_TEMPLATE_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/transform.h"
#include "refactor/unit/slice.h"

/* Makes the template: parses, prints, parses again, compares, and lets clang check it in two
 * configurations. Returns which of these fails; NULL: none does, and *out_template is the
 * template. free(). */
char *ht_template_make(const ht_plan *plan, const ht_grid *grid, const ht_slice *slice,
                       ht_template **out_template);
/* Makes the same template with the original as its reference. NULL: that cannot be written. */
ht_template *ht_template_against(const ht_plan *plan, const ht_grid *grid, const ht_slice *slice);
/* Lets clang check a template's unit as device code for some configurations. Returns NULL if it is
 * good, else the first error; free(). `written`: the template as its author wrote it; errors in
 * kernels' names are reported at its annotations. NULL: no author wrote it. */
char *ht_unit_check(const ht_source *source, const ht_template *template,
                    const ht_template *written);

#endif
