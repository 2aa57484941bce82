/* From a model and its plan to a template. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_EMIT_H
#define HT_REFACTOR_UNIT_EMIT_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"
#include "refactor/unit/slice.h"

/* What stands in the way of binding the kernel to its problem entry (sizes, roles, launch), in
 * words; NULL when nothing does. free(). `line` may become the place. */
char *ht_binding_problem(const ht_model *model, const ht_grid *grid, const ht_slice *slice,
                         int *out_line);
/* The annotation lines of the template, not yet canonical; free(). `original`: with the original as
 * reference, whatever the problem entry names. */
char *ht_annotations_write(const ht_plan *plan, const ht_grid *grid, bool original);
/* The launch's template argument list for the kernel, new parameters first: "<BLOCK_X, float>", ""
 * for none; free(). `reference`: of the original. */
char *ht_template_arguments(const ht_plan *plan, bool reference);

/* The launched argument of one, as text; free(). NULL: a default holds. */
char *ht_template_argument_text(const ht_template_parameter *parameter);
/* Problem, arguments and tolerance, as the model's entry says; the built-in reference that it names
 * when `builtin`. */
void ht_entry_print(const ht_model *model, bool builtin, ht_text *out);
/* "#pragma tune reference(k__original<float>)" with its first launch; `ending` is what its name has
 * there. `grid` NULL: without the launch. */
void ht_original_print(const ht_plan *plan, const ht_grid *grid, const char *directive,
                       const char *ending, ht_text *out);
/* "#pragma tune block(64, 4)" */
void ht_axes_print(const char *name, char *const axes[3], ht_text *out);

/* The unit: the slice with the kernel twice, original and parameterized, and `annotations`; free().
 * NULL with *out_problem (free()) when the plan cannot be rendered. */
char *ht_unit_write(const ht_plan *plan, const ht_slice *slice, const char *annotations,
                    char **out_problem);

/* Parses, prints, parses again, compares, and lets clang check it in two configurations. NULL with
 * *out_problem (free()). */
ht_template *ht_template_make(const ht_plan *plan, const ht_grid *grid, const ht_slice *slice,
                              char **out_problem);
/* The same template with the original as its reference. NULL when that cannot be written. */
ht_template *ht_template_against(const ht_plan *plan, const ht_grid *grid, const ht_slice *slice);
/* Lets clang check a template's unit as device code for some configurations; NULL when good, else
 * the first error. `written`: the same template as its author wrote it, whose annotations errors in
 * the kernels' names are placed at; NULL: none did. */
char *ht_unit_check(const ht_source *source, const ht_template *template,
                    const ht_template *written);

#endif
