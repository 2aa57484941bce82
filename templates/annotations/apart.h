/* A unit of two texts that have names in common: what is tuned, and its reference. Each is compiled
 * without the other (HT_REFERENCE_MACRO). */
#ifndef HT_TEMPLATES_ANNOTATIONS_APART_H
#define HT_TEMPLATES_ANNOTATIONS_APART_H

#include "base/text.h"

#include <stdbool.h>

/* The part of a unit to print: its includes, the rest without annotations, or both of these, which
 * is all but the annotations. Lines keep their numbers, but for those of includes alone. */
typedef enum ht_unit_part { HT_UNIT_INCLUDES, HT_UNIT_REST, HT_UNIT_CODE } ht_unit_part;
void ht_unit_part_print(const char *unit, ht_unit_part part, ht_text *out);

/* Returns a unit of both texts; free(). Their includes come first, then the annotations. Names in
 * annotations are looked up in the text that is printed first. */
char *ht_units_apart(const char *reference, const char *own, bool reference_first,
                     const char *annotations);

#endif
