/* Problems: families, instances, values that follow from their fields. */
#include "support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static ht_problem_spec conv2d(void) {
    ht_problem_spec spec;
    cr_assert(ht_problem_spec_builtin("conv2d", &spec));
    return spec;
}

static ht_problem_spec spec_of(const char *text) {
    ht_problem_spec spec;
    ht_error error;
    cr_assert_eq(ht_problem_spec_parse(text, (ht_place){"s", 1, 1}, &spec, &error), HT_OK, "%s: %s",
                 text, error.message);
    return spec;
}

static int64_t field(const ht_problem *problem, const char *name) {
    int64_t value;
    cr_assert(ht_problem_get(problem, name, &value), "no field %s", name);
    return value;
}

/* Returns the output size by walking over the input: how often the filter fits. */
static int64_t count_positions(int64_t size, int64_t filter, int64_t pad, int64_t stride,
                               int64_t dilation) {
    int64_t count = 0;
    for (int64_t start = -pad; start + dilation * (filter - 1) < size + pad; start += stride)
        ++count;
    return count;
}

Test(problem, conv2d_derives_its_output_by_the_usual_arithmetic) {
    ht_problem_spec spec = conv2d();
    ht_random random;
    ht_random_seed(&random, 31);
    size_t made = 0, refused = 0;
    for (int round = 0; round < 3000; ++round) {
        int64_t v[8];
        for (int i = 0; i < 8; ++i)
            v[i] = (int64_t)ht_random_below(&random, i < 2 ? 20 : 5) + (i < 4 || i > 5);
        /* H W R S pad_h pad_w stride dilation */
        char *text =
            ht_format("N=1 C=2 K=3 H=%" PRId64 ",W=%" PRId64 " R=%" PRId64 " S=%" PRId64
                      " pad_h=%" PRId64 " pad_w=%" PRId64 " stride=%" PRId64 " dilation=%" PRId64,
                      v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
        int64_t p = count_positions(v[0], v[2], v[4], v[6], v[7]);
        int64_t q = count_positions(v[1], v[3], v[5], v[6], v[7]);
        ht_problem problem;
        ht_error error;
        ht_status status = ht_problem_parse(&spec, text, &problem, &error);
        cr_assert_eq(status == HT_OK, p > 0 && q > 0, "%s: %s", text,
                     status == HT_OK ? "taken" : error.message);
        if (status == HT_OK) {
            cr_assert_eq(field(&problem, "P"), p, "%s", text);
            cr_assert_eq(field(&problem, "Q"), q, "%s", text);
            ht_problem_free(&problem);
            ++made;
        } else {
            ++refused;
        }
        free(text);
    }
    cr_assert(made > 500 && refused > 50);
    ht_problem_spec_free(&spec);
}

Test(problem, an_alias_sets_both_axes_and_defaults_fill_the_rest) {
    ht_problem_spec spec = conv2d();
    ht_problem problem;
    cr_assert_eq(ht_problem_parse(&spec, "N=1 C=4 H=9 W=9 K=4 R=3 S=3 pad=1 stride=2 groups=2",
                                  &problem, NULL),
                 HT_OK);
    cr_assert(field(&problem, "pad_h") == 1 && field(&problem, "pad_w") == 1);
    cr_assert(field(&problem, "stride_w") == 2 && field(&problem, "dilation_h") == 1);
    cr_assert_eq(problem.value_count, spec.field_count);
    ht_problem_free(&problem);
    ht_problem_spec_free(&spec);
}

Test(problem, the_string_of_an_instance_parses_to_the_same) {
    ht_problem_spec spec = spec_of("blur : W, H, radius = 2 * W, n := (W + radius) * H, m = n - 1");
    ht_problem first, second;
    cr_assert_eq(ht_problem_parse(&spec, "H=-3,W=7", &first, NULL), HT_OK);
    cr_assert_eq(field(&first, "radius"), 14);
    cr_assert_eq(field(&first, "n"), -63);
    cr_assert_eq(field(&first, "m"), -64);
    char *text = ht_problem_string(&spec, &first);
    cr_assert_eq(ht_problem_parse(&spec, text, &second, NULL), HT_OK, "%s", text);
    for (size_t i = 0; i < first.value_count; ++i)
        cr_assert_eq(first.values[i].value, second.values[i].value);
    free(text);
    ht_problem_free(&first);
    ht_problem_free(&second);
    ht_problem_spec_free(&spec);
}

Test(problem, wrong_instances_name_the_field) {
    static const struct {
        const char *family, *text, *words;
    } cases[] = {
        {"p : W, H", "W=1", "field H of p is missing"},
        {"p : W, H", "W=1 H=2 X=3", "unknown problem field 'X'; there are W, H"},
        {"p : W", "W=1 W=2", "field W is given twice"},
        {"p : W, n := W", "W=1 n=2", "n is derived"},
        {"p : W, n := 1 / W", "W=0", "problem field n: division by zero"},
        {"p : W", "W", "expected '='"},
        {"p : W", "W=", "expected an integer, found nothing"},
        {"p : W", "W=1x", "malformed number"},
        {"p : W", "W=1;", "expected an integer"},
        {"p : W", "=1", "expected a problem field"},
        {"p : W", "W=99999999999999999999", "too large"},
        {"conv2d", "N=0 C=1 H=1 W=1 K=1 R=1 S=1", "N must be at least 1"},
        {"conv2d", "N=1 C=1 H=1 W=1 K=1 R=1 S=1 pad_h=-1", "pad_h must not be negative"},
        {"conv2d", "N=1 C=1 H=1 W=1 K=1 R=1 S=1 stride_h=0", "stride_h must be at least 1"},
        {"conv2d", "N=1 C=1 H=1 W=1 K=1 R=1 S=1 pad=1 pad_h=1", "pad_h is given twice"},
        {"conv2d", "N=1 C=3 H=1 W=1 K=4 R=1 S=1 groups=2", "C = 3 is no multiple of groups = 2"},
        {"conv2d", "N=1 C=1 H=2 W=2 K=1 R=3 S=1", "P = 0"},
        {"conv2d", "N=1 C=1 H=3000000000 W=2 K=1 R=3 S=1", "H is too large"},
        {"conv2d", "N=1 C=1 H=2 W=2 K=1 R=1 S=1 pad=9223372036854775807", "overflow"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_problem_spec spec = spec_of(cases[i].family);
        ht_problem problem;
        ht_error error = {0};
        cr_expect_eq(ht_problem_parse(&spec, cases[i].text, &problem, &error), HT_ERROR_INPUT, "%s",
                     cases[i].text);
        cr_expect(strstr(error.message, cases[i].words) != NULL, "%s: %s", cases[i].text,
                  error.message);
        ht_problem_spec_free(&spec);
    }
}

Test(problem, families_print_as_they_parse) {
    static const char *const texts[] = {"conv2d", "p : W",
                                        "blur : W, H = 2, n := W * H + 1, q = n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        ht_problem_spec spec = spec_of(texts[i]);
        ht_text printed = {0};
        ht_problem_spec_print(&spec, &printed);
        cr_assert_str_eq(printed.data, texts[i]);
        ht_problem_spec copy;
        ht_problem_spec_copy(&spec, &copy);
        cr_assert(ht_problem_spec_equal(&spec, &copy));
        ht_problem_spec_free(&copy);
        ht_problem_spec_free(&spec);
        ht_text_free(&printed);
    }
}
