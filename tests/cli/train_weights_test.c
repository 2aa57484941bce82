/* Records are weighed so that a GPU with many does not drown one with few. */
#include "pipeline/training.h"

#include <criterion/criterion.h>

enum { OLD = 90, NEW = 10 };

/* OLD records of A, then NEW ones of B. */
static ht_dataset records_make(const ht_schema *schema) {
    ht_dataset records = {.schema = schema};
    for (int64_t i = 0; i < OLD + NEW; ++i)
        ht_dataset_append(&records, (int64_t[]){i, i >= OLD}, (uint16_t[]){0}, 1);
    return records;
}

static double sum_of(const ht_dataset *records, size_t from, size_t to) {
    double sum = 0;
    for (size_t i = from; i < to; ++i)
        sum += (double)records->weights[i];
    return sum;
}

static void check(const char *text, float balance, double of_new) {
    ht_schema *schema;
    ht_error error;
    cr_assert_eq(ht_schema_parse(text, NULL, &schema, &error), HT_OK, "%s", error.message);
    ht_dataset records = records_make(schema);
    ht_training_balance(&records, balance);
    if (of_new < 0) {
        cr_expect_null(records.weights);
    } else {
        cr_expect_float_eq(sum_of(&records, 0, OLD + NEW), OLD + NEW, 1e-3);
        cr_expect_float_eq(sum_of(&records, OLD, OLD + NEW), of_new, 1e-3, "%g",
                           sum_of(&records, OLD, OLD + NEW));
    }
    ht_dataset_free(&records);
    ht_schema_free(schema);
}

Test(train_weights, groups_count_alike_at_1_and_by_the_root_of_their_records_at_a_half) {
    static const char *const archs =
        "kernel(k) field(n) field(arch : A, B) device(arch) param(p : 1)";
    static const char *const plain = "kernel(k) field(n) field(way : A, B) param(p : 1)";
    static const char *const types = "kernel(k) field(n) field(precision : A, B) param(p : 1)";
    check(archs, 1, 50);
    check(archs, 0.5F, 25); /* 3 to 1 */
    check(types, 1, 50);
    check(archs, 0, -1);
    check(plain, 1, -1); /* neither a machine nor a precision */
}
