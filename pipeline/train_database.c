/* A template's problems and their best configurations, from the tuning database. */
#include "pipeline/training.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/report.h"
#include "predictor/data/match.h"
#include "runtime/provider/provider.h"
#include "runtime/store/database_best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A problem's best configuration and up to seven that take at most 10 % longer; jobs of fewer than
 * ten evaluations hardly know a good one. */
static const double within = 1.1, softness = 0.03;
enum { JOB_MOST = 8, JOB_LEAST = 10 };

typedef struct source {
    ht_template *templates; /* owned */
    size_t template_count;
    const ht_template *template;
    ht_device device;
    ht_match *match; /* owned */
    ht_database_best best;
    size_t foreign; /* rows of another form of the template */
} source;

static ht_status template_choose(const ht_train_options *given, source *source, ht_error *error) {
    const char *path = given->template_path;
    ht_status status = ht_error_named(
        ht_template_load(path, &source->templates, &source->template_count, error), error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < source->template_count; ++i) {
        const ht_template *template = &source->templates[i];
        if (given->kernel ? strcmp(template->name, given->kernel) == 0
                          : source->template_count == 1)
            source->template = template;
    }
    if (source->template)
        return HT_OK;
    ht_text names = {0};
    for (size_t i = 0; source->templates && i < source->template_count; ++i)
        ht_text_printf(&names, "%s%s", i ? ", " : "", source->templates[i].name);
    status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                             "--kernel must say which template; there are: %s",
                             names.length ? names.data : "none");
    ht_text_free(&names);
    return status;
}

/* Takes the rows of one problem as records. Their weights sum to 1, the faster the more. */
static ht_status problem_take(source *source, size_t first, size_t count, ht_dataset *dataset,
                              ht_error *error) {
    const ht_database_best_row *rows = source->best.rows + first;
    ht_problem problem;
    ht_status status =
        ht_problem_parse(&source->template->problem, rows[0].problem, &problem, NULL);
    if (status != HT_OK) {
        source->foreign += count;
        return HT_OK;
    }
    uint16_t *choices = ht_alloc(count * HT_PARAM_MAX, sizeof *choices);
    double *weights = ht_alloc(count, sizeof *weights), total = 0;
    int64_t *fields = ht_alloc(dataset->schema->field_count + 1, sizeof *fields);
    for (size_t i = 0; i < count; ++i) {
        ht_config config;
        bool good = ht_config_parse(source->template, rows[i].config, &config, NULL) == HT_OK &&
                    ht_match_choice(source->match, &config, choices + i * HT_PARAM_MAX);
        weights[i] = good ? exp(-(rows[i].over - 1) / softness) : 0;
        source->foreign += !good;
        total += weights[i];
    }
    status = ht_match_fields(source->match, &problem, &source->device.fields, fields, error);
    for (size_t i = 0; status == HT_OK && i < count; ++i) {
        if (weights[i] > 0)
            ht_dataset_append(dataset, fields, choices + i * HT_PARAM_MAX,
                              (float)(weights[i] / total));
    }
    ht_problem_free(&problem);
    free(fields);
    free(weights);
    free(choices);
    return status;
}

static ht_status rows_take(source *source, ht_dataset *dataset, ht_error *error) {
    const ht_database_best *best = &source->best;
    ht_status status = HT_OK;
    for (size_t first = 0, end; status == HT_OK && first < best->count; first = end) {
        end = first + 1;
        while (end < best->count && strcmp(best->rows[end].problem, best->rows[first].problem) == 0)
            ++end;
        status = problem_take(source, first, end - first, dataset, error);
    }
    return status;
}

static ht_status nothing_found(const source *source, const ht_train_options *given,
                               ht_error *error) {
    return ht_error_set_at(
        error, HT_ERROR_INPUT, given->database, 0, 0,
        "has nothing to learn from for template %s on device %s: %zu jobs with at least %d "
        "evaluations, %zu with fewer, %zu configurations of another form of the template; "
        "'hiptemper tune --db' makes some",
        source->template->name, source->device.name, source->best.jobs, JOB_LEAST,
        source->best.jobs_left_out, source->foreign);
}

static ht_status dataset_make(ht_training *training, source *source, ht_dataset *out_dataset,
                              ht_error *error) {
    const ht_train_options *given = training->given;
    const char *name = source->template->name;
    ht_status status =
        ht_schema_from_template(source->template, name, &training->basis.schema, error);
    if (status == HT_OK)
        status = ht_match_make(training->basis.schema, source->template, &source->match, error);
    ht_database_best_choice choice = {.kernel = name,
                                      .device = source->device.name,
                                      .least = JOB_LEAST,
                                      .within = within,
                                      .most = JOB_MOST};
    if (status == HT_OK)
        status = ht_database_read_best(given->database, &choice, &source->best, error);
    if (status != HT_OK)
        return status;
    *out_dataset = (ht_dataset){.schema = training->basis.schema};
    status = rows_take(source, out_dataset, error);
    if (status == HT_OK && out_dataset->count == 0)
        status = nothing_found(source, given, error);
    if (status == HT_OK)
        fprintf(training->out,
                "  %-10s %zu jobs of template %s on %s (%zu with fewer than %d "
                "evaluations left out)\n",
                "database", source->best.jobs, name, source->device.name,
                source->best.jobs_left_out, JOB_LEAST);
    if (status != HT_OK)
        ht_dataset_free(out_dataset);
    return status;
}

ht_status ht_training_read_database(ht_training *training, ht_dataset *out_dataset,
                                    ht_error *error) {
    const ht_train_options *given = training->given;
    source source = {0};
    ht_status status = template_choose(given, &source, error);
    if (status == HT_OK)
        status = ht_device_find(given->device, &source.device, error);
    if (status == HT_OK)
        status = dataset_make(training, &source, out_dataset, error);
    if (status == HT_OK) {
        training->basis.schema_from = ht_format("template %s", source.template->name);
        json_array_append_new(training->data.read,
                              ht_report_json_text(ht_path_name(given->database)));
        out_dataset->skipped = source.foreign;
    }
    ht_database_best_free(&source.best);
    ht_match_free(source.match);
    ht_template_free(source.templates, source.template_count);
    return status;
}
