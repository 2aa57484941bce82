#include "pipeline/confidence.h"

#include "base/memory.h"
#include "cli/command.h"
#include "cli/commands/predict_times.h"
#include "cli/reports/table.h"
#include "pipeline/predictor_input.h"
#include "pipeline/report.h"
#include "predictor/predictor.h"
#include "predictor/times/time_model.h"
#include "runtime/provider/provider.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct predict_options {
    const char *problem, *kernel, *device, *times, *json;
    uint64_t k, beam;
    double consensus;
    bool explain, unconstrained;
} predict_options;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(predict_options, problem), "TEXT",
     .help = "The problem: 'in_c=64 in_h=56 ...', a value for every field of the model that has no "
             "fallback. Without it the fields are listed."},
    {"k", HT_OPTION_COUNT, offsetof(predict_options, k), "N", .fallback = "10", .min = 1,
     .help = "How many configurations are proposed."},
    {"beam", HT_OPTION_COUNT, offsetof(predict_options, beam), "K", .fallback = "10", .min = 1,
     .help = "Partial answers kept; widened to N at least."},
    {"kernel", HT_OPTION_TEXT, offsetof(predict_options, kernel), "NAME",
     .help = "Which model, when MODEL is a folder."},
    {"device", HT_OPTION_TEXT, offsetof(predict_options, device), "DEVICE",
     .help = "Fills the fields of the machine: device_... of a model that was trained with --db, "
             "the GPU's name of one of a tuning database (amd:gfx90a); of a model of time the "
             "device to predict for (without it: host)."},
    {"times", HT_OPTION_TEXT, offsetof(predict_options, times), "FILE",
     .help = "A model of time of the same template, which proposes along with MODEL, in one list."},
    {"explain", HT_OPTION_FLAG, offsetof(predict_options, explain),
     .help = "Says of each proposal of a model of time, or of a list with one, which model made "
             "it."},
    HT_CONSENSUS_OPTION(predict_options),
    {"no-constraints", HT_OPTION_FLAG, offsetof(predict_options, unconstrained),
     .help = "The network alone: proposals may be illegal, and are marked."},
    {"json", HT_OPTION_JSON, offsetof(predict_options, json), "FILE",
     .help = "Writes the proposals as JSON: to standard output, or to FILE. docs/predict.md "
             "describes it."},
    {0},
};

enum { K_MAX = 1000 };

/* The problem that is asked about. */
typedef struct predict_problem {
    char *text;      /* as given, with the fields of the machine from --device; owned */
    int64_t *fields; /* owned */
} predict_problem;

/* Returns the fields that must be given, as they are given, and those that need not; free(). */
static char *fields_text(const ht_schema *schema) {
    ht_text needed = {0}, others = {0};
    for (size_t i = 0; i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        ht_text *to = field->fallback ? &others : &needed;
        ht_text_printf(to, "%s%s=", to->length ? " " : "", field->name);
        for (size_t v = 0; v < field->name_count; ++v)
            ht_text_printf(to, "%s%s", v ? "|" : "", field->names[v]);
        if (!field->name_count)
            ht_text_append(to, "N");
    }
    if (others.length)
        ht_text_printf(&needed, "; others are worked out where they are not given: %s",
                       others.data);
    ht_text_free(&others);
    return ht_text_take(&needed);
}

static const char machine_prefix[] = "device_";

static bool field_given(const char *text, const char *name) {
    char *value = ht_problem_given(text, name);
    bool found = value != NULL;
    free(value);
    return found;
}

/* Makes the problem's text with the fields of the machine from --device; free(). */
static ht_status problem_text(const predict_options *given, const ht_schema *schema,
                              char **out_text, ht_error *error) {
    ht_device device;
    ht_text text = {0};
    *out_text = NULL;
    if (given->device) {
        ht_status status = ht_device_find(given->device, &device, error);
        if (status != HT_OK)
            return status;
    }
    ht_text_append(&text, given->problem);
    for (size_t i = 0; given->device && i < schema->field_count; ++i) {
        const char *name = schema->fields[i].name;
        int64_t value;
        if (field_given(given->problem, name))
            continue;
        if (ht_text_begins(name, machine_prefix) &&
            ht_device_field_get(&device.fields, name + strlen(machine_prefix), &value))
            ht_text_printf(&text, " %s=%lld", name, (long long)value);
        else if (schema->fields[i].device && schema->fields[i].names &&
                 strcmp(device.provider, "amd") == 0)
            ht_text_printf(&text, " %s=%s", name, device.arch);
    }
    *out_text = ht_text_take(&text);
    return HT_OK;
}

/* Fails if the problem lacks a field of the machine that --device would fill in. */
static ht_status machine_check(const predict_options *given, const ht_schema *schema,
                               ht_error *error) {
    for (size_t i = 0; !given->device && i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        if (!field->fallback && ht_text_begins(field->name, machine_prefix) &&
            !field_given(given->problem, field->name))
            return ht_error_set(error, HT_ERROR_INPUT,
                                "field %s of kernel %s is missing: --device DEVICE fills in the "
                                "fields of the machine (--device host: of this one)",
                                field->name, schema->kernel);
    }
    return HT_OK;
}

static ht_status problem_read(const predict_options *given, const ht_schema *schema,
                              predict_problem *out_problem, ht_error *error) {
    if (!given->problem) {
        char *fields = fields_text(schema);
        ht_error_set(error, HT_ERROR_INPUT, "option --problem is missing; %s takes %s",
                     schema->kernel, fields);
        free(fields);
        return HT_ERROR_INPUT;
    }
    ht_status status = machine_check(given, schema, error);
    if (status == HT_OK)
        status = problem_text(given, schema, &out_problem->text, error);
    if (status == HT_OK)
        status = ht_schema_problem_parse(schema, out_problem->text, out_problem->fields, error);
    return status;
}

static const char *value_text(const ht_schema *schema, size_t param, const ht_proposal *proposal) {
    return schema->params[param].values[proposal->choice[param]].text;
}

static json_t *proposal_json(const ht_schema *schema, const ht_proposal *proposal) {
    json_t *config = json_object();
    for (size_t i = 0; i < schema->param_count; ++i) {
        const ht_param *param = &schema->params[i];
        const ht_param_value *value = &param->values[proposal->choice[i]];
        json_t *json = param->kind == HT_PARAM_INTEGER   ? json_integer(value->number)
                       : param->kind == HT_PARAM_BOOLEAN ? json_boolean(value->number)
                                                         : ht_report_json_text(value->text);
        json_object_set_new(config, param->name, json);
    }
    return json_pack("{s:f, s:f, s:b, s:o}", "log_probability", proposal->log_probability,
                     "probability", exp(proposal->log_probability), "legal", proposal->legal,
                     "config", config);
}

static void proposals_print(const ht_schema *schema, const ht_proposal *proposals, size_t count,
                            FILE *out) {
    size_t columns = 2 + schema->param_count;
    const char **heads = ht_alloc(columns + 1, sizeof *heads);
    const char **cells = ht_alloc(columns + 1, sizeof *cells);
    char *alignment = ht_alloc(columns + 1, 1);
    memset(alignment, 'r', columns);
    heads[0] = "";
    heads[1] = "log-probability";
    for (size_t i = 0; i < schema->param_count; ++i)
        heads[2 + i] = schema->params[i].name;
    ht_table *table = ht_table_new(alignment, heads);
    bool illegal = false;
    for (size_t p = 0; p < count; ++p) {
        char *rank = ht_format("%zu%s", p + 1, proposals[p].legal ? "" : "!");
        char *probability = ht_format("%.4f", proposals[p].log_probability);
        illegal |= !proposals[p].legal;
        cells[0] = rank;
        cells[1] = probability;
        for (size_t i = 0; i < schema->param_count; ++i)
            cells[2 + i] = value_text(schema, i, &proposals[p]);
        ht_table_row(table, cells);
        free(rank);
        free(probability);
    }
    ht_table_finish(table, out, 2);
    if (illegal)
        fprintf(out, "  !  not legal\n");
    free(alignment);
    free(cells);
    free(heads);
}

static json_t *problem_json(const ht_schema *schema, const int64_t *fields) {
    json_t *object = json_object();
    for (size_t i = 0; i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        const char *name = ht_schema_field_name(field, fields[i]);
        json_object_set_new(object, field->name,
                            name           ? ht_report_json_text(name)
                            : field->names ? json_null() /* one that the model does not know */
                                           : json_integer(fields[i]));
    }
    return object;
}

/* Prints how far the first proposal is to be trusted, and puts it into the document. */
static void confidence_tell(const ht_predictor *predictor, const int64_t *fields,
                            double probability, FILE *out, json_t *document) {
    ht_calibration calibration = {0};
    ht_familiarity familiarity = ht_familiar_look(predictor, fields);
    ht_error error = {0};
    bool found;
    if (ht_calibration_read(predictor, &found, &calibration, &error) != HT_OK) {
        ht_report_message("warning: %s: %s", error.file, error.message);
        found = false;
    }
    char *words = found ? ht_confidence_words(&calibration, familiarity, probability)
                        : ht_strdup("confidence: not known: it was not measured for this model; "
                                    "'hiptemper evaluate --calibrate' does it");
    fprintf(out, "  %s\n", words);
    json_object_set_new(document, "confidence",
                        found ? ht_confidence_json(&calibration, familiarity, probability)
                              : json_null());
    free(words);
}

static void warnings_tell(const json_t *warnings) {
    for (size_t i = 0; i < json_array_size(warnings); ++i)
        ht_report_message("warning: %s", json_string_value(json_array_get(warnings, i)));
}

/* Prints the proposals; returns the exit code. */
static int proposals_tell(const ht_command_line *line, const ht_predictor *predictor,
                          const predict_problem *problem, const ht_proposal *proposals,
                          size_t count) {
    const predict_options *given = line->options;
    const ht_schema *schema = ht_predictor_schema(predictor);
    json_t *warnings = ht_familiar_warnings(predictor, problem->fields, problem->text);
    warnings_tell(warnings);
    FILE *out = ht_report_stream(given->json);
    proposals_print(schema, proposals, count, out);
    if (count < given->k)
        fprintf(out, "  no more than %zu are legal\n", count);
    json_t *document = ht_report_json_new("hiptemper-predict", 1);
    json_t *list = json_array();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(list, proposal_json(schema, &proposals[i]));
    json_object_set_new(document, "kernel", ht_report_json_text(schema->kernel));
    json_object_set_new(document, "model", ht_report_json_text(line->operands[0]));
    json_object_set_new(document, "problem", problem_json(schema, problem->fields));
    json_object_set_new(document, "warnings", warnings);
    json_object_set_new(document, "proposals", list);
    if (!given->unconstrained)
        confidence_tell(predictor, problem->fields, exp(proposals[0].log_probability), out,
                        document);
    int code = ht_report_json(given->json, document);
    json_decref(document);
    return code;
}

/* Says that nothing is legal. Fields that no training data has are often why. */
static int empty_tell(const ht_predictor *predictor, const predict_problem *problem,
                      ht_error *error) {
    json_t *warnings = ht_familiar_warnings(predictor, problem->fields, problem->text);
    warnings_tell(warnings);
    json_decref(warnings);
    ht_error_set(error, HT_ERROR_INPUT,
                 "option --problem: no configuration of %s is legal: the constraints that the "
                 "model was trained with leave none for these sizes; give other sizes",
                 ht_predictor_schema(predictor)->kernel);
    return ht_report_error(error);
}

static int predict(const ht_command_line *line, const ht_predictor *predictor, ht_error *error) {
    const predict_options *given = line->options;
    const ht_schema *schema = ht_predictor_schema(predictor);
    predict_problem problem = {.fields = ht_alloc(schema->field_count + 1, sizeof(int64_t))};
    ht_proposal *proposals = ht_alloc(given->k, sizeof *proposals);
    ht_proposer *proposer = NULL;
    ht_beam_settings beam = {.width = given->beam > given->k ? given->beam : given->k,
                             .constrained = !given->unconstrained,
                             .consensus = given->consensus};
    ht_status status = problem_read(given, schema, &problem, error);
    if (status == HT_OK)
        status = ht_proposer_new(predictor, NULL, &beam, &proposer, error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(error);
    size_t count =
        status == HT_OK ? ht_proposer_propose(proposer, problem.fields, given->k, proposals) : 0;
    if (count)
        code = proposals_tell(line, predictor, &problem, proposals, count);
    else if (status == HT_OK)
        code = empty_tell(predictor, &problem, error);
    ht_proposer_free(proposer);
    free(proposals);
    free(problem.fields);
    free(problem.text);
    return code;
}

/* Asks a model of time, alone or along with the sequence model. */
static int predict_times(const ht_command_line *line, const char *times,
                         const ht_predictor *predictor) {
    const predict_options *given = line->options;
    const ht_predict_times request = {
        .times = times,
        .sequence = predictor ? line->operands[0] : NULL,
        .predictor = predictor,
        .problem = given->problem,
        .device = given->device,
        .k = given->k,
        .beam = {.width = given->beam > given->k ? given->beam : given->k,
                 .constrained = !given->unconstrained,
                 .consensus = given->consensus},
        .explain = given->explain,
        .json = given->json,
    };
    return ht_predict_times_run(&request);
}

static int run_predict(const ht_command_line *line) {
    const predict_options *given = line->options;
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    ht_status status = HT_OK;
    if (given->k > K_MAX || given->beam > K_MAX)
        status = ht_error_set(&error, HT_ERROR_INPUT, "-k and --beam are at most %d", K_MAX);
    if (status == HT_OK && ht_time_model_is(line->operands[0]))
        return predict_times(line, line->operands[0], NULL);
    if (status == HT_OK)
        status = ht_predictor_find(line->operands[0], given->kernel, &predictor, &error);
    if (status != HT_OK)
        return ht_report_error(&error);
    int code = given->times ? predict_times(line, given->times, predictor)
                            : predict(line, predictor, &error);
    ht_predictor_free(predictor);
    return code;
}

const ht_command ht_command_predict = {
    .name = "predict",
    .summary = "ask a model for good configurations of a problem",
    .usage = "[OPTION]... MODEL --problem TEXT",
    .description =
        "Prints the configurations that a trained model finds likeliest to be the best for a "
        "problem, likeliest first, all of them legal. Log-probabilities are of the model under its "
        "constraints: over all legal configurations the probabilities sum to 1. Fields that lie "
        "outside of what the model was trained on are reported.\n\n"
        "MODEL is a model file, of a sequence model or of time ('hiptemper tune --learn'); or a "
        "folder, or 'builtin' for the models that come with "
        "hiptemper, with --kernel.",
    .examples =
        "hiptemper predict 1x1u.model --problem 'in_c=64 in_h=56 in_w=56 out_c=256 ...' -k 5\n"
        "hiptemper predict builtin --kernel ConvAsm1x1U --problem '...' --json\n"
        "hiptemper predict conv2d.model --device host --problem 'N=1 C=16 H=14 W=14 K=16 R=3 S=3'",
    .options = options,
    .options_size = sizeof(predict_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "MODEL",
    .run = run_predict,
};
