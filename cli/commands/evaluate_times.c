#include "cli/commands/evaluate_times.h"

#include "base/memory.h"
#include "cli/command.h"
#include "cli/reports/table.h"
#include "pipeline/times_assess.h"

#include <stdlib.h>

enum { LEAST = 20 }; /* configurations of a job: of fewer the best is hardly known */

static json_t *reached_json(const ht_times_reached *reached) {
    const ht_share *exact = &reached->exact;
    return json_pack("{s:f, s:[f, f], s:f, s:f, s:[f, f]}", "mean", reached->mean, "interval",
                     reached->lo, reached->hi, "low", reached->low, "exact", exact->share,
                     "exact_interval", exact->lo, exact->hi);
}

static json_t *assessment_json(const ht_time_model *model, const char *path, const char *database,
                               const ht_times_assessment *assessment) {
    json_t *document = ht_report_json_new("hiptemper-evaluate", 1), *efficiency = json_object();
    for (size_t a = 0; a < HT_TIMES_AT; ++a) {
        char *name = ht_format("%zu", ht_times_at[a]);
        json_object_set_new(efficiency, name, reached_json(&assessment->at[a]));
        free(name);
    }
    json_object_set_new(document, "kernel",
                        ht_report_json_text(ht_time_model_facts(model)->kernel));
    json_object_set_new(document, "model", ht_report_json_text(path));
    json_object_set_new(document, "data", ht_report_json_text(database));
    json_object_set_new(document, "jobs", json_integer((json_int_t)assessment->jobs));
    json_object_set_new(document, "evaluations", json_integer((json_int_t)assessment->evaluations));
    json_object_set_new(document, "efficiency", efficiency);
    return document;
}

static void assessment_print(const char *database, const ht_times_assessment *assessment,
                             FILE *out) {
    fprintf(out, "%s: %zu problems, %zu configurations\n", database, assessment->jobs,
            assessment->evaluations);
    const char *const heads[] = {"choices",          "efficiency",    "95 % interval",
                                 "tenth percentile", "exact match %", "95 % interval"};
    ht_table *table = ht_table_new("rrrrrr", (const char *const *)heads);
    for (size_t a = 0; a < HT_TIMES_AT; ++a) {
        const ht_times_reached *at = &assessment->at[a];
        char *cells[] = {ht_format("%zu", ht_times_at[a]),
                         ht_format("%.3f", at->mean),
                         ht_format("[%.3f, %.3f]", at->lo, at->hi),
                         ht_format("%.3f", at->low),
                         ht_format("%.1f", 100 * at->exact.share),
                         ht_format("[%.1f, %.1f]", 100 * at->exact.lo, 100 * at->exact.hi)};
        ht_table_row(table, (const char *const *)cells);
        for (size_t c = 0; c < sizeof cells / sizeof *cells; ++c)
            free(cells[c]);
    }
    ht_table_finish(table, out, 2);
    fprintf(out,
            "  efficiency: the best time known over that of the best choice; choices are among "
            "the configurations that were timed\n");
}

static ht_status database_evaluate(const ht_time_model *model, const char *path,
                                   const ht_template *template, const char *database,
                                   json_t *documents, FILE *out, ht_error *error) {
    ht_device device;
    ht_times_assessment assessment;
    ht_status status = ht_device_find("host", &device, error);
    if (status == HT_OK)
        status = ht_times_assess(model, template, &device, database, LEAST, &assessment, error);
    if (status != HT_OK)
        return status;
    assessment_print(database, &assessment, out);
    json_array_append_new(documents, assessment_json(model, path, database, &assessment));
    return HT_OK;
}

int ht_evaluate_times(const char *path, char *const *databases, size_t count, const char *json) {
    ht_time_model *model = NULL;
    ht_template *templates = NULL;
    ht_error error = {0};
    json_t *documents = json_array();
    ht_status status = ht_times_open_file(path, &model, &templates, &error);
    for (size_t i = 0; status == HT_OK && i < count; ++i)
        status = database_evaluate(model, path, &templates[0], databases[i], documents,
                                   ht_report_stream(json), &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    if (status == HT_OK)
        code = ht_report_json(json, count == 1 ? json_array_get(documents, 0) : documents);
    json_decref(documents);
    ht_template_free(templates, templates ? 1 : 0);
    ht_time_model_free(model);
    return code;
}
