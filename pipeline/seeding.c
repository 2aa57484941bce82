#include "pipeline/seeding.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/times.h"
#include "predictor/data/match.h"

#include <stdlib.h>
#include <string.h>

enum { NEAREST_SEEDS = 5, TIMES_SEEDS = 5 };

ht_status ht_seeding_open(const ht_tuning_options *options, ht_predictor **out_predictor,
                          ht_error *error) {
    const char *path = options->predictor;
    *out_predictor = NULL;
    if (options->predictor_seeds > HT_SEEDING_MOST)
        return ht_error_set(error, HT_ERROR_INPUT, "option --predictor-seeds: at most %d",
                            HT_SEEDING_MOST);
    if (!path || strcmp(path, "builtin") == 0 || ht_dir_exists(path))
        return HT_OK;
    return ht_predictor_open(path, out_predictor, error);
}

/* Makes proposals as the template's configurations; those that the space does not have are left
 * out. */
static ht_status propose(const ht_predictor *predictor, const ht_match *match,
                         const ht_binding *binding, const ht_space *space, size_t most,
                         ht_config *out_seeds, size_t *out_count, ht_error *error) {
    int64_t *fields = ht_alloc(ht_predictor_schema(predictor)->field_count + 1, sizeof *fields);
    ht_proposal *proposals = ht_alloc(most, sizeof *proposals);
    ht_proposer *proposer = NULL;
    ht_beam_settings beam = {.width = most, .constrained = true, .consensus = HT_CONSENSUS_DEFAULT};
    ht_status status = ht_match_fields(match, binding->problem, binding->device, fields, error);
    if (status == HT_OK)
        status = ht_proposer_new(predictor, NULL, &beam, &proposer, error);
    if (status == HT_OK) {
        size_t count = ht_proposer_propose(proposer, fields, most, proposals);
        for (size_t i = 0; i < count; ++i) {
            ht_config config = ht_match_config(match, proposals[i].choice);
            if (ht_space_legal(space, &config))
                out_seeds[(*out_count)++] = config;
        }
    }
    ht_proposer_free(proposer);
    free(proposals);
    free(fields);
    return status;
}

static ht_status kernel_check(const ht_predictor *predictor, const ht_binding *binding,
                              ht_error *error) {
    const char *kernel = ht_predictor_schema(predictor)->kernel;
    if (strcmp(kernel, binding->template->name) == 0)
        return HT_OK;
    return ht_error_set(error, HT_ERROR_INPUT, "the model is for kernel %s", kernel);
}

size_t ht_seeding_propose(const ht_session *session, const ht_binding *binding,
                          const ht_space *space, ht_config *out_seeds, char **out_refused) {
    const ht_tuning_options *options = &session->options;
    const ht_predictor *predictor = session->predictor;
    ht_predictor *found = NULL;
    ht_match *match = NULL;
    ht_error error = {0};
    size_t count = 0;
    ht_status status = HT_OK;
    if (!predictor) {
        status = ht_predictor_find(options->predictor, binding->template->name, &found, &error);
        predictor = found;
    }
    if (status == HT_OK)
        status = kernel_check(predictor, binding, &error);
    if (status == HT_OK)
        status = ht_match_make(ht_predictor_schema(predictor), binding->template, &match, &error);
    if (status == HT_OK)
        status = propose(predictor, match, binding, space, options->predictor_seeds, out_seeds,
                         &count, &error);
    *out_refused = status == HT_OK ? NULL : ht_strdup(error.message);
    ht_match_free(match);
    ht_predictor_free(found);
    return count;
}

/* Adds what the template's model of time chooses, if there is one next to the database. */
static size_t times_propose(const ht_session *session, const ht_template *template,
                            const char *code, const ht_space *space, ht_config *out_seeds) {
    char *refused = NULL;
    bool asked = session->database_file && !session->options.no_sources;
    ht_time_model *model =
        asked ? ht_times_open(session->database_file, template, code, &refused) : NULL;
    free(refused); /* the search's expectation says it */
    if (!model)
        return 0;
    ht_time_choice choices[TIMES_SEEDS];
    ht_time_device numbers;
    ht_columns *columns = ht_times_columns(space, &session->device, &numbers);
    char *device = ht_times_device(&session->device);
    size_t count = ht_time_model_choose(model, space, columns, ht_time_model_knows(model, device),
                                        TIMES_SEEDS, choices);
    for (size_t i = 0; i < count; ++i)
        out_seeds[i] = choices[i].config;
    free(device);
    ht_columns_free(columns);
    ht_time_model_free(model);
    return count;
}

ht_config *ht_seeding_find(const ht_session *session, const ht_binding *binding, const ht_job *job,
                           const ht_space *space, ht_pair_seeds *out_seeds, size_t *out_count) {
    const ht_template *template = binding->template;
    size_t most = session->options.predictor ? session->options.predictor_seeds : 0;
    size_t own = 1 + session->first_count, count = 0;
    ht_config *seeds = ht_alloc(own + most + TIMES_SEEDS + NEAREST_SEEDS, sizeof *seeds);
    seeds[0] = ht_config_default(template);
    for (size_t i = 0; i < session->first_count; ++i)
        seeds[1 + i] = session->first[i];
    if (most)
        out_seeds->from_predictor =
            ht_seeding_propose(session, binding, space, seeds + own, &out_seeds->refused);
    out_seeds->from_times = times_propose(session, template, ht_job_key(job)->template_hash, space,
                                          seeds + own + out_seeds->from_predictor);
    size_t first = own + out_seeds->from_predictor + out_seeds->from_times;
    *out_count = first;
    char **texts = NULL;
    if (!session->database || ht_database_nearest(session->database, ht_job_key(job), NEAREST_SEEDS,
                                                  &texts, &count, NULL) != HT_OK)
        return seeds;
    for (size_t i = 0; i < count; ++i) {
        if (ht_config_parse(template, texts[i], &seeds[*out_count], NULL) == HT_OK)
            ++*out_count;
        free(texts[i]);
    }
    free(texts);
    out_seeds->from_database = *out_count - first;
    return seeds;
}
