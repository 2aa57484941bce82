/* Annotations against the kernel's own parameters. Private to templates/. */
#ifndef HT_TEMPLATES_ANNOTATIONS_TEMPLATE_SIGNATURE_H
#define HT_TEMPLATES_ANNOTATIONS_TEMPLATE_SIGNATURE_H

#include "templates/annotations/template.h"

/* Checks that each of a template's launches passes the arguments that the kernel of its unit takes:
 * number, order, pointers, element types, constness. Kernels that the unit does not define, and
 * what the text leaves open (ht_signature_find), are not judged. */
ht_status ht_template_check_signatures(const ht_template *template, ht_error *error);
/* A parameter that neither the code nor a launch names is a mistake. */
ht_status ht_template_check_unused(const ht_template *template, ht_error *error);

#endif
