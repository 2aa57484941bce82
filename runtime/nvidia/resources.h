/* From a compiled image to ht_resources, and from a loaded kernel. */
#ifndef HT_RUNTIME_NVIDIA_RESOURCES_H
#define HT_RUNTIME_NVIDIA_RESOURCES_H

#include "runtime/provider/provider.h"

/* ht_provider.resources: ptxas' numbers and the computed occupancy. */
ht_status ht_nvidia_resources(const ht_device *device, const void *code, size_t code_size,
                              const char *lowered_name, unsigned threads, unsigned dynamic_lds,
                              ht_resources *out_resources, ht_error *error);

/* ht_provider.loaded_resources: the driver's own numbers and occupancy. */
ht_status ht_nvidia_loaded_resources(hipFunction_t function, unsigned threads, unsigned dynamic_lds,
                                     ht_resources *out_resources, ht_error *error);

#endif
