/* Explicit specialisations of kernels: their names, and pins on the templates that they
 * specialise. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SPECIALISED_H
#define HT_REFACTOR_KERNEL_SPECIALISED_H

#include "refactor/kernel/model.h"

/* Adds pins of a template's explicit specialisations. */
void ht_specialised_build(ht_model *model);
/* Returns true if the function is an explicit specialisation of a template. */
bool ht_is_specialised(CXCursor function);
/* Calls `found` for each explicit specialisation of a function template, in the whole unit. */
void ht_specialised_each(CXTranslationUnit unit, CXCursor template,
                         void (*found)(CXCursor specialisation, void *context), void *context);
/* Returns the name with its arguments, "ns::k<float>"; free(). */
char *ht_specialised_name(CXCursor function);

#endif
