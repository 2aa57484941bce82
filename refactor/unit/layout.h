/* How the annotations of a template look to people. */
#ifndef HT_REFACTOR_UNIT_LAYOUT_H
#define HT_REFACTOR_UNIT_LAYOUT_H

#include "base/text.h"
#include "templates/annotations/template.h"

enum { HT_LAYOUT_WIDTH = 100 };

/* Returns the template's annotations, a directive a line: parameters by transformation, after a
 * comment that says what it does and with the constraints that it completes; lines wrapped. free().
 */
char *ht_layout_annotations(const ht_template *template);

/* Returns the text of a kernel with its long lines wrapped, but for those of the author's text.
 * free(). */
char *ht_layout_code(const char *text, const char *author);

/* Appends a list that begins with `front`, "template <", wrapped after its commas; each further
 * line is indented by four. */
void ht_layout_list(const char *front, char *const *items, size_t count, ht_text *out);

#endif
