#include "pipeline/expectation.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/times.h"
#include "runtime/store/database_earlier.h"
#include "runtime/store/database_export.h"
#include "search/recording.h"
#include "search/trust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs on their way into the sources of one search. */
typedef struct gathering {
    const ht_template *template;
    const ht_database_key *key;
    ht_earlier *sources;
    ht_pair_earlier *notes;
} gathering;

/* Adds a run's outcomes; takes the name. */
static void run_add(gathering *to, char *name, const ht_earlier_outcome *outcomes, size_t count) {
    if (!ht_earlier_add(to->sources, outcomes, count)) {
        free(name);
        return;
    }
    to->notes->runs[to->notes->count++] =
        (ht_pair_earlier_run){.name = name, .outcomes = count, .weight = 0};
}

static void database_run_add(gathering *to, const ht_database_earlier_run *run) {
    ht_earlier_outcome *outcomes = ht_alloc(run->count + 1, sizeof *outcomes);
    size_t count = 0;
    for (size_t i = 0; i < run->count; ++i)
        if (ht_config_parse(to->template, run->rows[i].config, &outcomes[count].config, NULL) ==
            HT_OK)
            outcomes[count++].cost = run->rows[i].cost;
    char *name =
        *run->problem ? ht_format("%s, %s", run->device, run->problem) : ht_strdup(run->device);
    run_add(to, name, outcomes, count);
    free(outcomes);
}

static ht_status database_add(gathering *to, const char *path, ht_error *error) {
    ht_database_earlier earlier;
    ht_status status = ht_database_earlier_read(path, to->key, HT_EARLIER_MAX, &earlier, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < earlier.count; ++i)
        database_run_add(to, &earlier.runs[i]);
    ht_database_earlier_free(&earlier);
    return HT_OK;
}

/* Returns true if the recording gives every parameter that has a choice. */
static bool gives_all(const ht_recording *recording, const ht_template *template) {
    for (size_t i = 0; i < template->param_count; ++i) {
        size_t p = 0;
        while (p < recording->parameter_count &&
               strcmp(recording->parameters[p].name, template->params[i].name) != 0)
            ++p;
        if (p == recording->parameter_count && template->params[i].value_count > 1)
            return false;
    }
    return true;
}

/* Makes the template's configuration of a record; false: it has none such. */
static bool record_parse(const ht_recording *recording, size_t record, const ht_template *template,
                         ht_config *out_config) {
    ht_text text = {0};
    for (size_t p = 0; p < recording->parameter_count; ++p) {
        const ht_recorded_parameter *parameter = &recording->parameters[p];
        const ht_recorded_value *value =
            &parameter->values[recording->choices[record * recording->parameter_count + p]];
        if (value->kind == HT_RECORDED_BOOLEAN)
            ht_text_printf(&text, "%s=%d ", parameter->name, value->integer != 0);
        else
            ht_text_printf(&text, "%s=%s ", parameter->name, value->text);
    }
    bool parsed = ht_config_parse(template, text.data ? text.data : "", out_config, NULL) == HT_OK;
    ht_text_free(&text);
    return parsed;
}

static ht_status recording_add(gathering *to, const char *path, ht_error *error) {
    ht_recording *recording = NULL;
    ht_status status = ht_recording_read(path, HT_RECORDING_GUESS, &recording, error);
    if (status != HT_OK)
        return status;
    if (gives_all(recording, to->template)) {
        ht_earlier_outcome *outcomes = ht_alloc(recording->record_count + 1, sizeof *outcomes);
        size_t count = 0;
        for (size_t r = 0; r < recording->record_count; ++r)
            if (record_parse(recording, r, to->template, &outcomes[count].config))
                outcomes[count++].cost =
                    recording->records[r].status == HT_OK ? recording->records[r].cost : INFINITY;
        run_add(to, ht_strdup(path), outcomes, count);
        free(outcomes);
    }
    ht_recording_free(recording);
    return HT_OK;
}

ht_status ht_expectation_check(const ht_tuning_options *options, ht_error *error) {
    ht_status status = HT_OK;
    if (options->no_sources && options->seeds_from.count)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "options --no-sources and --seeds-from contradict each other");
    for (size_t i = 0; status == HT_OK && i < options->seeds_from.count; ++i) {
        const char *path = options->seeds_from.items[i];
        ht_recording *recording = NULL;
        if (!ht_database_is(path))
            status = ht_recording_read(path, HT_RECORDING_GUESS, &recording, error);
        ht_recording_free(recording);
    }
    return status;
}

/* Adds what the template's model of time expects, if there is one next to the database. */
static void times_add(const ht_session *session, const ht_space *space, gathering *to) {
    char *refused = NULL;
    ht_time_model *model =
        ht_times_open(session->database_file, to->template, to->key->template_hash, &refused);
    size_t count;
    if (model && ht_times_source(model, space, &session->device, to->sources, &count))
        to->notes->runs[to->notes->count++] =
            (ht_pair_earlier_run){.name = ht_strdup("the model of time"), .outcomes = count};
    if (refused)
        ht_report_message("warning: the model of time is not used: %s", refused);
    ht_time_model_free(model);
    free(refused);
}

static void sources_gather(const ht_session *session, const ht_space *space, gathering *to) {
    const ht_option_list *files = &session->options.seeds_from;
    ht_error error = {0};
    if (session->database_file)
        times_add(session, space, to);
    if (session->database_file && database_add(to, session->database_file, &error) != HT_OK)
        ht_report_message("warning: earlier runs are not used: %s", error.message);
    for (size_t i = 0; i < files->count; ++i) {
        const char *path = files->items[i];
        size_t before = to->notes->count;
        ht_status status =
            ht_database_is(path) ? database_add(to, path, &error) : recording_add(to, path, &error);
        if (status != HT_OK || to->notes->count == before)
            ht_text_printf(&to->notes->unused, "%s%s", to->notes->unused.length ? ", " : "", path);
    }
}

void ht_expectation_begin(const ht_session *session, const ht_binding *binding, const ht_job *job,
                          const ht_space *space, const char *strategy, ht_pair_earlier *out_earlier,
                          ht_expectation *out_expectation) {
    *out_expectation = (ht_expectation){0};
    if (!ht_strategy_expects(strategy))
        return;
    if (!session->device.emulated && !session->options.no_facts) {
        out_expectation->facts =
            ht_template_facts_new(binding, (double)session->device.fields.wavefront);
        if (out_expectation->facts)
            out_expectation->prior = ht_template_facts_prior(out_expectation->facts);
    }
    if (session->options.no_sources)
        return;
    gathering to = {.template = binding->template,
                    .key = ht_job_key(job),
                    .sources = ht_earlier_create(space),
                    .notes = out_earlier};
    sources_gather(session, space, &to);
    if (ht_earlier_count(to.sources))
        out_expectation->sources = to.sources;
    else
        ht_earlier_free(to.sources);
}

void ht_expectation_note(const ht_strategy *strategy, ht_pair_earlier *earlier) {
    ht_trust trust;
    if (!ht_strategy_trust(strategy, &trust))
        return;
    earlier->likely = trust.any;
    for (size_t i = 0; i < earlier->count; ++i)
        earlier->runs[i].weight = trust.weight[i];
}

void ht_expectation_end(ht_expectation *expectation) {
    ht_earlier_free(expectation->sources);
    ht_template_facts_free(expectation->facts);
    *expectation = (ht_expectation){0};
}
