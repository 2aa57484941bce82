#include "cli/command.h"

#include "base/blas.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/warning.h"
#include "refactor/refactor.h"
#include "refactor/source/resource_dir.h"
#include "runtime/doctor/doctor.h"
#include "runtime/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

typedef struct doctor_options {
    const char *device;
    const char *json;
    double seconds;
    const char *sandbox;
} doctor_options;

static const ht_option options[] = {
    {"device", HT_OPTION_TEXT, offsetof(doctor_options, device), "DEVICE",
     .help = "Only try this device. Without it: the first of each provider that can run kernels."},
    {"seconds", HT_OPTION_NUMBER, offsetof(doctor_options, seconds), "SECONDS", .fallback = "2",
     .help = "How long a kernel is timed against itself, on each device."},
    HT_SANDBOX_OPTION(doctor_options),
    {"json", HT_OPTION_JSON, offsetof(doctor_options, json), "FILE",
     .help = "Writes the findings as JSON: to standard output, or to FILE. docs/json.md describes "
             "them."},
    {0},
};

/* The findings, and how much of them is printed. */
typedef struct visit {
    ht_findings findings;
    size_t printed;
    const char *group; /* of the last line */
    FILE *out;
} visit;

static void print_new(visit *visit) {
    static const char *const marks[] = {"ok", "WARNING", "MISSING"};
    for (; visit->printed < visit->findings.count; ++visit->printed) {
        const ht_finding *finding = &visit->findings.items[visit->printed];
        if (!visit->group || strcmp(visit->group, finding->group) != 0)
            fprintf(visit->out, "%s%s\n", visit->group ? "\n" : "", finding->group);
        visit->group = finding->group;
        fprintf(visit->out, "  %-8s %-18s %s\n", marks[finding->level], finding->name,
                finding->found);
        if (finding->fix)
            fprintf(visit->out, "  %-8s %-18s fix: %s\n", "", "", finding->fix);
    }
    fflush(visit->out);
}

static ht_status analyse(const char *source, ht_error *error) {
    ht_scratch scratch = {0};
    ht_status status = ht_scratch_make("doctor", &scratch, error);
    if (status != HT_OK)
        return status;
    char *path = ht_path_join(scratch.path, "doctor.hip");
    const ht_refactor_options only_cache = {.cache = scratch.path};
    ht_refactor *refactor = NULL;
    status = ht_file_write(path, source, strlen(source), error);
    if (status == HT_OK)
        status = ht_refactor_prepare(&only_cache, error); /* warns of errors in HIP's header */
    if (status == HT_OK)
        status = ht_refactor_file(path, NULL, &only_cache, &refactor, error);
    ht_refactor_free(refactor);
    free(path);
    ht_scratch_remove(&scratch);
    return status;
}

static char *warned; /* the first warning of the analysis */

static void warning_keep(const char *message) {
    if (!warned)
        warned = ht_strdup(message);
}

/* Checks the analysis of sources: libclang, and the headers that come with it. */
static void look_at_analysis(ht_findings *findings) {
    static const char source[] = "#include <hip/hip_runtime.h>\n"
                                 "#include <stddef.h>\n"
                                 "__global__ void k(float *out) { out[threadIdx.x] = 1; }\n";
    static const char fix[] = "install libclang-19-dev (with its headers: libclang-common-19-dev) "
                              "and libamdhip64-dev";
    char *folder = ht_resource_dir_find();
    ht_findings_add(findings, "toolchain", "clang's headers",
                    folder ? HT_LEVEL_FINE : HT_LEVEL_WARNING, fix, "%s",
                    folder ? folder : "not found: sources cannot be analysed");
    free(folder);
    ht_error error = {0};
    void (*sink)(const char *) = ht_warning_sink;
    ht_warning_sink = warning_keep;
    ht_status status = analyse(source, &error);
    ht_warning_sink = sink;
    bool fine = status == HT_OK && !warned;
    ht_findings_add(findings, "toolchain", "libclang", fine ? HT_LEVEL_FINE : HT_LEVEL_WARNING, fix,
                    "%s",
                    status != HT_OK ? error.message
                    : warned        ? warned
                                    : "analyses a small HIP source");
    free(warned);
    warned = NULL;
}

/* Checks what confines code from sources. */
static void look_at_sandbox(ht_findings *findings) {
    ht_sandbox_support support = ht_sandbox_probe();
    bool off = ht_sandbox_chosen() == HT_SANDBOX_OFF;
    static const char fix[] = "use Linux 5.13 or later with Landlock on (lsm=landlock,... on the "
                              "kernel's command line), in a container that allows its system calls";
    if (support.landlock > 0)
        ht_findings_add(findings, "sandbox", "Landlock", HT_LEVEL_FINE, NULL,
                        "version %d: files and programs%s%s", support.landlock,
                        support.landlock >= 4 ? ", TCP" : "",
                        support.landlock >= 6 ? ", signals" : "");
    else
        ht_findings_add(findings, "sandbox", "Landlock", HT_LEVEL_WARNING, fix,
                        "missing: compilers may write anywhere that you may, and kernels read");
    ht_findings_add(
        findings, "sandbox", "seccomp", support.notify ? HT_LEVEL_FINE : HT_LEVEL_WARNING,
        "use Linux 5.9 or later, in a container that allows seccomp", "%s",
        support.notify    ? "system calls of kernels are filtered, and named when refused"
        : support.seccomp ? "system calls are filtered, but those that open files are not, "
                            "and none is named when refused"
                          : "missing: kernels may start programs and use the network");
    ht_findings_add(findings, "sandbox", "choice", off ? HT_LEVEL_WARNING : HT_LEVEL_FINE,
                    "leave out --sandbox off unless all sources are your own", "%s: %s",
                    ht_sandbox_mode_name(ht_sandbox_chosen()),
                    off                             ? "code from sources does what you may do"
                    : ht_sandbox_complete(&support) ? "code from sources is confined"
                                                    : "code from sources is confined in part");
}

/* Checks matrix products, of training and of the search's models. */
static void look_at_blas(ht_findings *findings) {
    ht_blas_info info;
    ht_blas_describe(&info);
    bool fine = info.openblas && !info.slow_kernels;
    ht_findings_add(
        findings, "toolchain", "BLAS", fine ? HT_LEVEL_FINE : HT_LEVEL_WARNING,
        info.openblas ? "set OPENBLAS_CORETYPE to this processor's kind (SkylakeX, Haswell, Zen)"
                      : "install libopenblas0-pthread and make it the alternative of libblas.so.3",
        "%s%s", info.text,
        !info.openblas      ? ": training is many times slower than with OpenBLAS"
        : info.slow_kernels ? ": kernels of an old processor, several times slower"
                            : "");
}

static void try_devices(visit *visit, const doctor_options *given, const ht_device *devices,
                        size_t count) {
    ht_device chosen;
    ht_error error = {0};
    if (given->device) {
        if (ht_device_find(given->device, &chosen, &error) != HT_OK) {
            ht_findings_add(&visit->findings, "timing", given->device, HT_LEVEL_MISSING,
                            "'hiptemper devices' lists what there is", "%s", error.message);
            return;
        }
        devices = &chosen;
        count = 1;
    }
    for (size_t i = 0; i < count && !ht_interrupted; ++i) {
        if (ht_report_is_terminal(stderr))
            fprintf(stderr, "trying %s...\r", devices[i].name);
        ht_doctor_trial(&visit->findings, &devices[i], given->seconds, &ht_interrupted);
        print_new(visit);
    }
}

static json_t *document_make(const ht_findings *findings) {
    json_t *document = ht_report_json_new("hiptemper-doctor", 1);
    json_t *array = json_array();
    for (size_t i = 0; i < findings->count; ++i) {
        const ht_finding *finding = &findings->items[i];
        json_array_append_new(array, json_pack("{s:s, s:o, s:s, s:o, s:o}", "group", finding->group,
                                               "name", ht_report_json_text(finding->name), "level",
                                               ht_level_name(finding->level), "found",
                                               ht_report_json_text(finding->found), "fix",
                                               ht_report_json_text(finding->fix)));
    }
    json_object_set_new(document, "warnings",
                        json_integer((json_int_t)ht_findings_at_level(findings, HT_LEVEL_WARNING)));
    json_object_set_new(document, "missing",
                        json_integer((json_int_t)ht_findings_at_level(findings, HT_LEVEL_MISSING)));
    json_object_set_new(document, "findings", array);
    return document;
}

static int finish(visit *visit, const char *json) {
    size_t missing = ht_findings_at_level(&visit->findings, HT_LEVEL_MISSING);
    size_t warnings = ht_findings_at_level(&visit->findings, HT_LEVEL_WARNING);
    if (missing)
        fprintf(visit->out, "\n%zu missing, %zu warnings: fix what is missing first\n", missing,
                warnings);
    else if (warnings)
        fprintf(visit->out, "\nReady to tune, with %zu warning%s\n", warnings,
                warnings == 1 ? "" : "s");
    else
        fprintf(visit->out, "\nReady to tune\n");
    json_t *document = document_make(&visit->findings);
    int code = ht_report_json(json, document);
    json_decref(document);
    if (ht_interrupted)
        return HT_EXIT_INTERRUPTED;
    return missing ? HT_EXIT_MISSING : code;
}

static int run_doctor(const ht_command_line *line) {
    const doctor_options *given = line->options;
    visit visit = {.out = ht_report_stream(given->json)};
    ht_machine machine;
    ht_machine_read(&machine);
    ht_machine_judge(&machine, &visit.findings);
    ht_machine_free(&machine);
    print_new(&visit);
    look_at_analysis(&visit.findings);
    look_at_blas(&visit.findings);
    look_at_sandbox(&visit.findings);
    print_new(&visit);
    ht_device *devices;
    size_t count;
    ht_doctor_devices(&visit.findings, &devices, &count);
    print_new(&visit);
    try_devices(&visit, given, devices, count);
    print_new(&visit);
    free(devices);
    int code = finish(&visit, given->json);
    ht_findings_free(&visit.findings);
    return code;
}

const ht_command ht_command_doctor = {
    .name = "doctor",
    .summary = "check that this machine can tune, and how well it measures",
    .usage = "[OPTION]...",
    .description =
        "Looks at memory, temporary files, limits, cores and clocks; at the analysis of sources; "
        "at every provider and its devices. Then tries each device that can run kernels: compiles "
        "a small kernel, checks it in a worker process, and times it against itself, which tells "
        "the smallest difference that this machine can show. Every finding that is not in order "
        "comes with what to do about it.",
    .examples = "hiptemper doctor\n"
                "hiptemper doctor --device host --seconds 10\n"
                "hiptemper doctor --json doctor.json",
    .exit_codes = "  0    nothing needed is missing; there may be warnings\n"
                  "  2    wrong usage\n"
                  "  3    something without which nothing can be tuned is missing\n"
                  "  130  interrupted",
    .options = options,
    .options_size = sizeof(doctor_options),
    .run = run_doctor,
};
