/* Source lines of addresses in an image, by addr2line. */
#ifndef HT_RUNTIME_HOST_SYMBOLIZER_H
#define HT_RUNTIME_HOST_SYMBOLIZER_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Starts a process that answers for this one, which will not be able to start programs itself once
 * it is in the sandbox. It enters a sandbox of its own at the first question, and ends with this
 * process. Only before there are threads. */
ht_status ht_symbolizer_start(ht_error *error);
/* The socket to it; -1 when there is none. */
int ht_symbolizer_socket(void);

/* Appends what addr2line prints for an address and the frames inlined there; false without an
 * answer. `image` is a descriptor. */
bool ht_symbolize(int image, uintptr_t address, ht_text *out);

#endif
