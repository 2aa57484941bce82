/* CUDA's device functions that HIP does not have, for sources that were never ported. Private to
 * refactor/. */
#ifndef HT_REFACTOR_SOURCE_CUDA_DEVICE_NAMES_H
#define HT_REFACTOR_SOURCE_CUDA_DEVICE_NAMES_H

/* Functions written out, under names of their own: a compiler for CUDA has them under CUDA's, which
 * macros lead to. Kernels are cut out with those that they call. */
extern const char ht_cuda_device_names[];

#endif
