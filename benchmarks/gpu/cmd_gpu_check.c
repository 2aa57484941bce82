/* hiptemper gpu-check: the bundle's templates on a GPU, correctness first, then tuning. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "benchmarks/gpu/results.h"
#include "cli/command.h"
#include "runtime/provider/provider.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct check_options {
    const char *bundle;
    const char *device;
    const char *out;
    double max_time;
    uint64_t max_evals;
    bool quick;
    const char *sandbox;
} check_options;

static const ht_option options[] = {
    {"bundle", HT_OPTION_TEXT, offsetof(check_options, bundle), "DIR", .fallback = ".",
     .help = "The folder that the build target gpu-check-bundle made."},
    {"device", HT_OPTION_TEXT, offsetof(check_options, device), "DEVICE",
     .help = "Device to run on; 'devices' lists them. Without it: the first GPU."},
    {"out", HT_OPTION_TEXT, offsetof(check_options, out), "DIR", .fallback = "gpu-check-out",
     .help = "Folder for gpu-check.json, gpu-check.txt, the logs and the tuned files."},
    {"max-time", HT_OPTION_NUMBER, offsetof(check_options, max_time), "SECONDS", .fallback = "900",
     .help = "Time for tuning, divided evenly; correctness runs come on top."},
    {"max-evals", HT_OPTION_COUNT, offsetof(check_options, max_evals), "N", .fallback = "0",
     .help = "Configurations for each kernel and problem; 0 leaves it to the bundle's plan."},
    {"quick", HT_OPTION_FLAG, offsetof(check_options, quick), .help = "Correctness only."},
    HT_SANDBOX_OPTION(check_options),
    {0},
};

/* Finds the first GPU that can run; failing that, why each provider has none. */
static ht_status gpu_find(ht_device *out, ht_error *error) {
    ht_text reasons = {0};
    for (const ht_provider *const *at = ht_providers; *at; at++) {
        ht_device *devices = NULL;
        size_t count = 0;
        ht_error why = {0};
        bool found = false;
        ht_status status = (*at)->devices(&devices, &count, &why);
        for (size_t i = 0; i < count && !found; i++) {
            found = devices[i].can_run && !devices[i].emulated;
            if (found)
                *out = devices[i];
        }
        free(devices);
        if (found) {
            ht_text_free(&reasons);
            return HT_OK;
        }
        char *absent = !status && (*at)->why_not ? ht_format("%s:0", (*at)->name) : NULL;
        char *reason = absent ? (*at)->why_not(absent) : NULL;
        if (strcmp((*at)->name, "host") != 0)
            ht_text_printf(&reasons, "\n  %s: %s", (*at)->name,
                           status   ? why.message
                           : reason ? reason
                                    : "no GPU found");
        free(absent);
        free(reason);
    }
    ht_status status = ht_error_set(error, HT_ERROR_MISSING, "no GPU to check:%s", reasons.data);
    ht_text_free(&reasons);
    return status;
}

/* Runs this program with these arguments, its output into `log`. Returns the exit code, 128 and
 * more for a signal. */
static int run_self(const char *const *arguments, const char *log) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
            _exit(127);
        execv("/proc/self/exe", (char *const *)arguments);
        _exit(127);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

typedef struct checker {
    const check_options *given;
    ht_device device;
    ht_gpu_plan plan;
    ht_gpu_results results;
    double seconds; /* of a tuning run */
} checker;

static char *below(const checker *self, const char *folder, const char *name, const char *ending) {
    char *flat = ht_format("%s%s", name, ending);
    for (char *at = flat; *at; at++)
        if (*at == '/')
            *at = '.';
    char *path = ht_format("%s/%s/%s", self->given->out, folder, flat);
    free(flat);
    return path;
}

static int run_one(checker *self, const ht_gpu_run *run) {
    bool tune = strcmp(run->part, "tune") == 0;
    char *template = ht_path_join(self->given->bundle, run->template);
    char *problem = ht_path_join(self->given->bundle, run->problem);
    char *log = below(self, "logs", run->name, ".txt");
    char *json = below(self, "logs", run->name, ".json");
    char *out = below(self, "tuned", run->name, "");
    char *database = ht_format("%s/tuning.sqlite", self->given->out);
    uint64_t wanted = self->given->max_evals;
    char *evals = ht_format("%d", wanted && wanted < 100000 ? (int)wanted : run->max_evals);
    char *seconds = ht_format("%.0f", tune ? self->seconds : 0.0);
    char *report_option = ht_format("--json=%s", json);
    const char *arguments[] = {"hiptemper",
                               "tune",
                               template,
                               "--problem",
                               problem,
                               "--device",
                               self->device.name,
                               "--max-evals",
                               evals,
                               "--max-time",
                               seconds,
                               "--db",
                               database,
                               "--out",
                               out,
                               "--sandbox",
                               self->given->sandbox,
                               report_option,
                               NULL};
    unlink(json);
    int code = run_self(arguments, log);
    ht_gpu_results_add(&self->results, run, code, json_load_file(json, 0, NULL));
    if (code != 0 && code != 130)
        printf("  exit code %d: %s\n", code, log);
    char *owned[] = {template, problem, log, json, out, database, evals, seconds, report_option};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return code;
}

static void run_all(checker *self) {
    size_t done = 0, count = 0, tuning = 0;
    for (size_t i = 0; i < self->plan.count; i++) {
        tuning += strcmp(self->plan.runs[i].part, "tune") == 0;
        count += !self->given->quick || strcmp(self->plan.runs[i].part, "check") == 0;
    }
    self->seconds = tuning ? self->given->max_time / (double)tuning : 0;
    double start = ht_clock_seconds();
    for (size_t i = 0; i < self->plan.count && !ht_interrupted; i++) {
        const ht_gpu_run *run = &self->plan.runs[i];
        if (self->given->quick && strcmp(run->part, "check") != 0)
            continue;
        printf("[%zu/%zu, %.0f s] %s %s\n", ++done, count, ht_clock_seconds() - start, run->part,
               run->name);
        run_one(self, run);
    }
}

static ht_status results_write(checker *self, ht_error *error) {
    char *json = ht_format("%s/gpu-check.json", self->given->out);
    char *text = ht_format("%s/gpu-check.txt", self->given->out);
    ht_gpu_results_finish(&self->results, stdout);
    ht_status status = HT_OK;
    FILE *file = fopen(text, "w");
    if (file)
        ht_gpu_results_finish(&self->results, file);
    if (!file || fclose(file) != 0)
        status = ht_error_set(error, HT_ERROR_IO, "%s: %s", text, strerror(errno));
    if (!status && json_dump_file(self->results.document, json, JSON_INDENT(2)) != 0)
        status = ht_error_set(error, HT_ERROR_IO, "%s: %s", json, strerror(errno));
    if (!status)
        printf("Written to %s and %s\n", json, text);
    free(json);
    free(text);
    return status;
}

static ht_status folders_make(const check_options *given, ht_error *error) {
    static const char *const folders[] = {"logs", "tuned"};
    ht_status status = HT_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !status; i++) {
        char *path = ht_format("%s/%s", given->out, folders[i]);
        status = ht_dir_make(path, error);
        free(path);
    }
    return status;
}

static ht_status check(checker *self, ht_error *error) {
    ht_status status = self->given->device
                           ? ht_device_find(self->given->device, &self->device, error)
                           : gpu_find(&self->device, error);
    if (!status && !self->device.can_run)
        status = ht_error_set(error, HT_ERROR_INPUT, "%s compiles only; nothing can run on it",
                              self->device.name);
    if (!status)
        status = ht_gpu_plan_read(self->given->bundle, &self->plan, error);
    if (!status)
        status = folders_make(self->given, error);
    if (status)
        return status;
    printf("Checking %s: %s, %s\n", self->device.name, self->device.description,
           self->device.compiler);
    self->results = ht_gpu_results_new(self->device.name);
    run_all(self);
    return results_write(self, error);
}

static int run_gpu_check(const ht_command_line *line) {
    checker self = {.given = line->options};
    ht_error error = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    ht_status status = check(&self, &error);
    bool good = self.results.kernels > 0 && self.results.verified == self.results.kernels;
    int code = status           ? ht_report_error(&error)
               : ht_interrupted ? HT_EXIT_INTERRUPTED
               : good           ? HT_EXIT_OK
                                : HT_EXIT_FAILED;
    if (self.results.document)
        ht_gpu_results_free(&self.results);
    if (self.plan.document)
        ht_gpu_plan_free(&self.plan);
    return code;
}

const ht_command ht_command_gpu_check = {
    .name = "gpu-check",
    .summary = "run the bundled templates on a GPU: correctness, then tuning and timing",
    .usage = "[OPTION]...",
    .description =
        "Runs the library's and the examples' templates on a GPU with its own compiler (NVRTC or "
        "hiprtc): every variant is checked against a float64 reference, then the demo set is tuned "
        "and timed. Nothing else is needed on the machine: no clang, no network, no packages.\n\n"
        "Writes a table and gpu-check.json, which holds the report of every run.",
    .examples = "./check\n./check --quick\n./check --device nvidia:1 --max-time 300",
    .exit_codes = "0    everything was verified\n"
                  "1    something was wrong, failed, or could not be written\n"
                  "2    wrong usage or bad input\n"
                  "3    no GPU, or its libraries are missing\n"
                  "130  interrupted; what was done until then is reported\n",
    .options = options,
    .options_size = sizeof(check_options),
    .run = run_gpu_check,
};
