#include "pipeline/ablation.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 4 };

typedef struct ablating {
    const ht_binding *binding;
    const ht_search_result *searched;
    ht_evaluator *evaluator;
    const ht_ablation_options *options;
    const ht_trial *best;
} ablating;

/* Returns the cheapest of all that ran; NULL: none did. */
static const ht_trial *best_of(const ht_search_result *searched) {
    size_t index;
    return ht_search_result_best(searched, 1, &index) ? &searched->trials[index] : NULL;
}

static bool is_without(const ht_template *template, const ht_config *config, const char *origin) {
    for (size_t i = 0; i < template->param_count; ++i)
        if (ht_param_is_from(&template->params[i], origin) &&
            config->choice[i] != template->params[i].default_index)
            return false;
    return true;
}

static void take(ht_ablation_row *row, const ht_config *config, double cost) {
    ++row->seen;
    if (row->found && row->cost <= cost)
        return;
    row->found = true;
    row->config = *config;
    row->cost = cost;
}

static void take_measured(const ablating *in, ht_ablation_row *row) {
    for (size_t i = 0; i < in->searched->trial_count; ++i) {
        const ht_trial *trial = &in->searched->trials[i];
        if (trial->outcome.status == HT_OK &&
            is_without(in->binding->template, &trial->config, row->transformation))
            take(row, &trial->config, trial->outcome.cost);
    }
}

/* ---- further measurements */

/* Returns what the search has answered of this configuration; NULL: nothing. */
static const ht_trial *known(const ablating *in, const ht_config *config) {
    for (size_t i = 0; i < in->searched->trial_count; ++i)
        if (ht_config_equal(&in->searched->trials[i].config, config))
            return &in->searched->trials[i];
    return NULL;
}

/* Evaluates, but for what the search has answered. */
static ht_status evaluate(void *self, const ht_config *configs, size_t count, ht_outcome *outcomes,
                          size_t *out_done, ht_error *error) {
    const ablating *in = self;
    ht_status status = HT_OK;
    *out_done = 0;
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        const ht_trial *answered = known(in, &configs[i]);
        size_t done = 1;
        if (answered)
            outcomes[i] = answered->outcome;
        else
            status = in->evaluator->evaluate(in->evaluator->self, &configs[i], 1, &outcomes[i],
                                             &done, error);
        *out_done += status == HT_OK;
    }
    return status;
}

/* Finds the seeds: the best with the transformation taken back, then the best without it so far. */
static size_t seeds_find(const ablating *in, const ht_ablation_row *row, ht_config *seeds) {
    const ht_template *template = in->binding->template;
    size_t count = 0;
    seeds[count] = in->best->config;
    for (size_t i = 0; i < template->param_count; ++i)
        if (ht_param_is_from(&template->params[i], row->transformation))
            seeds[count].choice[i] = (uint16_t)template->params[i].default_index;
    ++count;
    if (row->found)
        seeds[count++] = row->config;
    return count;
}

static void measure(const ablating *in, const ht_space *space, ht_ablation_row *row) {
    ht_config seeds[SEEDS];
    ht_evaluator evaluator = {(void *)(size_t)in, evaluate, 1};
    ht_strategy_options how = {
        .seed = in->options->seed, .seeds = seeds, .seed_count = seeds_find(in, row, seeds)};
    const ht_search_options options = {
        .budget = {.max_evaluations = in->options->evaluations + (row->found ? 1 : 0),
                   .max_seconds =
                       in->options->deadline > 0 ? in->options->deadline - ht_clock_seconds() : 0},
        .interrupted = in->options->interrupted};
    ht_strategy *strategy;
    ht_search_result result = {0};
    if (ht_strategy_create("local-search", space, &how, &strategy, NULL) != HT_OK)
        return;
    ht_search_run(strategy, &evaluator, &options, &result, NULL);
    for (size_t i = 0; i < result.trial_count; ++i) {
        const ht_trial *trial = &result.trials[i];
        if (known(in, &trial->config))
            continue;
        ++row->measured;
        if (trial->outcome.status == HT_OK)
            take(row, &trial->config, trial->outcome.cost);
    }
    ht_search_result_free(&result);
    ht_strategy_free(strategy);
}

static void measure_without(const ablating *in, ht_ablation_row *row) {
    const ht_template *template = in->binding->template;
    bool fixed[HT_PARAM_MAX] = {false};
    bool late = in->options->deadline > 0 && ht_clock_seconds() >= in->options->deadline;
    if (!in->options->evaluations || late || *in->options->interrupted)
        return;
    for (size_t i = 0; i < template->param_count; ++i)
        fixed[i] = ht_param_is_from(&template->params[i], row->transformation);
    ht_template *smaller = ht_template_fix(template, fixed);
    if (!smaller)
        return;
    ht_binding bound = *in->binding;
    bound.template = smaller;
    ht_space *space;
    if (ht_space_build(&bound, 0, &space, NULL) == HT_OK) {
        measure(in, space, row);
        ht_space_free(space);
    }
    ht_template_free(smaller, 1);
}

/* ---- all of them */

static bool is_told(const ht_ablation *ablation, const char *origin) {
    for (size_t i = 0; i < ablation->count; ++i)
        if (strcmp(ablation->rows[i].transformation, origin) == 0)
            return true;
    return false;
}

void ht_ablation_run(const ht_binding *binding, const ht_search_result *searched,
                     ht_evaluator *evaluator, const ht_ablation_options *options,
                     ht_ablation *out_ablation) {
    const ht_template *template = binding->template;
    ablating in = {binding, searched, evaluator, options, best_of(searched)};
    *out_ablation = (ht_ablation){0};
    for (size_t i = 0; in.best && i < template->param_count; ++i) {
        const char *origin = template->params[i].origin;
        if (!origin || is_told(out_ablation, origin))
            continue;
        HT_GROW(out_ablation->rows, out_ablation->count);
        ht_ablation_row *row = &out_ablation->rows[out_ablation->count++];
        *row = (ht_ablation_row){.transformation = ht_strdup(origin),
                                 .used = !is_without(template, &in.best->config, origin)};
        take_measured(&in, row);
        if (row->used)
            measure_without(&in, row);
        row->ratio = row->found ? row->cost / in.best->outcome.cost : 0;
    }
}

void ht_ablation_free(ht_ablation *ablation) {
    for (size_t i = 0; i < ablation->count; ++i)
        free(ablation->rows[i].transformation);
    free(ablation->rows);
    *ablation = (ht_ablation){0};
}
