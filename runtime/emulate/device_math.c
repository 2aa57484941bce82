/* Functions of device mathematics that the C library lacks; kernels find them in this program. */
#include "runtime/emulate/device_math.h"

#include <math.h>

/* Giles's approximation, then two steps of Newton's. */
double ht_device_erfinv(double x) {
    static const double half_root_pi = 0.88622692545275801365;
    if (!(fabs(x) < 1))
        return fabs(x) > 1 || isnan(x) ? NAN : copysign(INFINITY, x);
    double w = -log((1 - x) * (1 + x)), y;
    if (w < 5) {
        static const double c[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                   -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                   -0.00417768164,  0.246640727,    1.50140941};
        w -= 2.5;
        y = c[0];
        for (int i = 1; i < 9; ++i)
            y = y * w + c[i];
    } else {
        static const double c[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                   -0.00367342844,  0.00573950773,  -0.0076224613,
                                   0.00943887047,   1.00167406,     2.83297682};
        w = sqrt(w) - 3;
        y = c[0];
        for (int i = 1; i < 9; ++i)
            y = y * w + c[i];
    }
    y *= x;
    for (int i = 0; i < 2; ++i)
        y -= (erf(y) - x) * half_root_pi * exp(y * y);
    return y;
}

/* The power series: sums of positive terms, so no digits are lost. */
double ht_device_bessel_i(int order, double x) {
    double half = x / 2, term = order == 0 ? 1 : half, sum = term;
    for (int k = 1; k < 2000 && fabs(term) > 1e-17 * fabs(sum); ++k) {
        term *= half / k * (half / (k + order));
        sum += term;
    }
    return sum;
}
