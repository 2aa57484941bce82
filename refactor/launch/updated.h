/* Values of host variables that a statement, or an `if`, makes of earlier ones: `++blocks;`.
 * Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_UPDATED_H
#define HT_REFACTOR_LAUNCH_UPDATED_H

#include "refactor/launch/symbol.h"

/* Returns the value of a variable, or of a part of it, at `use`; NULL: it is not known. */
typedef ht_symbol *(*ht_value_before)(const ht_symbol_frame *in, CXCursor variable, CXCursor use,
                                      int part);
/* Returns the value that `statement`, of HT_REACH_UPDATE, leaves in a variable (`part` -1) or in
 * its part: over the value before, a choice where an `if` decides. Nothing in it may be edited in
 * place, since only all places together make the value. NULL: a value before is not known. */
ht_symbol *ht_symbol_updated(const ht_symbol_frame *in, CXCursor variable, CXCursor statement,
                             int part, ht_value_before before);

#endif
