/* NVIDIA GPUs are known by name only: the provider says what is missing, and nothing is offered. */
#include "runtime/provider.h"

static ht_status missing(ht_error *error) {
    return ht_error_set(error, HT_ERROR_MISSING, "the nvidia provider is not part of this version");
}

static ht_status nvidia_open(const ht_hip **out_hip, ht_error *error) {
    *out_hip = NULL;
    return missing(error);
}

static ht_status nvidia_devices(ht_device **out_devices, size_t *out_count, ht_error *error) {
    *out_devices = NULL;
    *out_count = 0;
    return missing(error);
}

static size_t nvidia_compile_options(const ht_device *device, const char *out_options[8]) {
    (void)device;
    (void)out_options;
    return 0;
}

const ht_provider ht_provider_nvidia = {
    .name = "nvidia",
    .summary = "NVIDIA GPUs through the CUDA driver and NVRTC",
    .open = nvidia_open,
    .devices = nvidia_devices,
    .compile_options = nvidia_compile_options,
};
