/* A kernel as it is, in its launch, as a template without parameters: for kernels that have no
 * template of their own, and for what is compared with the original. */
#ifndef HT_REFACTOR_REWRITE_PLAIN_H
#define HT_REFACTOR_REWRITE_PLAIN_H

#include "refactor/refactor.h"

/* Makes it, with the original as its reference too, apart (HT_REFERENCE_MACRO).
 * HT_ERROR_UNSUPPORTED where the kernel's problem or launch is not known, with the reason. Free
 * with ht_template_free. */
ht_status ht_plain_template(const ht_refactor *refactor, size_t kernel, ht_template **out_template,
                            ht_error *error);

#endif
