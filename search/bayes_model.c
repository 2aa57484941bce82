#include "search/bayes_model.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 4096, OBSERVED_MAX = 512 };
static const double AMPLITUDE_LEAST = 0.02; /* that is expected of what sources leave */

/* Returns configurations that cover the space: all of a small one, else evenly spaced or drawn
 * ones. */
static ht_config *sample_of(ht_explorer *explorer, size_t *out_count) {
    const ht_space *space = explorer->space;
    bool listed = ht_space_listed(space);
    uint64_t legal = ht_space_count(space);
    size_t count = listed && legal < SAMPLE ? (size_t)legal : listed ? SAMPLE : SAMPLE / 4;
    ht_config *sample = ht_alloc(count + 1, sizeof *sample);
    for (size_t i = 0; i < count; ++i) {
        if (listed)
            sample[i] = ht_space_at(space, (uint64_t)((double)i / (double)count * (double)legal));
        else
            sample[i] = ht_space_sample(space, &explorer->random);
    }
    *out_count = count;
    return sample;
}

void ht_bayes_model_begin(ht_bayes_model *model, ht_explorer *explorer,
                          const ht_bayes_settings *settings, const ht_prior *prior,
                          const ht_earlier *sources) {
    size_t count;
    ht_config *sample = sample_of(explorer, &count);
    *model = (ht_bayes_model){.settings = settings, .explorer = explorer};
    model->features = ht_features_create(explorer->space, sample, count, settings->features);
    free(sample);
    size_t d = ht_features_count(model->features);
    ht_pool_begin(&model->pool, explorer->space, model->features, (size_t)settings->pool);
    for (int i = 0; i < settings->processes; ++i)
        model->processes[i] = ht_gp_create(d);
    model->prior = (ht_gp_prior){.length_spread = settings->length_spread,
                                 .amplitude_spread = 1,
                                 .noise = settings->noise,
                                 .noise_spread = 2};
    for (size_t k = 0; k < d; ++k)
        model->prior.length[k] = settings->length[ht_features_kind(model->features, k)];
    ht_feasibility_begin(&model->feasibility, d);
    model->scores = ht_alloc(model->pool.limit + 1, sizeof *model->scores);
    if (prior && prior->count) {
        model->expectation = prior;
        ht_prior_learn(prior, NULL, NULL, 0, settings->prior_noise, settings->prior_fade,
                       &model->weights);
    }
    if (sources && ht_earlier_count(sources)) {
        model->sources = sources;
        ht_trust_begin(ht_earlier_count(sources), &model->trust);
    }
    if (model->expectation || model->sources)
        model->expected = ht_alloc(model->pool.limit + 1, sizeof *model->expected);
}

void ht_bayes_model_end(ht_bayes_model *model) {
    ht_features_free(model->features);
    ht_pool_end(&model->pool);
    ht_ranking_free(&model->ranking);
    for (size_t i = 0; i < HT_BAYES_PROCESSES; ++i)
        ht_gp_free(model->processes[i]);
    free(model->x);
    free(model->observed);
    free(model->chances);
    free(model->scores);
    free(model->expected);
}

const double *ht_bayes_model_point(ht_bayes_model *model, size_t point) {
    size_t d = ht_features_count(model->features), count = model->explorer->point_count;
    if (point >= model->described) {
        model->x = ht_realloc(model->x, count * d + 1, sizeof *model->x);
        for (; model->described < count; ++model->described)
            ht_features_of(model->features, &model->explorer->points[model->described].config,
                           model->x + model->described * d);
    }
    return model->x + point * d;
}

void ht_bayes_model_asked(ht_bayes_model *model, const ht_config *config) {
    ht_pool_asked(&model->pool, config);
}

void ht_bayes_model_told(ht_bayes_model *model, size_t point) {
    if (!isfinite(model->explorer->points[point].cost)) {
        ++model->failures;
        return;
    }
    ht_ranking_add(&model->ranking, model->explorer, point);
    if (model->ranking.points[0] == point)
        model->improved = model->explorer->told;
    ++model->successes;
    model->observed = ht_realloc(model->observed, model->successes, sizeof *model->observed);
    model->observed[model->successes - 1] = point;
}

static double cost_of(const ht_bayes_model *model, size_t observation) {
    return model->explorer->points[model->observed[observation]].cost;
}

/* Returns what the sources expect of a configuration, as a logarithm, given what they say of it. */
static double vote_of(const ht_bayes_model *model, const double *values) {
    double sum = 0;
    for (size_t s = 0; s < ht_earlier_count(model->sources); ++s)
        sum += model->trust.weight[s] * values[s];
    return sum;
}

/* Returns what is expected of a configuration, in the objective's units. */
static double expected_of(const ht_bayes_model *model, const ht_config *config) {
    double expected = 0, values[HT_EARLIER_MAX];
    if (model->expectation)
        expected = ht_prior_mean(model->expectation, &model->weights, config);
    if (model->sources) {
        ht_earlier_values(model->sources, config, 1, values);
        expected += vote_of(model, values);
    }
    return expected / model->objective.deviation;
}

/* Returns features of `count` points, and how far their standardised costs are above what was
 * expected. */
static double *rows_of(ht_bayes_model *model, const size_t *points, size_t count, double *y) {
    size_t d = ht_features_count(model->features);
    double *x = ht_alloc(count * d + 1, sizeof *x);
    for (size_t i = 0; i < count; ++i) {
        memcpy(x + i * d, ht_bayes_model_point(model, points[i]), d * sizeof *x);
        const ht_point *point = &model->explorer->points[points[i]];
        y[i] = ht_objective_of(&model->objective, point->cost) - expected_of(model, &point->config);
    }
    return x;
}

static void swap(size_t *points, size_t i, size_t j) {
    size_t point = points[i];
    points[i] = points[j];
    points[j] = point;
}

/* Chooses the points that a fit looks at: the best half of `fit_points`, the rest drawn from the
 * others; of those, all for the first process and a random share for each other one. */
static size_t fit_points_choose(ht_bayes_model *model, size_t process, size_t *points) {
    const ht_bayes_settings *settings = model->settings;
    size_t all = model->ranking.count, most = (size_t)settings->fit_points;
    memcpy(points, model->ranking.points, all * sizeof *points);
    if (all > most) {
        for (size_t i = most / 2; i < most; ++i)
            swap(points, i, i + ht_explorer_below(model->explorer, all - i));
        all = most;
    }
    if (process == 0)
        return all;
    size_t share = (size_t)ceil(settings->bag * (double)all);
    for (size_t i = 0; i < share; ++i)
        swap(points, i, i + ht_explorer_below(model->explorer, all - i));
    return share;
}

static void objective_set(ht_bayes_model *model) {
    double *costs = ht_alloc(model->successes, sizeof *costs);
    for (size_t i = 0; i < model->successes; ++i)
        costs[i] = cost_of(model, i);
    ht_objective_set(&model->objective, costs, model->successes, model->settings->clip);
    free(costs);
}

/* Returns what the sources say of all successes, a row for each. */
static double *source_values(const ht_bayes_model *model) {
    size_t count = ht_earlier_count(model->sources);
    double *values = ht_alloc(model->successes * count + 1, sizeof *values);
    for (size_t i = 0; i < model->successes; ++i)
        ht_earlier_values(model->sources, &model->explorer->points[model->observed[i]].config, 1,
                          values + i * count);
    return values;
}

/* Learns weights from logarithms of times, and lets them fade: by then the process has learnt what
 * there is, and sources may mislead where it matters. */
static void trust_learn(const ht_bayes_model *model, const double *values, const double *y,
                        ht_trust *out_trust) {
    double count = (double)model->successes, fade = model->settings->source_fade;
    size_t sources = ht_earlier_count(model->sources);
    ht_trust_learn(values, y, model->successes, sources, out_trust);
    for (size_t s = 0; s < sources && fade < count; ++s)
        out_trust->weight[s] *= fade / count;
}

void ht_bayes_model_trust(const ht_bayes_model *model, ht_trust *out_trust) {
    ht_objective objective;
    *out_trust = model->trust;
    if (model->successes == 0)
        return;
    double *y = ht_alloc(model->successes, sizeof *y), *values = source_values(model);
    for (size_t i = 0; i < model->successes; ++i)
        y[i] = cost_of(model, i);
    ht_objective_set(&objective, y, model->successes, model->settings->clip);
    for (size_t i = 0; i < model->successes; ++i)
        y[i] = ht_objective_of(&objective, y[i]) * objective.deviation;
    trust_learn(model, values, y, out_trust);
    free(values);
    free(y);
}

/* Learns what the sources are worth here; leaves in `y` what they do not explain. */
static void sources_learn(ht_bayes_model *model, double *y) {
    size_t count = ht_earlier_count(model->sources);
    double *values = source_values(model);
    trust_learn(model, values, y, &model->trust);
    for (size_t i = 0; i < model->successes; ++i)
        y[i] -= vote_of(model, values + i * count);
    model->prior.amplitude = log(fmax(model->trust.rest, AMPLITUDE_LEAST));
    free(values);
}

/* Learns what the prior's facts are worth here, given what the sources leave of the logarithms of
 * times, `y`. Trusted sources say already what the facts say. */
static void facts_learn(ht_bayes_model *model, const double *y) {
    ht_prior prior = *model->expectation;
    double *facts = ht_alloc(model->successes * prior.count, sizeof *facts);
    for (size_t i = 0; i < model->successes; ++i)
        prior.values(prior.context, &model->explorer->points[model->observed[i]].config,
                     facts + i * prior.count);
    for (size_t k = 0; k < prior.count && model->sources; ++k)
        prior.weight[k] *= fmax(model->trust.rest, 1 - model->trust.any);
    ht_prior_learn(&prior, facts, y, model->successes, model->settings->prior_noise,
                   model->settings->prior_fade, &model->weights);
    free(facts);
}

static void prior_learn(ht_bayes_model *model) {
    double *y = ht_alloc(model->successes, sizeof *y);
    for (size_t i = 0; i < model->successes; ++i)
        y[i] = ht_objective_of(&model->objective, cost_of(model, i)) * model->objective.deviation;
    if (model->sources)
        sources_learn(model, y);
    if (model->expectation)
        facts_learn(model, y);
    free(y);
}

static void fit_one(ht_bayes_model *model, size_t process) {
    const ht_bayes_settings *settings = model->settings;
    ht_gp_parameters *parameters = &model->parameters[process];
    size_t *points = ht_alloc(model->successes, sizeof *points);
    double *y = ht_alloc(model->successes, sizeof *y);
    size_t count = fit_points_choose(model, process, points);
    double *x = rows_of(model, points, count, y);
    if (!model->successes_at_fit) {
        memcpy(parameters->log_length, model->prior.length, sizeof parameters->log_length);
        parameters->log_amplitude = model->prior.amplitude;
        parameters->log_noise = model->prior.noise;
    }
    ht_gp_fit(x, y, count, ht_features_count(model->features), &model->prior,
              model->successes_at_fit ? settings->steps : settings->first_steps, parameters);
    free(x);
    free(y);
    free(points);
}

static void fit(ht_bayes_model *model) {
    const ht_bayes_settings *settings = model->settings;
    bool several = model->successes <= (size_t)settings->processes_until;
    model->process_count = several ? (size_t)settings->processes : 1;
    objective_set(model);
    prior_learn(model);
    for (size_t i = 0; i < model->process_count; ++i)
        fit_one(model, i);
    model->successes_at_fit = model->successes;
}

static void observe(ht_bayes_model *model, const size_t *points, size_t count) {
    double *y = ht_alloc(count + 1, sizeof *y);
    double *x = rows_of(model, points, count, y);
    for (size_t i = 0; i < model->process_count; ++i)
        ht_gp_observe(model->processes[i], x, y, count);
    for (size_t i = 0; i < count; ++i)
        model->best = fmin(model->best, ht_objective_of(&model->objective,
                                                        model->explorer->points[points[i]].cost));
    free(x);
    free(y);
}

/* Starts the process anew after a fit, over a fresh pool. Of very many points the best and the
 * latest are observed. */
static void restart(ht_bayes_model *model) {
    bool before = model->pool.count > 0;
    if (model->sources && !model->pool.whole)
        model->pool.favoured_count = ht_earlier_best(model->sources, model->trust.weight,
                                                     HT_POOL_FAVOURED, model->pool.favoured);
    ht_pool_refresh(&model->pool, model->explorer, &model->ranking, before ? model->scores : NULL);
    for (size_t i = 0; i < model->process_count; ++i)
        ht_gp_begin(model->processes[i], &model->parameters[i], model->pool.x, model->pool.count);
    for (size_t i = 0; model->expected && i < model->pool.count; ++i)
        model->expected[i] = (float)expected_of(model, &model->pool.configs[i]);
    model->best = INFINITY;
    model->told_at_chances = 0;
    if (model->successes <= OBSERVED_MAX) {
        observe(model, model->observed, model->successes);
    } else {
        observe(model, model->ranking.points, OBSERVED_MAX / 2);
        observe(model, model->observed + model->successes - OBSERVED_MAX / 2, OBSERVED_MAX / 2);
    }
    model->observed_count = model->successes;
}

static void chances_update(ht_bayes_model *model) {
    const ht_explorer *explorer = model->explorer;
    size_t d = ht_features_count(model->features), count = 0;
    if (model->failures == 0 || model->told_at_chances == explorer->told)
        return;
    double *x = ht_alloc(explorer->point_count * d + 1, sizeof *x);
    bool *succeeded = ht_alloc(explorer->point_count, sizeof *succeeded);
    for (size_t i = 0; i < explorer->point_count; ++i) {
        if (!explorer->points[i].told)
            continue;
        memcpy(x + count * d, ht_bayes_model_point(model, i), d * sizeof *x);
        succeeded[count++] = isfinite(explorer->points[i].cost);
    }
    ht_feasibility_fit(&model->feasibility, x, succeeded, count);
    if (!model->chances)
        model->chances = ht_alloc(model->pool.limit + 1, sizeof *model->chances);
    ht_feasibility_of(&model->feasibility, model->pool.x, model->pool.count, model->chances);
    model->told_at_chances = explorer->told;
    free(x);
    free(succeeded);
}

/* Adds the outcomes so far to the process, and imagines those that were asked for and have none
 * yet. */
static void update(ht_bayes_model *model) {
    const ht_bayes_settings *settings = model->settings;
    double due = fmax(settings->refit, settings->refit_share * (double)model->successes);
    for (size_t i = 0; i < model->process_count; ++i)
        ht_gp_wake(model->processes[i]);
    if (!model->successes_at_fit || (double)(model->successes - model->successes_at_fit) >= due) {
        fit(model);
        restart(model);
    }
    observe(model, model->observed + model->observed_count,
            model->successes - model->observed_count);
    model->observed_count = model->successes;
    chances_update(model);
    for (size_t i = 0; i < model->explorer->point_count; ++i)
        for (size_t p = 0; p < model->process_count && !model->explorer->points[i].told; ++p)
            ht_gp_imagine(model->processes[p], ht_bayes_model_point(model, i));
}

/* Returns the cost that a pick must improve on. A model that is sure of too much goes on for long
 * where it found something, for next to nothing; asked for more, it looks where it knows less. */
static double goal(const ht_bayes_model *model) {
    size_t told = model->explorer->told;
    bool stale = told - model->improved > (size_t)model->settings->patience;
    return stale && told % 2 ? model->best - model->settings->daring : model->best;
}

static void scores_add(ht_bayes_model *model, const ht_gp *process) {
    double best = goal(model);
    const float *mean = ht_gp_mean(process), *variance = ht_gp_variance(process);
    for (size_t i = 0; i < model->pool.count; ++i)
        if (!model->pool.asked[i])
            model->scores[i] += (float)ht_expected_improvement(
                best, mean[i] + (model->expected ? model->expected[i] : 0), variance[i]);
}

static ptrdiff_t best_scored(ht_bayes_model *model) {
    ptrdiff_t best = -1;
    memset(model->scores, 0, model->pool.count * sizeof *model->scores);
    for (size_t i = 0; i < model->process_count; ++i)
        scores_add(model, model->processes[i]);
    for (size_t i = 0; i < model->pool.count; ++i) {
        if (model->pool.asked[i])
            continue;
        if (model->chances)
            model->scores[i] *= model->chances[i];
        if (best < 0 || model->scores[i] > model->scores[best])
            best = (ptrdiff_t)i;
    }
    return best;
}

bool ht_bayes_model_pick(ht_bayes_model *model, ht_config *out_config) {
    update(model);
    ptrdiff_t best = best_scored(model);
    if (best < 0 && !model->pool.whole) {
        restart(model);
        best = best_scored(model);
    }
    if (best < 0)
        return false;
    *out_config = model->pool.configs[best];
    return true;
}
