#include "cli/commands/tune_model.h"
#include "cli/tuning_options.h"
#include "pipeline/outputs.h"
#include "pipeline/times.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/table.h"
#include "runtime/measure/predicted.h"

#include <stdlib.h>
#include <string.h>

typedef struct tune_options {
    ht_tuning_options tuning;
    ht_compiler_options compiler;
    const char *sandbox;
    const char *problem;
    const char *kernel;
    const char *out;
    const char *json;
    uint64_t top;
    bool learn;
} tune_options;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(tune_options, problem), "FILE|TEXT",
     .help = "Sizes to tune for: a problem file or catalogue, or text such as 'N=1 C=64 H=56'. "
             "Without it the file NAME.problem.json next to the template is read."},
    {"kernel", HT_OPTION_TEXT, offsetof(tune_options, kernel), "NAME",
     .help = "Only the template of this name."},
    HT_TUNING_OPTIONS(tune_options),
    {"top", HT_OPTION_COUNT, offsetof(tune_options, top), "N", .fallback = "5", .min = 1,
     .help = "How many of the best configurations are printed and written."},
    {"learn", HT_OPTION_FLAG, offsetof(tune_options, learn),
     .help = "Afterwards learns a model of time from all that the database has of each template, "
             "for later searches and 'predict'; it is kept next to the database "
             "(docs/time-model.md)."},
    {"out", HT_OPTION_TEXT, offsetof(tune_options, out), "DIR", .fallback = "hiptemper-out",
     .help = "Folder for the results; made when missing."},
    {"json", HT_OPTION_JSON, offsetof(tune_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_SANDBOX_OPTION(tune_options),
    HT_COMPILER_OPTIONS(tune_options),
    {0},
};

/* The annotated file, its templates and instances. */
typedef struct tune_input {
    const char *path;
    ht_template *templates;
    size_t template_count;
    ht_instances *instances; /* one per template */
    ht_entries entries;
} tune_input;

static ht_status instances_read(tune_input *input, const ht_problems *problems, ht_error *error) {
    for (size_t i = 0; i < input->template_count; ++i) {
        const ht_template *template = &input->templates[i];
        ht_instances *instances = &input->instances[i];
        ht_status status =
            ht_instances_find(problems, template, &instances->items, &instances->count, error);
        if (status != HT_OK)
            return status;
        for (size_t j = 0; j < instances->count; ++j) {
            ht_entry *entry =
                ht_entries_add(&input->entries, template->name, input->path, template->line);
            entry->kernel = i;
            entry->annotated = true;
            entry->template = template;
            entry->instance = &instances->items[j];
            if (!template->problem.name)
                continue;
            entry->problem = ht_strdup(instances->items[j].name);
            free(entry->fields);
            entry->fields = ht_problem_string(&template->problem, &instances->items[j]);
        }
    }
    return HT_OK;
}

static ht_status input_read(tune_input *input, const tune_options *given,
                            const ht_refactor_options *compiler, ht_error *error) {
    ht_status status = ht_templates_load(input->path, given->kernel, compiler, &input->templates,
                                         &input->template_count, error);
    if (status != HT_OK)
        return status;
    input->instances = ht_alloc(input->template_count, sizeof *input->instances);
    ht_problems problems;
    status = ht_problems_open(given->problem, input->path, &problems, error);
    if (status != HT_OK)
        return status;
    status = instances_read(input, &problems, error);
    ht_problems_close(&problems);
    return status;
}

static void input_free(tune_input *input) {
    ht_entries_free(&input->entries);
    for (size_t i = 0; input->instances && i < input->template_count; ++i)
        ht_instances_free(input->instances[i].items, input->instances[i].count);
    free(input->instances);
    ht_template_free(input->templates, input->template_count);
}

static void best_report(const ht_entry *entry, size_t top, const ht_device *device, FILE *out) {
    const ht_search_result *search = &entry->result.search.result;
    size_t *best = ht_alloc(top, sizeof *best);
    size_t count = ht_search_result_best(search, top, best);
    if (count) {
        char *label = ht_entry_label(entry);
        fprintf(out, "Best of %s%s; parameters that are not named have their defaults\n", label,
                device->emulated ? ", times are host emulation" : "");
        free(label);
        const char *heads[] = {"", "median ms", "configuration"};
        ht_table *table = ht_table_new("rrl", heads);
        for (size_t i = 0; i < count; ++i) {
            const ht_trial *trial = &search->trials[best[i]];
            char *rank = ht_format("%zu", i + 1);
            char *cost = ht_format("%.4g", trial->outcome.cost);
            char *config = ht_config_brief(entry->template, &trial->config);
            ht_table_row(table, (const char *[]){rank, cost, config});
            free(rank);
            free(cost);
            free(config);
        }
        ht_table_finish(table, out, 2);
        fputc('\n', out);
    }
    free(best);
}

static json_t *best_json(const ht_entry *entry, size_t top) {
    const ht_search_result *search = &entry->result.search.result;
    size_t *best = ht_alloc(top, sizeof *best);
    size_t count = ht_search_result_best(search, top, best);
    json_t *array = json_array();
    for (size_t i = 0; i < count; ++i) {
        const ht_trial *trial = &search->trials[best[i]];
        json_array_append_new(array, json_pack("{s:o, s:f, s:b}", "config",
                                               ht_config_json(entry->template, &trial->config),
                                               "median_ms", trial->outcome.cost, "reused",
                                               trial->outcome.reused));
    }
    free(best);
    return array;
}

static json_t *finals_json(const ht_entry *entry) {
    json_t *array = json_array();
    for (size_t i = 0; i < entry->result.finalists.count; ++i) {
        const ht_candidate *candidate = &entry->result.finalists.items[i];
        const ht_final *final = &candidate->final;
        bool timed = final->status == HT_OK;
        json_t *object =
            json_pack("{s:o, s:b, s:s, s:o, s:b}", "config",
                      ht_config_json(entry->template, &candidate->config), "default",
                      candidate->is_default, "status", ht_status_name(final->status), "reason",
                      ht_report_json_text(final->reason), "verified", final->verified);
        json_object_set_new(object, "median_ms",
                            timed ? json_real(final->timing.median_ms) : json_null());
        json_object_set_new(object, "speedup", timed ? json_real(final->speedup) : json_null());
        json_object_set_new(object, "speedup_ci",
                            ht_interval_json(timed, final->speedup_lo, final->speedup_hi));
        json_object_set_new(object, "comparison",
                            timed ? json_string(ht_comparison_name(ht_final_compare(final)))
                                  : json_null());
        json_object_set_new(object, "over_best", timed ? json_real(final->over_best) : json_null());
        json_object_set_new(object, "over_best_ci",
                            ht_interval_json(timed, final->over_best_lo, final->over_best_hi));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *document_make(const tune_input *input, const ht_session *session, size_t top) {
    json_t *document = ht_report_json_new("hiptemper-tune", 1);
    json_object_set_new(document, "template_file", ht_report_json_text(input->path));
    ht_session_json(document, session);
    json_t *kernels = json_array();
    for (size_t i = 0; i < input->entries.count; ++i) {
        const ht_entry *entry = &input->entries.items[i];
        json_t *object = ht_entry_json(entry, &session->device);
        json_object_set_new(object, "best", best_json(entry, top));
        json_object_set_new(object, "finals", finals_json(entry));
        json_array_append_new(kernels, object);
    }
    json_object_set_new(document, "kernels", kernels);
    return document;
}

static int finish(tune_input *input, const ht_session *session, const tune_options *given,
                  const ht_refactor_options *compiler, FILE *out) {
    ht_output_source source = {.path = input->path,
                               .compiler = compiler,
                               .folder = given->out,
                               .name = ht_path_name(input->path)};
    ht_error error = {0};
    int code = HT_EXIT_OK;
    if (ht_output_labels(&source, &input->entries, session, &error) != HT_OK)
        code = ht_report_error(&error);
    for (size_t i = 0; i < input->entries.count; ++i)
        best_report(&input->entries.items[i], given->top, &session->device, out);
    ht_entries_report_summary(&input->entries, &session->device, out);
    ht_outputs_report(&input->entries, given->out, false, out);
    code = ht_outputs_json(given->out, "tune.json", given->json,
                           document_make(input, session, given->top), code);
    int result = ht_entries_exit_code(&input->entries);
    return result ? result : code;
}

/* Prints what a model learnt. */
static void learnt_report(const ht_session *session, const ht_time_model *model,
                          const ht_times_read *read, double seconds, FILE *out) {
    const ht_time_facts *facts = ht_time_model_facts(model);
    char *path = ht_times_path(session->database_file, facts->kernel);
    fprintf(out, "Learnt %s from %zu evaluations of %zu problems in %.1f s: %s\n", facts->kernel,
            read->evaluations, read->jobs, seconds, path);
    if (facts->problems.jobs)
        fprintf(out,
                "  first choices on problems left out reached %.2f of the best speed on average, "
                "%.2f or less in a tenth\n",
                facts->problems.mean, facts->problems.low);
    if (read->foreign)
        fprintf(out, "  left out: %zu evaluations of another form of it\n", read->foreign);
    free(path);
}

/* Learns a model of each template; returns the exit code. */
static int learn(const tune_input *input, const ht_session *session, FILE *out) {
    int code = HT_EXIT_OK;
    for (size_t i = 0; i < input->template_count && !ht_interrupted; ++i) {
        double begun = ht_clock_seconds();
        ht_times_read read;
        ht_time_model *model = NULL;
        ht_error error = {0};
        if (ht_times_learn(session->database_file, &input->templates[i], &session->device, &read,
                           &model, &error) == HT_OK)
            learnt_report(session, model, &read, ht_clock_seconds() - begun, out);
        else
            code = ht_report_error(&error);
        ht_time_model_free(model);
    }
    return code;
}

/* Checks the defaults. A template that cannot begin where it says is a mistake in it, whatever else
 * could be tuned. */
static ht_status defaults_check(const tune_input *input, const ht_session *session,
                                ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < input->entries.count && status == HT_OK; ++i) {
        const ht_entry *entry = &input->entries.items[i];
        const ht_binding binding = {entry->template, entry->instance, &session->device.fields};
        status = ht_binding_check_default(&binding, error);
    }
    return status;
}

static int tune(ht_session *session, const tune_options *given, const char *path) {
    ht_refactor_options compiler;
    ht_compiler_arguments_make(&given->compiler, &compiler);
    FILE *out = ht_report_stream(given->json);
    tune_input input = {.path = path};
    ht_error error = {0};
    int code;
    ht_status status = input_read(&input, given, &compiler, &error);
    if (status == HT_OK)
        status = defaults_check(&input, session, &error);
    if (status == HT_OK && given->learn && !session->database_file)
        status = ht_error_set(&error, HT_ERROR_INPUT,
                              "option --learn: there is no database to learn from; --db names one");
    if (status == HT_OK)
        status = ht_outputs_prepare(given->out, given->json, &error);
    if (status == HT_OK)
        status = ht_output_check(given->out, ht_path_name(path), &error);
    if (status == HT_OK) {
        fprintf(out, "Tuning on %s: %s\n\n", session->device.name, session->device.description);
        session->report = ht_entry_report;
        status = ht_entries_tune(&input.entries, session, out, &error);
    }
    code =
        status == HT_OK ? finish(&input, session, given, &compiler, out) : ht_report_error(&error);
    if (status == HT_OK && given->learn) {
        int learnt = learn(&input, session, out);
        code = code == HT_EXIT_OK ? learnt : code;
    }
    input_free(&input);
    ht_compiler_arguments_free(&compiler);
    return code;
}

/* Chooses by the model of a GPU. */
static int tune_predicted(const tune_options *given, const char *path) {
    ht_refactor_options compiler;
    ht_compiler_arguments_make(&given->compiler, &compiler);
    tune_input input = {.path = path};
    const ht_tune_model_request request = {path, given->out, given->json, &given->tuning};
    ht_error error = {0};
    ht_status status = input_read(&input, given, &compiler, &error);
    if (status == HT_OK)
        status = ht_outputs_prepare(given->out, given->json, &error);
    if (status == HT_OK)
        status = ht_output_check(given->out, ht_path_name(path), &error);
    int code = status == HT_OK ? ht_tune_model(&request, &input.entries) : ht_report_error(&error);
    input_free(&input);
    ht_compiler_arguments_free(&compiler);
    return code;
}

static int run_tune(const ht_command_line *line) {
    const tune_options *given = line->options;
    ht_session session;
    ht_error error = {0};
    if (ht_text_begins(given->tuning.device, HT_MODEL_PREFIX))
        return tune_predicted(given, line->operands[0]);
    if (ht_session_open(&given->tuning, &session, &error) != HT_OK)
        return ht_report_error(&error);
    int code = tune(&session, given, line->operands[0]);
    ht_session_close(&session);
    return code;
}

const ht_command ht_command_tune = {
    .name = "tune",
    .summary = "find the best configurations of an annotated template",
    .usage = "[OPTION]... TEMPLATE",
    .description =
        "Takes a HIP file with '#pragma tune' annotations (written by hand, or by 'hiptemper "
        "refactor'), searches the configurations that its constraints allow for the given sizes, "
        "checks every variant's output against the template's reference, and times the best ones "
        "next to the original. Writes a copy of the file with the winner as defaults, a launcher "
        "for it, and the report as JSON.\n\n"
        "docs/template-format.md teaches the annotations. On device host, the machine's own cores "
        "run the kernels: such times are host emulation and say nothing about a GPU.\n\n"
        "On a device model:NAME, such as model:mi250x, configurations are compiled for that GPU, "
        "ordered by the time that a model predicts, and the fastest verified on the host: the best "
        "and the next best are written, predicted, not measured.",
    .examples =
        "hiptemper tune conv2d.hip --problem 'N=1 C=16 H=28 W=28 K=32 R=3 S=3 pad=1'\n"
        "hiptemper tune conv2d.hip --problem resnet50.json --max-time 120 --json best.json\n"
        "hiptemper tune conv2d.hip --problem resnet50.json --device model:mi250x",
    .options = options,
    .options_size = sizeof(tune_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "TEMPLATE",
    .run = run_tune,
};
