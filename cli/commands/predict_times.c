#include "cli/commands/predict_times.h"

#include "base/memory.h"
#include "cli/command.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/table.h"
#include "pipeline/times.h"
#include "predictor/data/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A configuration with the reasons for it. */
typedef struct proposed {
    ht_config config;
    size_t by_time;         /* its place among the choices of the model of time; 0: none */
    size_t by_sequence;     /* and among those of the sequence model */
    double over, spread;    /* times_set: next to the predicted fastest, by each member's word */
    double log_probability; /* of the sequence model */
} proposed;

/* Everything that a prediction is about; owned but `given`. */
typedef struct predicting {
    const ht_predict_times *given;
    ht_time_model *model;
    ht_template *templates;
    ht_device device;
    char *device_name;
    ht_problem problem;
    ht_binding binding;
    ht_space *space;
    ht_time_device numbers;
    ht_columns *columns;
    ht_time_choice *choices;
    size_t choice_count;
    proposed *list;
    size_t count;
} predicting;

static void predicting_end(predicting *self) {
    free(self->list);
    free(self->choices);
    ht_columns_free(self->columns);
    ht_space_free(self->space);
    ht_problem_free(&self->problem);
    free(self->device_name);
    ht_template_free(self->templates, self->templates ? 1 : 0);
    ht_time_model_free(self->model);
}

static ht_status problem_read(predicting *self, ht_error *error) {
    const ht_template *template = &self->templates[0];
    self->binding = (ht_binding){template, NULL, &self->device.fields};
    if (!template->problem.name)
        return HT_OK;
    if (!self->given->problem) {
        ht_text fields = {0};
        ht_problem_spec_print(&template->problem, &fields);
        ht_status status = ht_error_set(error, HT_ERROR_INPUT,
                                        "option --problem is missing; the problem of %s is %s",
                                        template->name, fields.data ? fields.data : "");
        ht_text_free(&fields);
        return status;
    }
    self->binding.problem = &self->problem;
    return ht_problem_parse(&template->problem, self->given->problem, &self->problem, error);
}

static ht_status predicting_begin(predicting *self, ht_error *error) {
    const char *device = self->given->device ? self->given->device : "host";
    ht_status status =
        ht_times_open_file(self->given->times, &self->model, &self->templates, error);
    if (status == HT_OK)
        status = ht_device_find(device, &self->device, error);
    if (status == HT_OK)
        status = problem_read(self, error);
    if (status == HT_OK)
        status = ht_space_build(&self->binding, 0, &self->space, error);
    if (status != HT_OK)
        return status;
    self->device_name = ht_times_device(&self->device);
    self->columns = ht_times_columns(self->space, &self->device, &self->numbers);
    self->choices = ht_alloc(self->given->k, sizeof *self->choices);
    self->choice_count = ht_time_model_choose(self->model, self->space, self->columns,
                                              ht_time_model_knows(self->model, self->device_name),
                                              self->given->k, self->choices);
    return HT_OK;
}

static proposed *proposed_find(predicting *self, const ht_config *config) {
    for (size_t i = 0; i < self->count; ++i)
        if (ht_config_equal(&self->list[i].config, config))
            return &self->list[i];
    HT_GROW(self->list, self->count);
    self->list[self->count] = (proposed){.config = *config};
    return &self->list[self->count++];
}

/* Asks the sequence model; its proposals that the template allows. */
static ht_status sequence_ask(const predicting *self, ht_config *out_configs, double *out_logs,
                              size_t *out_count, ht_error *error) {
    const ht_predictor *predictor = self->given->predictor;
    const ht_schema *schema = ht_predictor_schema(predictor);
    ht_match *match = NULL;
    ht_proposer *proposer = NULL;
    int64_t *fields = ht_alloc(schema->field_count + 1, sizeof *fields);
    ht_proposal *proposals = ht_alloc(self->given->k, sizeof *proposals);
    *out_count = 0;
    ht_status status = ht_match_make(schema, &self->templates[0], &match, error);
    if (status == HT_OK)
        status = ht_match_fields(match, self->binding.problem, &self->device.fields, fields, error);
    if (status == HT_OK)
        status = ht_proposer_new(predictor, NULL, &self->given->beam, &proposer, error);
    size_t count =
        status == HT_OK ? ht_proposer_propose(proposer, fields, self->given->k, proposals) : 0;
    for (size_t i = 0; i < count; ++i) {
        ht_config config = ht_match_config(match, proposals[i].choice);
        if (!ht_space_legal(self->space, &config))
            continue;
        out_configs[*out_count] = config;
        out_logs[(*out_count)++] = proposals[i].log_probability;
    }
    ht_proposer_free(proposer);
    ht_match_free(match);
    free(fields);
    free(proposals);
    return status;
}

/* Puts both lists into one, by turns. */
static void lists_join(predicting *self, const ht_config *sequence, const double *logs,
                       size_t sequence_count) {
    for (size_t i = 0; i < self->given->k; ++i) {
        if (i < self->choice_count)
            proposed_find(self, &self->choices[i].config)->by_time = i + 1;
        if (i < sequence_count) {
            proposed *of = proposed_find(self, &sequence[i]);
            of->by_sequence = i + 1;
            of->log_probability = logs[i];
        }
    }
    if (self->count > self->given->k)
        self->count = self->given->k;
}

/* Sets what the model of time predicts of all that are proposed. */
static void times_set(predicting *self) {
    size_t want = self->count + 1, members = ht_time_model_members(self->model);
    ht_config *configs = ht_alloc(want, sizeof *configs);
    float *logs = ht_alloc(members * want, sizeof *logs);
    for (size_t i = 0; i < self->count; ++i)
        configs[i] = self->list[i].config;
    configs[self->count] = self->choices[0].config; /* the predicted fastest */
    ht_time_model_ask(self->model, self->columns, configs, want, logs);
    for (size_t i = 0; i < self->count; ++i) {
        double mean = 0, squares = 0;
        for (size_t m = 0; m < members; ++m) {
            double over = (double)(logs[m * want + i] - logs[m * want + self->count]);
            mean += over / (double)members;
            squares += over * over / (double)members;
        }
        self->list[i].over = exp(mean);
        self->list[i].spread = sqrt(fmax(0, squares - mean * mean));
    }
    free(configs);
    free(logs);
}

/* "model of time: predicted fastest", "sequence model: 2nd likeliest"; free(). */
static char *reason_of(const proposed *of) {
    ht_text text = {0};
    if (of->by_time)
        ht_text_printf(&text, "model of time: choice %zu", of->by_time);
    if (of->by_sequence)
        ht_text_printf(&text, "%ssequence model: proposal %zu, probability %.3g",
                       of->by_time ? "; " : "", of->by_sequence, exp(of->log_probability));
    return ht_text_take(&text);
}

static void list_print(const predicting *self, FILE *out) {
    const char *const heads[] = {"", "time", "+-", "configuration", "why"};
    bool explain = self->given->explain;
    ht_table *table = ht_table_new(explain ? "rrrll" : "rrrl", (const char *const *)heads);
    for (size_t i = 0; i < self->count; ++i) {
        const proposed *of = &self->list[i];
        char *rank = ht_format("%zu", i + 1), *over = ht_format("%.2fx", of->over);
        char *spread = ht_format("%.0f %%", 100 * of->spread);
        char *config = ht_config_string(&self->templates[0], &of->config), *why = reason_of(of);
        ht_table_row(table, (const char *[]){rank, over, spread, config, why});
        free(rank);
        free(over);
        free(spread);
        free(config);
        free(why);
    }
    ht_table_finish(table, out, 2);
    fprintf(out,
            "  time: predicted, over that of the predicted fastest; +-: how far the members of "
            "the model are apart\n");
}

static json_t *proposed_json(const predicting *self, const proposed *of) {
    json_t *object =
        json_pack("{s:f, s:f, s:b, s:o}", "over", of->over, "spread", of->spread, "legal", true,
                  "config", ht_config_json(&self->templates[0], &of->config));
    json_t *reasons = json_array();
    if (of->by_time)
        json_array_append_new(reasons, json_pack("{s:s, s:I}", "by", "model of time", "place",
                                                 (json_int_t)of->by_time));
    if (of->by_sequence)
        json_array_append_new(reasons, json_pack("{s:s, s:I, s:f}", "by", "sequence model", "place",
                                                 (json_int_t)of->by_sequence, "log_probability",
                                                 of->log_probability));
    json_object_set_new(object, "reasons", reasons);
    return object;
}

static json_t *problem_json(const predicting *self) {
    json_t *object = json_object();
    for (size_t i = 0; i < self->problem.value_count; ++i)
        json_object_set_new(object, self->problem.values[i].name,
                            json_integer(self->problem.values[i].value));
    return object;
}

static int list_tell(const predicting *self) {
    char **sentences = NULL;
    size_t count =
        ht_times_unseen(self->model, self->binding.problem, self->device_name, &sentences);
    json_t *document = ht_report_json_new("hiptemper-predict", 1);
    json_t *warnings = json_array(), *list = json_array();
    for (size_t i = 0; i < count; ++i) {
        ht_report_message("warning: %s", sentences[i]);
        json_array_append_new(warnings, ht_report_json_text(sentences[i]));
        free(sentences[i]);
    }
    free(sentences);
    list_print(self, ht_report_stream(self->given->json));
    for (size_t i = 0; i < self->count; ++i)
        json_array_append_new(list, proposed_json(self, &self->list[i]));
    json_object_set_new(document, "kernel", ht_report_json_text(self->templates[0].name));
    json_object_set_new(document, "model", ht_report_json_text(self->given->sequence));
    json_object_set_new(document, "times", ht_report_json_text(self->given->times));
    json_object_set_new(document, "problem", problem_json(self));
    json_object_set_new(document, "warnings", warnings);
    json_object_set_new(document, "proposals", list);
    int code = ht_report_json(self->given->json, document);
    json_decref(document);
    return code;
}

int ht_predict_times_run(const ht_predict_times *given) {
    predicting self = {.given = given};
    ht_error error = {0};
    ht_config *sequence = ht_alloc(given->k, sizeof *sequence);
    double *logs = ht_alloc(given->k, sizeof *logs);
    size_t count = 0;
    ht_status status = predicting_begin(&self, &error);
    if (status == HT_OK && given->predictor)
        status = sequence_ask(&self, sequence, logs, &count, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    if (status == HT_OK) {
        lists_join(&self, sequence, logs, count);
        times_set(&self);
        code = list_tell(&self);
    }
    free(sequence);
    free(logs);
    predicting_end(&self);
    return code;
}
