/* Writes the annotations of a template, from the plan, the launch and the problem entry. */
#ifndef HT_REFACTOR_UNIT_ANNOTATIONS_H
#define HT_REFACTOR_UNIT_ANNOTATIONS_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/transform.h"
#include "refactor/unit/slice.h"

/* Returns why the kernel cannot be bound to its problem entry (sizes, roles, launch), in words;
 * NULL: it can. free(). Sets *out_line if the reason has a place. */
char *ht_binding_problem(const ht_model *model, const ht_grid *grid, const ht_slice *slice,
                         int *out_line);
/* Returns the annotation lines of the template, not yet canonical; free(). `original`: with the
 * original as reference, whatever reference the problem entry names. */
char *ht_annotations_write(const ht_plan *plan, const ht_grid *grid, bool original);

/* Returns the launched argument of a template parameter as text; free(). NULL: its default
 * holds. */
char *ht_template_argument_text(const ht_template_parameter *parameter);
/* Prints problem, arguments and tolerance of the model's entry; with `builtin`, also the built-in
 * reference that it names. */
void ht_entry_print(const ht_model *model, bool builtin, ht_text *out);
/* Prints "#pragma tune reference(k__original<float>)" and the original's first launch. `ending` is
 * appended to the kernel's name. `grid` NULL: without the launch. */
void ht_original_print(const ht_plan *plan, const ht_grid *grid, const char *directive,
                       const char *ending, ht_text *out);
/* Prints "#pragma tune block(64, 4)". */
void ht_axes_print(const char *name, char *const axes[3], ht_text *out);

#endif
