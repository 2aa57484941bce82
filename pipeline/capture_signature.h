/* A kernel's problem where its source is not at hand, as far as the name that it was launched by
 * says it: "void ns::scale<float>(float const*, int)". */
#ifndef HT_PIPELINE_CAPTURE_SIGNATURE_H
#define HT_PIPELINE_CAPTURE_SIGNATURE_H

#include "runtime/emulate/capture.h"

#include <jansson.h>

/* Makes an entry of a problem file for ht_capture_fill; arguments are called arg1, arg2. A
 * pointer to constant elements is an `in`, every other one an `inout`: that the memory was the same
 * after a launch does not show that no launch writes to it. Returns NULL, or why there is none;
 * free(). */
char *ht_capture_signature(const ht_captured_launch *launch, json_t **out_entry);

#endif
