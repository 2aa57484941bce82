#include "pipeline/freer.h"
#include "pipeline/first_moves.h"
#include "pipeline/style.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

const double ht_freer_share = 0.25;
enum { EVALUATIONS_USUAL = 60 };

static ht_status search(const ht_session *session, ht_space *space, ht_job *job, double deadline,
                        const ht_config *first, ht_search_result *out) {
    const ht_tuning_options *given = &session->options;
    ht_move moves[HT_FIRST_MOVES_MOST];
    ht_strategy *strategy = NULL;
    ht_strategy_options options = {.seed = given->seed,
                                   .seeds = first,
                                   .seed_count = 1,
                                   .moves = moves,
                                   .move_count = ht_first_moves_find(space, given->seed, moves)};
    ht_status status = ht_strategy_create("auto", space, &options, &strategy, NULL);
    if (status != HT_OK)
        return status;
    uint64_t most = given->max_evals ? given->max_evals : EVALUATIONS_USUAL;
    ht_search_options run = {
        .budget = {.max_evaluations = most / 3 + 1, .each_seconds = session->each_seconds},
        .interrupted = &ht_stopped,
    };
    if (deadline > 0)
        run.budget.max_seconds = fmax((deadline - ht_clock_seconds()) * ht_freer_share, 1e-9);
    status = ht_search_run(strategy, ht_job_evaluator(job), &run, out, NULL);
    ht_strategy_free(strategy);
    return status;
}

bool ht_freer_find(const ht_session *session, const ht_binding *binding, ht_job *job,
                   double deadline, const ht_search_result *plain, ht_config *out_config) {
    ht_search_result found = {0};
    ht_template *capped = NULL;
    ht_space *space = NULL;
    ht_space_cut cut;
    ht_config first = ht_config_default(binding->template);
    size_t best, own;
    bool freer = false;
    ht_status status =
        ht_space_cap(binding, session->device.emulated, HT_SPACE_MOST, &capped, &space, &cut, NULL);
    if (status == HT_OK)
        status = search(session, space, job, deadline, &first, &found);
    if (status == HT_OK && ht_search_result_best(&found, 1, &best)) {
        const ht_trial *trial = &found.trials[best];
        char *forms = ht_style_forms(binding->template, &trial->config);
        freer = forms && (!ht_search_result_best(plain, 1, &own) ||
                          trial->outcome.cost < plain->trials[own].outcome.cost);
        *out_config = trial->config;
        free(forms);
    }
    ht_search_result_free(&found);
    ht_space_free(space);
    if (capped)
        ht_template_free(capped, 1);
    ht_space_cut_free(&cut);
    return freer;
}

static bool is_plain(const ht_template *template, const ht_config *config) {
    char *forms = ht_style_forms(template, config);
    free(forms);
    return !forms;
}

bool ht_plain_find(const ht_template *template, const ht_search_result *all,
                   ht_config *out_config) {
    ht_config standard = ht_config_default(template);
    size_t *best = ht_alloc(all->trial_count + 1, sizeof *best);
    size_t count = ht_search_result_best(all, all->trial_count, best), i = 0;
    while (i < count && !is_plain(template, &all->trials[best[i]].config))
        ++i;
    bool found = i > 0 && i < count && !ht_config_equal(&all->trials[best[i]].config, &standard);
    if (found)
        *out_config = all->trials[best[i]].config;
    free(best);
    return found;
}
