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
 * With a prior (search/prior.h), the first of the spread stand for those that it likes best
 * (search/herding.h), the others come in turn with the model's picks, and the process's mean is the
 * prior's.
 *
 * Where the caller knows steps that are worth a try, these come first instead (search/ladder.h),
 * and the spread is rare.
 *
 * A batch imagines the outcome of each pick before the next (ht_gp_imagine). */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/bayes_model.h"
#include "search/herding.h"
#include "search/ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESSES_LEAST = 3, /* before there is anything to model */
    LED = 256            /* of what the prior likes best that are looked at */
};
static const double LIKELY = 0.9;

const ht_bayes_settings ht_bayes_defaults = {
    .features = (1U << HT_FEATURE_KINDS) - 1,
    .design = 10,
    .design_seeded = 14,
    .design_apart = 4,
    .spread = 50,
    .clip = 1,
    .length = HT_FEATURE_LENGTHS,
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
    .design_led = 8,
    .design_alone = 5,
    .design_further = 2,
    .led = 0.05,
    .prior_noise = 0.25,
    .prior_fade = 10,
    .source_fade = 10,
    .first_batch = 10,
    .trusted = 0.6,
};

typedef struct bayes {
    ht_explorer explorer;
    ht_bayes_model model;
    ht_ladder ladder;
    size_t seed_count;
    size_t design, picked; /* asked from the spread, and by the model */
    double best_seed, best_design, best_vote, best_other;
    ht_config *favourites; /* of the sources, before there are outcomes; owned */
    size_t favourite_count, voted, since_vote; /* those asked, and others since */
    ht_config *led; /* what the prior likes best; owned; NULL: not listed yet */
    size_t led_count;
} bayes;

enum { OWNER_DESIGN = 1, OWNER_VOTE };

/* Lists what the sources like best. */
static void favourites_list(bayes *self, const ht_earlier *sources) {
    enum { LEAST = 10, ONE_IN = 300, MOST = 200 };
    ht_trust trust;
    uint64_t count = ht_space_count(self->explorer.space) / ONE_IN;
    size_t want = count < LEAST ? LEAST : count < MOST ? (size_t)count : MOST;
    self->favourites = ht_alloc(want, sizeof *self->favourites);
    ht_trust_begin(ht_earlier_count(sources), &trust);
    self->favourite_count = ht_earlier_best(sources, trust.weight, want, self->favourites);
}

static void *bayes_create(const ht_space *space, const ht_strategy_options *options) {
    bayes *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    ht_bayes_model_begin(&self->model, &self->explorer,
                         options->bayes ? options->bayes : &ht_bayes_defaults, options->prior,
                         options->sources);
    ht_ladder_begin(&self->ladder, &self->explorer, options->moves, options->move_count);
    self->seed_count = self->explorer.point_count;
    self->best_seed = self->best_design = self->best_vote = self->best_other = INFINITY;
    if (self->model.sources)
        favourites_list(self, self->model.sources);
    return self;
}

static void bayes_destroy(void *data) {
    bayes *self = data;
    ht_bayes_model_end(&self->model);
    ht_ladder_end(&self->ladder);
    ht_explorer_end(&self->explorer);
    free(self->favourites);
    free(self->led);
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
    if (self->explorer.points[point].owner != OWNER_VOTE)
        self->best_other = fmin(self->best_other, cost);
    if (point < self->seed_count)
        self->best_seed = fmin(self->best_seed, cost);
    else if (self->explorer.points[point].owner == OWNER_DESIGN)
        self->best_design = fmin(self->best_design, cost);
    else if (self->explorer.points[point].owner == OWNER_VOTE)
        self->best_vote = fmin(self->best_vote, cost);
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

/* Returns how many of the spread are led by the prior at first: one more than there are parameters
 * to choose, as a plane needs, up to the setting. */
static size_t led_most(const bayes *self) {
    size_t most = (size_t)self->model.settings->design_led, count = 1;
    for (size_t i = 0; i < self->explorer.dimensions; ++i)
        count += self->explorer.sizes[i] > 1;
    if (!self->model.expectation)
        return 0;
    return count < most ? count : most;
}

/* Returns true if the next of the spread is led by the prior: the first ones, and most of those
 * that are asked for before there is a model. */
static bool is_led(const bayes *self) {
    enum { UNLED = 4 }; /* one in N */
    bool blind = self->model.successes < SUCCESSES_LEAST && self->design % UNLED != 0;
    return self->model.expectation && (blind || self->design < led_most(self));
}

static double expected_of(const bayes *self, const ht_config *config) {
    return ht_prior_mean(self->model.expectation, &self->model.weights, config);
}

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Lists what the prior likes best, out of a sample of the space: at most LED of those that are as
 * good as the best share of it. */
static void led_list(bayes *self) {
    enum { SAMPLES = 4096, SAMPLES_SLOW = 1024 };
    const ht_space *space = self->explorer.space;
    size_t samples = ht_space_listed(space) ? SAMPLES : SAMPLES_SLOW;
    ht_config *sample = ht_alloc(samples, sizeof *sample);
    double *expected = ht_alloc(samples, sizeof *expected);
    double *sorted = ht_alloc(samples, sizeof *sorted);
    for (size_t i = 0; i < samples; ++i) {
        sample[i] = ht_space_sample(space, &self->explorer.random);
        sorted[i] = expected[i] = expected_of(self, &sample[i]);
    }
    qsort(sorted, samples, sizeof *sorted, compare_doubles);
    double limit = sorted[(size_t)(self->model.settings->led * (double)samples)];
    self->led = ht_alloc(LED, sizeof *self->led);
    for (size_t i = 0; i < samples && self->led_count < LED; ++i)
        if (expected[i] <= limit)
            self->led[self->led_count++] = sample[i];
    free(sample);
    free(expected);
    free(sorted);
}

/* Picks, of what the prior likes best, the one that stands for it best along with all asked so far;
 * false: all were asked. */
static bool led_pick(bayes *self, ht_config *out_config) {
    size_t d = ht_features_count(self->model.features), asked = self->explorer.point_count;
    size_t fresh[LED], count = 0;
    if (!self->led)
        led_list(self);
    double *rows = ht_alloc((self->led_count + asked) * d + 1, sizeof *rows);
    for (size_t i = 0; i < self->led_count; ++i)
        if (ht_explorer_find(&self->explorer, &self->led[i]) == HT_NO_POINT) {
            ht_features_of(self->model.features, &self->led[i], rows + count * d);
            fresh[count++] = i;
        }
    for (size_t i = 0; i < asked; ++i)
        memcpy(rows + (count + i) * d, ht_bayes_model_point(&self->model, i), d * sizeof *rows);
    if (count)
        *out_config = self->led[fresh[ht_herding_next(rows, count, asked, d)]];
    free(rows);
    return count > 0;
}

/* Picks the next of the spread: one that the prior likes, or the farthest of some samples from all
 * asked so far (best-candidate sampling, Mitchell 1991). */
static bool spread_pick(bayes *self, ht_config *out_config) {
    if (is_led(self) && led_pick(self, out_config))
        return true;
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

/* Picks the sources' favourite first, then the one of their favourites that is farthest from all
 * asked so far; false: none is left. */
static bool vote_pick(bayes *self, ht_config *out_config) {
    double farthest = -1;
    for (size_t i = 0; i < self->favourite_count; ++i) {
        const ht_config *config = &self->favourites[i];
        if (ht_explorer_find(&self->explorer, config) != HT_NO_POINT)
            continue;
        double distance = self->voted ? distance_to_asked(self, config) : INFINITY;
        if (distance > farthest) {
            farthest = distance;
            *out_config = *config;
        }
    }
    return farthest >= 0;
}

/* Returns true if the next one is a favourite of the sources: one at the beginning; others, as long
 * as those are better than all else, in turn with the spread until there is a model, or between the
 * steps. */
static bool vote_due(const bayes *self) {
    enum { AMONG_STEPS = 3 };
    bool blind = self->model.successes < SUCCESSES_LEAST && self->voted <= self->design;
    bool stepping = self->ladder.count && self->voted < AMONG_STEPS && self->since_vote > 0;
    return self->model.sources && self->best_vote <= self->best_other &&
           (self->voted == 0 ? self->design == 0 : blind || stepping);
}

/* The verdict of outcomes so far on the sources. */
typedef enum verdict { VERDICT_NONE, VERDICT_TRUSTED, VERDICT_DOUBTED } verdict;

/* Returns VERDICT_TRUSTED where outcomes agree with the sources, so that most of the spread is
 * spared, and VERDICT_DOUBTED where it is less likely than before any outcome that one of them says
 * something, so that the search goes on as one without. */
static verdict sources_judge(const bayes *self) {
    ht_trust trust;
    if (!self->model.sources)
        return VERDICT_NONE;
    ht_bayes_model_trust(&self->model, &trust);
    if (ht_trust_doubts(&trust))
        return VERDICT_DOUBTED;
    bool explained = 1 - trust.rest > self->model.settings->trusted;
    return trust.any > LIKELY && explained ? VERDICT_TRUSTED : VERDICT_NONE;
}

/* Returns the most that are asked from the spread, whatever else is known. */
static size_t spread_most(const ht_bayes_settings *settings) {
    const int each[] = {settings->design, settings->design_seeded,
                        settings->design_led + settings->design_further};
    int most = 0;
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i)
        most = each[i] > most ? each[i] : most;
    return (size_t)most;
}

/* Returns true if the next one is from the spread. */
static bool spread_due(const bayes *self) {
    const ht_bayes_settings *settings = self->model.settings;
    if (self->model.successes < SUCCESSES_LEAST)
        return true;
    if (self->design >= spread_most(settings))
        return false;
    verdict verdict = sources_judge(self);
    if (self->ladder.count || verdict == VERDICT_TRUSTED)
        return self->design < (size_t)settings->design_seeded &&
               (size_t)settings->design_apart * (self->design + 1) <= self->picked;
    size_t led = led_most(self), further = (size_t)settings->design_further;
    size_t alone = (size_t)settings->design_alone, asked = self->design;
    if (verdict == VERDICT_DOUBTED)
        asked += self->voted; /* which the model learns from as well */
    if (led < alone || (self->model.sources && verdict != VERDICT_DOUBTED))
        alone = led;
    if (led && self->seed_count == 0)
        return asked < alone || (self->design < led + further && asked < alone + self->picked);
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

/* Returns true if outcomes should come before more is asked: what is known decides on as many
 * again.
 */
static bool is_enough(const bayes *self) {
    size_t told = self->explorer.told, waiting = self->explorer.point_count - told;
    size_t least = (size_t)self->model.settings->first_batch;
    return waiting >= (told > least ? told : least);
}

static size_t bayes_ask(void *data, size_t want, ht_config *out_configs) {
    bayes *self = data;
    for (size_t count = 0; count < want; ++count) {
        if (count > 0 && is_enough(self))
            return count;
        bool vote = vote_due(self) && vote_pick(self, &out_configs[count]);
        bool step = !vote && ht_ladder_step(&self->ladder, &out_configs[count]);
        if (count > 0 && !vote && !step && ht_ladder_waits(&self->ladder))
            return count; /* the next ones put together what helps */
        bool spread = !vote && !step && spread_due(self);
        if (!vote && !step && !pick(self, spread, &out_configs[count]))
            return count;
        size_t point = ht_explorer_ask(&self->explorer, &out_configs[count]);
        self->explorer.points[point].owner = spread ? OWNER_DESIGN
                                             : vote ? OWNER_VOTE
                                                    : HT_NO_POINT;
        ht_bayes_model_asked(&self->model, &out_configs[count]);
        self->since_vote = vote ? 0 : self->since_vote + 1;
        if (vote)
            ++self->voted;
        else if (!step)
            *(spread ? &self->design : &self->picked) += 1;
    }
    return want;
}

static void bayes_trust(const void *data, ht_trust *out_trust) {
    ht_bayes_model_trust(&((const bayes *)data)->model, out_trust);
}

const ht_strategy_class ht_strategy_class_bayes = {
    .name = "bayes",
    .description = "Bayesian optimisation with a Gaussian process (Jones 1998)",
    .expects = true,
    .create = bayes_create,
    .ask = bayes_ask,
    .tell = bayes_tell,
    .destroy = bayes_destroy,
    .trust = bayes_trust,
};
