/* Bayesian optimisation: a Gaussian process with a length scale per feature predicts the logarithm
 * of the time of every candidate, and the one with the highest expected improvement is asked next
 * (Jones, Schonlau and Welch 1998, "Efficient global optimization of expensive black-box
 * functions"), times its chance to compile and run (Gardner et al. 2014, "Bayesian optimization
 * with inequality constraints"). Willemsen, van Nieuwpoort and van Werkhoven 2021, "Bayesian
 * optimization for auto-tuning GPU kernels", show that this suits kernels, with the candidates
 * scored over the legal space itself.
 *
 * It begins with configurations spread over the space. With seeds, these come in turn with the
 * model's own picks: good seeds are followed up at once, and misleading ones still leave a model
 * that knows the rest of the space. Seeds that lose against the first of the spread count as
 * nothing.
 *
 * Where the caller knows steps that are worth a try, these come first instead (search/ladder.h),
 * and the spread is rare.
 *
 * A batch imagines the outcome of each pick before the next (ht_gp_imagine). */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/bayes_model.h"
#include "search/ladder.h"

#include <math.h>
#include <stdlib.h>

enum { SUCCESSES_LEAST = 3 }; /* before there is anything to model */

const ht_bayes_settings ht_bayes_defaults = {
    .features = (1U << HT_FEATURE_KINDS) - 1,
    .design = 10,
    .design_seeded = 14,
    .design_apart = 4,
    .spread = 50,
    .clip = 1,
    .length = {[HT_FEATURE_SIZE] = 0.6,
               [HT_FEATURE_DIVISIBILITY] = 1.4,
               [HT_FEATURE_TERM] = 0.6,
               [HT_FEATURE_TERM_DIVISIBILITY] = 1.2,
               [HT_FEATURE_CHOICE] = 1.2},
    .length_spread = 1,
    .noise = -6,
    .refit = 5,
    .refit_share = 0.15,
    .fit_points = 100,
    .first_steps = 40,
    .steps = 20,
    .processes = 3,
    .processes_until = 60,
    .bag = 0.8,
    .patience = 15,
    .daring = 1,
    .pool = 4500,
};

typedef struct bayes {
    ht_explorer explorer;
    ht_bayes_model model;
    ht_ladder ladder;
    size_t seed_count;
    size_t design, picked; /* asked from the spread, and by the model */
    double best_seed, best_design;
} bayes;

enum { OWNER_DESIGN = 1 };

static void *bayes_create(const ht_space *space, const ht_strategy_options *options) {
    bayes *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    ht_bayes_model_begin(&self->model, &self->explorer,
                         options->bayes ? options->bayes : &ht_bayes_defaults);
    ht_ladder_begin(&self->ladder, &self->explorer, options->moves, options->move_count);
    self->seed_count = self->explorer.point_count;
    self->best_seed = self->best_design = INFINITY;
    return self;
}

static void bayes_destroy(void *data) {
    bayes *self = data;
    ht_bayes_model_end(&self->model);
    ht_ladder_end(&self->ladder);
    ht_explorer_end(&self->explorer);
    free(self);
}

static void bayes_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    bayes *self = data;
    ptrdiff_t known = ht_explorer_find(&self->explorer, config);
    bool again = known != HT_NO_POINT && self->explorer.points[known].told;
    size_t point = ht_explorer_tell(&self->explorer, config, outcome);
    double cost = self->explorer.points[point].cost;
    if (again)
        return;
    if (point < self->seed_count)
        self->best_seed = fmin(self->best_seed, cost);
    else if (self->explorer.points[point].owner == OWNER_DESIGN)
        self->best_design = fmin(self->best_design, cost);
    ht_bayes_model_asked(&self->model, config);
    ht_bayes_model_told(&self->model, point);
}

static double distance_to_asked(bayes *self, const ht_config *config) {
    double values[HT_FEATURES_MAX], nearest = INFINITY;
    size_t d = ht_features_count(self->model.features);
    ht_features_of(self->model.features, config, values);
    for (size_t i = 0; i < self->explorer.point_count; ++i) {
        const double *point = ht_bayes_model_point(&self->model, i);
        double sum = 0;
        for (size_t k = 0; k < d; ++k)
            sum += (values[k] - point[k]) * (values[k] - point[k]);
        nearest = fmin(nearest, sum);
    }
    return nearest;
}

/* Picks the farthest of some samples from all asked so far (best-candidate sampling, Mitchell
 * 1991). */
static bool spread_pick(bayes *self, ht_config *out_config) {
    double farthest = -1;
    for (int i = 0; i < self->model.settings->spread; ++i) {
        ht_config config = ht_space_sample(self->explorer.space, &self->explorer.random);
        if (ht_explorer_find(&self->explorer, &config) != HT_NO_POINT)
            continue;
        double distance = self->explorer.point_count ? distance_to_asked(self, &config) : 0;
        if (distance > farthest) {
            farthest = distance;
            *out_config = config;
        }
    }
    return farthest >= 0 || ht_explorer_fresh(&self->explorer, out_config);
}

/* Returns true if the next one is from the spread. */
static bool spread_due(const bayes *self) {
    const ht_bayes_settings *settings = self->model.settings;
    if (self->model.successes < SUCCESSES_LEAST)
        return true;
    if (self->ladder.count)
        return self->design < (size_t)settings->design_seeded &&
               (size_t)settings->design_apart * (self->design + 1) <= self->picked;
    if (self->seed_count == 0 || self->best_design < self->best_seed)
        return self->design < (size_t)settings->design;
    return self->design < (size_t)settings->design_seeded && self->design < self->picked;
}

/* Picks from the spread, or the model's choice; false: nothing is left. */
static bool pick(bayes *self, bool spread, ht_config *out_config) {
    if (spread)
        return spread_pick(self, out_config);
    return ht_bayes_model_pick(&self->model, out_config) ||
           ht_explorer_fresh(&self->explorer, out_config);
}

static size_t bayes_ask(void *data, size_t want, ht_config *out_configs) {
    bayes *self = data;
    for (size_t count = 0; count < want; ++count) {
        bool step = ht_ladder_step(&self->ladder, &out_configs[count]);
        bool spread = !step && spread_due(self);
        if (!step && !pick(self, spread, &out_configs[count]))
            return count;
        size_t point = ht_explorer_ask(&self->explorer, &out_configs[count]);
        self->explorer.points[point].owner = spread ? OWNER_DESIGN : HT_NO_POINT;
        ht_bayes_model_asked(&self->model, &out_configs[count]);
        if (!step)
            *(spread ? &self->design : &self->picked) += 1;
    }
    return want;
}

const ht_strategy_class ht_strategy_class_bayes = {
    .name = "bayes",
    .description = "Bayesian optimisation with a Gaussian process (Jones 1998)",
    .create = bayes_create,
    .ask = bayes_ask,
    .tell = bayes_tell,
    .destroy = bayes_destroy,
};
