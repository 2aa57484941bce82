#include "cli/reports/space_report.h"
#include "cli/tuning_options.h"
#include "pipeline/input.h"

#include "base/memory.h"
#include "runtime/provider/provider.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct space_options {
    ht_compiler_options compiler;
    bool count;
    bool list;
    uint64_t sample;
    uint64_t seed;
    const char *problem;
    const char *device;
    const char *kernel;
    const char *json;
} space_options;

static const ht_option options[] = {
    {"count", HT_OPTION_FLAG, offsetof(space_options, count),
     .help = "Prints only the number of legal configurations."},
    {"list", HT_OPTION_FLAG, offsetof(space_options, list),
     .help = "Prints every legal configuration, one a line, in order: the first parameter changes "
             "slowest."},
    {"sample", HT_OPTION_COUNT, offsetof(space_options, sample), "N", .min = 1,
     .help = "Prints N legal configurations drawn at random, one a line; one may come twice. Also "
             "for spaces that are too large to be listed."},
    {"seed", HT_OPTION_COUNT, offsetof(space_options, seed), "N", .fallback = "1",
     .help = "Seed of the sample."},
    {"problem", HT_OPTION_TEXT, offsetof(space_options, problem), "FILE|TEXT",
     .help = "For a template: the sizes that its constraints depend on, as a problem file or "
             "catalogue, or as text such as 'N=1 C=64 H=56'. Without it the file "
             "NAME.problem.json next to the template is read."},
    {"device", HT_OPTION_TEXT, offsetof(space_options, device), "DEVICE", .fallback = "host",
     .help = "For a template: the device whose limits hold; 'hiptemper devices' lists them."},
    {"kernel", HT_OPTION_TEXT, offsetof(space_options, kernel), "NAME",
     .help = "For a template: only the one of this name."},
    {"json", HT_OPTION_JSON, offsetof(space_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_COMPILER_OPTIONS(space_options),
    {0},
};

/* The state of one run of the command. */
typedef struct space_run {
    const space_options *given;
    const char *path;
    json_t *found; /* array; owned */
    FILE *out;
} space_run;

static ht_status space_list(const space_run *run, const ht_space *space, json_t *into,
                            ht_error *error) {
    uint64_t count = ht_space_count(space);
    if (!ht_space_listed(space))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "%s: the space is too large to be listed: use --sample N", run->path);
    for (uint64_t i = 0; i < count; ++i) {
        if (ht_interrupted)
            return ht_error_set(error, HT_ERROR_INTERRUPTED,
                                "interrupted after %" PRIu64 " of %" PRIu64 " configurations", i,
                                count);
        ht_config config = ht_space_at(space, i);
        if (!ht_space_config_print(space, &config, run->out))
            return ht_error_set(error, HT_ERROR_IO, "the list cannot be written");
        if (run->given->json)
            json_array_append_new(into, ht_space_config_json(space, &config));
    }
    return HT_OK;
}

static ht_status space_sample(const space_run *run, const ht_space *space, json_t *into,
                              ht_error *error) {
    ht_random random;
    ht_random_seed(&random, run->given->seed);
    for (uint64_t i = 0; i < run->given->sample; ++i) {
        if (ht_interrupted)
            return ht_error_set(error, HT_ERROR_INTERRUPTED,
                                "interrupted after %" PRIu64 " of %" PRIu64 " configurations", i,
                                run->given->sample);
        ht_config config = ht_space_sample(space, &random);
        if (!ht_space_config_print(space, &config, run->out))
            return ht_error_set(error, HT_ERROR_IO, "the sample cannot be written");
        if (run->given->json)
            json_array_append_new(into, ht_space_config_json(space, &config));
    }
    return HT_OK;
}

/* Shows a space. `binding` is NULL for a T1 file. */
static ht_status space_show(const space_run *run, const ht_space *space, const ht_binding *binding,
                            ht_error *error) {
    const space_options *given = run->given;
    ht_status status = HT_OK;
    json_t *document = ht_space_json(space, run->path, binding);
    json_t *configs = json_array();
    if (given->list)
        status = space_list(run, space, configs, error);
    else if (given->sample)
        status = space_sample(run, space, configs, error);
    else if (given->count)
        ht_space_count_print(space, run->out);
    else
        ht_space_summary_print(space, run->path, binding, run->out);
    json_object_set_new(document, "configurations",
                        given->list || given->sample ? json_incref(configs) : json_null());
    json_array_append_new(run->found, document);
    json_decref(configs);
    return status;
}

static ht_status instance_show(const space_run *run, const ht_template *template,
                               const ht_problem *problem, const ht_device_fields *device,
                               ht_error *error) {
    ht_binding binding = {template, problem, device};
    ht_space *space = NULL;
    ht_status status = ht_space_build(&binding, 0, &space, error);
    if (status == HT_OK)
        status = ht_binding_check_default(&binding, error);
    if (status == HT_OK)
        status = space_show(run, space, &binding, error);
    ht_space_free(space);
    return status;
}

static ht_status templates_show(const space_run *run, const ht_template *templates, size_t count,
                                const ht_device_fields *device, ht_error *error) {
    ht_problems problems;
    ht_status status = ht_problems_open(run->given->problem, run->path, &problems, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        ht_problem *instances = NULL;
        size_t instance_count = 0;
        status = ht_instances_find(&problems, &templates[i], &instances, &instance_count, error);
        for (size_t j = 0; j < instance_count && status == HT_OK; ++j)
            status = instance_show(run, &templates[i], &instances[j], device, error);
        ht_instances_free(instances, instance_count);
    }
    ht_problems_close(&problems);
    return status;
}

static ht_status file_show(const space_run *run, ht_error *error) {
    ht_refactor_options compiler;
    ht_template *templates = NULL;
    ht_device device;
    size_t count = 0;
    ht_compiler_arguments_make(&run->given->compiler, &compiler);
    ht_status status = ht_device_find(run->given->device, &device, error);
    if (status == HT_OK)
        status =
            ht_templates_load(run->path, run->given->kernel, &compiler, &templates, &count, error);
    if (status == HT_OK)
        status = templates_show(run, templates, count, &device.fields, error);
    ht_template_free(templates, count);
    ht_compiler_arguments_free(&compiler);
    return status;
}

static ht_status t1_show(const space_run *run, ht_error *error) {
    ht_space *space = NULL;
    ht_status status = ht_error_named(ht_space_read_t1(run->path, 0, &space, error), error);
    if (status == HT_OK)
        status = space_show(run, space, NULL, error);
    ht_space_free(space);
    return status;
}

static bool is_json(const char *path) {
    size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".json");
}

static ht_status options_check(const space_options *given, ht_error *error) {
    if (given->count + given->list + (given->sample > 0) <= 1)
        return HT_OK;
    return ht_error_set(error, HT_ERROR_INPUT,
                        "options --count, --list and --sample exclude each other: give one");
}

static int run_space(const ht_command_line *line) {
    space_run run = {.given = line->options, .path = line->operands[0], .found = json_array()};
    ht_error error = {0};
    run.out = ht_report_stream(run.given->json);
    ht_status status = options_check(run.given, &error);
    if (status == HT_OK)
        status = is_json(run.path) ? t1_show(&run, &error) : file_show(&run, &error);
    int code = HT_EXIT_OK;
    if (fflush(run.out) != 0 && status == HT_OK)
        status = ht_error_set(&error, HT_ERROR_IO, "the report cannot be written");
    if (status == HT_OK || status == HT_ERROR_INTERRUPTED) {
        json_t *document = ht_report_json_new("hiptemper-space", 1);
        json_object_set_new(document, "interrupted", json_boolean(ht_interrupted != 0));
        json_object_set(document, "spaces", run.found);
        code = ht_report_json(run.given->json, document);
        json_decref(document);
    }
    if (status != HT_OK)
        code = ht_report_error(&error);
    json_decref(run.found);
    return code;
}

const ht_command ht_command_space = {
    .name = "space",
    .summary = "show, count, list or sample the legal configurations",
    .usage = "[OPTION]... FILE",
    .description =
        "Shows the search space of an annotated template, or of a T1 file (NAME.json: parameters "
        "and Python conditions, as other tuners write them): the parameters with their values, "
        "the constraints, how many combinations there are and how many of them are legal.\n\n"
        "Spaces are not listed to be counted, so that this takes milliseconds also for spaces of "
        "many billions. Where even counting would take too long, the number is not known, but "
        "legal configurations can still be drawn. docs/space.md tells how.\n\n"
        "A space in which nothing is legal is an error that names the constraints that contradict "
        "each other.",
    .examples = "hiptemper space conv2d.hip --problem 'N=1 C=16 H=28 W=28 K=32 R=3 S=3 pad=1'\n"
                "hiptemper space gemm.json --list\n"
                "hiptemper space gemm.json --sample 10 --seed 7 --json sample.json",
    .options = options,
    .options_size = sizeof(space_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "FILE",
    .run = run_space,
};
