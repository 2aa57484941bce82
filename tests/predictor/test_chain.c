/* A chain of forests: learns a function, comes back from its bytes, does not depend on threads. */
#include "predictor/forests/chain.h"

#include "base/memory.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 400, VALUES = 4 };

static const char schema_text[] = "kernel(toy)\nfield(n, c)\nfield(way : F, B)\n"
                                  "param(a : 1, 2, 4, 8)\nparam(b : 1, 2, 4, 8)\n";

/* Answers: a is the power of two in n, up to 8; b follows from a and the way. */
static void answer(const int64_t *fields, uint16_t *out) {
    out[0] = 0;
    while (out[0] < 3 && fields[0] % (2 << out[0]) == 0)
        ++out[0];
    out[1] = fields[2] ? (uint16_t)(3 - out[0]) : out[0];
}

static ht_schema *schema_make(void) {
    ht_schema *schema = NULL;
    ht_error error;
    cr_assert_eq(ht_schema_parse(schema_text, "toy", &schema, &error), HT_OK, "%s", error.message);
    return schema;
}

static ht_dataset data_make(const ht_schema *schema, uint64_t seed) {
    ht_dataset data = {.schema = schema};
    ht_random random;
    ht_random_seed(&random, seed);
    for (size_t i = 0; i < RECORDS; ++i) {
        int64_t fields[] = {1 + (int64_t)ht_random_below(&random, 4000),
                            (int64_t)ht_random_below(&random, 100),
                            (int64_t)ht_random_below(&random, 2)};
        uint16_t targets[2];
        answer(fields, targets);
        ht_dataset_append(&data, fields, targets, 1);
    }
    return data;
}

static ht_chain *grow(const ht_dataset *data, uint64_t seed) {
    ht_chain_settings settings = ht_chain_defaults();
    settings.trees = 20;
    settings.tried = 1;
    settings.seed = seed;
    ht_chain *chain = NULL;
    cr_assert_eq(ht_chain_grow(data, &settings, NULL, NULL, &chain, NULL), HT_OK);
    return chain;
}

/* Asks for the first value's logits, then those of b after each value of a. */
static void ask(const ht_chain *chain, const int64_t *fields, float *out) {
    static const uint32_t parents[VALUES] = {0};
    static const uint16_t tokens[VALUES] = {0, 1, 2, 3};
    ht_chain_asking *asking = ht_chain_asking_new(chain, false, VALUES);
    ht_chain_asking_start(asking, fields);
    ht_chain_asking_step(asking, 1, parents, tokens, out);
    ht_chain_asking_step(asking, VALUES, parents, tokens, out + VALUES);
    ht_chain_asking_free(asking);
}

static size_t best(const float *logits) {
    size_t at = 0;
    for (size_t v = 1; v < VALUES; ++v)
        at = logits[v] > logits[at] ? v : at;
    return at;
}

Test(chain, learns_a_function_of_fields_and_earlier_values) {
    ht_schema *schema = schema_make();
    ht_dataset train = data_make(schema, 1), test = data_make(schema, 2);
    ht_chain *chain = grow(&train, 1);
    size_t first = 0, second = 0;
    for (size_t i = 0; i < RECORDS; ++i) {
        float logits[VALUES * (1 + VALUES)];
        const uint16_t *right = test.targets + 2 * i;
        ask(chain, test.fields + 3 * i, logits);
        double sum = 0;
        for (size_t v = 0; v < VALUES; ++v)
            sum += exp((double)logits[v]);
        cr_assert_float_eq(sum, 1,
                           0.01); /* a distribution, but for values that nothing voted for */
        first += best(logits) == right[0];
        second += best(logits + VALUES * (1 + right[0])) == right[1];
    }
    cr_expect_gt(first, RECORDS * 95 / 100);
    cr_expect_gt(second, RECORDS * 95 / 100);
    ht_chain_free(chain);
    ht_dataset_free(&train);
    ht_dataset_free(&test);
    ht_schema_free(schema);
}

Test(chain, is_the_same_whatever_the_threads_and_another_with_another_seed) {
    ht_schema *schema = schema_make();
    ht_dataset train = data_make(schema, 1);
    ht_text bytes[3] = {0};
    for (int i = 0; i < 3; ++i) {
        omp_set_num_threads(1 + i % 2 * 3);
        ht_chain *chain = grow(&train, i < 2 ? 5 : 6);
        ht_chain_pack(chain, &bytes[i]);
        ht_chain_free(chain);
    }
    cr_assert_eq(bytes[0].length, bytes[1].length);
    cr_assert_arr_eq(bytes[0].data, bytes[1].data, bytes[0].length);
    cr_assert(bytes[2].length != bytes[0].length ||
              memcmp(bytes[2].data, bytes[0].data, bytes[0].length) != 0);
    for (int i = 0; i < 3; ++i)
        ht_text_free(&bytes[i]);
    ht_dataset_free(&train);
    ht_schema_free(schema);
}

Test(chain, comes_back_from_its_bytes_and_from_no_others) {
    ht_schema *schema = schema_make();
    ht_dataset train = data_make(schema, 1);
    ht_chain *chain = grow(&train, 1), *back = NULL;
    ht_text bytes = {0};
    ht_chain_pack(chain, &bytes);
    const uint8_t *data = (const uint8_t *)bytes.data;
    cr_assert(ht_chain_unpack(schema, data, bytes.length, &back));
    cr_expect_eq(ht_chain_share(back), ht_chain_share(chain));
    cr_expect_eq(ht_chain_trees(back), 20);
    for (size_t i = 0; i < RECORDS; ++i) {
        float one[VALUES * (1 + VALUES)], two[VALUES * (1 + VALUES)];
        ask(chain, train.fields + 3 * i, one);
        ask(back, train.fields + 3 * i, two);
        cr_assert_arr_eq(one, two, sizeof one);
    }
    ht_chain_free(back);
    for (size_t length = 0; length < bytes.length; length += 1 + length / 50)
        cr_assert_not(ht_chain_unpack(schema, data, length, &back), "%zu bytes of it", length);
    char *longer = ht_alloc(bytes.length + 1, 1);
    memcpy(longer, bytes.data, bytes.length);
    cr_assert_not(ht_chain_unpack(schema, (uint8_t *)longer, bytes.length + 1, &back));
    free(longer);
    ht_text_free(&bytes);
    ht_chain_free(chain);
    ht_dataset_free(&train);
    ht_schema_free(schema);
}

static bool stop(void *context, double done) {
    *(double *)context = done;
    return false;
}

Test(chain, stops_when_told_to) {
    ht_schema *schema = schema_make();
    ht_dataset train = data_make(schema, 1);
    ht_chain_settings settings = ht_chain_defaults();
    ht_chain *chain = NULL;
    ht_error error;
    double done = 0;
    cr_assert_eq(ht_chain_grow(&train, &settings, stop, &done, &chain, &error),
                 HT_ERROR_INTERRUPTED);
    cr_expect_float_eq(done, 0.5, 1e-9);
    ht_dataset_free(&train);
    ht_schema_free(schema);
}

/* An architecture with most of the records, and one with a twentieth of them that wants what the
 * problem's other number says; NONE has none. */
static const char archs_text[] = "kernel(toy)\nfield(n, c)\nfield(arch : OLD, NEW, NONE)\n"
                                 "device(arch)\nparam(a : 1, 2, 4, 8)\nparam(b : 1, 2, 4, 8)\n";
enum { EVERY = 20 };

static ht_dataset archs_make(const ht_schema *schema) {
    ht_dataset data = {.schema = schema};
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < 3 * RECORDS; ++i) {
        bool new = i % EVERY == 0;
        int64_t fields[] = {1 + (int64_t)ht_random_below(&random, 4000),
                            (int64_t)ht_random_below(&random, 100), new};
        uint16_t value = (uint16_t)(new ? fields[1] / 25 : fields[0] / 1001);
        ht_dataset_append(&data, fields, (uint16_t[]){value, value}, 1);
    }
    return data;
}

static ht_chain *grow_own(const ht_dataset *data, float own) {
    ht_chain_settings settings = ht_chain_defaults();
    settings.own = own;
    settings.own_share = 0.75F;
    ht_chain *chain = NULL;
    cr_assert_eq(ht_chain_grow(data, &settings, NULL, NULL, &chain, NULL), HT_OK);
    return chain;
}

/* How sure a voice is, on average, of NEW's answers for `count` problems. */
static double sure_of_new(const ht_chain *chain, bool own, size_t count) {
    static const uint32_t parents[VALUES] = {0};
    static const uint16_t tokens[VALUES] = {0};
    ht_chain_asking *asking = ht_chain_asking_new(chain, own, VALUES);
    ht_random random;
    double sum = 0;
    ht_random_seed(&random, 2);
    for (size_t i = 0; i < count; ++i) {
        float logits[VALUES];
        int64_t fields[] = {1 + (int64_t)ht_random_below(&random, 4000),
                            (int64_t)ht_random_below(&random, 100), 1};
        ht_chain_asking_start(asking, fields);
        ht_chain_asking_step(asking, 1, parents, tokens, logits);
        sum += exp((double)logits[fields[1] / 25]);
    }
    ht_chain_asking_free(asking);
    return sum / (double)count;
}

Test(chain, an_architecture_with_few_records_is_answered_from_its_own) {
    ht_schema *schema = NULL;
    ht_error error;
    cr_assert_eq(ht_schema_parse(archs_text, "toy", &schema, &error), HT_OK, "%s", error.message);
    ht_dataset train = archs_make(schema);
    ht_chain *pooled = grow_own(&train, 0), *own = grow_own(&train, 0.8F), *back = NULL;
    double all, alone;
    cr_assert_eq(ht_chain_own_count(pooled), 0);
    cr_assert_eq(ht_chain_own_count(own), 1, "OLD has most of the records, NONE has none");
    cr_expect_gt(sure_of_new(own, true, 200), sure_of_new(own, false, 200) + 0.1);
    cr_expect_eq(sure_of_new(pooled, true, 200), sure_of_new(pooled, false, 200));
    ht_chain_shares(own, (int64_t[]){1, 1, 1}, &all, &alone);
    cr_expect_float_eq(all, 0.15, 1e-6);
    cr_expect_float_eq(alone, 0.6, 1e-6);
    ht_chain_shares(own, (int64_t[]){1, 1, 0}, &all, &alone);
    cr_expect(all == 0.5 && alone == 0);
    ht_text bytes = {0};
    ht_chain_pack(own, &bytes);
    cr_assert(ht_chain_unpack(schema, (const uint8_t *)bytes.data, bytes.length, &back));
    cr_expect_eq(sure_of_new(back, true, 200), sure_of_new(own, true, 200));
    ht_chain_shares(back, (int64_t[]){1, 1, 1}, &all, &alone);
    cr_expect_float_eq(alone, 0.6, 1e-6);
    ht_chain_free(back);
    back = NULL;
    cr_expect_not(ht_chain_unpack(schema, (const uint8_t *)bytes.data, bytes.length - 1, &back));
    ht_text_free(&bytes);
    ht_chain_free(pooled);
    ht_chain_free(own);
    ht_dataset_free(&train);
    ht_schema_free(schema);
}
