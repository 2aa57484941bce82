#include "search/earlier.h"

#include "base/blas.h"
#include "base/hash.h"
#include "base/memory.h"
#include "search/cholesky.h"
#include "search/features.h"
#include "search/gp.h"
#include "search/index_map.h"
#include "search/matern.h"
#include "search/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESSES_LEAST = 3,
    SAMPLE = 1024,           /* of the space, for the features' ranges */
    FITTED = 100,            /* outcomes that the parameters of an estimate are fitted to, */
    FIT_STEPS = 25,          /* in as many steps, */
    ESTIMATED_BY = 400,      /* and outcomes that it is made from; where it is made anew for each */
    ESTIMATED_BRIEFLY = 150, /* configuration, because the space has more than */
    TABLE_MOST = 32768,      /* configurations */
    JUDGED_LEAST = 200,      /* outcomes, before they are asked whether they agree, */
    JUDGED_MOST = 800        /* and of how many: half to learn from, half to compare with */
};
/* A rank correlation: with less a source does not depend on the features that a search learns from,
 * or on what they cannot say. */
static const double AGREEMENT_LEAST = 0.5;
static const double CLIP = 1;   /* as the search's objective has it (search/bayes.c), */
static const double NOISE = -6; /* and the mean of the logarithm of the noise */

static uint64_t key_of(const ht_config *config) {
    return ht_hash_short(config->choice, config->count * sizeof config->choice[0]);
}

/* One source. */
typedef struct source {
    ht_index_map known; /* key of a configuration -> its place in `values` */
    double *values;     /* owned */
    ht_config *configs; /* owned */
    size_t count;
    float *table; /* by index of the space; NULL: it is too large; owned */

    /* The estimate of what is not known. */
    size_t estimated_by; /* outcomes; 0: none is needed */
    float inverse[HT_FEATURES_MAX];
    float *z;     /* their features over the lengths; owned */
    float *alpha; /* owned */
    float amplitude;
} source;

struct ht_earlier {
    const ht_space *space;
    ht_features *features;
    source list[HT_EARLIER_MAX];
    size_t count;
};

bool ht_earlier_is_tabled(const ht_space *space) {
    return ht_space_listed(space) && ht_space_count(space) <= TABLE_MOST;
}

ht_earlier *ht_earlier_create(const ht_space *space) {
    ht_earlier *sources = ht_alloc(1, sizeof *sources);
    bool listed = ht_space_listed(space);
    uint64_t legal = listed ? ht_space_count(space) : SAMPLE;
    size_t count = legal < SAMPLE ? (size_t)legal : SAMPLE;
    ht_config *sample = ht_alloc(count + 1, sizeof *sample);
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < count; ++i) {
        double share = (double)i / (double)count;
        sample[i] = listed ? ht_space_at(space, (uint64_t)(share * (double)legal))
                           : ht_space_sample(space, &random);
    }
    sources->space = space;
    sources->features = ht_features_create(space, sample, count, (1U << HT_FEATURE_KINDS) - 1);
    free(sample);
    ht_blas_begin();
    return sources;
}

static void source_free(source *source) {
    ht_index_map_free(&source->known);
    free(source->values);
    free(source->configs);
    free(source->table);
    free(source->z);
    free(source->alpha);
}

void ht_earlier_free(ht_earlier *sources) {
    if (!sources)
        return;
    for (size_t i = 0; i < sources->count; ++i)
        source_free(&sources->list[i]);
    ht_features_free(sources->features);
    free(sources);
}

size_t ht_earlier_count(const ht_earlier *sources) {
    return sources->count;
}

/* Takes over the outcomes, the first of each configuration; returns how many succeeded. */
static size_t outcomes_take(source *source, const ht_earlier_outcome *outcomes, size_t count,
                            double *costs) {
    size_t successes = 0;
    source->values = ht_alloc(count + 1, sizeof *source->values);
    source->configs = ht_alloc(count + 1, sizeof *source->configs);
    for (size_t i = 0; i < count; ++i) {
        uint64_t key = key_of(&outcomes[i].config), place;
        if (isnan(outcomes[i].cost) || ht_index_map_get(&source->known, key, &place))
            continue;
        ht_index_map_put(&source->known, key, source->count);
        source->configs[source->count] = outcomes[i].config;
        source->values[source->count++] = outcomes[i].cost;
        if (isfinite(outcomes[i].cost))
            costs[successes++] = outcomes[i].cost;
    }
    return successes;
}

/* Makes standardised values of the costs; false: they are all the same. */
static bool standardise(source *source, const double *costs, size_t successes) {
    ht_objective objective;
    double slowest = -INFINITY;
    ht_objective_set(&objective, costs, successes, CLIP);
    for (size_t i = 0; i < successes; ++i)
        slowest = fmax(slowest, ht_objective_of(&objective, costs[i]));
    for (size_t i = 0; i < source->count; ++i)
        source->values[i] =
            isfinite(source->values[i]) ? ht_objective_of(&objective, source->values[i]) : slowest;
    return slowest > 0.01;
}

/* Draws `most` of the outcomes to the front of `order`; the same ones each time. */
static size_t subset(size_t *order, size_t count, size_t most) {
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < count; ++i)
        order[i] = i;
    for (size_t i = 0; i < most && i < count; ++i) {
        size_t other = i + (size_t)ht_random_below(&random, count - i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return most < count ? most : count;
}

static ht_gp_parameters parameters_fit(const ht_features *features, const double *x,
                                       const double *y, size_t count) {
    static const double lengths[HT_FEATURE_KINDS] = HT_FEATURE_LENGTHS;
    size_t d = ht_features_count(features);
    ht_gp_parameters parameters = {.log_noise = NOISE};
    ht_gp_prior prior = {
        .length_spread = 1, .amplitude_spread = 1, .noise = NOISE, .noise_spread = 2};
    for (size_t k = 0; k < d; ++k)
        parameters.log_length[k] = prior.length[k] = lengths[ht_features_kind(features, k)];
    ht_gp_fit(x, y, count < FITTED ? count : FITTED, d, &prior, FIT_STEPS, &parameters);
    return parameters;
}

/* Computes alpha, the solution of (K + noise) alpha = y; false: not positive definite. */
static bool alpha_make(source *source, const ht_gp_parameters *parameters, size_t d,
                       const double *y) {
    size_t n = source->estimated_by;
    double *matrix = ht_alloc(n * n + 1, sizeof *matrix), *alpha = ht_alloc(n + 1, sizeof *alpha);
    double amplitude = exp(parameters->log_amplitude), noise = exp(parameters->log_noise);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double square = 0;
            for (size_t k = 0; k < d; ++k) {
                double apart = (double)source->z[i * d + k] - (double)source->z[j * d + k];
                square += apart * apart;
            }
            matrix[i * n + j] = amplitude * ht_matern(5 * square);
        }
        matrix[i * n + i] += noise + 1e-6;
        alpha[i] = y[i];
    }
    bool positive = ht_cholesky(matrix, n);
    if (positive) {
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, matrix, (int)n,
                    alpha, 1);
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n, matrix, (int)n,
                    alpha, 1);
    }
    for (size_t i = 0; i < n; ++i)
        source->alpha[i] = (float)alpha[i];
    free(matrix);
    free(alpha);
    return positive;
}

/* Makes an estimate from the first `n` of the outcomes in `order`. */
static void estimate_fit(const ht_earlier *sources, source *source, const size_t *order, size_t n) {
    size_t d = ht_features_count(sources->features);
    double *x = ht_alloc(n * d + 1, sizeof *x), *y = ht_alloc(n, sizeof *y);
    for (size_t i = 0; i < n; ++i) {
        ht_features_of(sources->features, &source->configs[order[i]], x + i * d);
        y[i] = source->values[order[i]];
    }
    ht_gp_parameters parameters = parameters_fit(sources->features, x, y, n);
    source->z = ht_alloc(n * d + 1, sizeof *source->z);
    source->alpha = ht_alloc(n, sizeof *source->alpha);
    source->amplitude = (float)exp(parameters.log_amplitude);
    for (size_t k = 0; k < d; ++k)
        source->inverse[k] = (float)exp(-parameters.log_length[k]);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < d; ++k)
            source->z[i * d + k] = (float)(x[i * d + k] - 0.5) * source->inverse[k];
    source->estimated_by = n;
    if (!alpha_make(source, &parameters, d, y))
        source->estimated_by = 0;
    free(x);
    free(y);
}

static void estimate_make(const ht_earlier *sources, source *source) {
    size_t *order = ht_alloc(source->count, sizeof *order);
    size_t n = subset(order, source->count,
                      ht_earlier_is_tabled(sources->space) ? ESTIMATED_BY : ESTIMATED_BRIEFLY);
    estimate_fit(sources, source, order, n);
    free(order);
}

/* Estimates the values of configurations by their features (count * d). */
static void estimates(const source *source, size_t d, const double *x, size_t count,
                      double *out_values) {
    size_t n = source->estimated_by;
    float *z = ht_alloc(d + 1, sizeof *z), *row = ht_alloc(n + 1, sizeof *row);
    for (size_t c = 0; c < count; ++c) {
        for (size_t k = 0; k < d; ++k)
            z[k] = (float)(x[c * d + k] - 0.5) * source->inverse[k];
        for (size_t i = 0; i < n; ++i) {
            float square = 0;
            for (size_t k = 0; k < d; ++k)
                square += (z[k] - source->z[i * d + k]) * (z[k] - source->z[i * d + k]);
            row[i] = square;
        }
        ht_matern_of_squares(row, n, source->amplitude);
        float sum = 0;
        for (size_t i = 0; i < n; ++i)
            sum += row[i] * source->alpha[i];
        out_values[c] = sum;
    }
    free(z);
    free(row);
}

static double value_of(const ht_earlier *sources, const source *source, const ht_config *config) {
    uint64_t place;
    double x[HT_FEATURES_MAX], value = 0;
    if (ht_index_map_get(&source->known, key_of(config), &place))
        return source->values[place];
    if (source->estimated_by == 0)
        return 0;
    ht_features_of(sources->features, config, x);
    estimates(source, ht_features_count(sources->features), x, 1, &value);
    return value;
}

static void table_make(const ht_earlier *sources, source *source) {
    size_t count = (size_t)ht_space_count(sources->space);
    source->table = ht_alloc(count + 1, sizeof *source->table);
    for (size_t i = 0; i < count; ++i) {
        ht_config config = ht_space_at(sources->space, i);
        source->table[i] = (float)value_of(sources, source, &config);
    }
}

/* Returns true if some legal configuration may be unknown to the source. */
static bool is_sparse(const ht_earlier *sources, const source *source) {
    if (!ht_space_listed(sources->space) || source->count < ht_space_count(sources->space))
        return true;
    for (uint64_t i = 0, place; i < ht_space_count(sources->space); ++i) {
        ht_config config = ht_space_at(sources->space, i);
        if (!ht_index_map_get(&source->known, key_of(&config), &place))
            return true;
    }
    return false;
}

/* Writes the rank of each value from 0; equal ones share the mean of theirs. */
static void ranks_of(const double *values, size_t count, double *out_ranks) {
    for (size_t i = 0; i < count; ++i) {
        out_ranks[i] = -0.5;
        for (size_t k = 0; k < count; ++k)
            out_ranks[i] += values[k] < values[i] ? 1 : values[k] == values[i] ? 0.5 : 0;
    }
}

/* Returns Spearman's rank correlation; 0 where one side is the same throughout. */
static double rank_correlation(const double *a, const double *b, size_t count) {
    double *x = ht_alloc(count + 1, sizeof *x), *y = ht_alloc(count + 1, sizeof *y);
    double mean = ((double)count - 1) / 2, xx = 0, yy = 0, xy = 0;
    ranks_of(a, count, x);
    ranks_of(b, count, y);
    for (size_t i = 0; i < count; ++i) {
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
        xy += (x[i] - mean) * (y[i] - mean);
    }
    free(x);
    free(y);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Returns how well an estimate from some of the outcomes orders others. */
static double agreement_of(const ht_earlier *sources, const source *source) {
    size_t d = ht_features_count(sources->features);
    size_t *order = ht_alloc(source->count, sizeof *order);
    size_t drawn = subset(order, source->count, JUDGED_MOST), half = drawn / 2, rest = drawn - half;
    struct source trial = *source;
    double *x = ht_alloc(rest * d + 1, sizeof *x), agreement = 1;
    double *values = ht_alloc(rest, sizeof *values), *expected = ht_alloc(rest, sizeof *expected);
    estimate_fit(sources, &trial, order, half);
    for (size_t i = 0; i < rest; ++i) {
        values[i] = source->values[order[half + i]];
        ht_features_of(sources->features, &source->configs[order[half + i]], x + i * d);
    }
    if (trial.estimated_by) {
        estimates(&trial, d, x, rest, expected);
        agreement = rank_correlation(values, expected, rest);
    }
    free(trial.z);
    free(trial.alpha);
    free(order);
    free(x);
    free(values);
    free(expected);
    return agreement;
}

/* Returns true if the outcomes depend on the configurations in a way that can be learnt, or are too
 * few to tell. Else they are not of this space, or noise, and would cost a search the evaluations
 * that it takes to find out. */
static bool is_plausible(const ht_earlier *sources, const source *source) {
    return source->count < JUDGED_LEAST || agreement_of(sources, source) >= AGREEMENT_LEAST;
}

bool ht_earlier_add(ht_earlier *sources, const ht_earlier_outcome *outcomes, size_t count) {
    if (sources->count == HT_EARLIER_MAX)
        return false;
    source *source = &sources->list[sources->count];
    double *costs = ht_alloc(count + 1, sizeof *costs);
    size_t successes = outcomes_take(source, outcomes, count, costs);
    bool use = successes >= SUCCESSES_LEAST && standardise(source, costs, successes) &&
               is_plausible(sources, source);
    free(costs);
    if (!use) {
        source_free(source);
        memset(source, 0, sizeof *source);
        return false;
    }
    if (is_sparse(sources, source))
        estimate_make(sources, source);
    if (ht_earlier_is_tabled(sources->space))
        table_make(sources, source);
    ++sources->count;
    return true;
}

void ht_earlier_values(const ht_earlier *sources, const ht_config *configs, size_t count,
                       double *out_values) {
    size_t s = sources->count;
    for (size_t c = 0; c < count; ++c) {
        uint64_t index = 0;
        bool found = ht_earlier_is_tabled(sources->space) &&
                     ht_space_find(sources->space, &configs[c], &index);
        for (size_t i = 0; i < s; ++i)
            out_values[c * s + i] = found ? (double)sources->list[i].table[index]
                                          : value_of(sources, &sources->list[i], &configs[c]);
    }
}

typedef struct favourite {
    double value;
    uint64_t place;
} favourite;

static int by_value(const void *a, const void *b) {
    const favourite *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static size_t best_listed(const ht_earlier *sources, const double *weights, size_t want,
                          ht_config *out_configs) {
    size_t count = (size_t)ht_space_count(sources->space);
    favourite *order = ht_alloc(count + 1, sizeof *order);
    for (size_t i = 0; i < count; ++i) {
        order[i].place = i;
        for (size_t s = 0; s < sources->count; ++s)
            order[i].value += weights[s] * (double)sources->list[s].table[i];
    }
    qsort(order, count, sizeof *order, by_value);
    size_t found = want < count ? want : count;
    for (size_t i = 0; i < found; ++i)
        out_configs[i] = ht_space_at(sources->space, order[i].place);
    free(order);
    return found;
}

/* Returns all that the sources have tried and the space allows, each once. */
static ht_config *tried(const ht_earlier *sources, size_t *out_count) {
    size_t room = 0;
    ht_index_map seen = {0};
    for (size_t s = 0; s < sources->count; ++s)
        room += sources->list[s].count;
    ht_config *configs = ht_alloc(room + 1, sizeof *configs);
    *out_count = 0;
    for (size_t s = 0; s < sources->count; ++s)
        for (size_t i = 0; i < sources->list[s].count; ++i) {
            const ht_config *config = &sources->list[s].configs[i];
            if (ht_space_legal(sources->space, config) &&
                ht_index_map_put(&seen, key_of(config), 0))
                configs[(*out_count)++] = *config;
        }
    ht_index_map_free(&seen);
    return configs;
}

static size_t best_tried(const ht_earlier *sources, const double *weights, size_t want,
                         ht_config *out_configs) {
    size_t count, s = sources->count;
    ht_config *configs = tried(sources, &count);
    double *values = ht_alloc(count * s + 1, sizeof *values);
    favourite *order = ht_alloc(count + 1, sizeof *order);
    ht_earlier_values(sources, configs, count, values);
    for (size_t i = 0; i < count; ++i) {
        order[i].place = i;
        for (size_t k = 0; k < s; ++k)
            order[i].value += weights[k] * values[i * s + k];
    }
    qsort(order, count, sizeof *order, by_value);
    size_t found = want < count ? want : count;
    for (size_t i = 0; i < found; ++i)
        out_configs[i] = configs[order[i].place];
    free(configs);
    free(values);
    free(order);
    return found;
}

size_t ht_earlier_best(const ht_earlier *sources, const double *weights, size_t want,
                       ht_config *out_configs) {
    return ht_earlier_is_tabled(sources->space) ? best_listed(sources, weights, want, out_configs)
                                                : best_tried(sources, weights, want, out_configs);
}
