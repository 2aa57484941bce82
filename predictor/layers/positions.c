#include "predictor/layers/positions.h"

#include "predictor/math/real_vector.h"

#include <math.h>

/* Columns done at a time, to have the waves at hand for all rows. */
enum { COLUMNS = 64 };

void ht_positions_add(size_t first, size_t places, size_t batch, size_t width, ht_real *x) {
    for (size_t from = 0; from < width; from += COLUMNS) {
        const size_t count = width - from < COLUMNS ? width - from : COLUMNS;
        double turns[COLUMNS];
        for (size_t i = 0; i < count; ++i) {
            const size_t pair = (from + i) / 2;
            turns[i] = pow(10000, -2.0 * (double)pair / (double)width);
        }
        for (size_t p = 0; p < places; ++p) {
            ht_real waves[COLUMNS];
            for (size_t i = 0; i < count; ++i) {
                const double angle = (double)(first + p) * turns[i];
                waves[i] = (ht_real)((from + i) % 2 ? cos(angle) : sin(angle));
            }
            for (size_t b = 0; b < batch; ++b)
                ht_vector_add(count, waves, x + (p * batch + b) * width + from);
        }
    }
}
