#include "search/objective.h"

#include <math.h>

static const double LOWEST = 1e-300;

static double clipped(const ht_objective *objective, double cost) {
    double above = log(fmax(cost, LOWEST)) - objective->best, clip = objective->clip;
    if (clip > 0 && above > clip)
        above = clip * (1 + log(above / clip));
    return above;
}

void ht_objective_set(ht_objective *objective, const double *costs, size_t count, double clip) {
    double lowest = INFINITY, sum = 0, squares = 0;
    for (size_t i = 0; i < count; ++i)
        lowest = fmin(lowest, costs[i]);
    *objective = (ht_objective){.best = log(fmax(lowest, LOWEST)), .clip = clip};
    for (size_t i = 0; i < count; ++i)
        sum += clipped(objective, costs[i]);
    objective->mean = sum / (double)count;
    for (size_t i = 0; i < count; ++i) {
        double distance = clipped(objective, costs[i]) - objective->mean;
        squares += distance * distance;
    }
    objective->deviation = fmax(sqrt(squares / (double)count), 1e-4);
}

double ht_objective_of(const ht_objective *objective, double cost) {
    return (clipped(objective, cost) - objective->mean) / objective->deviation;
}

double ht_expected_improvement(double best, double mean, double variance) {
    double deviation = sqrt(fmax(variance, 1e-6)), z = (best - mean) / deviation;
    if (z < -6)
        return 1e-12 * exp(z);
    return deviation *
           (z * erfc(-z * 0.70710678118654752) / 2 + 0.39894228040143268 * exp(-z * z / 2));
}
