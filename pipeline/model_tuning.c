#include "pipeline/model_tuning.h"

#include "base/memory.h"
#include "pipeline/first_moves.h"
#include "pipeline/search_reason.h"
#include "pipeline/style.h"
#include "pipeline/template_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 8,        /* configurations of a search that are compiled together, */
    BATCH_ALL = 64,   /* and of a space that is predicted whole */
    VERIFIED_MOST = 8 /* configurations that are run before it is given up */
};

/* One kernel and problem under way. */
typedef struct attempt {
    const ht_model_request *request;
    ht_binding host;
    ht_model_times times;
    ht_template *plain, *capped; /* owned; NULL: the template itself */
    ht_space *space;             /* owned */
    ht_model_result *result;
} attempt;

ht_status ht_model_devices_find(const char *name, ht_model_devices *out_devices, ht_error *error) {
    ht_status status = ht_model_device_find(name, &out_devices->gpu, &out_devices->target, error);
    return status ? status : ht_device_find("host", &out_devices->host, error);
}

static void phase(const attempt *self, const char *name) {
    if (self->request->progress)
        ht_progress_phase(self->request->progress, name);
}

/* ---- the search */

/* Makes the space; without the parameters that make it too large to be searched well, unless all of
 * it was asked for. */
static ht_status space_make(attempt *self, ht_error *error) {
    const ht_tuning_options *options = self->request->options;
    ht_binding bound = self->times.target;
    ht_pair_space *out = &self->result->space;
    ht_space_cut cut;
    self->plain = options->plain ? ht_style_plain(bound.template) : NULL;
    if (self->plain)
        bound.template = self->plain;
    uint64_t most = options->max_evals ? (uint64_t)HT_SPACE_MOST : UINT64_MAX;
    ht_status status = ht_space_cap(&bound, false, most, &self->capped, &self->space, &cut, error);
    if (status == HT_OK) {
        uint64_t count = ht_space_count(self->space);
        out->size = count == UINT64_MAX ? 0 : count;
        out->idle = cut.idle.length ? ht_text_take(&cut.idle) : NULL;
        out->left_out = cut.too_large.length ? ht_text_take(&cut.too_large) : NULL;
    }
    ht_space_cut_free(&cut);
    return status;
}

static ht_status strategy_make(attempt *self, const char *name, const ht_prior *prior,
                               ht_strategy **out_strategy, ht_error *error) {
    const ht_model_request *request = self->request;
    ht_config *seeds = ht_alloc(request->first_count + 1, sizeof *seeds);
    ht_move moves[HT_FIRST_MOVES_MOST];
    const uint64_t seed = request->options->seed;
    seeds[0] = ht_config_default(self->times.target.template);
    for (size_t i = 0; i < request->first_count; ++i)
        seeds[i + 1] = request->first[i];
    const ht_strategy_options options = {.seed = seed,
                                         .seeds = seeds,
                                         .seed_count = request->first_count + 1,
                                         .moves = moves,
                                         .move_count =
                                             ht_first_moves_find(self->space, seed, moves),
                                         .prior = prior};
    ht_pair_search *out = &self->result->search;
    snprintf(out->strategy, sizeof out->strategy, "%s", name);
    out->facts = prior != NULL;
    ht_status status = ht_strategy_create(name, self->space, &options, out_strategy, error);
    free(seeds);
    return status;
}

/* Asks a strategy, to which predicted times are outcomes. */
static ht_status search_run(attempt *self, ht_strategy *strategy, bool all, ht_error *error) {
    const ht_model_request *request = self->request;
    ht_search_result *out = &self->result->search.result;
    ht_evaluator evaluator = {.self = &self->times,
                              .evaluate = ht_model_times_evaluate,
                              .batch = all ? BATCH_ALL : BATCH};
    const ht_search_options how = {.budget = {.max_evaluations = request->options->max_evals},
                                   .on_event = request->progress ? ht_progress_event : NULL,
                                   .context = request->progress,
                                   .interrupted = &ht_stopped,
                                   .known = request->known,
                                   .known_count = request->known_count};
    if (request->progress)
        ht_progress_plan(request->progress,
                         all ? ht_space_count(self->space) : request->options->max_evals, 0);
    ht_status status = ht_search_run(strategy, &evaluator, &how, out, error);
    if (status == HT_OK && out->interrupted)
        status = ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
    for (size_t i = 0; i < out->trial_count; ++i)
        self->result->predicted += out->trials[i].outcome.status == HT_OK;
    return status;
}

static ht_status search(attempt *self, ht_error *error) {
    const ht_tuning_options *given = self->request->options;
    uint64_t count = ht_space_count(self->space);
    bool all = ht_space_listed(self->space) && (given->max_evals == 0 || count <= given->max_evals);
    const char *name = given->strategy ? given->strategy : all ? "exhaustive" : "auto";
    if (!all && given->max_evals == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "the space is too large to be listed: give --max-evals");
    double wavefront = (double)self->request->devices->target.fields.wavefront;
    ht_template_facts *facts = ht_strategy_expects(name) && !given->no_facts
                                   ? ht_template_facts_new(&self->times.target, wavefront)
                                   : NULL;
    ht_prior prior;
    ht_strategy *strategy = NULL;
    if (facts)
        prior = ht_template_facts_prior(facts);
    ht_status status = strategy_make(self, name, facts ? &prior : NULL, &strategy, error);
    if (status == HT_OK)
        status = search_run(self, strategy, all, error);
    ht_strategy_free(strategy);
    ht_template_facts_free(facts);
    return status;
}

/* ---- the winner */

static void refuse(ht_model_result *result, const char *why) {
    result->refused++;
    if (!result->first_why)
        result->first_why = ht_strdup(why);
}

/* Verifies one configuration: it must be legal for the host too, agree with the original, and pass
 * the check of its accesses. */
static ht_status verify(attempt *self, ht_job *job, const ht_config *config, ht_error *error) {
    ht_model_result *result = self->result;
    ht_evaluator *evaluator = ht_job_evaluator(job);
    ht_outcome outcome = {0};
    size_t done = 0;
    bool legal = false;
    char *why = NULL;
    ht_status status = ht_binding_legal(&self->host, config, &legal, &why, error);
    if (status == HT_OK && !legal)
        refuse(result, why);
    else if (status == HT_OK)
        status = evaluator->evaluate(evaluator->self, config, 1, &outcome, &done, error);
    free(why);
    if (status != HT_OK || !legal)
        return status;
    if (outcome.status != HT_OK) {
        refuse(result, outcome.reason);
        return HT_OK;
    }
    ht_model_choice *choice = &result->choices[result->count++];
    *choice = (ht_model_choice){.config = *config};
    ht_model_times_find(&self->times, config, &choice->time);
    choice->speedup = result->original.seconds / choice->time.seconds;
    return HT_OK;
}

/* Returns true if the configuration is predicted to be faster by enough. */
static bool is_faster(const attempt *self, const ht_trial *trial) {
    double original = 1e3 * self->result->original.seconds;
    return trial->outcome.cost < original &&
           original >= self->request->options->min_speedup * trial->outcome.cost;
}

static ht_status job_start(const attempt *self, ht_job **out_job, ht_error *error) {
    const ht_tuning_options *given = self->request->options;
    const ht_job_options options = {.seed = given->seed,
                                    .compile_workers = (unsigned)given->compile_workers,
                                    .check = strcmp(given->check, "none") == 0 ? HT_CHECK_NEVER
                                                                               : HT_CHECK_ALL,
                                    .interrupted = &ht_stopped};
    phase(self, "verifying the best on the host");
    return ht_job_start(&self->host, &self->request->devices->host, &options, out_job, error);
}

/* Refuses a configuration that no source can be written with. */
static bool has_obstacle(const attempt *self, const ht_config *config) {
    const ht_model_request *request = self->request;
    char *why = request->obstacle ? request->obstacle(request->obstacle_context, config) : NULL;
    if (why)
        refuse(self->result, why);
    bool refused = why != NULL;
    free(why);
    return refused;
}

/* Verifies the fastest ones until enough of them do what the original does. */
static ht_status verify_first(attempt *self, ht_error *error) {
    ht_model_result *result = self->result;
    const ht_config standard = ht_config_default(self->times.target.template);
    size_t best[VERIFIED_MOST + 1]; /* the default may be among them */
    size_t count =
        ht_style_best(self->times.target.template, &result->search.result, VERIFIED_MOST + 1, best);
    size_t tried = 0;
    ht_job *job = NULL;
    ht_status status = HT_OK;
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        const ht_trial *trial = &result->search.result.trials[best[i]];
        if (result->count == self->request->choices || tried == VERIFIED_MOST ||
            !is_faster(self, trial))
            break;
        if (!result->original_known && ht_config_equal(&trial->config, &standard))
            continue;
        tried++;
        if (has_obstacle(self, &trial->config))
            continue;
        if (!job)
            status = job_start(self, &job, error);
        if (status == HT_OK)
            status = verify(self, job, &trial->config, error);
    }
    if (job)
        result->reference = ht_job_reference_source(job);
    ht_job_free(job);
    return status;
}

/* Says why nothing was chosen, from the space of `template`. */
static void conclude(ht_model_result *result, const ht_model_request *request,
                     const ht_template *template) {
    double min_speedup = request->options->min_speedup;
    const ht_config standard = ht_config_default(template);
    const ht_search_want want = {.standard = &standard,
                                 .known = request->known_count,
                                 .space = result->space.size,
                                 .gives = "has a time that can be predicted: 'hiptemper inspect "
                                          "--rank' lists why"};
    if (result->count || result->reason)
        return;
    if (result->predicted == 0 && !want.known)
        result->reason = ht_strdup("no configuration's time can be predicted: 'hiptemper inspect "
                                   "--rank' lists why");
    else if (result->predicted == 0)
        result->reason = ht_search_reason(&result->search.result, &want);
    else if (result->refused)
        result->reason = ht_format("none of the %zu fastest was verified on the host: %s",
                                   result->refused, result->first_why);
    else
        result->reason = ht_format("none%s is predicted to be faster than the original by enough "
                                   "(--min-speedup %g)",
                                   want.known ? " that was not tried before" : "", min_speedup);
}

ht_status ht_model_tune(const ht_model_request *request, const ht_template *template,
                        const ht_problem *problem, ht_model_result *out_result, ht_error *error) {
    attempt self = {.request = request,
                    .host = {template, problem, &request->devices->host.fields},
                    .result = out_result};
    ht_model_memory *own = request->memory ? NULL : ht_model_memory_new();
    *out_result = (ht_model_result){0};
    ht_model_times_begin(request->devices, template, problem, own ? own : request->memory,
                         &self.times);
    phase(&self, "compiling and following the original");
    ht_status status = space_make(&self, error);
    if (status == HT_OK)
        status = ht_model_times_original(&self.times, &out_result->original,
                                         &out_result->original_known, &out_result->reason, error);
    if (status == HT_OK && !out_result->reason)
        status = search(&self, error);
    if (status == HT_OK && !out_result->reason)
        status = verify_first(&self, error);
    ht_model_times_end(&self.times);
    ht_model_memory_free(own);
    ht_space_free(self.space);
    ht_template_free(self.plain, self.plain ? 1 : 0);
    ht_template_free(self.capped, self.capped ? 1 : 0);
    if (status == HT_OK)
        conclude(out_result, request, template);
    return status;
}

void ht_model_result_free(ht_model_result *result) {
    free(result->space.idle);
    free(result->space.left_out);
    ht_search_result_free(&result->search.result);
    free(result->first_why);
    free(result->reason);
    *result = (ht_model_result){0};
}
