/* The names of gfx11's and gfx12's instructions, where they are new names of old instructions. */
#ifndef HT_RUNTIME_AMD_ISA_NAMES_H
#define HT_RUNTIME_AMD_ISA_NAMES_H

#include <stddef.h>

/* Puts the name that gfx9 and gfx10 have for `name` into `io_name`, a buffer of `size` bytes which
 * holds the name, if there is one. */
void ht_isa_name_old(char *io_name, size_t size);

#endif
