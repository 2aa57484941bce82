#include "predictor/forests/numbers.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { FACTOR_MAX = 4, PLAIN_FORMS = 3, PRODUCT_FORMS = 4, WAVEFRONT = 64 };

/* Sizes that kernels cut into tiles. */
static const char *const PRODUCTS[][FACTOR_MAX] = {
    {"out_h", "out_w"},
    {"in_h", "in_w"},
    {"batch", "out_h", "out_w"},
    {"in_c", "out_c"},
    {"in_c", "out_h", "out_w"},
    {"out_c", "out_h", "out_w"},
    {"batch", "out_c", "out_h", "out_w"},
    {"batch", "in_c", "in_h", "in_w"},
    {"in_c", "fil_h", "fil_w"},
    {"batch", "in_c"},
    {"batch", "out_c"},
};
enum { PRODUCT_COUNT = sizeof PRODUCTS / sizeof *PRODUCTS };

struct ht_numbers {
    const ht_schema *schema;
    int factors[PRODUCT_COUNT][FACTOR_MAX]; /* fields; -1: none */
    size_t product_count, count;
};

static bool product_find(const ht_schema *schema, const char *const *names, int *out_fields) {
    for (size_t i = 0; i < FACTOR_MAX; ++i) {
        out_fields[i] = names[i] ? ht_schema_field_index(schema, names[i]) : -1;
        if (names[i] && out_fields[i] < 0)
            return false;
    }
    return true;
}

ht_numbers *ht_numbers_new(const ht_schema *schema) {
    ht_numbers *numbers = ht_alloc(1, sizeof *numbers);
    numbers->schema = schema;
    for (size_t i = 0; i < PRODUCT_COUNT; ++i)
        numbers->product_count +=
            product_find(schema, PRODUCTS[i], numbers->factors[numbers->product_count]);
    for (size_t f = 0; f < schema->field_count; ++f)
        numbers->count += schema->fields[f].names ? 1 : PLAIN_FORMS;
    numbers->count += (schema->feature_count + numbers->product_count) * PRODUCT_FORMS;
    return numbers;
}

void ht_numbers_free(ht_numbers *numbers) {
    free(numbers);
}

size_t ht_numbers_count(const ht_numbers *numbers) {
    return numbers->count;
}

/* Returns the power of two in a number, up to 2^8. */
static float twos(int64_t number) {
    float power = 0;
    for (; power < 8 && number % 2 == 0; number /= 2)
        ++power;
    return power;
}

static float *forms(int64_t number, bool product, float *out) {
    *out++ = (float)number;
    *out++ = (float)log2(1 + fabs((double)number));
    *out++ = twos(number);
    if (product)
        *out++ = (float)(number % WAVEFRONT);
    return out;
}

/* Multiplies; 0 when the product is beyond 64 bits. */
static int64_t multiply(const int *factors, const int64_t *fields) {
    int64_t product = 1;
    for (size_t i = 0; i < FACTOR_MAX && factors[i] >= 0; ++i)
        if (__builtin_mul_overflow(product, fields[factors[i]], &product))
            return 0;
    return product;
}

void ht_numbers_fill(const ht_numbers *numbers, const int64_t *fields, float *out) {
    const ht_schema *schema = numbers->schema;
    int64_t features[HT_SCHEMA_RULES_MAX];
    for (size_t f = 0; f < schema->field_count; ++f)
        if (schema->fields[f].names)
            *out++ = (float)fields[f];
        else
            out = forms(fields[f], false, out);
    ht_schema_features(schema, fields, features);
    for (size_t i = 0; i < schema->feature_count; ++i)
        out = forms(features[i], true, out);
    for (size_t i = 0; i < numbers->product_count; ++i)
        out = forms(multiply(numbers->factors[i], fields), true, out);
}
