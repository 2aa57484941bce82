/* Tokens: made from data, the same from its description, meaningful for values that were never
 * seen. */
#include "predictor/tokens_internal.h"

#include "base/memory.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const text = "kernel(K) field(n, same_n, fixed, wide) field(dir : F, B)\n"
                                "let(nw = n * wide) feature(nw, n * 2, n / n, wide % 4)\n"
                                "param(a : 1, 2, 4)\n"
                                "require(a <= n && n % a == 0)";

static ht_schema *parse(void) {
    ht_schema *schema = NULL;
    ht_error error;
    cr_assert_eq(ht_schema_parse(text, NULL, &schema, &error), HT_OK, "%s", error.message);
    return schema;
}

/* Makes records in an order by `seed`, always the same ones. */
static ht_dataset make_data(const ht_schema *schema, uint64_t seed) {
    enum { RECORDS = 500 };
    ht_dataset data = {.schema = schema};
    uint32_t order[RECORDS];
    ht_random random;
    ht_random_seed(&random, seed);
    for (uint32_t i = 0; i < RECORDS; ++i) {
        uint32_t j = (uint32_t)ht_random_below(&random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < RECORDS; ++i) {
        uint32_t k = order[i];
        int64_t n = k < 490 ? 1 + k % 30 : 1000 + k; /* the last ones are rare */
        int64_t fields[] = {n, n, 7, 1 << (k % 9), k % 2};
        ht_dataset_append(&data, fields, &(uint16_t){0}, 1);
    }
    return data;
}

static ht_tokenizer *make(const ht_dataset *data, const char *kinds) {
    ht_tokenizer *tokenizer = NULL;
    ht_error error;
    cr_assert_eq(ht_tokenizer_make(data, kinds, &tokenizer, &error), HT_OK, "%s", error.message);
    return tokenizer;
}

static char *printed(const ht_tokenizer *tokenizer) {
    ht_text out = {0};
    ht_tokenizer_print(tokenizer, &out);
    return ht_text_take(&out);
}

Test(tokens, do_not_depend_on_the_order_of_records) {
    ht_schema *schema = parse();
    ht_dataset one = make_data(schema, 1), two = make_data(schema, 2);
    ht_tokenizer *a = make(&one, "default"), *b = make(&two, "default");
    for (size_t p = 0; p < a->place_count; ++p) { /* sums of reals may differ in the last bit */
        cr_assert_float_eq(a->places[p].mean, b->places[p].mean, 1e-9);
        b->places[p].mean = a->places[p].mean;
        b->places[p].deviation = a->places[p].deviation;
    }
    char *first = printed(a), *second = printed(b);
    cr_assert_str_eq(first, second);
    free(first);
    free(second);
    ht_tokenizer_free(a);
    ht_tokenizer_free(b);
    ht_dataset_free(&one);
    ht_dataset_free(&two);
    ht_schema_free(schema);
}

Test(tokens, leave_out_what_says_nothing) {
    ht_schema *schema = parse();
    ht_dataset data = make_data(schema, 1);
    ht_tokenizer *tokenizer = make(&data, "default");
    /* n, wide, dir, nw, n * 2, wide % 4; not same_n, fixed, n / n */
    cr_assert_eq(ht_tokenizer_shape(tokenizer)->positions, 6);
    int64_t known[] = {3, 3, 7, 8, 0}, other[] = {3, 3, 8, 8, 0}, apart[] = {3, 4, 7, 8, 0};
    ht_unseen unseen[5];
    cr_assert_eq(ht_tokenizer_unseen(tokenizer, known, unseen), 0);
    cr_assert_eq(ht_tokenizer_unseen(tokenizer, other, unseen), 1);
    cr_assert(unseen[0].field == 2 && unseen[0].constant && unseen[0].value == 7);
    cr_assert_eq(ht_tokenizer_unseen(tokenizer, apart, unseen), 1);
    cr_assert(unseen[0].field == 1 && !unseen[0].constant && unseen[0].same_as == 0);
    ht_tokenizer_free(tokenizer);
    ht_dataset_free(&data);
    ht_schema_free(schema);
}

static void encode(const ht_tokenizer *tokenizer, const int64_t *fields, uint32_t **ids,
                   float **features) {
    const ht_input_shape *shape = ht_tokenizer_shape(tokenizer);
    size_t places = shape->positions;
    *ids = ht_alloc(places * shape->ids, sizeof **ids);
    *features = ht_alloc(places * shape->features + 1, sizeof **features);
    ht_tokenizer_encode(tokenizer, fields, *ids, *features);
}

static void check_same(const ht_tokenizer *a, const ht_tokenizer *b, const int64_t *fields) {
    const ht_input_shape *shape = ht_tokenizer_shape(a);
    uint32_t *left, *right;
    float *x, *y;
    cr_assert_eq(memcmp(shape, ht_tokenizer_shape(b), sizeof *shape), 0);
    encode(a, fields, &left, &x);
    encode(b, fields, &right, &y);
    cr_assert_arr_eq(left, right, shape->positions * shape->ids * sizeof *left);
    cr_assert_arr_eq(x, y, shape->positions * shape->features * sizeof *x);
    for (size_t i = 0; i < (size_t)shape->positions * shape->ids; ++i)
        cr_assert_lt(left[i], shape->vocabulary);
    for (size_t i = 0; i < (size_t)shape->positions * shape->features; ++i)
        cr_assert(isfinite(x[i]));
    free(left);
    free(right);
    free(x);
    free(y);
}

Test(tokens, come_back_from_their_description) {
    static const char *const kinds[] = {"default",      "onehot",  "digits,log", "factors",
                                        "divisibility", "buckets", "remainders", "log,onehot"};
    ht_schema *schema = parse();
    ht_dataset data = make_data(schema, 1);
    ht_random random;
    ht_random_seed(&random, 9);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        ht_tokenizer *made = make(&data, kinds[k]), *read;
        ht_error error;
        char *description = printed(made);
        cr_assert_eq(ht_tokenizer_parse(schema, description, &read, &error), HT_OK, "%s",
                     error.message);
        for (int i = 0; i < 100; ++i) {
            int64_t fields[5]; /* any numbers, small, huge and negative */
            for (int f = 0; f < 5; ++f)
                fields[f] = (int64_t)ht_random_next(&random) >> ht_random_below(&random, 64);
            check_same(made, read, fields);
        }
        check_same(made, read, (int64_t[]){INT64_MIN, INT64_MAX, 0, -1, INT64_MIN});
        ht_tokenizer_free(made);
        ht_tokenizer_free(read);
        free(description);
    }
    ht_dataset_free(&data);
    ht_schema_free(schema);
}

/* Two sizes that were never seen differ in what they are divisible by, and have different
 * tokens. */
Test(tokens, tell_unseen_sizes_apart) {
    ht_schema *schema = parse();
    ht_dataset data = make_data(schema, 1);
    ht_tokenizer *plain = make(&data, "onehot"), *numeric = make(&data, "default");
    uint32_t *a, *b;
    float *x, *y;
    for (int with = 0; with < 2; ++with) {
        const ht_tokenizer *tokenizer = with ? numeric : plain;
        encode(tokenizer, (int64_t[]){600, 600, 7, 8, 0}, &a, &x);
        encode(tokenizer, (int64_t[]){601, 601, 7, 8, 0}, &b, &y);
        bool same = !memcmp(a, b, ht_tokenizer_shape(tokenizer)->ids * sizeof *a);
        cr_assert_eq(same, !with);
        free(a);
        free(b);
        free(x);
        free(y);
    }
    ht_tokenizer_free(plain);
    ht_tokenizer_free(numeric);
    ht_dataset_free(&data);
    ht_schema_free(schema);
}

/* Codes against their meaning, by counting. */
Test(tokens, codes_mean_what_their_names_say) {
    for (size_t slot = 0; slot < HT_TOKENS_SLOTS; ++slot) {
        char *name = ht_tokens_slot_name(slot);
        int argument = strrchr(name, ' ') ? atoi(strrchr(name, ' ')) : 0;
        for (int64_t v = 1; v < 3000; v += 7) {
            int64_t code = ht_tokens_code(slot, v);
            if (!strncmp(name, "divisible", 9)) {
                cr_assert_eq(code == 1, v % argument == 0);
            } else if (!strncmp(name, "power", 5)) {
                int64_t power = 0;
                for (int64_t rest = v; rest % argument == 0; rest /= argument)
                    ++power;
                cr_assert(code <= power && (code == power || power > 1));
            } else if (!strncmp(name, "digit", 5)) {
                ht_text digits = {0};
                ht_text_printf(&digits, "%d", (int)v);
                int64_t expected = argument < (int)digits.length
                                       ? digits.data[(int)digits.length - 1 - argument] - '0'
                                       : HT_TOKENS_NO_CODE;
                cr_assert_eq(code, expected);
                ht_text_free(&digits);
            } else if (!strcmp(name, "octave")) {
                cr_assert(((int64_t)1 << code) <= v && v < ((int64_t)2 << code));
            } else if (!strcmp(name, "value")) {
                cr_assert_eq(code, v);
            }
        }
        free(name);
    }
}

Test(tokens, wrong_descriptions_are_refused) {
    static const char *const wrong[] = {
        "",
        "[]",
        "{}",
        "{\"tokens\":2}",
        "{\"tokens\":1,\"kinds\":\"log\",\"places\":[],\"dropped\":[]}",
        "{\"tokens\":1,\"kinds\":\"logs\",\"places\":[{\"field\":\"n\",\"slots\":[]}]}",
        "{\"tokens\":1,\"kinds\":\"log\",\"places\":[{\"field\":\"x\",\"slots\":[]}]}",
        "{\"tokens\":1,\"kinds\":\"log\",\"places\":[{\"field\":\"n\",\"slots\":[],"
        "\"mean\":1,\"deviation\":0}]}",
        "{\"tokens\":1,\"kinds\":\"log\",\"places\":[{\"field\":\"n\",\"slots\":[{\"slot\":"
        "\"value\",\"codes\":[2,1],\"rare\":true}]}]}",
    };
    ht_schema *schema = parse();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ht_tokenizer *tokenizer;
        ht_error error;
        cr_expect_eq(ht_tokenizer_parse(schema, wrong[i], &tokenizer, &error), HT_ERROR_INPUT, "%s",
                     wrong[i]);
    }
    ht_dataset data = make_data(schema, 1);
    ht_tokenizer *tokenizer;
    ht_error error;
    cr_assert_eq(ht_tokenizer_make(&data, "onehot,log2", &tokenizer, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "remainders"), "the known ones are listed");
    ht_dataset_free(&data);
    ht_schema_free(schema);
}

/* The values that examples allow, against the rule itself. */
Test(tokens, examples_know_what_is_allowed) {
    ht_schema *schema = parse();
    ht_dataset data = make_data(schema, 3);
    ht_tokenizer *tokenizer = make(&data, "default");
    ht_rules *rules;
    ht_error error;
    cr_assert_eq(ht_rules_compile(schema, NULL, 0, &rules, &error), HT_OK, "%s", error.message);
    for (size_t i = 0; i < data.count; i += 5)
        data.targets[i] = 2; /* a = 4: often not legal, and then all is allowed */
    ht_examples examples;
    ht_examples_make(&data, tokenizer, rules, &examples);
    cr_assert_eq(examples.count, data.count);
    for (size_t i = 0; i < data.count; ++i) {
        int64_t n = data.fields[5 * i];
        bool legal = n % (1 << data.targets[i]) == 0;
        for (int v = 0; v < 3; ++v)
            cr_assert_eq(examples.allowed[3 * i + (size_t)v], !legal || n % (1 << v) == 0);
        cr_assert_eq(examples.targets[i], data.targets[i]);
        cr_assert_eq(examples.groups[i], data.groups[i]);
    }
    ht_examples_free(&examples);
    ht_rules_free(rules);
    ht_tokenizer_free(tokenizer);
    ht_dataset_free(&data);
    ht_schema_free(schema);
}
