#include "runtime/host/devices.h"

#include "base/memory.h"
#include "runtime/host/block.h"
#include "runtime/host/build.h"
#include "runtime/host/errors.h"
#include "runtime/host/runtime.h"
#include "runtime/host/toolchain.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { DEVICES = 2 };

static const struct {
    const char *name;
    int wavefront;
    const char *option;
} kinds[DEVICES] = {{"host", 64, "-mwavefrontsize64"}, {"host:wave32", 32, "-mno-wavefrontsize64"}};

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

static ht_device_fields fields_of(int kind) {
    return (ht_device_fields){.max_threads = HT_BLOCK_THREADS,
                              .max_block_x = 1024,
                              .max_block_y = 1024,
                              .max_block_z = 1024,
                              .max_grid_x = 2147483647,
                              .max_grid_y = 65535,
                              .max_grid_z = 65535,
                              .max_static_lds = HT_STATIC_LDS_MAX,
                              .max_dynamic_lds = HT_DYNAMIC_LDS_MAX,
                              .lds_per_unit = 65536,
                              .wavefront = kinds[kind].wavefront,
                              .units = omp_get_num_procs(),
                              .registers = 256};
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

/* Sets nothing: the wavefront is a matter of the image. */
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

/* Answers hipDeviceAttribute_t, as far as it speaks of what a launch may ask for. */
hipError_t ht_host_hipDeviceGetAttribute(int *value, int attribute, int device) {
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_ERROR_INVALID_DEVICE;
    const ht_device_fields fields = fields_of(device);
    const struct {
        int attribute;
        int64_t value;
    } known[] = {{26, fields.max_block_x}, {27, fields.max_block_y},    {28, fields.max_block_z},
                 {29, fields.max_grid_x},  {30, fields.max_grid_y},     {31, fields.max_grid_z},
                 {56, fields.max_threads}, {63, fields.units},          {74, fields.max_static_lds},
                 {87, fields.wavefront},   {10002, fields.lds_per_unit}};
    for (size_t i = 0; value && i < sizeof known / sizeof *known; ++i)
        if (known[i].attribute == attribute) {
            *value = (int)known[i].value;
            return HT_HIP_SUCCESS;
        }
    return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE,
                        "hipDeviceGetAttribute: the host provider does not know attribute %d",
                        attribute);
}

ht_status ht_host_devices(ht_device **out_devices, size_t *out_count, ht_error *error) {
    const ht_toolchain *toolchain;
    *out_devices = NULL;
    *out_count = 0;
    ht_status status = ht_toolchain_find(&toolchain, error);
    if (status != HT_OK)
        return status;
    ht_device *devices = ht_alloc(DEVICES, sizeof *devices);
    int cores = omp_get_num_procs();
    struct utsname machine;
    bool named = uname(&machine) == 0 && strcmp(machine.machine, "x86_64") != 0;
    char model[64];
    cpu_model(model, sizeof model);
    for (int i = 0; i < DEVICES; ++i) {
        ht_device *device = &devices[i];
        snprintf(device->name, sizeof device->name, "%s", kinds[i].name);
        snprintf(device->provider, sizeof device->provider, "host");
        snprintf(device->description, sizeof device->description,
                 "host emulation, %d core%s (%s)%s", cores, cores == 1 ? "" : "s", model,
                 kinds[i].wavefront == 32 ? ", wavefront 32" : "");
        snprintf(device->arch, sizeof device->arch, "%.31s", named ? machine.machine : "x86-64");
        snprintf(device->compiler, sizeof device->compiler, "%s", toolchain->version);
        device->ordinal = i;
        device->can_run = true;
        device->emulated = true;
        device->fields = fields_of(i);
    }
    *out_devices = devices;
    *out_count = DEVICES;
    return HT_OK;
}

size_t ht_host_compile_options(const ht_device *device, const char *out_options[8]) {
    out_options[0] = kinds[device->fields.wavefront == 32].option;
    if (!device->checked) /* nor is clang asked for what checks alone need */
        return 1;
    out_options[1] = device->counted            ? "--check=count"
                     : ht_toolchain_sanitizer() ? "--check=address"
                                                : "--check";
    return 2;
}
