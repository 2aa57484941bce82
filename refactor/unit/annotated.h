/* Kernels that the source itself annotates. */
#ifndef HT_REFACTOR_UNIT_ANNOTATED_H
#define HT_REFACTOR_UNIT_ANNOTATED_H

#include "refactor/source/source.h"
#include "templates/annotations/template.h"

/* The templates that the file's own annotations describe, for a kernel of this name; NULL when it
 * has none. *out_line becomes the line of a problem that has one in the file. */
ht_status ht_annotated_make(const ht_source *source, CXCursor kernel, const char *name,
                            ht_template **out_template, char **out_problem, int *out_line);

#endif
