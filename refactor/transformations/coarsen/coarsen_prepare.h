/* Decides how the work is written for all outputs together: which parts run once for each output,
 * which variables become arrays, how accesses step. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_PREPARE_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_PREPARE_H

#include "refactor/transformations/coarsen/coarsen_layout.h"

/* Ways to put `+ cx` into an access that steps. */
typedef enum ht_step_form {
    HT_STEP_INDEX,   /* p[i + cx] */
    HT_STEP_STAR,    /* *p: p[cx] */
    HT_STEP_ADDRESS, /* (&ACCESS(i))[cx] */
    HT_STEP_NONE
} ht_step_form;

/* Settles the layout for the work written for all outputs together, and sets variables' `array`.
 * Returns false if that is not possible; apart_reason says why. */
bool ht_jam_prepare(ht_coarsen *c, ht_layout *layout);
bool ht_part_is_standing(const ht_part *part);
/* Returns the parts that make up the work for all outputs together, as a list. Free its
 * `statements`. */
ht_region ht_jam_region(const ht_layout *layout);
/* Returns the statement around a node that runs once for each output; NULL: the node runs once for
 * all. */
const ht_syntax *ht_node_apart_root(const ht_coarsen *c, const ht_syntax *node);
/* Returns true if a part of the node (NULL: nothing) runs once for each output. */
bool ht_node_any_apart(const ht_coarsen *c, const ht_syntax *node);
/* Returns the end of the group of statements from `begin` on that run once for each output. */
size_t ht_jam_group_end(const ht_coarsen *c, ht_syntax_list list, size_t begin, size_t count);
/* Called by ht_groups_visit with each such group, in the order of the source. */
typedef void ht_group_visit(void *context, ht_syntax_list list, size_t begin, size_t end);
void ht_groups_visit(const ht_coarsen *c, ht_syntax_list list, size_t count, ht_group_visit *visit,
                     void *context);
/* Returns true if a variable of a group is also named in another one. */
bool ht_group_is_left(const ht_coarsen *c, ht_syntax_list list, size_t begin, size_t end,
                      size_t variable);

ht_step_form ht_step_form_of(ht_coarsen *c, const ht_syntax *access);
/* Returns the stepping access around a name, in which the name remains the first output's. */
const ht_syntax *ht_node_stepping_access(ht_coarsen *c, const ht_syntax *node);
bool ht_variable_has_initialiser(const ht_coarsen *c, const ht_syntax *node);

#endif
