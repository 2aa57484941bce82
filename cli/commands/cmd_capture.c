#include "cli/reports/capture_report.h"
#include "cli/tuning_options.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "pipeline/program.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "runtime/preload/run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct capture_options {
    ht_compiler_options compiler;
    const char *out;
    const char *json;
    const char *commands;
    uint64_t compare;
    uint64_t inputs;
    double max_time;
} capture_options;

static const ht_option options[] = {
    {"out", HT_OPTION_TEXT, offsetof(capture_options, out), "DIR", .fallback = "hiptemper-capture",
     .writes = true,
     .help =
         "Folder for capture.json, with all that was launched, and problem.json, a problem file "
         "for `optimize --problem` with the kernels of which enough is known."},
    {"compare", HT_OPTION_COUNT, offsetof(capture_options, compare), "MIB", .fallback = "64",
     .help = "Buffers of at most this size are copied before and after the first of each distinct "
             "launch, which says whether it writes to them, and the least and the most of what is "
             "in them. 0: none is."},
    {"inputs", HT_OPTION_COUNT, offsetof(capture_options, inputs), "MIB", .fallback = "0",
     .help = "Writes the contents of buffers of whole numbers that kernels read, of at most this "
             "size and that of --compare, and of small tables, next to the problem file, which "
             "names them. 0: none."},
    {"json", HT_OPTION_TEXT, offsetof(capture_options, json), "FILE", .writes = true,
     .help = "Writes how the program ended, and a row for each kernel, as JSON. docs/json.md "
             "describes it."},
    {"max-time", HT_OPTION_NUMBER, offsetof(capture_options, max_time), "SECONDS",
     .help = "Ends the program after this time; what was captured is kept. Default: never."},
    {"compile-commands", HT_OPTION_TEXT, offsetof(capture_options, commands), "FILE",
     .help = "The project's compile_commands.json, with the folders of headers, macros and the "
             "standard for each FILE."},
    HT_COMPILER_OPTIONS(capture_options),
    {0},
};

typedef struct capturing {
    const capture_options *given;
    const ht_command_line *line;
    ht_program_files files;
    ht_command_list commands;
    ht_preload_outcome outcome;
    ht_capture_result result;
} capturing;

static ht_status prepare(capturing *in, ht_error *error) {
    if (in->line->argument_count == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "no program is given: name it after --, as in hiptemper capture "
                            "kernels.hip -- ./app --size 512");
    if (in->given->json != NULL && strcmp(in->given->json, "-") == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "option --json: standard output is the program's: name a file");
    if (in->given->commands != NULL) {
        ht_status status =
            ht_error_named(ht_command_list_load(in->given->commands, &in->commands, error), error);
        if (status != HT_OK)
            return status;
        in->files.commands = &in->commands;
    }
    return ht_dir_make(in->given->out, error);
}

static ht_status program_run(capturing *in, ht_error *error) {
    const char **arguments = ht_alloc(in->line->argument_count + 1, sizeof *arguments);
    for (size_t i = 0; i < in->line->argument_count; ++i)
        arguments[i] = in->line->arguments[i];
    const ht_preload_request request = {.arguments = arguments,
                                        .compared = in->given->compare << 20,
                                        .kept = in->given->inputs << 20,
                                        .seconds = in->given->max_time,
                                        .interrupted = &ht_interrupted};
    ht_status status = ht_preload_run(&request, &in->outcome, error);
    free(arguments);
    return status;
}

static void end_report(const capturing *in) {
    const ht_preload_outcome *outcome = &in->outcome;
    if (outcome->late)
        ht_report_message("the program was ended after %g s (--max-time)", in->given->max_time);
    else if (outcome->signal != 0)
        ht_report_message("the program was ended by signal %d (%s)", outcome->signal,
                          strsignal(outcome->signal));
    if (outcome->processes == 0)
        ht_report_message("no launch was seen: the program launches nothing, or calls HIP's "
                          "runtime in a way that is not watched (statically linked, or by dlsym)");
}

/* Writes what was captured; the program's own output came before. */
static ht_status results_write(capturing *in, ht_error *error) {
    char *path = ht_path_join(in->given->out, "problem.json");
    char *report = ht_path_join(in->given->out, "capture.json");
    ht_refactor_options compiler = {0};
    const ht_capture_seen seen = {.capture = in->outcome.capture,
                                  .contents = in->given->inputs > 0 ? &in->outcome.contents : NULL,
                                  .by_name = in->line->operand_count == 0};
    size_t count = ht_interrupted ? 0 : in->files.count;
    ht_program_arguments_make(&in->files, &compiler);
    ht_status status =
        ht_capture_problems(&seen, in->files.paths, count, path, &compiler, &in->result, error);
    if (status == HT_OK && in->result.count > 0)
        ht_capture_print(&in->result, false, stderr);
    json_t *document = ht_capture_json(in->outcome.capture, &in->result, false);
    if (status == HT_OK)
        status = ht_report_json_write(report, document, error);
    json_decref(document);
    if (status == HT_OK && in->result.problem_count > 0)
        ht_report_message("problems of %zu of %zu kernels: %s", in->result.problem_count,
                          in->result.count, path);
    ht_compiler_arguments_free(&compiler);
    free(report);
    free(path);
    return status;
}

static ht_status json_write(const capturing *in, ht_error *error) {
    uint64_t launches = in->outcome.capture->dropped;
    for (uint32_t i = 0; i < in->outcome.capture->launch_count; ++i)
        launches += in->outcome.capture->launches[i].times;
    json_t *kernels = json_array(), *document = ht_report_json_new("hiptemper-capture-run", 1);
    for (size_t i = 0; i < in->result.count; ++i)
        json_array_append_new(kernels, ht_capture_row_json(&in->result, &in->result.rows[i]));
    json_object_set_new(document, "exit_code", json_integer(in->outcome.exit_code));
    json_object_set_new(document, "signal",
                        in->outcome.signal ? json_integer(in->outcome.signal) : json_null());
    json_object_set_new(document, "late", json_boolean(in->outcome.late));
    json_object_set_new(document, "processes", json_integer(in->outcome.processes));
    json_object_set_new(document, "launches", json_integer((json_int_t)launches));
    json_object_set_new(document, "seconds", json_real(in->result.seconds));
    json_object_set_new(document, "kernels", kernels);
    ht_status status = ht_report_json_write(in->given->json, document, error);
    json_decref(document);
    return status;
}

static int run_capture(const ht_command_line *line) {
    const capture_options *given = line->options;
    capturing in = {.given = given,
                    .line = line,
                    .files = {line->operands, line->operand_count, &given->compiler, NULL}};
    ht_error error = {0};
    ht_status status = prepare(&in, &error);
    if (status == HT_OK)
        status = program_run(&in, &error);
    if (status == HT_OK) {
        end_report(&in);
        status = results_write(&in, &error);
    }
    if (status == HT_OK && given->json != NULL)
        status = json_write(&in, &error);
    int code = status == HT_OK ? in.outcome.exit_code : ht_report_error(&error);
    ht_capture_result_free(&in.result);
    ht_preload_outcome_free(&in.outcome);
    ht_command_list_free(&in.commands);
    return code;
}

const ht_command ht_command_capture = {
    .name = "capture",
    .summary = "run a HIP program on a GPU and write what its kernels were launched with",
    .usage = "[OPTION]... [FILE]... -- PROGRAM [ARGUMENT]...",
    .description =
        "Runs a program that uses HIP, as it is, with a library loaded in front of HIP's runtime "
        "that notes each launch and passes it on: grid, block, arguments, sizes of buffers, which "
        "of them it changed, and how long it took. Each distinct launch of a kernel is an instance "
        "of a problem file, those that take longest first. Output and exit code are the "
        "program's.\n\n"
        "The FILEs are sources or folders with the kernels: names, types, and what is read and "
        "written are theirs. Without any, the program's code objects and the kernels' names say "
        "what they can. The program is not confined: it does what it does without this command. "
        "Without a GPU: `hiptemper emulate --capture`.",
    .examples = "hiptemper capture src/kernels.hip -- ./app --size 512\n"
                "hiptemper capture --out seen -I include src -- python3 train.py\n"
                "hiptemper optimize src/kernels.hip --problem hiptemper-capture/problem.json "
                "--device amd:0",
    .exit_codes =
        "the program's; 128 + N when signal N ended it; 2 for wrong options, 3 when there is no "
        "such program; 1 when a result cannot be written",
    .options = options,
    .options_size = sizeof(capture_options),
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .operand = "FILE",
    .takes_arguments = true,
    .run = run_capture,
};
