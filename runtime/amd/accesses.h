/* From a compiled image to ht_accesses: finds the kernel's code, disassembles it, and follows its
 * blocks (isa/). */
#ifndef HT_RUNTIME_AMD_ACCESSES_H
#define HT_RUNTIME_AMD_ACCESSES_H

#include "runtime/provider/provider.h"

/* ht_provider.accesses of the amd provider, for architectures of the families gfx9,
 * gfx103, gfx11 and gfx12. */
ht_status ht_amd_accesses(const ht_device *device, const void *code, size_t code_size,
                          const char *lowered_name, const ht_counted_launch *launch,
                          ht_accesses *out_accesses, ht_error *error);

#endif
