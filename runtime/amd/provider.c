/* The amd provider: HIP and hiprtc from ROCm's libraries, devices, compile options. */
#include "base/memory.h"
#include "runtime/amd/accesses.h"
#include "runtime/amd/clang/program.h"
#include "runtime/amd/clocks.h"
#include "runtime/amd/code_object/symbols.h"
#include "runtime/amd/lowered_name.h"
#include "runtime/amd/prelude.h"
#include "runtime/amd/probe.h"
#include "runtime/amd/resources.h"
#include "runtime/amd/rocjitsu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_amd_symbols symbols;
static bool opened;

static ht_status amd_open(const ht_hip **out_hip, ht_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    ht_status status = HT_OK;
    pthread_mutex_lock(&lock);
    if (!opened) {
        status = ht_amd_symbols_load(ht_amd_runtime_names, ht_amd_hiprtc_names, &symbols, error);
        opened = status == HT_OK;
        if (opened) {
            ht_amd_clang_install(&symbols.hip);
            ht_amd_prelude_install(&symbols.hip);
            ht_amd_lowered_names_install(&symbols.hip);
        }
    }
    pthread_mutex_unlock(&lock);
    *out_hip = status ? NULL : &symbols.hip;
    return status;
}

static ht_device make_device(const ht_amd_probe *probe, const char *arch) {
    ht_device device = {.provider = "amd", .ordinal = -1};
    snprintf(device.arch, sizeof device.arch, "%s", arch);
    snprintf(device.compiler, sizeof device.compiler, "%s", probe->compiler);
    return device;
}

static ht_device gpu_device(const ht_amd_probe *probe, const ht_amd_gpu *gpu) {
    ht_device device = make_device(probe, gpu->arch);
    snprintf(device.name, sizeof device.name, "amd:%d", gpu->ordinal);
    /* Part of a database's key, so that an emulator's times are never taken for a GPU's. */
    snprintf(device.description, sizeof device.description, "%.60s, %s%s", gpu->name, gpu->arch,
             ht_rocjitsu_library() ? ", emulated by rocjitsu" : "");
    device.ordinal = gpu->ordinal;
    device.can_run = true;
    device.fields = gpu->fields;
    return device;
}

static const char by_clang[] = ", compile only, by clang";

static ht_device target_device(const ht_amd_probe *probe, size_t index) {
    const ht_amd_target *target = &ht_amd_targets[index];
    ht_device device = make_device(probe, target->arch);
    const char *clang = probe->by_clang[index];
    if (clang)
        snprintf(device.compiler, sizeof device.compiler, "%s", clang);
    snprintf(device.name, sizeof device.name, "amd:%s", target->arch);
    snprintf(device.description, sizeof device.description, "%s%s", target->arch,
             clang ? by_clang : ", compile only");
    device.fields = ht_amd_target_fields(target);
    return device;
}

/* Says that the library is not there, or that its compiler does not work, or has no room for its
 * files. */
static ht_status compiler_missing(const ht_error *reason, ht_error *error) {
    if (reason->status == HT_ERROR_IO)
        return ht_error_set(error, HT_ERROR_IO, "ROCm's compiler does not work: %s%s%.3000s",
                            reason->file, *reason->file ? ": " : "", reason->message);
    const char *remedy = reason->status == HT_ERROR_MISSING
                             ? ""
                             : "; reinstall ROCm's compiler (Debian: apt-get install --reinstall "
                               "libamdhip64-5 libamd-comgr2)";
    return ht_error_set(error, HT_ERROR_MISSING, "%.3000s%s", reason->message, remedy);
}

static ht_status amd_devices(ht_device **out_devices, size_t *out_count, ht_error *error) {
    const ht_amd_probe *probe = ht_amd_probe_get();
    *out_devices = NULL;
    *out_count = 0;
    if (probe->error.status) /* a GPU without its compiler tunes nothing */
        return compiler_missing(&probe->error, error);
    ht_device *devices = ht_alloc(probe->gpu_count + ht_amd_target_count, sizeof *devices);
    size_t count = 0;
    for (size_t i = 0; i < probe->gpu_count; i++)
        if (!probe->gpus[i].failure[0])
            devices[count++] = gpu_device(probe, &probe->gpus[i]);
    for (size_t i = 0; i < ht_amd_target_count; i++)
        if (probe->compiles[i])
            devices[count++] = target_device(probe, i);
    *out_devices = devices;
    *out_count = count;
    return HT_OK;
}

/* Gives the options. -O3 is hiprtc's default, said here so that it stays so. Template pragmas are
 * for other readers. */
static size_t amd_compile_options(const ht_device *device, const char *out_options[8]) {
    static _Thread_local char arch[64];
    snprintf(arch, sizeof arch, "--offload-arch=%s", device->arch);
    out_options[0] = arch;
    out_options[1] = "-O3";
    out_options[2] = "-std=c++17";
    out_options[3] = "-Wno-unknown-pragmas";
    out_options[4] = "-Wno-register"; /* of which CUDA's compiler only warns, as of the next */
    out_options[5] = "-Wno-c++11-narrowing";
    if (strncmp(device->compiler, "clang ", 6) != 0)
        return 6;
    out_options[6] = HT_AMD_CLANG_OPTION;
    return 7;
}

/* Explains GPUs that cannot be used, and targets with a table for which this machine's compiler is
 * too old. */
static char *amd_why_not(const char *device_name) {
    const ht_amd_probe *probe = ht_amd_probe_get();
    for (size_t i = 0; i < probe->gpu_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "amd:%d", probe->gpus[i].ordinal);
        if (strcmp(name, device_name) == 0 && probe->gpus[i].failure[0])
            return ht_format("%s (compiler: %s)", probe->gpus[i].failure, probe->compiler);
    }
    for (size_t i = 0; i < ht_amd_target_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "amd:%s", ht_amd_targets[i].arch);
        const ht_error *failure = &probe->failures[i];
        if (strcmp(name, device_name) == 0 && failure->status == HT_ERROR_IO)
            return ht_format("%s: %s", failure->file, failure->message);
        if (strcmp(name, device_name) == 0 && failure->status)
            return ht_format("%.460s; or it needs a newer ROCm than %s", failure->message,
                             probe->compiler);
    }
    return NULL;
}

static char *amd_settings(const ht_device *device) {
    (void)device;
    char prelude[HT_HASH_SIZE];
    ht_amd_prelude_hash(prelude);
    return ht_format("prelude %s", prelude);
}

/* Reads the clocks of an open provider: only then is there something to time. */
static void amd_clocks(const ht_device *device, ht_clocks *out_clocks) {
    *out_clocks = (ht_clocks){.mhz = -1, .throttled = -1};
    if (opened)
        ht_amd_clocks(&symbols, device, out_clocks);
}

const ht_provider ht_provider_amd = {
    .name = "amd",
    .summary = "AMD GPUs through ROCm's HIP and hiprtc; compiles for gfx targets without a GPU",
    .open = amd_open,
    .devices = amd_devices,
    .compile_options = amd_compile_options,
    .program_size = 16, /* docs/amd-provider.md has the measurement */
    .resources = ht_amd_resources,
    .accesses = ht_amd_accesses,
    .why_not = amd_why_not,
    .settings = amd_settings,
    .clocks = amd_clocks,
};
