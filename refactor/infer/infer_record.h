/* Structures passed by value: their fields are arguments of their own ("slots"), after the kernel's
 * parameters, with values from what the host sets before the launch. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_RECORD_H
#define HT_REFACTOR_INFER_INFER_RECORD_H

#include "refactor/infer/infer.h"

/* Fills in->slots with the kernel's parameters and the fields of those that are structures. */
void ht_infer_slots_make(ht_infer *in);
void ht_infer_slots_free(ht_infer *in);

/* The structure's argument line, "p : struct Params"; adds to what is missing if it cannot be
 * described. free(). */
char *ht_infer_record_line(ht_infer *in, size_t index, const char *name);

/* Returns where the fields of structures that are passed by value lie, a line each, "p.n 8 4":
 * its place and its size in bytes; NULL: there are none. free(). */
char *ht_infer_places(ht_model *model);

/* The line of an array in a structure, "p.taps : in float[25]"; free(). */
char *ht_infer_array_line(const ht_infer *in, size_t index);

/* Returns what the first launch passes for a slot: an argument, or the expression that the host set
 * the field to; null cursor: neither is known. */
CXCursor ht_infer_passed_for(const ht_infer *in, size_t index);
/* Returns the host's structure of a field that is passed at the first launch, if it is a variable
 * and the field is not nested; else the null cursor. */
CXCursor ht_infer_field_base(const ht_infer *in, size_t index);
/* Returns the expression that a field of a host's variable has at the first launch, which passes
 * the variable; null cursor: it is not known. */
CXCursor ht_infer_field_initial(const ht_infer *in, CXCursor variable, CXCursor field);
/* "low_x" for p.low.x, "n" for n: a name for a problem's field. free(). */
char *ht_infer_field_name(const ht_parameter *slot);

#endif
