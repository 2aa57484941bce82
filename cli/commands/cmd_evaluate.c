#include "cli/commands/evaluate_times.h"
#include "cli/reports/evaluation.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "pipeline/confidence.h"
#include "pipeline/option_list.h"
#include "pipeline/progress.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "predictor/times/time_model.h"

#include <stdlib.h>
#include <string.h>

typedef struct evaluate_options {
    const char *json;
    uint64_t beam, threads;
    double consensus;
    bool unconstrained, calibrate;
    ht_option_list dropped;
    ht_fold_options fold;
} evaluate_options;

static const ht_option options[] = {
    {"beam", HT_OPTION_COUNT, offsetof(evaluate_options, beam), "K", .fallback = "10", .min = 1,
     .help = "Partial answers kept. Of a beam narrower than 10, the largest k of top-k, the first "
             "proposals are its own and the others those of a beam of 10."},
    HT_CONSENSUS_OPTION(evaluate_options),
    {"no-constraints", HT_OPTION_FLAG, offsetof(evaluate_options, unconstrained),
     .help = "The network alone: proposals may be illegal."},
    {"drop-constraint", HT_OPTION_LIST, offsetof(evaluate_options, dropped), "N",
     .help = "Leaves out the model's constraint N, counted from 1 in the order of its schema; may "
             "be repeated."},
    HT_FOLD_OPTIONS(evaluate_options, fold,
                    "Tests on part I of K only, which 'hiptemper train --fold I/K' left out."),
    {"calibrate", HT_OPTION_FLAG, offsetof(evaluate_options, calibrate),
     .help =
         "Keeps how often first proposals were right, by how sure the model was of them, next to "
         "the model (MODEL.reliability.json), for 'hiptemper predict' to print. The records "
         "must be some that the model has not learnt from."},
    {"threads", HT_OPTION_COUNT, offsetof(evaluate_options, threads), "N", .fallback = "0",
     .help = "Records at the same time; 0 is one a core. Times are of one thread."},
    {"json", HT_OPTION_JSON, offsetof(evaluate_options, json), "FILE",
     .help = "Writes the measures as JSON: to standard output, or to FILE. docs/evaluate.md "
             "describes it."},
    {0},
};

/* The counts of one model so far. */
typedef struct calibrated {
    ht_predictor *predictor; /* owned */
    ht_calibration calibration;
    json_t *data; /* names of the files; owned */
} calibrated;

typedef struct evaluation {
    const evaluate_options *given;
    const char *model;
    ht_progress *progress;
    double told; /* clock: the last progress */
    ht_evaluated_list list;
    calibrated *calibrations; /* of --calibrate */
    size_t calibration_count;
} evaluation;

static const double progress_interval = 0.2; /* seconds */

static void on_progress(void *context, size_t done, size_t count) {
    evaluation *run = context;
    if (ht_clock_seconds() - run->told < progress_interval)
        return;
    run->told = ht_clock_seconds();
    char *text = ht_format("%zu of %zu records", done, count);
    ht_progress_phase(run->progress, text);
    free(text);
}

static bool on_stop(void *context) {
    (void)context;
    return ht_interrupted;
}

/* Reads the constraints to leave out, as indices; free(). */
static ht_status dropped_read(const evaluate_options *given, const ht_schema *schema,
                              size_t **out_skip, ht_error *error) {
    *out_skip = ht_alloc(given->dropped.count + 1, sizeof **out_skip);
    for (size_t i = 0; i < given->dropped.count; ++i) {
        const char *text = given->dropped.items[i];
        char *end;
        unsigned long number = strtoul(text, &end, 10);
        if (*end || text[0] < '0' || text[0] > '9' || number < 1 || number > schema->require_count)
            return ht_error_set(
                error, HT_ERROR_INPUT,
                "option --drop-constraint: '%.40s' is not one of the %zu constraints "
                "of %s",
                text, schema->require_count, schema->kernel);
        (*out_skip)[i] = number - 1;
    }
    return HT_OK;
}

static ht_status rules_make(const evaluate_options *given, const ht_schema *schema,
                            ht_rules **out_rules, ht_error *error) {
    size_t *skip = NULL;
    ht_status status = dropped_read(given, schema, &skip, error);
    if (status == HT_OK)
        status = ht_rules_compile(schema, skip, given->dropped.count, out_rules, error);
    free(skip);
    return status;
}

static ht_status dataset_read(const evaluate_options *given, const ht_schema *schema, char *path,
                              ht_dataset *out_dataset, ht_error *error) {
    ht_status status = ht_data_read(schema, &path, 1, out_dataset, error);
    if (status == HT_OK)
        status = ht_fold_options_group(&given->fold, out_dataset, error);
    if (status == HT_OK)
        status = ht_fold_options_keep(&given->fold, true, out_dataset, error);
    if (status == HT_OK && out_dataset->count == 0)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "there are no records to evaluate on");
    return status;
}

static void result_add(evaluation *run, const char *path, const ht_schema *schema,
                       const ht_dataset *dataset, const ht_assessment *assessment) {
    ht_evaluated_list *list = &run->list;
    HT_GROW(list->items, list->count);
    ht_evaluated *item = &list->items[list->count++];
    *item = (ht_evaluated){.path = path,
                           .model = run->model,
                           .kernel = ht_strdup(schema->kernel),
                           .params = ht_alloc(schema->param_count + 1, sizeof(char *)),
                           .param_count = schema->param_count,
                           .skipped = dataset->skipped,
                           .assessment = *assessment};
    for (size_t i = 0; i < schema->param_count; ++i)
        item->params[i] = ht_strdup(schema->params[i].name);
    item->refused_by = ht_illegal_text(&assessment->refused, schema);
}

/* Returns what was measured of the model so far. Takes the predictor of a new one. */
static calibrated *calibration_find(evaluation *run, ht_predictor **predictor) {
    for (size_t i = 0; i < run->calibration_count; ++i)
        if (strcmp(ht_predictor_path(run->calibrations[i].predictor),
                   ht_predictor_path(*predictor)) == 0)
            return &run->calibrations[i];
    HT_GROW(run->calibrations, run->calibration_count);
    calibrated *of = &run->calibrations[run->calibration_count++];
    *of = (calibrated){.predictor = *predictor, .data = json_array()};
    *predictor = NULL;
    return of;
}

/* Adds what was measured to what is known of the model, and asks once more with the GPU's name
 * withheld. Takes the predictor of a model that is new. */
static ht_status file_calibrate(evaluation *run, ht_predictor **predictor, const char *path,
                                ht_dataset *dataset, const ht_rules *rules,
                                const ht_beam_settings *beam, const ht_assessment *known,
                                ht_error *error) {
    const ht_predictor *asked = *predictor;
    ht_assessment hidden = {0};
    ht_status status = HT_OK;
    calibrated *of = calibration_find(run, predictor);
    ht_calibration_add(&of->calibration, dataset, &known->reliability);
    if (ht_calibration_hide(dataset))
        status = ht_predictor_evaluate(asked, dataset, rules, beam, (uint32_t)run->given->threads,
                                       on_progress, on_stop, run, &hidden, error);
    if (status != HT_OK)
        return status;
    ht_reliability_add(&of->calibration.hidden, &hidden.reliability);
    json_array_append_new(of->data, ht_report_json_text(ht_path_name(path)));
    return HT_OK;
}

static ht_status calibrations_write(const evaluation *run, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < run->calibration_count && status == HT_OK; ++i) {
        const calibrated *of = &run->calibrations[i];
        status = ht_calibration_write(of->predictor, &of->calibration, of->data, error);
    }
    return status;
}

static void calibrations_free(evaluation *run) {
    for (size_t i = 0; i < run->calibration_count; ++i) {
        ht_predictor_free(run->calibrations[i].predictor);
        json_decref(run->calibrations[i].data);
    }
    free(run->calibrations);
}

static ht_status file_evaluate(evaluation *run, char *path, ht_error *error) {
    const evaluate_options *given = run->given;
    char *kernel = ht_dataset_kernel(path);
    ht_predictor *predictor = NULL;
    ht_rules *rules = NULL;
    ht_dataset dataset = {0};
    ht_status status = ht_predictor_find(run->model, kernel, &predictor, error);
    const ht_schema *schema = status == HT_OK ? ht_predictor_schema(predictor) : NULL;
    if (schema)
        status = rules_make(given, schema, &rules, error);
    if (schema && status == HT_OK)
        status = dataset_read(given, schema, path, &dataset, error);
    if (schema && status == HT_OK) {
        ht_beam_settings beam = {.width = run->list.beam,
                                 .constrained = !given->unconstrained,
                                 .consensus = given->consensus};
        ht_assessment assessment = {0};
        ht_progress_begin(run->progress, ht_path_name(path));
        status = ht_predictor_evaluate(predictor, &dataset, rules, &beam, (uint32_t)given->threads,
                                       on_progress, on_stop, run, &assessment, error);
        ht_progress_pause(run->progress);
        if (status == HT_OK && ht_interrupted)
            status = ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
        if (status == HT_OK)
            result_add(run, path, schema, &dataset, &assessment);
        if (status == HT_OK && given->calibrate)
            status =
                file_calibrate(run, &predictor, path, &dataset, rules, &beam, &assessment, error);
    }
    ht_dataset_free(&dataset);
    ht_rules_free(rules);
    ht_predictor_free(predictor);
    free(kernel);
    return status;
}

static int finish(const evaluation *run, FILE *out) {
    if (!run->list.count)
        return HT_EXIT_OK;
    ht_evaluated_print(&run->list, out);
    json_t *document = ht_evaluated_json(&run->list);
    int code = ht_report_json(run->given->json, document);
    json_decref(document);
    return code;
}

static int run_evaluate(const ht_command_line *line) {
    const evaluate_options *given = line->options;
    size_t files = line->operand_count - 1;
    FILE *out = ht_report_stream(given->json);
    evaluation run = {.given = given,
                      .model = line->operands[0],
                      .progress = ht_progress_new(out, files),
                      .list = {.beam = given->beam,
                               .constrained = !given->unconstrained,
                               .dropped = &given->dropped,
                               .fold = &given->fold}};
    ht_error error = {0};
    if (ht_time_model_is(line->operands[0])) {
        ht_progress_free(run.progress);
        return ht_evaluate_times(line->operands[0], line->operands + 1, files, given->json);
    }
    ht_status status = ht_fold_options_check(&given->fold, &error);
    if (status == HT_OK && given->calibrate && (given->unconstrained || given->dropped.count))
        status = ht_error_set(&error, HT_ERROR_INPUT,
                              "option --calibrate is for the model with all its constraints");
    for (size_t i = 0; status == HT_OK && i < files; ++i)
        status = file_evaluate(&run, line->operands[1 + i], &error);
    if (status == HT_OK)
        status = calibrations_write(&run, &error);
    ht_progress_free(run.progress);
    int code = HT_EXIT_OK;
    if (status == HT_OK || status == HT_ERROR_INTERRUPTED)
        code = finish(&run, out);
    if (status != HT_OK)
        code = ht_report_error(&error);
    ht_evaluated_free(&run.list);
    calibrations_free(&run);
    return code;
}

const ht_command ht_command_evaluate = {
    .name = "evaluate",
    .summary = "measure how often a model proposes the tuned configurations",
    .usage = "[OPTION]... MODEL DATA...",
    .description =
        "Asks a model for every problem of the data files and compares its proposals with the "
        "tuned configurations: the mean share of parameters that the first proposal has right, "
        "how often it is right in all of them, and how often one of the first 3, 5 and 10 "
        "proposals is; each also with aliases (configurations that make the same kernel) counted "
        "as equal. Also the share of legal proposals and the time of a prediction.\n\n"
        "MODEL is a model file; or a folder, or 'builtin' for the models that come with "
        "hiptemper: then the model is picked by what stands before the first '.' of the data "
        "file's name.\n\n"
        "Of a model of time ('hiptemper tune --learn') DATA are tuning databases, and the measure "
        "is efficiency: the best time known over that of the best of its first 1, 5 and 10 choices "
        "among the configurations that were timed, on each problem with at least 20 of them.",
    .examples = "hiptemper evaluate 1x1u.model ConvAsm1x1U.FP32.gfx900.tsv.gz\n"
                "hiptemper evaluate builtin ConvAsm*.tsv.gz --json\n"
                "hiptemper evaluate fold1.model ConvAsm1x1U.*.tsv.gz --fold 1/5 --beam 20",
    .options = options,
    .options_size = sizeof(evaluate_options),
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .operand = "MODEL or DATA",
    .run = run_evaluate,
};
