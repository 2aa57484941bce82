/* The devices: the same cores twice, with wavefronts of 64 and of 32. */
#ifndef HT_RUNTIME_HOST_DEVICES_H
#define HT_RUNTIME_HOST_DEVICES_H

#include "runtime/provider/provider.h"

/* The slots of ht_provider. */
ht_status ht_host_devices(ht_device **out_devices, size_t *out_count, ht_error *error);
size_t ht_host_compile_options(const ht_device *device, const char *out_options[8]);

#endif
