/* AddressSanitizer in a program that is emulated. Its library has to be in the process before all
 * others, and so in this program, which starts itself anew for that; code of the program is
 * instrumented (build.h), this program's own is not. */
#ifndef HT_RUNTIME_EMULATE_SANITIZE_H
#define HT_RUNTIME_EMULATE_SANITIZE_H

#include "base/error.h"

/* Starts this program anew, with the same arguments and the library, unless it is there. Returns
 * when it is; else HT_ERROR_MISSING: it is not installed. */
ht_status ht_emulate_sanitize_start(ht_error *error);
/* In the program's process: a report gets a line with the place in the source, by the symbolizer
 * (runtime/host/symbolizer.h). */
void ht_emulate_sanitize_watch(void);

#endif
