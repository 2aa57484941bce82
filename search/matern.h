/* The Matern kernel of order 5/2 (Rasmussen and Williams 2006, formula 4.17) of the scaled distance
 * r: k = (1 + s + s^2 / 3) exp(-s) with s = sqrt(5) r. */
#ifndef HT_SEARCH_MATERN_H
#define HT_SEARCH_MATERN_H

#include <math.h>
#include <stddef.h>

/* Of s^2 = 5 r^2, in float64. */
static inline double ht_matern(double square) {
    double s = sqrt(square);
    return (1 + s + square / 3) * exp(-s);
}

/* Replaces each squared distance r^2 by `amplitude` times the kernel, in float32: within 1e-6 of
 * the amplitude. Squares that rounding made negative count as 0. */
void ht_matern_of_squares(float *squares, size_t count, float amplitude);

#endif
