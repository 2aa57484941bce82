#include "cli/tuning_options.h"
#include "pipeline/input.h"
#include "pipeline/progress.h"

#include "base/memory.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "runtime/job/check.h"
#include "runtime/job/job_memory.h"
#include "templates/space/space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_options {
    ht_compiler_options compiler;
    const char *sandbox;
    ht_option_list config;
    uint64_t sample;
    uint64_t seed;
    uint64_t accesses;
    bool all_blocks, count;
    const char *problem;
    const char *device;
    const char *kernel;
    const char *json;
} check_options;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(check_options, problem), "FILE|TEXT",
     .help = "Sizes to check with: a problem file or catalogue, or text such as 'N=1 C=64 H=56'. "
             "Small ones take seconds; sizes that no tile divides show most. Without it the file "
             "NAME.problem.json next to the template is read."},
    {"config", HT_OPTION_LIST, offsetof(check_options, config), "TEXT",
     .help = "Checks this configuration, such as 'BLOCK_X=16 TILE_X=2' (the other parameters at "
             "their defaults); may be repeated. Without --config and --sample: the default one and "
             "the original."},
    {"sample", HT_OPTION_COUNT, offsetof(check_options, sample), "N", .min = 1,
     .help = "Checks N legal configurations drawn at random."},
    {"seed", HT_OPTION_COUNT, offsetof(check_options, seed), "N", .fallback = "1",
     .help = "Seed of the sample and of the inputs."},
    {"accesses", HT_OPTION_COUNT, offsetof(check_options, accesses), "N", .fallback = "4000000",
     .min = 1,
     .help = "Begins no further block after N accesses of a launch, in each of the four passes; "
             "the corners of the grid come first."},
    {"all-blocks", HT_OPTION_FLAG, offsetof(check_options, all_blocks),
     .help = "Checks every block, however long it takes."},
    {"count", HT_OPTION_FLAG, offsetof(check_options, count),
     .help = "Counts reads and writes of global and shared memory, in all blocks of code that is "
             "optimised as for running (without vectors); such code shows less of what is wrong."},
    {"device", HT_OPTION_TEXT, offsetof(check_options, device), "DEVICE", .fallback = "host",
     .help = "host or host:wave32."},
    {"kernel", HT_OPTION_TEXT, offsetof(check_options, kernel), "NAME",
     .help = "Only the template of this name."},
    {"json", HT_OPTION_JSON, offsetof(check_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_SANDBOX_OPTION(check_options),
    HT_COMPILER_OPTIONS(check_options),
    {0},
};

typedef struct check_run {
    const check_options *given;
    ht_device device;
    const char *path;
    json_t *found; /* array; owned */
    FILE *out;
    ht_progress *progress;
    size_t checked, failed;
} check_run;

/* The configurations that one template and problem are checked with. */
typedef struct choice {
    ht_config *configs; /* owned */
    size_t count;
    bool original;
} choice;

static ht_status sample_add(const check_run *run, const ht_binding *binding, choice *out,
                            ht_error *error) {
    ht_space *space = NULL;
    ht_status status = ht_space_build(binding, 0, &space, error);
    if (status != HT_OK)
        return status;
    ht_random random;
    ht_random_seed(&random, run->given->seed);
    for (uint64_t i = 0; i < run->given->sample; ++i) {
        HT_GROW(out->configs, out->count);
        out->configs[out->count++] = ht_space_sample(space, &random);
    }
    ht_space_free(space);
    return HT_OK;
}

static ht_status given_add(const ht_binding *binding, const char *text, choice *out,
                           ht_error *error) {
    bool legal = false;
    char *why = NULL;
    HT_GROW(out->configs, out->count);
    ht_config *config = &out->configs[out->count];
    ht_status status = ht_config_parse(binding->template, text, config, error);
    if (status == HT_OK)
        status = ht_binding_legal(binding, config, &legal, &why, error);
    if (status == HT_OK && !legal)
        status = ht_error_set(error, HT_ERROR_INPUT, "'%s' is not legal: %s", text, why);
    free(why);
    out->count += status == HT_OK;
    return status;
}

static ht_status choose(const check_run *run, const ht_binding *binding, choice *out,
                        ht_error *error) {
    const check_options *given = run->given;
    ht_status status = HT_OK;
    for (size_t i = 0; i < given->config.count && status == HT_OK; ++i)
        status = given_add(binding, given->config.items[i], out, error);
    if (status == HT_OK && given->sample)
        status = sample_add(run, binding, out, error);
    if (status != HT_OK || out->count)
        return status;
    HT_GROW(out->configs, out->count);
    out->configs[out->count++] = ht_config_default(binding->template);
    out->original = binding->template->reference_kind == HT_REFERENCE_KERNEL;
    return HT_OK;
}

static void report_memory(FILE *out, const json_t *details) {
    const json_t *memory = json_object_get(details, "memory");
    fprintf(out,
            "        global memory: %" JSON_INTEGER_FORMAT " reads, %" JSON_INTEGER_FORMAT
            " writes; shared memory: %" JSON_INTEGER_FORMAT " reads, %" JSON_INTEGER_FORMAT
            " writes\n",
            json_integer_value(json_object_get(memory, "global_reads")),
            json_integer_value(json_object_get(memory, "global_writes")),
            json_integer_value(json_object_get(memory, "shared_reads")),
            json_integer_value(json_object_get(memory, "shared_writes")));
}

static void report(check_run *run, const ht_binding *binding, const ht_config *config,
                   const ht_check_result *result) {
    char *text = config ? ht_config_string(binding->template, config) : ht_strdup("the original");
    ++run->checked;
    run->failed += result->status != HT_OK;
    ht_progress_pause(run->progress);
    fprintf(run->out, "%s  %s  %.1f s\n", result->status == HT_OK ? "ok    " : "FAILED", text,
            result->seconds);
    if (result->status != HT_OK)
        fprintf(run->out, "        %s\n", result->reason);
    else if (run->given->count)
        report_memory(run->out, result->details);
    json_t *object = json_object();
    json_object_set_new(object, "kernel", ht_report_json_text(binding->template->name));
    json_object_set_new(object, "problem",
                        binding->problem ? ht_report_json_text(binding->problem->name)
                                         : json_null());
    json_object_set_new(object, "config", config ? ht_report_json_text(text) : json_null());
    json_object_set_new(object, "original", json_boolean(config == NULL));
    json_object_set_new(object, "status", json_string(ht_status_name(result->status)));
    json_object_set_new(object, "reason", ht_report_json_text(result->reason));
    json_object_set_new(object, "seconds", json_real(result->seconds));
    json_object_set_new(object, "check",
                        result->details ? json_incref(result->details) : json_null());
    json_array_append_new(run->found, object);
    free(text);
}

static ht_status job_check(check_run *run, ht_job *job, const ht_binding *binding,
                           const choice *chosen, ht_error *error) {
    const ht_check_settings settings = {.all_blocks = run->given->all_blocks || run->given->count,
                                        .count = run->given->count,
                                        .accesses = run->given->accesses};
    ht_status status = HT_OK;
    ht_check_result result;
    if (chosen->original) {
        ht_progress_phase(run->progress, "checking the original");
        status = ht_job_check_original(job, &settings, &result, error);
        if (status == HT_OK)
            report(run, binding, NULL, &result);
        ht_check_result_free(&result);
    }
    for (size_t i = 0; i < chosen->count && status == HT_OK; ++i) {
        char *phase = ht_format("checking configuration %zu of %zu", i + 1, chosen->count);
        ht_progress_phase(run->progress, phase);
        free(phase);
        status = ht_job_check(job, &chosen->configs[i], 1, &settings, &result, error);
        if (status == HT_OK)
            report(run, binding, &chosen->configs[i], &result);
        ht_check_result_free(&result);
    }
    return status;
}

static ht_status instance_check(check_run *run, const ht_template *template,
                                const ht_problem *problem, ht_error *error) {
    const ht_binding binding = {template, problem, &run->device.fields};
    const ht_job_options options = {
        .seed = run->given->seed, .only_check = true, .interrupted = &ht_interrupted};
    choice chosen = {0};
    ht_job *job = NULL;
    char *label = template->problem.name && problem->name
                      ? ht_format("%s (%s)", template->name, problem->name)
                      : ht_strdup(template->name);
    ht_status status = ht_binding_check_default(&binding, error);
    if (status == HT_OK)
        status = choose(run, &binding, &chosen, error);
    if (status == HT_OK) {
        fprintf(run->out, "%s\n", label);
        ht_progress_begin(run->progress, label);
        char *phase = ht_job_memory_phase(&binding, &run->device, "computing what outputs must be");
        ht_progress_phase(run->progress, phase);
        free(phase);
        status = ht_job_start(&binding, &run->device, &options, &job, error);
        if (status != HT_OK && error->file[0] == '\0') {
            char *words = ht_strdup(error->message);
            ht_error_set_at(error, status, template->file, template->line, 0, "%s: %s",
                            template->name, words);
            free(words);
        }
    }
    if (status == HT_OK)
        status = job_check(run, job, &binding, &chosen, error);
    ht_job_free(job);
    free(chosen.configs);
    free(label);
    return status;
}

static ht_status templates_check(check_run *run, const ht_template *templates, size_t count,
                                 ht_error *error) {
    ht_problems problems;
    ht_status status = ht_problems_open(run->given->problem, run->path, &problems, error);
    if (status != HT_OK)
        return status;
    run->progress = ht_progress_new(stderr, count);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        ht_problem *instances = NULL;
        size_t instance_count = 0;
        status = ht_instances_find(&problems, &templates[i], &instances, &instance_count, error);
        for (size_t j = 0; j < instance_count && status == HT_OK; ++j)
            status = instance_check(run, &templates[i], &instances[j], error);
        ht_instances_free(instances, instance_count);
    }
    ht_progress_free(run->progress);
    ht_problems_close(&problems);
    return status;
}

static ht_status file_check(check_run *run, ht_error *error) {
    ht_refactor_options compiler;
    ht_template *templates = NULL;
    size_t count = 0;
    ht_compiler_arguments_make(&run->given->compiler, &compiler);
    ht_status status = ht_device_find(run->given->device, &run->device, error);
    if (status == HT_OK && !ht_check_possible(&run->device))
        status = ht_error_set(error, HT_ERROR_INPUT,
                              "device %s has no checking mode; check on --device host",
                              run->device.name);
    if (status == HT_OK)
        status =
            ht_templates_load(run->path, run->given->kernel, &compiler, &templates, &count, error);
    if (status == HT_OK)
        status = templates_check(run, templates, count, error);
    ht_template_free(templates, count);
    ht_compiler_arguments_free(&compiler);
    return status;
}

static int run_check(const ht_command_line *line) {
    check_run run = {.given = line->options, .path = line->operands[0], .found = json_array()};
    ht_error error = {0};
    run.out = ht_report_stream(run.given->json);
    ht_status status = file_check(&run, &error);
    int code = run.failed ? HT_EXIT_FAILED : HT_EXIT_OK;
    if (status == HT_OK)
        fprintf(run.out, "%zu checked, %zu failed%s\n", run.checked, run.failed,
                ht_check_has_sanitizer()
                    ? ""
                    : "; overruns from one array into the space after it were not seen: that "
                      "takes AddressSanitizer's library (Debian: libclang-rt-19-dev)");
    if (fflush(run.out) != 0 && status == HT_OK)
        status = ht_error_set(&error, HT_ERROR_IO, "the report cannot be written");
    if (status == HT_OK || status == HT_ERROR_INTERRUPTED) {
        json_t *document = ht_report_json_new("hiptemper-check", 1);
        json_object_set_new(document, "template_file", ht_report_json_text(run.path));
        json_object_set_new(document, "device", json_string(run.device.name));
        json_object_set_new(document, "address_sanitizer", json_boolean(ht_check_has_sanitizer()));
        json_object_set_new(document, "interrupted", json_boolean(ht_interrupted != 0));
        json_object_set(document, "checks", run.found);
        int written = ht_report_json(run.given->json, document);
        code = written != HT_EXIT_OK ? written : code;
        json_decref(document);
    }
    if (status != HT_OK)
        code = ht_report_error(&error);
    json_decref(run.found);
    return code;
}

const ht_command ht_command_check = {
    .name = "check",
    .summary = "look for races, missing barriers and accesses outside, without timing",
    .usage = "[OPTION]... TEMPLATE",
    .description =
        "Runs configurations of an annotated template in the host provider's checking mode. Every "
        "access to shared and global memory is looked at before it happens; the threads of a "
        "block run forward, backward and in two random orders; buffers lie between pages that "
        "cannot be touched; shared memory is poisoned before each block and outputs before each "
        "pass, and outputs must agree with the reference.\n\n"
        "A finding names the file and line, the array and element, thread and block; a race both "
        "its accesses. docs/checking.md tells what is found and what is not.",
    .examples = "hiptemper check conv2d.hip --problem 'N=1 C=3 H=9 W=11 K=5 R=3 S=3 pad=1'\n"
                "hiptemper check conv2d.hip --sample 20 --seed 7 --json checks.json\n"
                "hiptemper check conv2d.hip --config 'BLOCK_X=32 TILE_X=2' --all-blocks",
    .options = options,
    .options_size = sizeof(check_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "TEMPLATE",
    .run = run_check,
};
