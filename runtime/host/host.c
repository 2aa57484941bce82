/* The provider: its table and its devices. */
#include "base/memory.h"
#include "runtime/host/block.h"
#include "runtime/host/build.h"
#include "runtime/host/errors.h"
#include "runtime/host/program.h"
#include "runtime/host/runtime.h"
#include "runtime/host/toolchain.h"
#include "runtime/provider.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2 };

static const struct {
    const char *name;
    int wavefront;
    const char *option;
} kinds[DEVICES] = {{"host", 64, "-mwavefrontsize64"}, {"host:wave32", 32, "-mno-wavefrontsize64"}};

static int core_count(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void cpu_model(char *out, size_t size) {
    snprintf(out, size, "unknown CPU");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            colon += 1 + strspn(colon + 1, " ");
            snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
            break;
        }
    }
    fclose(file);
}

hipError_t ht_host_hipInit(unsigned flags) {
    return flags == 0 ? HT_HIP_SUCCESS
                      : ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipInit: flags must be 0");
}

hipError_t ht_host_hipGetDeviceCount(int *count) {
    if (!count)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipGetDeviceCount: no place for it");
    *count = DEVICES;
    return HT_HIP_SUCCESS;
}

static hipError_t check_device(int device) {
    return device >= 0 && device < DEVICES
               ? HT_HIP_SUCCESS
               : ht_host_fail(HT_HIP_ERROR_INVALID_DEVICE, "there is no host device %d", device);
}

/* The wavefront is a matter of the image, so there is nothing to remember. */
hipError_t ht_host_hipSetDevice(int device) {
    return check_device(device);
}

hipError_t ht_host_hipDeviceGetName(char *name, int length, int device) {
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_ERROR_INVALID_DEVICE;
    if (!name || length <= 0)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipDeviceGetName: no place for it");
    snprintf(name, (size_t)length, "%s", kinds[device].name);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipDeviceGetAttribute(int *value, int attribute, int device) {
    (void)value;
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_ERROR_INVALID_DEVICE;
    return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE,
                        "hipDeviceGetAttribute: the host provider does not know attribute %d",
                        attribute);
}

hipError_t ht_host_hipDriverGetVersion(int *version) {
    if (!version)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipDriverGetVersion: no place for it");
    *version = 0;
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipGetLastError(void) {
    return ht_host_last_error();
}

const char *ht_host_hipGetErrorString(hipError_t error) {
    return ht_host_error_string(error);
}

static const ht_hip table = {
#define HT_HOST_SLOT(result, name, parameters) .name = ht_host_##name,
    HT_HIP_RUNTIME_FUNCTIONS(HT_HOST_SLOT) HT_HIPRTC_FUNCTIONS(HT_HOST_SLOT)
#undef HT_HOST_SLOT
};

static ht_status open_host(const ht_hip **out_hip, ht_error *error) {
    const ht_toolchain *toolchain;
    *out_hip = NULL;
    ht_status status = ht_toolchain_find(&toolchain, error);
    if (status == HT_OK)
        *out_hip = &table;
    return status;
}

static ht_status list_devices(ht_device **out_devices, size_t *out_count, ht_error *error) {
    const ht_toolchain *toolchain;
    *out_devices = NULL;
    *out_count = 0;
    ht_status status = ht_toolchain_find(&toolchain, error);
    if (status != HT_OK)
        return status;
    ht_device *devices = ht_alloc(DEVICES, sizeof *devices);
    int cores = core_count();
    char model[64];
    cpu_model(model, sizeof model);
    for (int i = 0; i < DEVICES; ++i) {
        ht_device *device = &devices[i];
        snprintf(device->name, sizeof device->name, "%s", kinds[i].name);
        snprintf(device->provider, sizeof device->provider, "host");
        snprintf(device->description, sizeof device->description,
                 "host emulation, %d core%s (%s)%s", cores, cores == 1 ? "" : "s", model,
                 kinds[i].wavefront == 32 ? ", wavefront 32" : "");
        snprintf(device->arch, sizeof device->arch, "x86-64");
        snprintf(device->compiler, sizeof device->compiler, "%s", toolchain->version);
        device->ordinal = i;
        device->can_run = true;
        device->emulated = true;
        device->fields = (ht_device_fields){.max_threads = HT_BLOCK_THREADS,
                                            .max_block_x = 1024,
                                            .max_block_y = 1024,
                                            .max_block_z = 1024,
                                            .max_grid_x = 2147483647,
                                            .max_grid_y = 65535,
                                            .max_grid_z = 65535,
                                            .max_static_lds = HT_STATIC_LDS_MAX,
                                            .max_dynamic_lds = HT_DYNAMIC_LDS_MAX,
                                            .lds_per_unit = 65536,
                                            .wavefront = kinds[i].wavefront,
                                            .units = cores,
                                            .registers = 256};
    }
    *out_devices = devices;
    *out_count = DEVICES;
    return HT_OK;
}

static size_t compile_options(const ht_device *device, const char *out_options[8]) {
    out_options[0] = "--offload-arch=x86-64";
    out_options[1] = kinds[device->fields.wavefront == 32].option;
    return 2;
}

const ht_provider ht_provider_host = {
    .name = "host",
    .summary = "emulation on this machine's cores; its times say nothing about a GPU",
    .open = open_host,
    .devices = list_devices,
    .compile_options = compile_options,
    .resources = NULL,
};
