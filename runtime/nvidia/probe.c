#include "runtime/nvidia/probe.h"

#include "base/fingerprint.h"
#include "runtime/nvidia/hip.h"
#include "runtime/nvidia/target.h"
#include "runtime/process/child.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double probe_seconds = 30; /* a driver may take several to start */

/* Compiles a probe, as NVRTC finds its built-in library only when it compiles. */
static void compile_probe(const ht_nvidia_symbols *cuda, ht_nvidia_probe *probe) {
    static const char source[] = "extern \"C\" __global__ void probe(float *p) { p[0] = 1; }\n";
    ht_nvrtc_program program = NULL;
    char option[64];
    const char *options[] = {option}, *reason = cuda->builtins_reason;
    int arch = probe->arch_count ? probe->archs[probe->arch_count - 1] : 80;
    snprintf(option, sizeof option, "--gpu-architecture=sm_%d", arch);
    ht_nvrtc_result result = cuda->nvrtcCreateProgram(&program, source, "probe.hip", 0, NULL, NULL);
    if (!result)
        result = cuda->nvrtcCompileProgram(program, 1, options);
    if (result)
        ht_error_set(&probe->error, HT_ERROR_MISSING,
                     "NVRTC %d.%d does not compile for sm_%d: %s%s%s%s; reinstall it with its "
                     "libnvrtc-builtins",
                     probe->nvrtc_major, probe->nvrtc_minor, arch,
                     cuda->nvrtcGetErrorString(result), *reason ? " (" : "", reason,
                     *reason ? ")" : "");
    if (program)
        cuda->nvrtcDestroyProgram(&program);
}

/* Version numbers do not tell one build of NVRTC from another. */
static const char *const library_stems[] = {"libnvrtc", NULL};

static void read_archs(const ht_nvidia_symbols *cuda, ht_nvidia_probe *probe) {
    int count = 0, archs[HT_NVIDIA_ARCHS_MAX];
    if (cuda->nvrtcVersion(&probe->nvrtc_major, &probe->nvrtc_minor) ||
        cuda->nvrtcGetNumSupportedArchs(&count) || count <= 0 || count > HT_NVIDIA_ARCHS_MAX ||
        cuda->nvrtcGetSupportedArchs(archs))
        return;
    memcpy(probe->archs, archs, sizeof archs);
    probe->arch_count = count;
}

static void read_fields(const ht_nvidia_symbols *cuda, ht_cu_device device, ht_nvidia_gpu *gpu) {
    struct {
        int attribute;
        int64_t *value;
    } wanted[] = {
        {HT_CU_MAX_THREADS_PER_BLOCK, &gpu->fields.max_threads},
        {HT_CU_MAX_BLOCK_DIM_X, &gpu->fields.max_block_x},
        {HT_CU_MAX_BLOCK_DIM_X + 1, &gpu->fields.max_block_y},
        {HT_CU_MAX_BLOCK_DIM_X + 2, &gpu->fields.max_block_z},
        {HT_CU_MAX_GRID_DIM_X, &gpu->fields.max_grid_x},
        {HT_CU_MAX_GRID_DIM_X + 1, &gpu->fields.max_grid_y},
        {HT_CU_MAX_GRID_DIM_X + 2, &gpu->fields.max_grid_z},
        {HT_CU_MAX_SHARED_PER_BLOCK, &gpu->fields.max_static_lds},
        {HT_CU_MAX_SHARED_PER_BLOCK_OPTIN, &gpu->fields.max_dynamic_lds},
        {HT_CU_MAX_SHARED_PER_MULTIPROCESSOR, &gpu->fields.lds_per_unit},
        {HT_CU_WARP_SIZE, &gpu->fields.wavefront},
        {HT_CU_MULTIPROCESSOR_COUNT, &gpu->fields.units},
    };
    const ht_nvidia_target *target = ht_nvidia_target_find(gpu->capability);
    gpu->fields = ht_nvidia_target_fields(target ? target : ht_nvidia_target_find(70));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int value = 0;
        if (!cuda->cuDeviceGetAttribute(&value, wanted[i].attribute, device) && value > 0)
            *wanted[i].value = value;
    }
}

static bool read_gpu(const ht_nvidia_symbols *cuda, int ordinal, ht_nvidia_gpu *out) {
    ht_cu_device device;
    int major = 0, minor = 0;
    *out = (ht_nvidia_gpu){.ordinal = ordinal};
    if (cuda->cuDeviceGet(&device, ordinal) ||
        cuda->cuDeviceGetAttribute(&major, HT_CU_COMPUTE_MAJOR, device) ||
        cuda->cuDeviceGetAttribute(&minor, HT_CU_COMPUTE_MINOR, device))
        return false;
    out->capability = 10 * major + minor;
    if (cuda->cuDeviceGetName(out->name, (int)sizeof out->name, device) || !out->name[0])
        snprintf(out->name, sizeof out->name, "NVIDIA GPU");
    read_fields(cuda, device, out);
    return true;
}

static void read_gpus(const ht_nvidia_symbols *cuda, ht_nvidia_probe *probe) {
    int count = 0;
    if (!cuda->has_driver) {
        probe->driver_error = cuda->driver_missing;
        return;
    }
    ht_hip hip;
    ht_nvidia_hip_fill(&hip, cuda);
    hipError_t result = hip.hipInit(0);
    if (!result)
        result = hip.hipDriverGetVersion(&probe->driver_version);
    if (!result)
        result = hip.hipGetDeviceCount(&count);
    if (result)
        ht_error_set(&probe->driver_error, HT_ERROR_MISSING, "the CUDA driver does not start: %s",
                     hip.hipGetErrorString(result));
    for (int i = 0; i < count && probe->gpu_count < HT_NVIDIA_GPUS_MAX; i++)
        probe->gpu_count += read_gpu(cuda, i, &probe->gpus[probe->gpu_count]);
}

static void probe_work(const void *unused, int fd) {
    (void)unused;
    static ht_nvidia_probe probe;
    static ht_nvidia_symbols symbols;
    if (!ht_nvidia_symbols_load(&symbols, &probe.error)) {
        read_archs(&symbols, &probe);
        compile_probe(&symbols, &probe); /* loads the library of built-ins too */
        ht_fingerprint_libraries(library_stems, probe.libraries);
        read_gpus(&symbols, &probe);
    }
    ht_child_write(fd, &probe, sizeof probe);
}

static void probe_run(ht_nvidia_probe *probe) {
    ht_child child;
    ht_child_result result;
    if (ht_child_start(probe_work, NULL, probe_seconds, &child, &probe->error))
        return;
    ht_child_finish(&child, &result);
    if (result.output_size == sizeof *probe) {
        memcpy(probe, result.output, sizeof *probe);
    } else {
        char *failure = ht_child_result_failure(&result);
        ht_error_set(&probe->error, HT_ERROR_MISSING,
                     "asking NVRTC and the CUDA driver what they can do %s",
                     failure ? failure : "gave no answer");
        free(failure);
    }
    ht_child_result_free(&result);
}

const ht_nvidia_probe *ht_nvidia_probe_get(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static ht_nvidia_probe probe;
    static bool done;
    pthread_mutex_lock(&lock);
    if (!done)
        probe_run(&probe);
    done = true;
    pthread_mutex_unlock(&lock);
    return &probe;
}
