#include "search/herding.h"

#include <math.h>

static double square(const double *a, const double *b, size_t features) {
    double sum = 0;
    for (size_t k = 0; k < features; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static double mean_square(const double *rows, size_t count, size_t features) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < i; ++j)
            sum += 2 * square(rows + i * features, rows + j * features, features);
    return sum / ((double)count * (double)count);
}

/* Returns how much a row is like others, in sum. */
static double likeness(const double *row, const double *others, size_t count, size_t features,
                       double scale) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += exp(-square(row, others + i * features, features) / scale);
    return sum;
}

size_t ht_herding_next(const double *rows, size_t count, size_t taken, size_t features) {
    static const double LEAST = 1e-9; /* of the scale, where all samples are the same */
    double scale = fmax(mean_square(rows, count, features), LEAST), highest = -INFINITY;
    const double *before = rows + count * features;
    size_t best = 0;
    for (size_t i = 0; i < count; ++i) {
        const double *row = rows + i * features;
        double worth = likeness(row, rows, count, features, scale) / (double)count -
                       likeness(row, before, taken, features, scale) / (double)(taken + 1);
        if (worth > highest) {
            highest = worth;
            best = i;
        }
    }
    return best;
}
