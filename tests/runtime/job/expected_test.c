#include "runtime/buffers/expected.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ht_arg out_arg = {.name = (char *)"out", .role = HT_ARG_OUT};

static ht_layout_arg layout_of(const char *type, size_t count) {
    ht_layout_arg layout = {.arg = &out_arg, .count = count};
    cr_assert(ht_element_parse(type, &layout.plain));
    layout.element = layout.plain;
    return layout;
}

static ht_status compare(float got, double want, double scale, double tolerance) {
    ht_layout_arg layout = layout_of("float", 1);
    ht_expected expected = {.count = 1, .known = 1, .value = &want, .scale = &scale};
    return ht_expected_compare(&expected, &layout, &got, tolerance, NULL);
}

Test(expected, errors_are_measured_against_the_scale) {
    cr_assert_eq(compare(1.0f, 1.0, 1, 0), HT_OK);
    cr_assert_eq(compare(1.0f, 1.0009, 1000, 1e-6), HT_OK, "0.9 of what is allowed");
    cr_assert_eq(compare(1.0f, 1.0011, 1000, 1e-6), HT_ERROR_MISMATCH, "1.1 of it");
    cr_assert_eq(compare(0.1f, 0.1, 0, 0), HT_OK, "the type's own rounding is free");
    cr_assert_eq(compare(0.1f + 3e-8f, 0.1, 0, 0), HT_ERROR_MISMATCH);
}

Test(expected, special_values_must_be_the_same) {
    cr_assert_eq(compare(NAN, 1, 1e30, 1), HT_ERROR_MISMATCH, "NaN is never close");
    cr_assert_eq(compare(INFINITY, 1, 1e30, 1), HT_ERROR_MISMATCH);
    cr_assert_eq(compare(1, NAN, 1e30, 1), HT_ERROR_MISMATCH);
    cr_assert_eq(compare(1, INFINITY, 1e30, 1), HT_ERROR_MISMATCH);
    cr_assert_eq(compare(-INFINITY, INFINITY, 1e30, 1), HT_ERROR_MISMATCH);
    cr_assert_eq(compare(NAN, NAN, 1, 0), HT_OK);
    cr_assert_eq(compare(INFINITY, INFINITY, 1, 0), HT_OK);
}

Test(expected, the_first_offending_element_is_named) {
    ht_layout_arg layout = layout_of("float2", 3);
    float got[6] = {0, 1, 2, 3.5f, 4, 5.5f};
    double want[6] = {0, 1, 2, 3, 4, 5}, scale[6] = {1, 1, 1, 1, 1, 1};
    ht_expected expected = {.count = 6, .known = 6, .value = want, .scale = scale};
    ht_error error = {0};
    cr_assert_eq(ht_expected_compare(&expected, &layout, got, 1e-6, &error), HT_ERROR_MISMATCH);
    cr_assert_not_null(strstr(error.message, "'out'[1].y is 3.5, expected 3"), "%s", error.message);
    memset(&got[3], 0xff, sizeof got[3]);
    cr_assert_eq(ht_expected_compare(&expected, &layout, got, 1e-6, &error), HT_ERROR_MISMATCH);
    cr_assert_not_null(strstr(error.message, "left unwritten"), "%s", error.message);
}

Test(expected, another_size_is_a_mismatch) {
    ht_layout_arg layout = layout_of("float", 2);
    float got[2] = {0};
    double want[3] = {0}, scale[3] = {0};
    ht_expected expected = {.count = 3, .known = 3, .value = want, .scale = scale};
    cr_assert_eq(ht_expected_compare(&expected, &layout, got, 1, NULL), HT_ERROR_MISMATCH);
}

Test(expected, survives_a_file) {
    char path[] = "/tmp/hiptemper-test-XXXXXX";
    close(mkstemp(path));
    uint64_t index[2] = {3, 9};
    double value[2] = {1.5, NAN}, scale[2] = {2, INFINITY};
    unsigned char bytes[5] = {1, 2, 3, 4, 255};
    ht_expected outputs[2] = {
        {.arg = 4, .count = 10, .known = 2, .index = index, .value = value, .scale = scale},
        {.arg = 1, .count = 5, .known = 5, .bytes = bytes, .byte_count = 5}};
    ht_reference reference = {.seed = UINT64_MAX - 3, .outputs = outputs, .count = 2}, back;
    ht_error error = {0};
    cr_assert_eq(ht_reference_save(&reference, path, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_reference_load(path, &back, &error), HT_OK, "%s", error.message);
    cr_assert_eq(back.seed, reference.seed);
    cr_assert_eq(back.count, 2);
    cr_assert_eq(back.outputs[0].index[1], 9);
    cr_assert_eq(back.outputs[0].value[0], 1.5);
    cr_assert(isnan(back.outputs[0].value[1]));
    cr_assert_arr_eq(back.outputs[1].bytes, bytes, 5);
    ht_reference_free(&back);

    /* Cut short anywhere, it is an error and nothing worse. */
    char *data = NULL;
    size_t length = 0;
    cr_assert_eq(ht_file_read(path, 0, &data, &length, &error), HT_OK);
    for (size_t cut = 0; cut < length; ++cut) {
        cr_assert_eq(ht_file_write(path, data, cut, &error), HT_OK);
        cr_assert_eq(ht_reference_load(path, &back, &error), HT_ERROR_IO);
    }
    free(data);
    unlink(path);
}
