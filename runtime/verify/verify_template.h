/* Templates changed for verification. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_TEMPLATE_H
#define HT_RUNTIME_VERIFY_VERIFY_TEMPLATE_H

#include "templates/annotations/template.h"

/* Gives the template another tolerance, in its text too: that is what workers read. */
void ht_verify_tolerate(ht_template *template, bool exact);
/* Returns a copy in which the parameters of the list ("A,B") have no value but their default. Free
 * with ht_template_free. */
ht_template *ht_verify_keep_order(const ht_template *template, const char *list);
/* Makes a configuration of that copy one of the template itself. */
void ht_verify_reorder(const ht_template *template, const ht_template *ordered, ht_config *config);
/* Returns a copy for sums in any order; ht_template_free(). Where nobody gave a tolerance, floats
 * get that of sums: a few hundred of them may be off by more than the default. */
ht_template *ht_verify_any_order(const ht_template *template);

#endif
