/* Floats of 16 bits. */
#include "predictor/math/half.h"

#include <criterion/criterion.h>
#include <math.h>

/* Each of the 65536 comes back; what lies halfway between two goes to the even one. */
Test(half, numbers_round_to_nearest) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const uint8_t bytes[2] = {(uint8_t)bits, (uint8_t)(bits >> 8)};
        const uint8_t next[2] = {(uint8_t)(bits + 1), (uint8_t)((bits + 1) >> 8)};
        uint8_t back[2];
        float value = ht_half_get(bytes), above = ht_half_get(next);
        if (isnan(value))
            continue;
        ht_half_put(back, value);
        cr_assert_arr_eq(back, bytes, 2, "%04x", bits);
        if ((bits & 0x7fff) >= 0x7bff)
            continue; /* the next one is not a number */
        ht_half_put(back, (value + above) / 2);
        cr_assert_arr_eq(back, bits % 2 ? next : bytes, 2, "%04x", bits);
        ht_half_put(back, nextafterf((value + above) / 2, above));
        cr_assert_arr_eq(back, next, 2, "%04x", bits);
    }
    uint8_t one[2], large[2], least[2];
    ht_half_put(one, 1);
    ht_half_put(large, 1e9F);
    ht_half_put(least, -1e-10F);
    cr_expect(one[0] == 0 && one[1] == 0x3c);
    cr_expect_eq(ht_half_get(large), 65504);
    cr_expect_eq(ht_half_get(least), 0);
}
