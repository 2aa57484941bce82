/* The provider: its table. */
#include "base/cache.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/host/build.h"
#include "runtime/host/clocks.h"
#include "runtime/host/devices.h"
#include "runtime/host/errors.h"
#include "runtime/host/folder.h"
#include "runtime/host/program.h"
#include "runtime/host/runtime.h"
#include "runtime/host/toolchain.h"

#include <stddef.h>
#include <stdlib.h>

hipError_t ht_host_hipInit(unsigned flags) {
    return flags == 0 ? HT_HIP_SUCCESS
                      : ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipInit: flags must be 0");
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
    *out_hip = &table; /* what was compiled already runs without a compiler */
    return ht_toolchain_find(&toolchain, error);
}

/* Gives the settings; the number of threads that run the blocks is for OpenMP to say. */
static char *settings_host(const ht_device *device) {
    (void)device;
    char prelude[HT_HASH_SIZE];
    ht_host_prelude_hash(prelude);
    const char *threads = getenv("OMP_NUM_THREADS"), *limit = getenv("OMP_THREAD_LIMIT");
    char *flags = ht_build_flags();
    char *text = ht_format("prelude %s; threads %s, at most %s; flags %s", prelude,
                           threads ? threads : "as cores", limit ? limit : "any", flags);
    free(flags);
    return text;
}

static void prepare_host(const ht_device *device) {
    const char *options[8];
    if (!ht_cache_folder())
        return;
    size_t count = ht_host_compile_options(device, options);
    ht_build_prepare(count, options);
}

const ht_provider ht_provider_host = {
    .float64_twins = true,
    .name = "host",
    .summary = "emulation on this machine's cores; its times say nothing about a GPU",
    .open = open_host,
    .devices = ht_host_devices,
    .compile_options = ht_host_compile_options,
    .resources = NULL,
    .prepare = prepare_host,
    .settings = settings_host,
    .compiler_hash = ht_toolchain_hash,
    .clocks = ht_host_clocks,
};
