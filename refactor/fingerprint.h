/* The identity of all that makes a template, apart from the file and its options. */
#ifndef HT_REFACTOR_FINGERPRINT_H
#define HT_REFACTOR_FINGERPRINT_H

#include "base/error.h"
#include "base/text.h"

/* Appends text that differs where the pass may: of this program, libclang and what it stands on,
 * HIP's headers, clang's own, the variables that name folders of headers, and the current folder.
 * HT_ERROR_MISSING: there is no libclang. */
ht_status ht_refactor_fingerprint(ht_text *out, ht_error *error);
/* The same without the current folder, which changes no template, but the paths in it. */
ht_status ht_refactor_fingerprint_tools(ht_text *out, ht_error *error);

#endif
