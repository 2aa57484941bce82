/* Writes the part before the work: declarations that are the same for all outputs, the remaining
 * guards, and the condition that all outputs are inside. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_FRONT_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_FRONT_H

#include "refactor/transformations/coarsen/coarsen_layout.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

/* Writes the part in front, up to the opening of the guards but `without`, which is written later;
 * NULL: all. Returns the number of braces to close. */
int ht_jam_front(ht_coarsen *c, const ht_layout *layout, const ht_part *without, ht_writer *writer);
/* Writes a guard's tests of one kind, as its condition has them. */
void ht_jam_tests(ht_coarsen *c, const ht_guard *guard, ht_term_kind kind, ht_writer *writer);
/* Writes what is known ahead of the outputs of a guard that leaves; nothing if that is nothing. */
void ht_jam_guard(ht_coarsen *c, const ht_part *part, ht_writer *writer);
/* Writes `if (y >= H) return;` for what is known ahead of the outputs of a guard that encloses the
 * work. */
void ht_jam_leave(const ht_guard *guard, ht_writer *writer);
/* Writes that a term of a guard does not hold. `alone`: nothing is joined to it. */
void ht_jam_fails(const ht_guard_term *term, bool alone, ht_writer *writer);
/* Writes the condition that all outputs of a thread are inside. Returns false if it cannot be
 * written. */
bool ht_jam_condition(ht_coarsen *c, const ht_layout *layout, ht_writer *writer);

#endif
