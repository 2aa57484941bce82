/* Parameters whose best value is the last that there is: values past it. */
#ifndef HT_LOOP_WIDEN_H
#define HT_LOOP_WIDEN_H

#include "templates/annotations/template.h"

/* Returns "COARSEN_X (8 of 1, 2, 4, 8)", by commas: whole-numbered parameters at an edge of their
 * values that may go on past it; NULL: there are none; free(). Only those of transformations whose
 * proofs hold for every value are among them. */
char *ht_widen_edges(const ht_template *template, const ht_config *config);
/* Adds two values past each edge, after those that there are, so that configurations keep their
 * meaning. Returns how many were added. */
size_t ht_widen_past(ht_template *template, const ht_config *config);
/* Lists the configurations to try first after that, at most `most`: `config` with one of the added
 * values each, then those in which one of them is traded for another size. Returns how many.
 * `counts`: of values that each parameter had before. */
size_t ht_widen_steps(const ht_template *template, const ht_config *config, const size_t *counts,
                      ht_config *out_configs, size_t most);
/* Adds the values that `like`, an earlier widening of the same template, has further. False: it is
 * another template. */
bool ht_widen_like(ht_template *template, const ht_template *like);
/* Adds the values of lines of "param(NAME : values = default)", which name parameters of the
 * template, as somebody proposed. Defaults stay. */
ht_status ht_widen_lines(ht_template *template, const char *lines, ht_error *error);

#endif
