#include "runtime/buffers/element.h"
#include "runtime/buffers/inputs.h"

#include "base/random.h"
#include "templates/expr/expr.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(element, types_have_the_sizes_that_templates_know) {
    const char *names[] = {"bool",
                           "char",
                           "signed char",
                           "unsigned char",
                           "short",
                           "unsigned short",
                           "int",
                           "unsigned",
                           "unsigned int",
                           "long",
                           "unsigned long",
                           "long long",
                           "unsigned long long",
                           "long unsigned int",
                           "size_t",
                           "int8_t",
                           "std::uint64_t",
                           "float",
                           "double",
                           "__half",
                           "half",
                           "_Float16",
                           "hip_bfloat16",
                           "__hip_bfloat16",
                           "float1",
                           "float2",
                           "float3",
                           "float4",
                           "double2",
                           "int4",
                           "uchar4",
                           "ushort2",
                           "ulonglong2",
                           "__half2",
                           "half2",
                           "char3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        ht_element element;
        cr_assert(ht_element_parse(names[i], &element), "%s", names[i]);
        cr_assert_eq(ht_element_size(element), ht_type_size(names[i]), "%s: %zu bytes", names[i],
                     ht_element_size(element));
    }
    const char *others[] = {"",        "flot",           "float5", "struct x",
                            "int int", "long short",     "float*", "unsigned float",
                            "void",    "signed unsigned"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        ht_element element;
        cr_assert_not(ht_element_parse(others[i], &element), "'%s'", others[i]);
    }
}

/* Every one of the 65536 patterns, against the compiler's own half type. */
Test(element, halves_convert_as_the_compilers_do) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        uint16_t pattern = (uint16_t)bits;
        _Float16 half;
        memcpy(&half, &pattern, sizeof half);
        double value = ht_half_to_double(pattern);
        if (isnan((double)half)) {
            cr_assert(isnan(value));
            continue;
        }
        cr_assert_eq(value, (double)half, "%04x", bits);
        cr_assert_eq(ht_half_from_double(value), pattern, "%04x", bits);
    }
    ht_random random;
    ht_random_seed(&random, 3);
    for (int i = 0; i < 300000; ++i) {
        double value = ldexp(ht_random_unit(&random) - 0.5, (int)ht_random_below(&random, 50) - 30);
        _Float16 half = (_Float16)value;
        uint16_t pattern;
        memcpy(&pattern, &half, sizeof half);
        cr_assert_eq(ht_half_from_double(value), pattern, "%.17g", value);
    }
}

Test(element, bfloat16_is_the_nearest_upper_half_of_a_float) {
    ht_random random;
    ht_random_seed(&random, 4);
    for (int i = 0; i < 300000; ++i) {
        double value =
            ldexp(ht_random_unit(&random) - 0.5, (int)ht_random_below(&random, 266) - 140);
        uint16_t bits = ht_bfloat16_from_double(value);
        double got = ht_bfloat16_to_double(bits), error = fabs(got - value);
        /* No neighbour is nearer; ties go to even. */
        double up = ht_bfloat16_to_double((uint16_t)(bits + 1));
        double down = (bits & 0x7fff) ? ht_bfloat16_to_double((uint16_t)(bits - 1)) : -up;
        cr_assert_leq(error, fabs(up - value), "%.17g", value);
        cr_assert_leq(error, fabs(down - value), "%.17g", value);
        if (error == fabs(up - value) || error == fabs(down - value))
            cr_assert_eq(bits & 1, 0, "%.17g", value);
    }
    /* The largest is 255 * 2^120; from half a step above it on, infinity is nearer. */
    cr_assert_eq(ht_bfloat16_from_double(ldexp(510.9, 119)), 0x7f7f);
    cr_assert_eq(ht_bfloat16_from_double(-ldexp(511, 119)), 0xff80);
}

Test(element, integers_keep_their_values_and_clamp) {
    const char *names[] = {"signed char", "unsigned char", "short", "unsigned short",
                           "int",         "unsigned",      "long",  "unsigned long"};
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        ht_element element;
        ht_element_parse(names[n], &element);
        bool is_signed = element.kind == HT_ELEMENT_SIGNED;
        unsigned char room[8];
        double least = is_signed ? -ldexp(1, element.bytes * 8 - 1) : 0;
        for (double value = is_signed ? -100 : 0; value <= 100; ++value) {
            ht_element_set(element, room, 0, value);
            cr_assert_eq(ht_element_get(element, room, 0), value, "%s %g", names[n], value);
        }
        ht_element_set(element, room, 0, -1e30);
        cr_assert_eq(ht_element_get(element, room, 0), least, "%s", names[n]);
        ht_element_set(element, room, 0, 1e30);
        cr_assert_geq(ht_element_get(element, room, 0), ldexp(0.99, element.bytes * 8 - is_signed),
                      "%s", names[n]);
    }
}

Test(inputs, stay_in_their_range_and_differ_between_streams) {
    ht_element element;
    ht_element_parse("float", &element);
    enum { COUNT = 20000 };
    static float a[COUNT], b[COUNT], again[COUNT];
    ht_init init = {.kind = HT_INIT_UNIFORM, .lo = -2, .hi = 5};
    ht_inputs_fill(element, a, COUNT, &init, 11, 0);
    ht_inputs_fill(element, b, COUNT, &init, 11, 1);
    ht_inputs_fill(element, again, COUNT, &init, 11, 0);
    cr_assert_arr_eq(a, again, sizeof a);
    double sum = 0, product = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        cr_assert(a[i] >= -2 && a[i] <= 5);
        sum += a[i];
        product += (a[i] - 1.5) * (b[i] - 1.5);
    }
    /* Mean 1.5 and no correlation, within four standard errors. */
    cr_assert_float_eq(sum / COUNT, 1.5, 4 * 7 / sqrt(12.0 * COUNT));
    cr_assert_float_eq(product / COUNT, 0, 4 * 49 / 12.0 / sqrt(COUNT));
}

Test(inputs, structures_are_filled_field_by_field) {
    typedef struct mixed {
        float x[2];
        int label;
        char pad[4];
        double weight;
    } mixed;
    enum { COUNT = 500 };
    static struct {
        mixed items[COUNT];
        char rest[8];
    } data;
    ht_init_part parts[] = {{.offset = 0, .type = "float", .count = 2},
                            {.offset = 8, .type = "int", .count = 1, .bounded = true, .hi = 3},
                            {.offset = 16, .type = "double", .count = 1}};
    ht_init init = {.kind = HT_INIT_RECORDS,
                    .record_bytes = sizeof(mixed),
                    .parts = parts,
                    .part_count = sizeof parts / sizeof *parts};
    const ht_element byte = {HT_ELEMENT_UNSIGNED, 1, 1};
    memset(&data, 1, sizeof data);
    ht_inputs_fill(byte, &data, sizeof data, &init, 3, 0);
    int seen[4] = {0};
    double sum = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        cr_assert(data.items[i].label >= 0 && data.items[i].label <= 3);
        ++seen[data.items[i].label];
        cr_assert(fabs(data.items[i].x[0]) <= 1 && fabs(data.items[i].x[1]) <= 1 &&
                  fabs(data.items[i].weight) <= 1);
        cr_assert_neq(data.items[i].x[0], data.items[i].x[1]);
        cr_assert_arr_eq(data.items[i].pad, "\0\0\0", 4);
        sum += data.items[i].weight * data.items[i].x[0];
    }
    for (size_t i = 0; i < 4; ++i)
        cr_assert_gt(seen[i], COUNT / 8);
    cr_assert_float_eq(sum / COUNT, 0, 4 / 3.0 / sqrt(COUNT)); /* streams of their own */
    cr_assert_arr_eq(data.rest, "\0\0\0\0\0\0\0", 8);
}

Test(inputs, whole_numbers_reach_both_ends) {
    ht_element element;
    ht_element_parse("int", &element);
    int values[2000], seen[5] = {0};
    ht_init init = {.kind = HT_INIT_INTEGERS, .lo = -2, .hi = 2};
    ht_inputs_fill(element, values, 2000, &init, 1, 0);
    for (size_t i = 0; i < 2000; ++i) {
        cr_assert(values[i] >= -2 && values[i] <= 2);
        ++seen[values[i] + 2];
    }
    for (int i = 0; i < 5; ++i)
        cr_assert_gt(seen[i], 300);
    init.kind = HT_INIT_IOTA;
    ht_inputs_fill(element, values, 2000, &init, 1, 0);
    for (int i = 0; i < 2000; ++i)
        cr_assert_eq(values[i], i);
}
