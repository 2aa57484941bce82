/* records(BYTES, OFFSET TYPE, OFFSET TYPE[N], OFFSET TYPE(lo, hi), ...): the contents of buffers
 * whose elements are structures with fields of several types. Private to templates/. */
#ifndef HT_TEMPLATES_ANNOTATIONS_INIT_RECORDS_H
#define HT_TEMPLATES_ANNOTATIONS_INIT_RECORDS_H

#include "base/text.h"
#include "templates/annotations/template.h"
#include "templates/expr/span.h"

/* Takes what stands between the parentheses. On failure parts are left to be freed with the
 * argument. */
ht_status ht_init_records_parse(ht_span inside, ht_init *out_init, ht_error *error);
void ht_init_records_print(const ht_init *init, ht_text *out);

void ht_init_parts_free(ht_init *init);
/* Gives a copied initialisation parts of its own. */
void ht_init_parts_copy(const ht_init *init, ht_init *copy);
bool ht_init_parts_equal(const ht_init *a, const ht_init *b);

#endif
