#include "search/features.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 0.995; /* features correlated more than this are one */

typedef struct feature {
    ht_feature_kind kind;
    size_t source; /* the dimension or the term */
    double *table; /* the raw feature by value index, for dimensions; owned */
    double low, scale;
} feature;

struct ht_features {
    const ht_space *space;
    feature list[HT_FEATURES_MAX];
    size_t count;
    double
        *columns[HT_FEATURES_MAX]; /* over the sample, centred, of length 1; only while created */
};

/* Returns how often 2 divides a whole number; 0 for 0 and for fractions. */
static double twos_in(double value) {
    double magnitude = fabs(value);
    int twos = 0;
    if (magnitude == 0 || magnitude > 0x1p62 || magnitude != floor(magnitude))
        return 0;
    for (uint64_t whole = (uint64_t)magnitude; whole % 2 == 0; whole /= 2)
        ++twos;
    return twos;
}

static bool raw_value(const ht_space *space, const feature *feature, const ht_config *config,
                      double *out_value) {
    double value;
    if (feature->table) {
        *out_value = feature->table[config->choice[feature->source]];
        return true;
    }
    if (!ht_space_term(space, feature->source, config, &value))
        return false;
    if (feature->kind == HT_FEATURE_TERM_DIVISIBILITY) {
        *out_value = twos_in(value);
        return value == floor(value);
    }
    *out_value = log2(value);
    return value > 0;
}

/* Returns the column of a feature over the sample, centred and of length 1, and the feature's
 * range; NULL when it has no value somewhere or never changes. */
static double *column_of(const ht_space *space, feature *feature, const ht_config *sample,
                         size_t count) {
    double *column = ht_alloc(count, sizeof *column);
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!raw_value(space, feature, &sample[i], &column[i])) {
            free(column);
            return NULL;
        }
        low = fmin(low, column[i]);
        high = fmax(high, column[i]);
        sum += column[i];
    }
    if (!(high - low > 1e-9)) {
        free(column);
        return NULL;
    }
    feature->low = low;
    feature->scale = 1 / (high - low);
    for (size_t i = 0; i < count; ++i) {
        column[i] -= sum / (double)count;
        squares += column[i] * column[i];
    }
    for (size_t i = 0; i < count; ++i)
        column[i] /= sqrt(squares);
    return column;
}

static bool known_already(const ht_features *features, const double *column, size_t count) {
    for (size_t k = 0; k < features->count; ++k) {
        double product = 0;
        for (size_t i = 0; i < count; ++i)
            product += column[i] * features->columns[k][i];
        if (fabs(product) > SAME)
            return true;
    }
    return false;
}

/* Takes the table. */
static void add(ht_features *features, feature candidate, const ht_config *sample, size_t count) {
    double *column = features->count < HT_FEATURES_MAX
                         ? column_of(features->space, &candidate, sample, count)
                         : NULL;
    if (!column || known_already(features, column, count)) {
        free(column);
        free(candidate.table);
        return;
    }
    features->columns[features->count] = column;
    features->list[features->count++] = candidate;
}

static double *table_of(const ht_dimension *dimension, double (*raw)(double value)) {
    double *table = ht_alloc(dimension->value_count, sizeof *table);
    for (size_t v = 0; v < dimension->value_count; ++v)
        table[v] = raw(dimension->numbers[v]);
    return table;
}

static double plain(double value) {
    return value;
}

static double log2_after(double value) {
    return log2(value + 1);
}

static void add_ordered(ht_features *features, size_t source, const ht_config *sample, size_t count,
                        unsigned kinds) {
    const ht_dimension *dimension = ht_space_dimension(features->space, source);
    double low = INFINITY;
    for (size_t v = 0; v < dimension->value_count; ++v)
        low = fmin(low, dimension->numbers[v]);
    double (*size)(double) = low > 0 ? log2 : low == 0 ? log2_after : plain;
    ht_feature_kind kind = dimension->value_count == 2 ? HT_FEATURE_CHOICE : HT_FEATURE_SIZE;
    if (kinds & 1U << kind)
        add(features, (feature){.kind = kind, .source = source, .table = table_of(dimension, size)},
            sample, count);
    if (low > 0 && dimension->value_count > 2 && (kinds & 1U << HT_FEATURE_DIVISIBILITY))
        add(features,
            (feature){.kind = HT_FEATURE_DIVISIBILITY,
                      .source = source,
                      .table = table_of(dimension, twos_in)},
            sample, count);
}

static void add_choices(ht_features *features, size_t source, const ht_config *sample,
                        size_t count) {
    size_t values = ht_space_dimension(features->space, source)->value_count;
    for (size_t v = 0; v < values; ++v) {
        double *table = ht_alloc(values, sizeof *table);
        table[v] = 1;
        add(features, (feature){.kind = HT_FEATURE_CHOICE, .source = source, .table = table},
            sample, count);
    }
}

ht_features *ht_features_create(const ht_space *space, const ht_config *sample, size_t count,
                                unsigned kinds) {
    ht_features *features = ht_alloc(1, sizeof *features);
    features->space = space;
    for (size_t i = 0; i < ht_space_dimension_count(space); ++i) {
        ht_param_kind kind = ht_space_dimension(space, i)->kind;
        if (kind == HT_PARAM_ENUMERATION || kind == HT_PARAM_TYPE)
            add_choices(features, i, sample, count);
        else
            add_ordered(features, i, sample, count, kinds);
    }
    for (size_t i = 0; i < ht_space_term_count(space); ++i)
        for (int kind = HT_FEATURE_TERM; kind <= HT_FEATURE_TERM_DIVISIBILITY; ++kind)
            if (kinds & 1U << kind)
                add(features, (feature){.kind = (ht_feature_kind)kind, .source = i}, sample, count);
    for (size_t k = 0; k < features->count; ++k) {
        free(features->columns[k]);
        features->columns[k] = NULL;
    }
    return features;
}

void ht_features_free(ht_features *features) {
    if (!features)
        return;
    for (size_t k = 0; k < features->count; ++k)
        free(features->list[k].table);
    free(features);
}

size_t ht_features_count(const ht_features *features) {
    return features->count;
}

ht_feature_kind ht_features_kind(const ht_features *features, size_t feature) {
    return features->list[feature].kind;
}

void ht_features_of(const ht_features *features, const ht_config *config, double *out_values) {
    for (size_t k = 0; k < features->count; ++k) {
        const feature *feature = &features->list[k];
        double raw;
        /* A term that has no value here, though it had one all over the sample, is at its low. */
        bool known = raw_value(features->space, feature, config, &raw);
        out_values[k] = known ? (raw - feature->low) * feature->scale : 0;
    }
}
