#include "runtime/amd/probe.h"

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "runtime/amd/clang/route.h"
#include "runtime/amd/code_object/symbols.h"
#include "runtime/amd/gpus.h"
#include "runtime/process/child.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double probe_seconds = 30; /* a driver may take several to start */

/* The target that stands for the ones that need no probe: the newest of them in LLVM's history. */
static const char baseline_arch[] = "gfx90a";

/* The compiler's version is nowhere in hiprtc's interface, but the compiler itself will say it. */
#define VERSION_MARK "hiptemper compiler "
static const char probe_source[] = "#pragma message(\"" VERSION_MARK "\" __clang_version__)\n"
                                   "extern \"C\" __global__ void probe(float *p) { p[0] = 1; }\n";

typedef struct compile_report {
    ht_error error;
    bool aborted;                 /* as a compiler does that does not know the target */
    int runtime_version;          /* 50221153 is 5.2.21153; 0 unknown */
    char compiler[64];            /* "15.0.6" */
    char libraries[HT_HASH_SIZE]; /* hash of those that compile */
} compile_report;

static void read_compiler_version(const char *log, char *out, size_t size) {
    const char *at = strstr(log, VERSION_MARK);
    out[0] = '\0';
    if (!at)
        return;
    at += strlen(VERSION_MARK);
    size_t length = strcspn(at, " \n[");
    snprintf(out, size, "%.*s", (int)length, at);
}

static void compile_probe(const ht_hip *hip, const char *arch, compile_report *report) {
    hiprtcProgram program = NULL;
    char option[64];
    snprintf(option, sizeof option, "--offload-arch=%s", arch);
    const char *options[] = {option};
    hiprtcResult result =
        hip->hiprtcCreateProgram(&program, probe_source, "probe.hip", 0, NULL, NULL);
    if (result == HT_HIPRTC_SUCCESS)
        result = hip->hiprtcCompileProgram(program, 1, options);
    if (result != HT_HIPRTC_SUCCESS) {
        ht_error_set(&report->error, HT_ERROR_COMPILE, "hiprtc does not compile for %s: %s", arch,
                     hip->hiprtcGetErrorString(result));
        return;
    }
    size_t size = 0;
    hip->hiprtcGetProgramLogSize(program, &size);
    char *log = ht_alloc(size + 1, 1);
    if (size)
        hip->hiprtcGetProgramLog(program, log);
    read_compiler_version(log, report->compiler, sizeof report->compiler);
    free(log);
}

/* Of libraries that compile: the version says nothing of one that was built or patched otherwise.
 */
static const char *const library_stems[] = {"libhiprtc", "libamd_comgr", "libLLVM", "libclang",
                                            NULL};

static void compile_work(const void *context, int fd) {
    const char *arch = context;
    compile_report report = {0};
    ht_amd_symbols symbols;
    if (!ht_amd_symbols_load(ht_amd_runtime_names, ht_amd_hiprtc_names, &symbols, &report.error)) {
        if (symbols.hip.hipDriverGetVersion(&report.runtime_version) != HT_HIP_SUCCESS)
            report.runtime_version = 0;
        compile_probe(&symbols.hip, arch, &report);
        if (strcmp(arch, baseline_arch) == 0)
            ht_fingerprint_libraries(library_stems, report.libraries);
    }
    ht_child_write(fd, &report, sizeof report);
}

/* Waits for a compile child and gives its result, whether it reported or died. */
static void compile_finish(ht_child *child, const char *arch, compile_report *out_report) {
    ht_child_result result;
    ht_child_finish(child, &result);
    *out_report = (compile_report){0};
    if (result.output_size == sizeof *out_report) {
        memcpy(out_report, result.output, sizeof *out_report);
    } else {
        char *failure = ht_child_result_failure(&result);
        ht_error_set(&out_report->error, HT_ERROR_COMPILE, "hiprtc, compiling for %s, %s", arch,
                     failure ? failure : "did not finish");
        out_report->aborted = result.signal == SIGABRT;
        free(failure);
    }
    ht_child_result_free(&result);
}

static void compile_once(const char *arch, compile_report *out_report) {
    ht_child child;
    *out_report = (compile_report){0};
    if (ht_child_start(compile_work, arch, probe_seconds, &child, &out_report->error) == HT_OK)
        compile_finish(&child, arch, out_report);
}

/* The compiler does not say that a file of its own could not be written. */
static void compile_again(const char *arch, compile_report *report) {
    if (report->error.status == HT_ERROR_COMPILE &&
        ht_scratch_check(NULL, &report->error) == HT_OK && !report->aborted)
        compile_once(arch, report);
}

ht_status ht_amd_probe_compile(const char *arch, ht_error *error) {
    compile_report report;
    compile_once(arch, &report);
    compile_again(arch, &report);
    if (report.error.status && error)
        *error = report.error;
    return report.error.status;
}

static void describe_compiler(const compile_report *report, char *out, size_t size) {
    int version = report->runtime_version;
    int length = snprintf(out, size, "hiprtc %d.%d.%d", version / 10000000, version / 100000 % 100,
                          version % 100000);
    snprintf(out + length, size - (size_t)length, " (%s%s%s%.16s)",
             report->compiler[0] ? "clang " : "", report->compiler, report->compiler[0] ? ", " : "",
             report->libraries);
}

/* Has clang compile for a target that hiprtc does not know. A piece that this takes and that is not
 * there is added to the reason. */
static void clang_ask(ht_amd_probe *probe, size_t target) {
    const ht_amd_clang *clang;
    ht_error error = {0};
    const ht_amd_target *wanted = &ht_amd_targets[target];
    if (ht_amd_clang_for(wanted->arch, wanted->clang, &clang, &error) == HT_OK) {
        probe->compiles[target] = true;
        probe->by_clang[target] = clang->compiler;
        return;
    }
    char *reason = ht_strdup(probe->failures[target].message);
    ht_error_set(&probe->failures[target], probe->failures[target].status, "%.150s; %.300s", reason,
                 error.message);
    free(reason);
}

/* Starts all children at once: the listing then takes as long as the slowest. */
static void probe_targets(ht_amd_probe *probe) {
    ht_child children[HT_AMD_TARGETS_MAX];
    bool asked[HT_AMD_TARGETS_MAX], started[HT_AMD_TARGETS_MAX];
    bool baseline = false;
    for (size_t i = 0; i < ht_amd_target_count; i++) {
        const ht_amd_target *target = &ht_amd_targets[i];
        asked[i] = target->needs_probe || strcmp(target->arch, baseline_arch) == 0;
        started[i] = asked[i] &&
                     !ht_child_start(compile_work, target->arch, probe_seconds, &children[i], NULL);
    }
    for (size_t i = 0; i < ht_amd_target_count; i++) {
        compile_report report;
        if (started[i])
            compile_finish(&children[i], ht_amd_targets[i].arch, &report);
        else if (asked[i])
            compile_once(ht_amd_targets[i].arch, &report);
        else
            continue;
        compile_again(ht_amd_targets[i].arch, &report);
        probe->compiles[i] = report.error.status == HT_OK;
        probe->failures[i] = report.error;
        if (!probe->compiles[i] && ht_amd_targets[i].clang)
            clang_ask(probe, i);
        if (strcmp(ht_amd_targets[i].arch, baseline_arch) == 0) {
            baseline = probe->compiles[i];
            probe->error = report.error;
            describe_compiler(&report, probe->compiler, sizeof probe->compiler);
        }
    }
    for (size_t i = 0; i < ht_amd_target_count; i++)
        if (!ht_amd_targets[i].needs_probe)
            probe->compiles[i] = baseline;
}

/* Probes a GPU, as the compiler may be older than it. Each architecture is compiled for once, with
 * the GPU's features. */
static void probe_gpu(ht_amd_probe *probe, size_t index) {
    ht_amd_gpu *gpu = &probe->gpus[index];
    ht_error error = {0};
    for (size_t i = 0; i < index; i++)
        if (strcmp(probe->gpus[i].arch, gpu->arch) == 0) {
            memcpy(gpu->failure, probe->gpus[i].failure, sizeof gpu->failure);
            return;
        }
    if (ht_amd_probe_compile(gpu->arch, &error))
        snprintf(gpu->failure, sizeof gpu->failure, "%.239s", error.message);
}

static void probe_run(ht_amd_probe *probe) {
    ht_child gpus;
    bool started = !ht_child_start(ht_amd_gpus_work, NULL, probe_seconds, &gpus, NULL);
    probe_targets(probe);
    if (!started && !probe->error.status) /* there is room now */
        started = !ht_child_start(ht_amd_gpus_work, NULL, probe_seconds, &gpus, NULL);
    if (started)
        probe->gpu_count = ht_amd_gpus_finish(&gpus, probe->gpus, HT_AMD_GPUS_MAX);
    for (size_t i = 0; i < probe->gpu_count && !probe->error.status; i++)
        if (!probe->gpus[i].failure[0])
            probe_gpu(probe, i);
}

const ht_amd_probe *ht_amd_probe_get(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static ht_amd_probe probe;
    static bool done;
    pthread_mutex_lock(&lock);
    if (!done)
        probe_run(&probe);
    done = true;
    pthread_mutex_unlock(&lock);
    return &probe;
}
