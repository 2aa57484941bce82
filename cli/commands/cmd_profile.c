#include "cli/reports/kernel_profile_report.h"
#include "cli/tuning_options.h"
#include "pipeline/counters.h"
#include "pipeline/input.h"
#include "pipeline/kernel_profile.h"
#include "pipeline/survey.h"

#include "base/memory.h"
#include "refactor/rewrite/plain.h"

#include <stdlib.h>
#include <string.h>

typedef struct profile_options {
    ht_compiler_options compiler;
    const char *sandbox;
    const char *device;
    const char *problem;
    const char *kernel;
    ht_option_list configs;
    uint64_t blocks;
    const char *counters;
    const char *json;
} profile_options;

static const ht_option options[] = {
    {"device", HT_OPTION_TEXT, offsetof(profile_options, device), "DEVICE",
     .fallback = "model:mi250x",
     .help =
         "Compiles for this one: model:NAME, a GPU of the model, for which a time is predicted; "
         "or a device's name, such as amd:gfx90a. No GPU is needed."},
    {"problem", HT_OPTION_TEXT, offsetof(profile_options, problem), "FILE|TEXT",
     .help = "Sizes, and the meaning of the kernel's arguments: a problem file or catalogue, or "
             "text such as 'N=1 C=64 H=56'. Without it the file NAME.problem.json next to the "
             "source is read."},
    {"kernel", HT_OPTION_TEXT, offsetof(profile_options, kernel), "NAME",
     .help = "Only the kernel of this name."},
    {"config", HT_OPTION_LIST, offsetof(profile_options, configs), "TEXT",
     .help = "This configuration too, such as 'BLOCK_X=32 TILE_X=2' (others keep their defaults); "
             "may be repeated."},
    {"blocks", HT_OPTION_COUNT, offsetof(profile_options, blocks), "N", .min = 1, .fallback = "512",
     .help = "Of a larger grid N blocks that go to memory are followed, one from each equal part."},
    {"counters", HT_OPTION_TEXT, offsetof(profile_options, counters), "FILE.csv",
     .help = "Adds the hardware counters that rocprofv3 wrote (*_counter_collection.csv), or that "
             "'ncu --csv' printed, the mean of a kernel's launches."},
    {"json", HT_OPTION_JSON, offsetof(profile_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_SANDBOX_OPTION(profile_options),
    HT_COMPILER_OPTIONS(profile_options),
    {0},
};

/* The state of one run of the command. */
typedef struct profiling_run {
    const profile_options *given;
    const char *path;
    ht_device device;
    ht_profiling how;
    ht_problems problems;
    ht_counters counters;
    ht_refactor *refactor;
    json_t *kernels; /* array; owned */
    FILE *out;
    size_t profiled, failed;
} profiling_run;

/* ---- one kernel */

/* Profiles the original and the configurations for one size. */
static ht_status instance_profile(profiling_run *run, const ht_template *template,
                                  const ht_problem *problem, json_t *profiles, ht_error *error) {
    const ht_binding binding = {template, problem, &run->device.fields};
    json_t *profile = NULL;
    ht_status status = ht_kernel_profile(template, problem, NULL, &run->how, &profile, error);
    if (status == HT_OK)
        json_array_append_new(profiles, profile);
    for (size_t i = 0; i < run->given->configs.count && status == HT_OK; ++i) {
        ht_config config;
        bool legal = false;
        char *reason = NULL;
        status = ht_config_parse(template, run->given->configs.items[i], &config, error);
        if (status == HT_OK)
            status = ht_binding_legal(&binding, &config, &legal, &reason, error);
        if (status == HT_OK && !legal)
            status = ht_error_set(error, HT_ERROR_INPUT, "--config '%s' is not legal: %s",
                                  run->given->configs.items[i], reason);
        if (status == HT_OK)
            status = ht_kernel_profile(template, problem, &config, &run->how, &profile, error);
        if (status == HT_OK)
            json_array_append_new(profiles, profile);
        free(reason);
    }
    return status;
}

static ht_status template_profile(profiling_run *run, const ht_template *template, json_t *row,
                                  ht_error *error) {
    ht_problem *instances = NULL;
    size_t count = 0;
    ht_status status = ht_instances_find(&run->problems, template, &instances, &count, error);
    json_t *sizes = json_array();
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        json_t *profiles = json_array();
        char *fields = template->problem.name ? ht_problem_string(&template->problem, &instances[i])
                                              : ht_strdup("");
        status = instance_profile(run, template, &instances[i], profiles, error);
        json_array_append_new(sizes, json_pack("{s:o, s:o}", "problem", ht_report_json_text(fields),
                                               "profiles", profiles));
        free(fields);
    }
    json_object_set_new(row, "sizes", sizes);
    ht_instances_free(instances, count);
    return status;
}

/* Finds the template of a kernel: its own, that of the pass, or the kernel as it is. */
static ht_status template_find(const profiling_run *run, size_t index, ht_template **out_template,
                               ht_error *error) {
    const ht_kernel *kernel = ht_refactor_kernel(run->refactor, index);
    if (kernel->template) {
        *out_template = ht_template_copy(kernel->template);
        return HT_OK;
    }
    return ht_plain_template(run->refactor, index, out_template, error);
}

static ht_status kernel_profile(profiling_run *run, size_t index, ht_error *error) {
    const ht_kernel *kernel = ht_refactor_kernel(run->refactor, index);
    ht_template *template = NULL;
    ht_error own = {0};
    if (!ht_kernel_is(kernel->name, run->given->kernel))
        return HT_OK;
    json_t *row = json_pack("{s:o, s:o, s:i, s:o}", "kernel", ht_report_json_text(kernel->name),
                            "file", ht_report_json_text(kernel->file), "line", kernel->line,
                            "remarks", ht_kernel_remarks(kernel));
    if (run->given->counters)
        json_object_set_new(row, "counters", ht_counters_json(&run->counters, kernel->name));
    ht_status status = template_find(run, index, &template, &own);
    if (status == HT_OK)
        status = template_profile(run, template, row, &own);
    if (template)
        ht_template_free(template, 1);
    /* one kernel without sizes or launch says nothing of the others */
    bool alone = status == HT_ERROR_UNSUPPORTED || status == HT_ERROR_INPUT;
    json_object_set_new(row, "reason", ht_report_json_text(alone ? own.message : NULL));
    run->failed += alone;
    run->profiled += status == HT_OK;
    ht_kernel_profile_print(row, run->how.gpu, run->out);
    json_array_append_new(run->kernels, row);
    if (status != HT_OK && !alone && error)
        *error = own;
    return alone ? HT_OK : status;
}

/* ---- the command */

static ht_status all_profile(profiling_run *run, const ht_refactor_options *compiler,
                             ht_error *error) {
    ht_status status = ht_profiling_device(run->given->device, &run->how.gpu, &run->device, error);
    run->how.device = &run->device;
    if (status == HT_OK && strcmp(run->device.provider, "host") == 0)
        status = ht_error_set(error, HT_ERROR_INPUT,
                              "--device %s: the numbers are those of a GPU's compiled code; name "
                              "model:mi250x or amd:gfx90a, say",
                              run->given->device);
    if (status == HT_OK && run->given->counters)
        status = ht_counters_load(run->given->counters, &run->counters, error);
    if (status == HT_OK)
        status = ht_problems_open(run->given->problem, run->path, &run->problems, error);
    if (status == HT_OK)
        status = ht_refactor_file(run->path, run->problems.file, compiler, &run->refactor, error);
    status = ht_error_named(status, error);
    size_t count = status == HT_OK ? ht_refactor_kernel_count(run->refactor) : 0;
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = kernel_profile(run, i, error);
    if (status == HT_OK && json_array_size(run->kernels) == 0)
        status = ht_error_set(error, HT_ERROR_INPUT, "%s defines no kernel%s%s", run->path,
                              run->given->kernel ? " named " : "",
                              run->given->kernel ? run->given->kernel : "");
    return status;
}

static int finish(profiling_run *run) {
    json_t *document = ht_report_json_new("hiptemper-profile", 1);
    json_object_set_new(document, "device", ht_report_json_text(run->device.name));
    json_object_set_new(document, "predicted", json_boolean(run->how.gpu != NULL));
    json_object_set(document, "kernels", run->kernels);
    int code = ht_report_json(run->given->json, document);
    json_decref(document);
    return code == HT_EXIT_OK && run->failed && !run->profiled ? HT_EXIT_INPUT : code;
}

static int run_profile(const ht_command_line *line) {
    profiling_run run = {
        .given = line->options, .path = line->operands[0], .kernels = json_array()};
    ht_refactor_options compiler;
    ht_error error = {0};
    run.how = (ht_profiling){.blocks = run.given->blocks, .interrupted = &ht_interrupted};
    run.out = ht_report_stream(run.given->json);
    ht_compiler_arguments_make(&run.given->compiler, &compiler);
    ht_status status = all_profile(&run, &compiler, &error);
    int code = status == HT_OK ? finish(&run) : ht_report_error(&error);
    json_decref(run.kernels);
    ht_refactor_free(run.refactor);
    ht_problems_close(&run.problems);
    ht_counters_free(&run.counters);
    ht_compiler_arguments_free(&compiler);
    return code;
}

const ht_command ht_command_profile = {
    .name = "profile",
    .summary = "a kernel's profile in numbers, from its compiled code",
    .usage = "[OPTION]... KERNEL.hip|TEMPLATE",
    .description =
        "Compiles each kernel of a source or an annotated template as it is launched, and prints "
        "numbers that say what it spends its time on: the predicted time with the parts of the GPU "
        "that it keeps busy and the bottleneck, how far that is from moving each byte once; "
        "registers, spills, LDS and occupancy; loads, stores and LDS accesses for each output; "
        "how loads lie in lines and LDS accesses in banks; the mix of instructions. Then the "
        "refactorings that were missed, and why. Nothing runs, so no GPU is needed: times are "
        "predicted, not measured.\n\n"
        "--config profiles configurations of the template that the source becomes, next to the "
        "original.",
    .examples =
        "hiptemper profile conv2d_direct.hip\n"
        "hiptemper profile conv2d_direct.hip --kernel conv2d --config 'COARSEN_X=4 TILED=true'\n"
        "hiptemper profile blur.hip --problem 'W=960 H=540' --device model:mi50 --json\n"
        "hiptemper profile blur.hip --counters out_counter_collection.csv",
    .options = options,
    .options_size = sizeof(profile_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "KERNEL.hip|TEMPLATE",
    .run = run_profile,
};
