/* A template against the loop's original: what came of several revisions is verified against it and
 * timed next to it, in the same rounds, whatever source it was made of. */
#ifndef HT_TEMPLATES_ANNOTATIONS_CONTEST_H
#define HT_TEMPLATES_ANNOTATIONS_CONTEST_H

#include "templates/annotations/template.h"

/* Returns, as *out_template, `candidate` with the reference and the baseline of `original`, whose
 * reference is a kernel of its unit (ht_kernel.against). Parameters keep their order.
 * HT_ERROR_UNSUPPORTED: the two do not take the same arguments. Free with
 * ht_template_free(, 1). */
ht_status ht_contest_make(const ht_template *original, const ht_template *candidate,
                          ht_template **out_template, ht_error *error);
/* Returns a template that is read from the text that it has: workers read that. For one whose
 * parameters were changed. Likewise. */
ht_status ht_contest_print(const ht_template *template, ht_template **out_template,
                           ht_error *error);

#endif
