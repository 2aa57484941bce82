/* The nvidia provider: the CUDA driver and NVRTC, devices, compile options. */
#include "base/memory.h"
#include "runtime/nvidia/clocks.h"
#include "runtime/nvidia/hip.h"
#include "runtime/nvidia/probe.h"
#include "runtime/nvidia/resources.h"
#include "runtime/nvidia/target.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_status nvidia_open(const ht_hip **out_hip, ht_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static ht_nvidia_symbols symbols;
    static ht_hip hip;
    static bool opened;
    ht_status status = HT_OK;
    pthread_mutex_lock(&lock);
    if (!opened) {
        status = ht_nvidia_symbols_load(&symbols, error);
        opened = status == HT_OK;
        if (opened)
            ht_nvidia_hip_fill(&hip, &symbols);
    }
    pthread_mutex_unlock(&lock);
    *out_hip = status ? NULL : &hip;
    return status;
}

static ht_device make_device(const ht_nvidia_probe *probe, const char *kind, int capability) {
    ht_device device = {.provider = "nvidia", .ordinal = -1};
    snprintf(device.arch, sizeof device.arch, "%s_%d", kind, capability);
    snprintf(device.compiler, sizeof device.compiler, "NVRTC %d.%d (%.16s)", probe->nvrtc_major,
             probe->nvrtc_minor, probe->libraries);
    return device;
}

/* Returns the newest architecture that NVRTC compiles for and this GPU can run; 0 when it is too
 * old. */
static int newest_arch(const ht_nvidia_probe *probe, int capability) {
    int newest = 0;
    for (int i = 0; i < probe->arch_count; i++)
        if (probe->archs[i] <= capability && probe->archs[i] > newest)
            newest = probe->archs[i];
    return newest;
}

/* Describes a GPU. One newer than NVRTC runs PTX of the newest architecture there is, compiled by
 * its driver. */
static ht_device gpu_device(const ht_nvidia_probe *probe, const ht_nvidia_gpu *gpu) {
    int arch = newest_arch(probe, gpu->capability);
    bool exact = arch == gpu->capability;
    ht_device device = make_device(probe, exact ? "sm" : "compute", arch);
    snprintf(device.name, sizeof device.name, "nvidia:%d", gpu->ordinal);
    snprintf(device.description, sizeof device.description, "%.60s, sm_%d%s", gpu->name,
             gpu->capability, exact ? "" : ", by way of PTX");
    if (!exact) /* the driver compiles: its version counts too */
        snprintf(device.compiler, sizeof device.compiler, "NVRTC %d.%d (%.16s), driver %d.%d",
                 probe->nvrtc_major, probe->nvrtc_minor, probe->libraries,
                 probe->driver_version / 1000, probe->driver_version % 1000 / 10);
    device.ordinal = gpu->ordinal;
    device.can_run = true;
    device.fields = gpu->fields;
    return device;
}

static ht_device target_device(const ht_nvidia_probe *probe, const ht_nvidia_target *target) {
    ht_device device = make_device(probe, "sm", target->capability);
    snprintf(device.name, sizeof device.name, "nvidia:sm_%d", target->capability);
    snprintf(device.description, sizeof device.description, "sm_%d (%s), compile only",
             target->capability, target->board);
    device.fields = ht_nvidia_target_fields(target);
    return device;
}

static ht_status nvidia_devices(ht_device **out_devices, size_t *out_count, ht_error *error) {
    const ht_nvidia_probe *probe = ht_nvidia_probe_get();
    *out_devices = NULL;
    *out_count = 0;
    if (probe->error.status)
        return ht_error_set(error,
                            probe->error.status == HT_ERROR_IO ? HT_ERROR_IO : HT_ERROR_MISSING,
                            "%s", probe->error.message);
    ht_device *devices =
        ht_alloc((size_t)probe->gpu_count + ht_nvidia_target_count, sizeof *devices);
    size_t count = 0;
    for (int i = 0; i < probe->gpu_count; i++)
        if (newest_arch(probe, probe->gpus[i].capability))
            devices[count++] = gpu_device(probe, &probe->gpus[i]);
    for (size_t i = 0; i < ht_nvidia_target_count; i++) {
        int capability = ht_nvidia_targets[i].capability;
        if (newest_arch(probe, capability) == capability)
            devices[count++] = target_device(probe, &ht_nvidia_targets[i]);
    }
    *out_devices = devices;
    *out_count = count;
    return HT_OK;
}

/* 161 is "unrecognized #pragma": template pragmas are for other readers. Helpers without
 * __device__ are device code, as constexpr functions are in HIP. */
static size_t nvidia_compile_options(const ht_device *device, const char *out_options[8]) {
    static _Thread_local char arch[64];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", device->arch);
    out_options[0] = arch;
    out_options[1] = "--std=c++17";
    out_options[2] = "--device-as-default-execution-space";
    out_options[3] = "--diag-suppress=161";
    out_options[4] = "--ptxas-options=-v";
    return 5;
}

static char *nvidia_why_not(const char *device_name) {
    const ht_nvidia_probe *probe = ht_nvidia_probe_get();
    if (strncmp(device_name, "nvidia:", 7) != 0)
        return NULL;
    const char *rest = device_name + 7;
    int capability = ht_nvidia_capability(rest);
    if (capability && ht_nvidia_target_find(capability))
        return ht_format("NVRTC %d.%d does not compile for sm_%d", probe->nvrtc_major,
                         probe->nvrtc_minor, capability);
    for (int i = 0; i < probe->gpu_count; i++)
        if (strtol(rest, NULL, 10) == probe->gpus[i].ordinal && *rest >= '0' && *rest <= '9')
            return ht_format(
                "it is an sm_%d, and NVRTC %d.%d compiles for newer ones only; install "
                "an older CUDA toolkit",
                probe->gpus[i].capability, probe->nvrtc_major, probe->nvrtc_minor);
    if (!probe->gpu_count && probe->driver_error.status)
        return ht_strdup(probe->driver_error.message);
    return NULL;
}

/* Gives the settings: the driver is part of what runs, and of what compiles PTX. */
static char *nvidia_settings(const ht_device *device) {
    char prelude[HT_HASH_SIZE];
    ht_nvidia_prelude_hash(prelude);
    if (!device->can_run)
        return ht_format("prelude %s", prelude);
    int version = ht_nvidia_probe_get()->driver_version;
    return ht_format("prelude %s; driver for CUDA %d.%d", prelude, version / 1000,
                     version % 1000 / 10);
}

const ht_provider ht_provider_nvidia = {
    .name = "nvidia",
    .summary = "NVIDIA GPUs through the CUDA driver and NVRTC; compiles for sm targets without a "
               "GPU",
    .float64_twins = true,
    .open = nvidia_open,
    .devices = nvidia_devices,
    .compile_options = nvidia_compile_options,
    .resources = ht_nvidia_resources,
    .loaded_resources = ht_nvidia_loaded_resources,
    .why_not = nvidia_why_not,
    .settings = nvidia_settings,
    .clocks = ht_nvidia_clocks,
};
