/* The GPU's clock, through NVML (libnvidia-ml.so.1, part of the driver). */
#ifndef HT_RUNTIME_NVIDIA_CLOCKS_H
#define HT_RUNTIME_NVIDIA_CLOCKS_H

#include "runtime/provider/provider.h"

/* ht_provider.clocks: the multiprocessors' clock, and nanoseconds spent slowed down for heat. -1
 * where NVML, from $HIPTEMPER_NVML or the loader's path, is missing or does not tell. */
void ht_nvidia_clocks(const ht_device *device, ht_clocks *out_clocks);

#endif
