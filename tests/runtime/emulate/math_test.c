/* Mathematics that kernels find in the program. */
#include "runtime/emulate/device_math.h"

#include <criterion/criterion.h>
#include <math.h>

Test(emulate_math, erfinv_is_the_inverse_of_erf) {
    for (double x = -0.9999; x < 1; x += 0.0371)
        cr_expect_float_eq(erf(ht_device_erfinv(x)), x, 1e-14, "%g", x);
    cr_expect_eq(ht_device_erfinv(1), INFINITY);
    cr_expect_eq(ht_device_erfinv(-1), -INFINITY);
    cr_expect(isnan(ht_device_erfinv(1.5)));
}

Test(emulate_math, modified_bessel_functions_have_their_known_values) {
    cr_expect_float_eq(ht_device_bessel_i(0, 0), 1, 0);
    cr_expect_float_eq(ht_device_bessel_i(0, 1), 1.2660658777520084, 1e-15);
    cr_expect_float_eq(ht_device_bessel_i(1, 1), 0.5651591039924850, 1e-15);
    cr_expect_float_eq(ht_device_bessel_i(1, -1), -0.5651591039924850, 1e-15);
    cr_expect_float_eq(ht_device_bessel_i(0, 10) / 2815.7166284662544, 1, 1e-14);
}
