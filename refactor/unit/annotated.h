/* Kernels that the source itself annotates. */
#ifndef HT_REFACTOR_UNIT_ANNOTATED_H
#define HT_REFACTOR_UNIT_ANNOTATED_H

#include "refactor/source/source.h"
#include "templates/annotations/template.h"

/* Makes the template that the file's own annotations describe for a kernel of this name; it stays
 * NULL if there is none. Returns why it cannot be made; NULL: it can, or there is none. free().
 * *out_line is set if the reason has a line in the file. */
char *ht_annotated_make(const ht_source *source, CXCursor kernel, const char *name,
                        ht_template **out_template, int *out_line);

#endif
