/* Finds where statements begin and end in the text. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_PLACE_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_PLACE_H

#include "refactor/transformations/coarsen/coarsen_state.h"

/* Returns the end of a statement, after its `;`. */
size_t ht_statement_end(const ht_coarsen *c, const ht_syntax *node);
/* Returns the end, after a comment on the same line. */
size_t ht_statement_tail(const ht_coarsen *c, const ht_syntax *node);
/* Returns where the text before a statement begins: after the preceding one, or after the brace. */
size_t ht_statement_lead(const ht_coarsen *c, const ht_syntax *node);
/* Returns the node as it is in a list of statements: the declaration of a VARIABLE, else the node
 * itself. */
const ht_syntax *ht_statement_of(const ht_syntax *node);
/* Returns the number of levels by which the source indents the node deeper than the guards. */
int ht_statement_entered(const ht_coarsen *c, const ht_syntax *node);
/* Returns true if a declaration can be copied as it is. */
bool ht_declaration_is_whole(const ht_coarsen *c, const ht_syntax *item);

#endif
