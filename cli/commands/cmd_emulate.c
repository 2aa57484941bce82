#include "cli/reports/capture_report.h"
#include "cli/reports/emulate_report.h"
#include "cli/tuning_options.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "pipeline/missing.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "pipeline/whole.h"
#include "runtime/emulate/anew.h"
#include "runtime/emulate/sanitize.h"
#include "runtime/sandbox/sandbox.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct emulate_options {
    ht_compiler_options compiler;
    const char *commands;
    const char *device;
    const char *read;
    const char *write;
    const char *sandbox;
    const char *capture;
    const char *copies;
    const char *json;
    uint64_t inputs;
    double max_time;
    bool check;
    bool sanitize;
} emulate_options;

static const ht_option options[] = {
    {"device", HT_OPTION_TEXT, offsetof(emulate_options, device), "DEVICE", .fallback = "host",
     .help = "host, whose wavefronts have 64 lanes, or host:wave32."},
    {"check", HT_OPTION_FLAG, offsetof(emulate_options, check),
     .help =
         "Runs kernels in checking mode: races, barriers that part of a block reaches, accesses "
         "outside. The first finding ends its launch; the exit code is 1 if the program's is "
         "0."},
    {"sanitize", HT_OPTION_FLAG, offsetof(emulate_options, sanitize),
     .help = "Builds host code and kernels with AddressSanitizer, which ends the program at the "
             "first access outside of memory, a stack's included, with exit code 1."},
    {"capture", HT_OPTION_TEXT, offsetof(emulate_options, capture), "DIR", .writes = true,
     .help = "Writes what the program launched to DIR/capture.json and, for the kernels whose "
             "sources tell the rest, a problem file for `optimize --problem` to "
             "DIR/problem.json."},
    {"inputs", HT_OPTION_COUNT, offsetof(emulate_options, inputs), "MIB", .fallback = "0",
     .help =
         "With --capture: writes the contents of buffers of whole numbers that kernels read, of "
         "at most this size, and of small tables, next to the problem file, which names them. "
         "0: none."},
    {"copies", HT_OPTION_TEXT, offsetof(emulate_options, copies), "FILE", .writes = true,
     .help =
         "Writes a line for each copy from device to host memory, with a hash of its bytes, and "
         "the exit code: two programs that compute the same write the same."},
    {"json", HT_OPTION_TEXT, offsetof(emulate_options, json), "FILE", .writes = true,
     .help = "Writes how the program ended, its launches, the HIP functions that are not there and "
             "the findings of --check as JSON. docs/json.md describes it."},
    {"max-time", HT_OPTION_NUMBER, offsetof(emulate_options, max_time), "SECONDS",
     .help = "Ends the program after this time; what was captured is kept. Default: never."},
    {"read", HT_OPTION_TEXT, offsetof(emulate_options, read), "DIR", .fallback = ".",
     .help = "The folder that the program may read files from, with all that is in it."},
    {"write", HT_OPTION_TEXT, offsetof(emulate_options, write), "DIR",
     .help = "The folder that the program may write files to. Without it there is a scratch "
             "folder, in TMPDIR, which is removed at the end."},
    {"compile-commands", HT_OPTION_TEXT, offsetof(emulate_options, commands), "FILE",
     .help = "The project's compile_commands.json, with the folders of headers, macros and the "
             "standard for each file. Without a FILE to emulate, all of its sources are the "
             "program."},
    HT_SANDBOX_OPTION(emulate_options),
    HT_COMPILER_OPTIONS(emulate_options),
    {0},
};

typedef struct emulation {
    const emulate_options *given;
    const ht_command_line *line;
    ht_program_files files;
    ht_command_list commands;
    char **paths; /* of the commands' files; NULL: those of the line; the array is owned */
    ht_hip_program *program;
    ht_program_mode mode;
    ht_emulate_report *report;
    ht_capture *capture; /* NULL: nothing is captured */
    ht_scratch scratch;
    ht_byte_store contents; /* of buffers */
    ht_copies *copies;      /* NULL: they are not wanted */
    ht_emulate_outcome outcome;
    ht_missing missing;
} emulation;

static ht_status device_read(emulation *in, ht_error *error) {
    const char *name = in->given->device;
    in->mode.wavefront = strcmp(name, "host") == 0 ? 64 : strcmp(name, "host:wave32") == 0 ? 32 : 0;
    return in->mode.wavefront != 0
               ? HT_OK
               : ht_error_set(error, HT_ERROR_INPUT,
                              "device '%s' does not emulate: --device takes host or "
                              "host:wave32",
                              name);
}

/* Reads the options of files, and the files where the line names none. */
static ht_status files_find(emulation *in, ht_error *error) {
    if (in->given->commands != NULL) {
        ht_status status =
            ht_error_named(ht_command_list_load(in->given->commands, &in->commands, error), error);
        if (status != HT_OK)
            return status;
        in->files.commands = &in->commands;
    }
    if (in->files.count > 0)
        return HT_OK;
    if (in->commands.count == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "no file is given: name the program's files, or --compile-commands");
    in->paths = ht_alloc(in->commands.count, sizeof *in->paths);
    for (size_t i = 0; i < in->commands.count; ++i)
        in->paths[i] = in->commands.items[i].file;
    in->files.paths = in->paths;
    in->files.count = in->commands.count;
    return HT_OK;
}

static ht_status program_run(emulation *in, ht_error *error) {
    const ht_program_run run = {.arguments = in->line->arguments,
                                .argument_count = in->line->argument_count,
                                .read = in->given->read,
                                .write = in->given->write,
                                .seconds = in->given->max_time,
                                .capture = in->capture,
                                .contents = &in->contents,
                                .copies = in->copies,
                                .interrupted = &ht_interrupted};
    return ht_hip_program_run(in->program, &run, in->report, &in->outcome, error);
}

/* Writes "1 122880 3f09c41d22b07a65": number, bytes and hash of a copy; "exit 0" ends. */
static ht_status copies_write(const emulation *in, ht_error *error) {
    ht_text text = {0};
    const ht_copies *copies = in->copies;
    for (uint64_t i = 0; i < copies->count && i < HT_COPIES; ++i)
        ht_text_printf(&text, "%" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", i + 1,
                       copies->items[i].bytes, copies->items[i].hash);
    if (copies->count > HT_COPIES)
        ht_text_printf(&text, "%" PRIu64 " more\n", copies->count - HT_COPIES);
    ht_text_printf(&text, "exit %d\n", in->outcome.exit_code);
    ht_status status = ht_result_write(in->given->copies, text.data, text.length, error);
    ht_text_free(&text);
    return status;
}

/* Writes what was captured; the program's own output came before. */
static ht_status capture_write(const emulation *in, ht_error *error) {
    const char *folder = in->given->capture;
    char *path = ht_path_join(folder, "problem.json");
    char *report = ht_path_join(folder, "capture.json");
    size_t count;
    char **sources = ht_hip_program_sources(in->program, &count);
    size_t read = ht_interrupted ? 0 : count; /* what was launched is kept all the same */
    ht_refactor_options compiler = {0};
    ht_capture_result result = {0};
    ht_program_arguments_make(&in->files, &compiler);
    const ht_capture_seen seen = {.capture = in->capture,
                                  .contents = in->given->inputs > 0 ? &in->contents : NULL};
    ht_status status = ht_capture_problems(&seen, sources, read, path, &compiler, &result, error);
    if (status == HT_OK) {
        ht_capture_print(&result, true, stderr);
        json_t *document = ht_capture_json(in->capture, &result, true);
        status = ht_report_json_write(report, document, error);
        json_decref(document);
    }
    if (status == HT_OK && result.problem_count > 0)
        ht_report_message("problems of %zu of %zu kernels: %s", result.problem_count, result.count,
                          path);
    ht_capture_result_free(&result);
    ht_compiler_arguments_free(&compiler);
    ht_strings_free(sources, count);
    free(report);
    free(path);
    return status;
}

/* Lists the calls of HIP functions that are not there. */
static void missing_report(const emulation *in) {
    for (size_t i = 0; i < in->missing.count; ++i) {
        char *words = ht_missing_string(&in->missing.items[i]);
        ht_report_message("%s", words);
        free(words);
    }
}

static void end_report(emulation *in) {
    ht_missing_find(in->program, in->report, &in->missing);
    missing_report(in);
    if (in->report->findings > 0 && in->outcome.exit_code == 0)
        in->outcome.exit_code = HT_EXIT_FAILED;
    if (in->outcome.late)
        ht_report_message("the program was ended after %g s (--max-time)", in->given->max_time);
    else if (in->outcome.signal != 0)
        ht_report_message("the program was ended by signal %d (%s)%s", in->outcome.signal,
                          strsignal(in->outcome.signal),
                          in->outcome.signal == SIGSYS
                              ? ": the sandbox refused what it did; --read and --write name the "
                                "folders that it may use"
                              : "");
}

static ht_status json_write(const emulation *in, ht_error *error) {
    json_t *document = ht_emulate_json(in->report, &in->outcome, &in->missing);
    ht_status status = ht_report_json_write(in->given->json, document, error);
    json_decref(document);
    return status;
}

static ht_status mode_check(emulation *in, ht_error *error) {
    in->mode.checked = in->given->check;
    in->mode.sanitized = in->given->sanitize;
    if (in->given->check && in->given->sanitize)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--check and --sanitize watch accesses in two ways: give one of them");
    return in->given->sanitize ? ht_emulate_sanitize_start(error) : HT_OK;
}

static ht_status emulation_prepare(emulation *in, ht_error *error) {
    ht_status status = device_read(in, error);
    if (status == HT_OK)
        status = files_find(in, error);
    if (status == HT_OK && in->given->json != NULL && strcmp(in->given->json, "-") == 0)
        status = ht_error_set(error, HT_ERROR_INPUT,
                              "option --json: standard output is the program's: name a file");
    if (status == HT_OK) {
        in->report = ht_emulate_report_new();
        if (in->report == NULL)
            status = ht_error_set(error, HT_ERROR_IO, "no memory for a report");
    }
    if (status == HT_OK && in->given->capture != NULL) {
        in->capture = ht_capture_new();
        status = in->capture != NULL ? ht_dir_make(in->given->capture, error)
                                     : ht_error_set(error, HT_ERROR_IO, "no memory for launches");
    }
    if (status == HT_OK && in->capture != NULL && in->given->inputs > 0) {
        status = ht_scratch_make("inputs", &in->scratch, error);
        if (status == HT_OK)
            ht_byte_store_open(&in->contents, in->scratch.path, HT_WHOLE_KEPT);
        in->capture->content_limit = in->given->inputs << 20;
    }
    if (status == HT_OK && in->given->copies != NULL) {
        in->copies = ht_copies_new();
        if (in->copies == NULL)
            status = ht_error_set(error, HT_ERROR_IO, "no memory for copies");
    }
    return status;
}

static int run_emulate(const ht_command_line *line) {
    ht_emulate_sleep_start();
    const emulate_options *given = line->options;
    emulation in = {.given = given,
                    .line = line,
                    .files = {line->operands, line->operand_count, &given->compiler, NULL}};
    ht_error error = {0};
    ht_status status = mode_check(&in, &error);
    if (status == HT_OK)
        status = emulation_prepare(&in, &error);
    if (status == HT_OK)
        status =
            ht_hip_program_build(&in.files, NULL, &in.mode, &ht_interrupted, &in.program, &error);
    if (status == HT_OK)
        status = program_run(&in, &error);
    if (status == HT_OK)
        end_report(&in);
    if (status == HT_OK && in.copies != NULL)
        status = copies_write(&in, &error);
    if (status == HT_OK && given->json != NULL)
        status = json_write(&in, &error);
    bool cut = status == HT_ERROR_INTERRUPTED;
    if ((status == HT_OK || cut) && in.capture != NULL && in.program != NULL) {
        ht_status written = capture_write(&in, cut ? NULL : &error);
        status = cut ? status : written;
    }
    int code = status == HT_OK ? in.outcome.exit_code : ht_report_error(&error);
    ht_missing_free(&in.missing);
    ht_command_list_free(&in.commands);
    free(in.paths);
    ht_emulate_report_free(in.report);
    ht_capture_free(in.capture);
    ht_copies_free(in.copies);
    ht_byte_store_close(&in.contents);
    ht_scratch_remove(&in.scratch);
    ht_hip_program_free(in.program);
    return code;
}

const ht_command ht_command_emulate = {
    .name = "emulate",
    .summary = "build a whole HIP program for this machine's cores and run it",
    .usage = "[OPTION]... [FILE]... [-- ARGUMENT...]",
    .description =
        "Compiles the files of a HIP program, host code and kernels, and runs it without a GPU, in "
        "the sandbox. Host code is compiled as clang compiles HIP's, against HIP's own headers; "
        "kernels run on this machine's cores as under the host provider. Output and exit code are "
        "the program's.\n\n"
        "A function of HIP that is not there returns hipErrorNotSupported, and is listed at the "
        "end with file and line. docs/emulate.md says what there is.",
    .examples = "hiptemper emulate saxpy.hip\n"
                "hiptemper emulate -I include -D N=4096 main.hip kernels.hip -- --repeat 3\n"
                "hiptemper emulate --capture seen main.hip kernels.hip\n"
                "hiptemper optimize kernels.hip --problem seen/problem.json --out tuned",
    .exit_codes =
        "the program's; 128 + N when signal N ended it; 1 when it does not compile, 2 for "
        "wrong options, 3 when a tool is missing",
    .options = options,
    .options_size = sizeof(emulate_options),
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .operand = "FILE",
    .takes_arguments = true,
    .run = run_emulate,
};
