#include "cli/reports/inspect_report.h"
#include "cli/reports/rank_report.h"
#include "cli/tuning_options.h"
#include "pipeline/input.h"

#include "base/memory.h"
#include "templates/space/space.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SAMPLE = 16 };

typedef struct inspect_options {
    ht_compiler_options compiler;
    const char *sandbox;
    const char *arch;
    const char *problem;
    const char *kernel;
    ht_option_list configs;
    bool all;
    uint64_t sample;
    uint64_t seed;
    bool count;
    bool rank;
    uint64_t blocks;
    const char *json;
} inspect_options;

static const ht_option options[] = {
    {"arch", HT_OPTION_TEXT, offsetof(inspect_options, arch), "ARCH", .fallback = "gfx90a",
     .help = "Compiles for this target; no GPU is needed. Also takes a device's name, such as "
             "amd:0. 'hiptemper devices' lists what there is."},
    {"problem", HT_OPTION_TEXT, offsetof(inspect_options, problem), "FILE|TEXT",
     .help = "Sizes that constraints and the launch depend on: a problem file or catalogue, or "
             "text such as 'N=1 C=64 H=56'. Without it the file NAME.problem.json next to the "
             "template is read."},
    {"kernel", HT_OPTION_TEXT, offsetof(inspect_options, kernel), "NAME",
     .help = "Only the template of this name."},
    {"config", HT_OPTION_LIST, offsetof(inspect_options, configs), "TEXT",
     .help = "This configuration, such as 'BLOCK_X=32 TILE_X=2' (others keep their defaults); may "
             "be repeated."},
    {"all", HT_OPTION_FLAG, offsetof(inspect_options, all), .help = "Every legal configuration."},
    {"sample", HT_OPTION_COUNT, offsetof(inspect_options, sample), "N", .min = 1,
     .help = "N legal configurations, drawn at random. Without --config, --all or --sample: the "
             "default configuration and others up to 16."},
    {"seed", HT_OPTION_COUNT, offsetof(inspect_options, seed), "N", .fallback = "1",
     .help = "Seed of the sample."},
    {"count", HT_OPTION_FLAG, offsetof(inspect_options, count),
     .help =
         "Follows the compiled instructions (gfx9, gfx103, gfx11 and gfx12, such as gfx90a) and "
         "tells how often a configuration goes to memory for each output, next to the original "
         "kernel."},
    {"rank", HT_OPTION_FLAG, offsetof(inspect_options, rank),
     .help = "Predicts from the compiled instructions how long each configuration takes on an AMD "
             "GPU, names the bottleneck, and lists the fastest first. Predicted, not measured. The "
             "GPU is that of --arch model:NAME, such as model:mi50, else the first that the model "
             "has of the architecture."},
    {"blocks", HT_OPTION_COUNT, offsetof(inspect_options, blocks), "N", .min = 1, .fallback = "512",
     .help = "Of a larger grid --count and --rank follow N blocks that go to memory, one from each "
             "equal part."},
    {"json", HT_OPTION_JSON, offsetof(inspect_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_SANDBOX_OPTION(inspect_options),
    HT_COMPILER_OPTIONS(inspect_options),
    {0},
};

/* The state of one run of the command. */
typedef struct inspection_run {
    const inspect_options *given;
    const char *path;
    ht_device device;
    const ht_gpu *gpu;      /* NULL without --rank */
    ht_template *templates; /* owned */
    size_t template_count;
    json_t *found; /* array; owned */
    FILE *out;
    bool any_compiled, any_failed;
} inspection_run;

static void add_config(ht_inspected *inspected, const ht_config *config) {
    HT_GROW(inspected->configs, inspected->count);
    inspected->configs[inspected->count++] = *config;
}

/* Parses those of --config, which must be legal. */
static ht_status configs_parse(ht_inspected *inspected, const ht_binding *binding,
                               const ht_option_list *given, ht_error *error) {
    for (size_t i = 0; i < given->count; ++i) {
        ht_config config;
        bool legal = false;
        char *reason = NULL;
        ht_status status = ht_config_parse(binding->template, given->items[i], &config, error);
        if (status == HT_OK)
            status = ht_binding_legal(binding, &config, &legal, &reason, error);
        if (status == HT_OK && !legal)
            status = ht_error_set(error, HT_ERROR_INPUT, "--config '%s' is not legal: %s",
                                  given->items[i], reason);
        free(reason);
        if (status != HT_OK)
            return status;
        add_config(inspected, &config);
    }
    return HT_OK;
}

/* Chooses `want` different legal configurations: the first steps of a shuffle. Unless a sample was
 * asked for, the default configuration comes first. */
static void configs_sample(ht_inspected *inspected, const ht_space *space, uint64_t want,
                           const inspect_options *given) {
    ht_random random;
    ht_random_seed(&random, given->seed);
    uint64_t *order = ht_alloc(inspected->legal, sizeof *order);
    for (uint64_t i = 0; i < inspected->legal; ++i)
        order[i] = i;
    ht_config first = ht_config_default(inspected->template);
    uint64_t index;
    bool fixed = !given->sample && ht_space_find(space, &first, &index);
    for (uint64_t i = 0; i < want; ++i) {
        uint64_t pick = i + ht_random_below(&random, inspected->legal - i);
        if (i == 0 && fixed)
            pick = index;
        uint64_t chosen = order[pick];
        order[pick] = order[i];
        order[i] = chosen;
        ht_config config = ht_space_at(space, chosen);
        add_config(inspected, &config);
    }
    free(order);
}

/* Does the same with a space too large to be listed, in which a configuration hardly comes
 * twice. */
static void configs_draw(ht_inspected *inspected, const ht_space *space, uint64_t want,
                         const inspect_options *given) {
    ht_random random;
    ht_random_seed(&random, given->seed);
    ht_config first = ht_config_default(inspected->template);
    if (!given->sample && ht_space_legal(space, &first))
        add_config(inspected, &first);
    while (inspected->count < want) {
        ht_config config = ht_space_sample(space, &random);
        add_config(inspected, &config);
    }
}

static ht_status configs_choose(ht_inspected *inspected, const ht_binding *binding,
                                const inspect_options *given, ht_error *error) {
    ht_space *space = NULL;
    ht_status status = ht_binding_check_default(binding, error);
    if (status == HT_OK && given->configs.count)
        return configs_parse(inspected, binding, &given->configs, error);
    if (status == HT_OK)
        status = ht_space_build(binding, 0, &space, error);
    if (status != HT_OK)
        return status;
    uint64_t count = ht_space_count(space);
    inspected->legal = count == UINT64_MAX ? 0 : count;
    uint64_t want = given->sample ? given->sample : DEFAULT_SAMPLE;
    if (!ht_space_listed(space)) {
        if (given->all)
            status = ht_error_set(error, HT_ERROR_INPUT,
                                  "the space is too large to be listed: use --sample N");
        else
            configs_draw(inspected, space, want, given);
    } else if (!given->all && want < inspected->legal) {
        configs_sample(inspected, space, want, given);
    } else {
        inspected->configs = ht_alloc(inspected->legal, sizeof *inspected->configs);
        for (uint64_t i = 0; i < inspected->legal; ++i)
            inspected->configs[inspected->count++] = ht_space_at(space, i);
    }
    ht_space_free(space);
    return status;
}

static ht_status original_inspect(const inspection_run *run, const ht_binding *binding,
                                  ht_inspect_options options, ht_inspection *out_original,
                                  ht_error *error) {
    ht_config defaults = ht_config_default(binding->template);
    options.original = true;
    return ht_inspect(&run->device, binding, &defaults, 1, &options, &ht_interrupted, out_original,
                      error);
}

static ht_status instance_inspect(inspection_run *run, const ht_template *template,
                                  const ht_problem *problem, ht_error *error) {
    ht_binding binding = {template, problem, &run->device.fields};
    ht_inspected inspected = {.path = run->path,
                              .device = &run->device,
                              .template = template,
                              .problem = problem,
                              .counted = run->given->count,
                              .gpu = run->gpu};
    ht_inspect_options options = {.count = run->given->count || run->gpu,
                                  .blocks_max = run->given->blocks};
    ht_status status = configs_choose(&inspected, &binding, run->given, error);
    if (status == HT_OK) {
        inspected.inspections = ht_alloc(inspected.count, sizeof *inspected.inspections);
        status = ht_inspect(&run->device, &binding, inspected.configs, inspected.count, &options,
                            &ht_interrupted, inspected.inspections, error);
    }
    if (status == HT_OK && options.count)
        status = original_inspect(run, &binding, options, &inspected.original, error);
    if (inspected.inspections && (status == HT_OK || status == HT_ERROR_INTERRUPTED)) {
        if (run->gpu)
            ht_inspected_rank(&inspected);
        ht_inspected_print(&inspected, run->out);
        json_array_append_new(run->found, ht_inspected_json(&inspected));
        for (size_t i = 0; i < inspected.count; ++i) {
            run->any_compiled |= inspected.inspections[i].status == HT_OK;
            run->any_failed |= inspected.inspections[i].status != HT_OK;
        }
    }
    ht_inspected_free(&inspected);
    return status;
}

static ht_status templates_inspect(inspection_run *run, ht_error *error) {
    ht_problems problems;
    ht_status status = ht_problems_open(run->given->problem, run->path, &problems, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < run->template_count && status == HT_OK; ++i) {
        ht_problem *instances = NULL;
        size_t count = 0;
        status = ht_instances_find(&problems, &run->templates[i], &instances, &count, error);
        for (size_t j = 0; j < count && status == HT_OK; ++j)
            status = instance_inspect(run, &run->templates[i], &instances[j], error);
        ht_instances_free(instances, count);
    }
    ht_problems_close(&problems);
    return status;
}

/* Finds the GPU whose times are predicted, if any are. */
static ht_status gpu_find(inspection_run *run, ht_error *error) {
    if (!run->given->rank)
        run->gpu = NULL;
    else if (!run->gpu)
        run->gpu = ht_gpu_of_arch(run->device.arch);
    if (run->given->rank && !run->gpu)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--rank has no GPU of architecture %s: give one of the model's, such "
                            "as --arch model:mi250x",
                            run->device.arch);
    return HT_OK;
}

/* Finds the device: "gfx90a" is "amd:gfx90a" and "sm_90" "nvidia:sm_90"; names with a provider
 * stay. "model:mi250x" is a GPU of the model, on its architecture. */
static ht_status device_find(const char *arch, const ht_gpu **out_gpu, ht_device *out_device,
                             ht_error *error) {
    if (strncmp(arch, HT_MODEL_PREFIX, strlen(HT_MODEL_PREFIX)) == 0)
        return ht_model_device_find(arch, out_gpu, out_device, error);
    bool has_provider = strchr(arch, ':') || ht_provider_find(arch);
    const char *provider = strncmp(arch, "sm_", 3) == 0 ? "nvidia" : "amd";
    char *name = has_provider ? ht_strdup(arch) : ht_format("%s:%s", provider, arch);
    ht_status status = ht_device_find(name, out_device, error);
    free(name);
    return status;
}

static ht_status options_check(const inspect_options *given, ht_error *error) {
    int ways = (given->configs.count > 0) + given->all + (given->sample > 0);
    if (ways <= 1)
        return HT_OK;
    return ht_error_set(error, HT_ERROR_INPUT,
                        "options --config, --all and --sample exclude each other: give one");
}

static int finish(inspection_run *run) {
    json_t *document = ht_report_json_new("hiptemper-inspect", 1);
    const ht_device *device = &run->device;
    json_object_set_new(document, "device",
                        json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", device->name, "provider",
                                  device->provider, "description", device->description, "arch",
                                  device->arch, "compiler", device->compiler));
    json_object_set_new(document, "interrupted", json_boolean(ht_interrupted != 0));
    json_object_set(document, "templates", run->found);
    int code = ht_report_json(run->given->json, document);
    json_decref(document);
    if (code == HT_EXIT_OK && run->any_failed && !run->any_compiled)
        code = HT_EXIT_FAILED;
    return code;
}

static int run_inspect(const ht_command_line *line) {
    inspection_run run = {.given = line->options, .path = line->operands[0], .found = json_array()};
    ht_refactor_options compiler;
    ht_error error = {0};
    run.out = ht_report_stream(run.given->json);
    ht_compiler_arguments_make(&run.given->compiler, &compiler);
    ht_status status = options_check(run.given, &error);
    if (status == HT_OK)
        status = device_find(run.given->arch, &run.gpu, &run.device, &error);
    if (status == HT_OK)
        status = gpu_find(&run, &error);
    if (status == HT_OK)
        status = ht_templates_load(run.path, run.given->kernel, &compiler, &run.templates,
                                   &run.template_count, &error);
    if (status == HT_OK)
        status = templates_inspect(&run, &error);
    int code = HT_EXIT_OK;
    if (status == HT_OK || status == HT_ERROR_INTERRUPTED)
        code = finish(&run);
    if (status != HT_OK)
        code = ht_report_error(&error);
    json_decref(run.found);
    ht_template_free(run.templates, run.template_count);
    ht_compiler_arguments_free(&compiler);
    return code;
}

const ht_command ht_command_inspect = {
    .name = "inspect",
    .summary = "compile configurations and show registers, LDS and occupancy",
    .usage = "[OPTION]... TEMPLATE",
    .description =
        "Compiles configurations of an annotated template for an AMD or NVIDIA target and prints "
        "what "
        "each kernel needs, from the compiled code: vector, accumulation and scalar registers, "
        "spills, "
        "bytes of LDS (static and dynamic) and scratch, and the occupancy: how many waves a SIMD "
        "holds at that block size, of how many. Nothing runs, so no GPU is needed. A "
        "configuration that the compiler rejects, or dies of, is listed with the reason.\n\n"
        "On gfx90a and gfx942 both kinds of vector registers share one file, and VGPR includes "
        "AGPR. On NVIDIA targets VGPR are a thread's registers, waves are warps, a SIMD is a "
        "scheduler.\n\n"
        "With --count the instructions are followed as a GPU would run them, with the arguments "
        "and the grid of the problem, and a second table tells, for each output element: 32-bit "
        "words that lanes load from memory, and with how many load instructions; words that a wave "
        "loads for all its lanes; accesses to LDS; multiplications; instructions. "
        "Where data decides what is done nothing is counted, and the instruction is named.\n\n"
        "With --rank a time is predicted from such counts and public numbers of a GPU, by the "
        "part of it that is busy longest. The order of the times is what they are for.",
    .examples =
        "hiptemper inspect conv2d.hip --problem 'N=1 C=16 H=28 W=28 K=32 R=3 S=3 pad=1'\n"
        "hiptemper inspect conv2d.hip --problem resnet50.json --arch gfx1030 --sample 64\n"
        "hiptemper inspect conv2d.hip --problem resnet50.json --arch sm_90 --sample 64\n"
        "hiptemper inspect conv2d.hip --problem resnet50.json --count --config 'COARSEN_X=4'\n"
        "hiptemper inspect conv2d.hip --problem resnet50.json --rank --arch model:mi50 --sample 64",
    .options = options,
    .options_size = sizeof(inspect_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "TEMPLATE",
    .run = run_inspect,
};
