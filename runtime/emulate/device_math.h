/* Functions that kernels call in this program, beyond those of ht_state.h. */
#ifndef HT_RUNTIME_EMULATE_DEVICE_MATH_H
#define HT_RUNTIME_EMULATE_DEVICE_MATH_H

/* The inverse of erf; infinities at the ends of (-1, 1), NaN past them. */
double ht_device_erfinv(double x);
/* The modified Bessel function of the first kind, of order 0 or 1. */
double ht_device_bessel_i(int order, double x);

#endif
