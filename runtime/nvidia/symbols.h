/* Opening the CUDA driver and NVRTC by dlopen. */
#ifndef HT_RUNTIME_NVIDIA_SYMBOLS_H
#define HT_RUNTIME_NVIDIA_SYMBOLS_H

#include "base/error.h"
#include "runtime/nvidia/driver.h"

#include <stdbool.h>

typedef struct ht_nvidia_symbols {
#define HT_NVIDIA_SLOT(name, parameters) int(*name) parameters;
    HT_CUDA_FUNCTIONS(HT_NVIDIA_SLOT)
    HT_NVRTC_FUNCTIONS(HT_NVIDIA_SLOT)
#undef HT_NVIDIA_SLOT
    const char *(*nvrtcGetErrorString)(ht_nvrtc_result result);
    bool has_driver;           /* all of the driver's functions are there */
    ht_error driver_missing;   /* why not, otherwise */
    char builtins_reason[400]; /* why NVRTC's built-in library does not load; empty when it does, or
                                  is elsewhere */
} ht_nvidia_symbols;

/* Opens NVRTC, and the driver if it is there: without one, kernels compile and nothing runs. NVRTC
 * that is missing, or lacks a function, is HT_ERROR_MISSING with what to install. Libraries stay
 * open. Calls nothing in them.
 *
 * NVRTC is taken from $HIPTEMPER_NVRTC (a file), else by name from the loader's path, then from
 * lib64 and lib of $CUDA_HOME, $CUDA_PATH, /usr/local/cuda and /usr/local/cuda-*, newest first. The
 * driver is $HIPTEMPER_CUDA_DRIVER (a file), else libcuda.so.1 by the loader's path. */
ht_status ht_nvidia_symbols_load(ht_nvidia_symbols *out_symbols, ht_error *error);

#endif
