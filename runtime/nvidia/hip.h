/* The HIP table over the CUDA driver and NVRTC. HIP's error numbers are CUDA's, so codes pass
 * through unchanged. */
#ifndef HT_RUNTIME_NVIDIA_HIP_H
#define HT_RUNTIME_NVIDIA_HIP_H

#include "base/hash.h"
#include "runtime/nvidia/symbols.h"
#include "runtime/provider/hip.h"

enum {
    HT_CU_INVALID_VALUE = 1,
    HT_CU_NO_DEVICE = 100,
    HT_CU_INVALID_DEVICE = 101,
    HT_CU_INVALID_IMAGE = 200,
    HT_CU_NO_BINARY = 209,
    HT_CU_UNSUPPORTED_PTX = 222
};

/* Fills the runtime and the compiler's slots; `symbols` must stay. Without a driver the runtime's
 * functions answer with "no device". */
void ht_nvidia_hip_fill(ht_hip *out_hip, const ht_nvidia_symbols *symbols);

/* Parts of it. */
void ht_nvidia_runtime_fill(ht_hip *out_hip, const ht_nvidia_symbols *symbols);
void ht_nvidia_modules_fill(ht_hip *out_hip);
void ht_nvidia_compiler_fill(ht_hip *out_hip, const ht_nvidia_symbols *symbols);

/* A hash of the device prelude. */
void ht_nvidia_prelude_hash(char out_hex[HT_HASH_SIZE]);

/* The driver, with a context of this process current on this thread; NULL when there is none. */
const ht_nvidia_symbols *ht_nvidia_driver(void);
/* The attribute (driver.h) of the current device; 0 when it does not answer. */
int ht_nvidia_device_attribute(int attribute);

/* Notes a failure for hipGetLastError and returns the code. `more` (may be NULL) is added to what
 * hipGetErrorString says of this code on this thread. */
hipError_t ht_nvidia_result(ht_cu_result result, const char *more);

#endif
