#include "pipeline/model_search.h"

#include "pipeline/first_moves.h"
#include "pipeline/style.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 8,        /* configurations that are compiled together */
    VERIFIED_MOST = 8 /* configurations that are run before it is given up */
};

/* One search under way. */
typedef struct model_search {
    ht_session *session;
    const ht_model_devices *devices;
    ht_binding target, host;
    ht_template *plain, *capped; /* owned; NULL: the template itself */
    ht_space *space;             /* owned */
    ht_pair_result *result;
} model_search;

/* ---- the evaluator */

static void outcome_set(ht_outcome *outcome, ht_status status, const char *reason) {
    *outcome = (ht_outcome){.status = status};
    snprintf(outcome->reason, sizeof outcome->reason, "%.159s", reason ? reason : "");
}

/* Compiles, follows and predicts. */
static ht_status evaluate(void *context, const ht_config *configs, size_t count,
                          ht_outcome *outcomes, size_t *out_done, ht_error *error) {
    const model_search *self = context;
    const ht_inspect_options options = {.count = true, .blocks_max = HT_MODEL_BLOCKS};
    ht_inspection *found = ht_alloc(count + 1, sizeof *found);
    size_t launches;
    ht_inspect_launches(self->target.template, false, &launches);
    ht_status status = ht_inspect(&self->devices->target, &self->target, configs, count, &options,
                                  &ht_stopped, found, error);
    *out_done = 0;
    for (size_t i = 0; i < count; ++i) {
        ht_gpu_time time;
        ht_error own = {0};
        if (status == HT_OK) {
            ht_status one =
                ht_inspection_predict(self->devices->gpu, &found[i], launches, &time, &own);
            outcome_set(&outcomes[i], one, own.message);
            outcomes[i].cost = 1e3 * time.seconds;
            ++*out_done;
        }
        ht_inspection_free(&found[i]);
    }
    free(found);
    return status;
}

/* ---- the search */

static ht_status space_make(model_search *self, ht_error *error) {
    ht_binding bound = self->target;
    ht_space_cut cut;
    if (self->session->options.plain)
        self->plain = ht_style_plain(bound.template);
    if (self->plain)
        bound.template = self->plain;
    ht_status status =
        ht_space_cap(&bound, false, HT_SPACE_MOST, &self->capped, &self->space, &cut, error);
    if (status == HT_OK)
        self->result->space.size = ht_space_count(self->space);
    if (status == HT_OK && cut.idle.length)
        self->result->space.idle = ht_text_take(&cut.idle);
    if (status == HT_OK && cut.too_large.length)
        self->result->space.left_out = ht_text_take(&cut.too_large);
    ht_space_cut_free(&cut);
    return status;
}

/* Adds the configuration that is in use to those that the search begins with. */
static size_t seeds_make(const model_search *self, ht_config *out_seeds) {
    const ht_session *session = self->session;
    size_t count = 0;
    out_seeds[count++] = ht_config_default(self->target.template);
    if (session->defended &&
        session->defended(session->decided_context, &self->target, self->result, &out_seeds[count]))
        ++count;
    for (size_t i = 0; i < session->first_count; ++i)
        out_seeds[count++] = session->first[i];
    return count;
}

static ht_status search(model_search *self, ht_error *error) {
    ht_session *session = self->session;
    const ht_tuning_options *given = &session->options;
    uint64_t count = ht_space_count(self->space);
    bool all = given->max_evals == 0 || count <= given->max_evals;
    const char *name = given->strategy ? given->strategy : all ? "exhaustive" : "auto";
    ht_config *seeds = ht_alloc(session->first_count + 2, sizeof *seeds);
    ht_move moves[HT_FIRST_MOVES_MOST];
    const ht_strategy_options options = {.seed = given->seed,
                                         .seeds = seeds,
                                         .seed_count = seeds_make(self, seeds),
                                         .moves = moves,
                                         .move_count =
                                             ht_first_moves_find(self->space, given->seed, moves)};
    ht_strategy *strategy = NULL;
    ht_status status = ht_strategy_create(name, self->space, &options, &strategy, error);
    free(seeds);
    if (status != HT_OK)
        return status;
    snprintf(self->result->search.strategy, sizeof self->result->search.strategy, "%s", name);
    ht_evaluator evaluator = {.self = self, .evaluate = evaluate, .batch = BATCH};
    const ht_search_options how = {.budget = {.max_evaluations = given->max_evals},
                                   .on_event = ht_progress_event,
                                   .context = session->progress,
                                   .interrupted = &ht_stopped};
    ht_progress_plan(session->progress, all ? count : given->max_evals, 0);
    status = ht_search_run(strategy, &evaluator, &how, &self->result->search.result, error);
    ht_strategy_free(strategy);
    if (self->result->search.result.interrupted && status == HT_OK)
        status = ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
    return status;
}

/* ---- the winner */

/* Runs a configuration next to the original on the host. *out_why: why it is not verified; NULL: it
 * is; free(). */
static ht_status verify(const model_search *self, ht_job *job, const ht_config *config,
                        char **out_why, ht_error *error) {
    ht_evaluator *evaluator = ht_job_evaluator(job);
    ht_outcome outcome = {0};
    size_t done = 0;
    bool legal = false;
    *out_why = NULL;
    ht_status status = ht_binding_legal(&self->host, config, &legal, out_why, error);
    if (status == HT_OK && legal)
        status = evaluator->evaluate(evaluator->self, config, 1, &outcome, &done, error);
    if (status == HT_OK && legal && outcome.status != HT_OK)
        *out_why = ht_strdup(outcome.reason);
    return status;
}

static void time_set(ht_timing *timing, double ms) {
    *timing = (ht_timing){.median_ms = ms};
}

static void won(model_search *self, const ht_trial *trial, double original_ms) {
    ht_pair_result *result = self->result;
    double speedup = original_ms / trial->outcome.cost;
    result->has_config = result->verified = result->times.known = true;
    result->config = trial->config;
    time_set(&result->times.original, original_ms);
    time_set(&result->times.tuned, trial->outcome.cost);
    result->times.speedup = result->times.speedup_lo = result->times.speedup_hi = speedup;
    result->finalists.items[0] =
        (ht_candidate){.config = ht_config_default(self->target.template), .is_default = true};
    result->finalists.items[1] = (ht_candidate){
        .config = trial->config, .final = {.status = HT_OK, .verified = true, .over_best = 1}};
    result->finalists.count = 2;
    result->finalists.first = 1;
    result->verdict = HT_VERDICT_IMPROVED;
}

/* Verifies the fastest ones until one does what the original does. */
static ht_status winner_find(model_search *self, double original_ms, ht_error *error) {
    const ht_tuning_options *given = &self->session->options;
    ht_pair_result *result = self->result;
    size_t best[VERIFIED_MOST];
    size_t count = ht_search_result_best(&result->search.result, VERIFIED_MOST, best);
    const ht_job_options options = {.seed = given->seed,
                                    .compile_workers = (unsigned)given->compile_workers,
                                    .check = strcmp(given->check, "none") == 0 ? HT_CHECK_NEVER
                                                                               : HT_CHECK_ALL,
                                    .interrupted = &ht_stopped};
    ht_job *job = NULL;
    char *first = NULL;
    ht_status status = HT_OK;
    result->verdict = HT_VERDICT_KEPT;
    for (size_t i = 0; i < count && status == HT_OK && result->verdict == HT_VERDICT_KEPT; ++i) {
        const ht_trial *trial = &result->search.result.trials[best[i]];
        char *why = NULL;
        if (original_ms < given->min_speedup * trial->outcome.cost)
            break;
        if (!job)
            status = ht_job_start(&self->host, &self->devices->host, &options, &job, error);
        if (status == HT_OK)
            status = verify(self, job, &trial->config, &why, error);
        if (status == HT_OK && !why)
            won(self, trial, original_ms);
        if (!first)
            first = why;
        else
            free(why);
    }
    if (job)
        result->reference = ht_job_reference_source(job);
    ht_job_free(job);
    if (result->verdict == HT_VERDICT_KEPT)
        result->reason =
            first ? ht_format("none of the fastest was verified on the host: %s", first)
                  : ht_format("nothing is predicted to be faster by enough (--min-speedup %g)",
                              given->min_speedup);
    free(first);
    return status;
}

static ht_status searched(model_search *self, ht_error *error) {
    ht_gpu_time original;
    bool known = false;
    char *why = NULL;
    ht_progress_phase(self->session->progress, "compiling and following the original");
    ht_status status =
        ht_model_original(self->devices, &self->target, &original, &known, &why, error);
    if (status == HT_OK && !known)
        status = ht_error_set(error, HT_ERROR_UNSUPPORTED, "%s",
                              why ? why : "the original's own launch cannot be predicted");
    free(why);
    if (status == HT_OK)
        status = space_make(self, error);
    if (status == HT_OK)
        status = search(self, error);
    if (status == HT_OK)
        ht_progress_phase(self->session->progress, "verifying the best on the host");
    return status == HT_OK ? winner_find(self, 1e3 * original.seconds, error) : status;
}

ht_status ht_model_search_run(ht_session *session, const ht_template *template,
                              const ht_problem *problem, ht_pair_result *out_result,
                              ht_error *error) {
    const ht_model_devices *devices = session->model;
    model_search self = {.session = session,
                         .devices = devices,
                         .target = {template, problem, &devices->target.fields},
                         .host = {template, problem, &devices->host.fields},
                         .result = out_result};
    double begun = ht_clock_seconds();
    ht_error own = {0};
    *out_result = (ht_pair_result){.verdict = HT_VERDICT_FAILED};
    ht_status status = searched(&self, &own);
    ht_space_free(self.space);
    if (self.plain)
        ht_template_free(self.plain, 1);
    if (self.capped)
        ht_template_free(self.capped, 1);
    out_result->seconds = ht_clock_seconds() - begun;
    if (status != HT_OK)
        ht_pair_result_fail(out_result, status, &own);
    if (status != HT_ERROR_MISSING && status != HT_ERROR_DEVICE)
        return HT_OK;
    if (error)
        *error = own;
    return status;
}
