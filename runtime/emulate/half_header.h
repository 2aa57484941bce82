/* HIP's header of half precision, as ROCm 6 has it: programs are written for that, and Debian 12
 * has ROCm 5.2's. Two things differ that change what a program means, or whether it compiles: the
 * members `x` and `y` of a `__half2` are halves (in 5.2 they are the numbers of their bits), and
 * operators of halves are there on the host, too. */
#ifndef HT_RUNTIME_EMULATE_HALF_HEADER_H
#define HT_RUNTIME_EMULATE_HALF_HEADER_H

#include "base/error.h"

/* Returns the header's text with both changes; NULL: it is not a text that needs them. free(). */
char *ht_half_header_change(const char *text);
/* Writes the changed header into a folder that is searched ahead of HIP's; nothing if HIP's own
 * needs no change, or is not there. */
ht_status ht_half_header_write(const char *folder, ht_error *error);

#endif
