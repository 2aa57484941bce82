/* The abilities of NVIDIA's libraries on this machine, found out once a process by a child: the
 * driver must not start in a process that forks workers later. */
#ifndef HT_RUNTIME_NVIDIA_PROBE_H
#define HT_RUNTIME_NVIDIA_PROBE_H

#include "base/error.h"
#include "base/hash.h"
#include "templates/annotations/device_fields.h"

#include <stdbool.h>

enum { HT_NVIDIA_GPUS_MAX = 32, HT_NVIDIA_ARCHS_MAX = 64 };

typedef struct ht_nvidia_gpu {
    char name[64];
    int ordinal;
    int capability; /* 90 */
    ht_device_fields fields;
} ht_nvidia_gpu;

typedef struct ht_nvidia_probe {
    ht_error error;        /* why nothing can be compiled; HT_OK when it can */
    ht_error driver_error; /* why there are no GPUs */
    int nvrtc_major, nvrtc_minor;
    char libraries[HT_HASH_SIZE];   /* hash of NVRTC's files */
    int driver_version;             /* 13000 is CUDA 13.0; 0 unknown */
    int archs[HT_NVIDIA_ARCHS_MAX]; /* that NVRTC compiles for: 90; ascending */
    int arch_count;
    ht_nvidia_gpu gpus[HT_NVIDIA_GPUS_MAX];
    int gpu_count;
} ht_nvidia_probe;

const ht_nvidia_probe *ht_nvidia_probe_get(void);

#endif
