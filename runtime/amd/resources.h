/* From a compiled image to ht_resources: finds the ELF, its metadata, the kernel, and computes the
 * occupancy. */
#ifndef HT_RUNTIME_AMD_RESOURCES_H
#define HT_RUNTIME_AMD_RESOURCES_H

#include "runtime/provider/provider.h"

/* ht_provider.resources of the amd provider. */
ht_status ht_amd_resources(const ht_device *device, const void *code, size_t code_size,
                           const char *lowered_name, unsigned threads, unsigned dynamic_lds,
                           ht_resources *out_resources, ht_error *error);

#endif
