/* The look-ahead against trying every configuration. */
#include "rules_case.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static ht_rules *compile(const ht_schema *schema) {
    ht_rules *rules = NULL;
    ht_error error;
    cr_assert_eq(ht_rules_compile(schema, NULL, 0, &rules, &error), HT_OK, "%s", error.message);
    return rules;
}

/* Returns true if a legal configuration starts with these digits. */
static bool completable(const ht_schema *schema, const uint8_t *legal, const uint16_t *prefix,
                        size_t depth) {
    size_t first = 0, count = 1;
    for (size_t p = 0; p < schema->param_count; ++p) {
        first = first * schema->params[p].value_count + (p < depth ? prefix[p] : 0);
        count *= p < depth ? 1 : schema->params[p].value_count;
    }
    return memchr(legal + first, 1, count) != NULL;
}

static void check_prefix(const ht_schema *schema, ht_completion *completion, const uint8_t *legal,
                         uint16_t *prefix, size_t depth) {
    uint8_t allowed[HT_PARAM_VALUES_MAX];
    size_t count = ht_completion_allowed(completion, prefix, depth, allowed), found = 0;
    for (size_t v = 0; v < schema->params[depth].value_count; ++v) {
        uint16_t longer[HT_PARAM_MAX];
        memcpy(longer, prefix, sizeof longer);
        longer[depth] = (uint16_t)v;
        bool expected = completable(schema, legal, longer, depth + 1);
        cr_assert_eq(allowed[v], expected, "parameter %zu, value %zu", depth, v);
        found += expected;
    }
    cr_assert_eq(count, found);
}

/* Checks every prefix (or many random ones), in an order that jumps about. */
static void check_prefixes(const ht_schema *schema, ht_completion *completion, const uint8_t *legal,
                           ht_random *random) {
    uint16_t prefix[HT_PARAM_MAX] = {0};
    size_t count = rules_count(schema), tries = count < 400 ? count : 400;
    for (size_t i = 0; i < tries; ++i) {
        rules_config(schema, count < 400 ? i : ht_random_below(random, count), prefix);
        check_prefix(schema, completion, legal, prefix,
                     ht_random_below(random, schema->param_count));
        for (size_t depth = 0; count < 400 && depth < schema->param_count; ++depth)
            check_prefix(schema, completion, legal, prefix, depth);
    }
}

static void check_whole(const ht_schema *schema, ht_completion *completion, const int64_t *fields) {
    size_t count = rules_count(schema), step = count / 500 + 1;
    for (size_t i = 0; i < count; i += step) {
        uint16_t choice[HT_PARAM_MAX];
        int64_t values[HT_PARAM_MAX], expected[HT_PARAM_MAX];
        rules_config(schema, i, choice);
        int broken = rules_broken(schema, fields, choice);
        cr_assert_eq(ht_completion_broken(completion, choice), broken);
        cr_assert_eq(ht_completion_legal(completion, choice), broken < 0);
        ht_completion_canonical(completion, choice, values);
        rules_canonical(schema, fields, choice, expected);
        for (size_t p = 0; p < schema->param_count; ++p)
            cr_assert_eq(values[p], expected[p], "canonical parameter %zu", p);
    }
}

static size_t check_problem(const ht_schema *schema, ht_completion *completion,
                            const int64_t *fields, ht_random *random) {
    size_t count;
    uint8_t *legal = rules_legal_all(schema, fields, &count);
    ht_completion_start(completion, fields);
    cr_assert_eq(ht_completion_possible(completion), count > 0);
    check_prefixes(schema, completion, legal, random);
    check_whole(schema, completion, fields);
    check_prefixes(schema, completion, legal, random); /* earlier questions change nothing */
    cr_assert(ht_completion_exact(completion));
    free(legal);
    return count;
}

Test(completion, agrees_with_brute_force_on_random_schemas) {
    ht_random random;
    size_t some = 0;
    ht_random_seed(&random, 1);
    for (int i = 0; i < 400; ++i) {
        ht_schema *schema = rules_random_schema(&random);
        ht_rules *rules = compile(schema);
        ht_completion *completion = ht_completion_new(rules);
        for (int problem = 0; problem < 3; ++problem) {
            int64_t fields[] = {(int64_t)ht_random_below(&random, 9) - 1,
                                (int64_t)ht_random_below(&random, 40)};
            size_t legal = check_problem(schema, completion, fields, &random);
            some += legal > 0 && legal < rules_count(schema);
        }
        ht_completion_free(completion);
        ht_rules_free(rules);
        ht_schema_free(schema);
    }
    cr_assert_gt(some, 150, "%zu problems with some legal configurations", some);
}

/* Returns a size that convolutions have. */
static int64_t random_size(ht_random *random) {
    static const int64_t sizes[] = {1, 2, 3, 7, 8, 14, 16, 28, 32, 48, 56, 64, 96, 128, 256, 512};
    return sizes[ht_random_below(random, sizeof sizes / sizeof *sizes)];
}

static void random_problem(const ht_schema *schema, ht_random *random, int64_t *fields) {
    static const char *const small[] = {"fil_h", "fil_w", "stride_h", "stride_w",
                                        "pad_h", "pad_w", "group"};
    for (size_t i = 0; i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        fields[i] = field->name_count ? (int64_t)ht_random_below(random, field->name_count)
                                      : random_size(random);
        for (size_t k = 0; k < sizeof small / sizeof *small; ++k)
            if (!strcmp(field->name, small[k]))
                fields[i] = 1 + (int64_t)ht_random_below(random, 2);
    }
}

Test(completion, agrees_with_brute_force_on_the_kernels_schemas) {
    ht_random random;
    ht_random_seed(&random, 2);
    for (const char *const *name = ht_schema_builtin_names(); *name; ++name) {
        for (int i = 0; i < 12; ++i) {
            ht_schema *schema = NULL;
            ht_error error;
            int64_t fields[HT_SCHEMA_FIELDS_MAX];
            cr_assert_eq(ht_schema_parse(ht_schema_builtin_text(*name), *name, &schema, &error),
                         HT_OK, "%s", error.message);
            rules_thin_out(schema, &random, 2000);
            ht_rules *rules = compile(schema);
            ht_completion *completion = ht_completion_new(rules);
            random_problem(schema, &random, fields);
            check_problem(schema, completion, fields, &random);
            ht_completion_free(completion);
            ht_rules_free(rules);
            ht_schema_free(schema);
        }
    }
}

static ht_schema *parse(const char *text) {
    ht_schema *schema = NULL;
    ht_error error;
    cr_assert_eq(ht_schema_parse(text, "test.schema", &schema, &error), HT_OK, "%s", error.message);
    return schema;
}

Test(completion, leaves_out_requirements_that_are_skipped) {
    ht_schema *schema = parse("kernel(k) field(N) param(a : 1, 2) param(b : 1, 2)"
                              "require(a < b) require(b > N)");
    ht_rules *rules = NULL;
    ht_error error;
    cr_assert_eq(ht_rules_compile(schema, (size_t[]){0}, 1, &rules, &error), HT_OK);
    ht_completion *completion = ht_completion_new(rules);
    ht_completion_start(completion, (int64_t[]){1});
    cr_assert(ht_completion_legal(completion, (uint16_t[]){1, 1}));
    cr_assert_not(ht_completion_legal(completion, (uint16_t[]){0, 0}));
    cr_assert_eq(ht_completion_broken(completion, (uint16_t[]){0, 0}), 1);
    ht_completion_free(completion);
    ht_rules_free(rules);
    cr_assert_eq(ht_rules_compile(schema, (size_t[]){2}, 1, &rules, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "no requirement 2"));
    ht_schema_free(schema);
}

/* More states than the work allows: no hang, and whole configurations are still judged exactly. */
Test(completion, gives_up_exactness_before_time) {
    ht_schema *schema =
        parse("kernel(k) field(N) param(a : 1..64) param(b : 1..64) param(c : 1..64)"
              "param(d : 1..64) param(e : 1..64)"
              "require((a * 7919 + b * 104729 + c * 1299709 + d * 15485863"
              " + e * 32452843) % 1000003 * 2 == N)");
    ht_rules *rules = compile(schema);
    ht_completion *completion = ht_completion_new(rules);
    uint8_t allowed[64];
    uint16_t choice[5] = {0};
    ht_completion_start(completion, (int64_t[]){1001}); /* none: it is odd */
    cr_assert_eq(ht_completion_allowed(completion, choice, 0, allowed), 64);
    cr_assert_not(ht_completion_exact(completion));
    cr_assert_not(ht_completion_legal(completion, choice));
    cr_assert_eq(ht_completion_allowed(completion, choice, 4, allowed), 0);
    ht_completion_start(completion,
                        (int64_t[]){(7919 + 104729 + 1299709 + 15485863 + 32452843) % 1000003 * 2});
    cr_assert(ht_completion_exact(completion));
    cr_assert(ht_completion_legal(completion, choice));
    ht_completion_free(completion);
    ht_rules_free(rules);
    ht_schema_free(schema);
}

Test(completion, refuses_rules_with_too_many_fields) {
    ht_text text = {0};
    ht_schema *schema;
    ht_rules *rules;
    ht_error error;
    ht_text_append(&text, "kernel(k) param(p : 1, 2)");
    for (int i = 0; i < 64; ++i)
        ht_text_printf(&text, "field(f%d) require(f%d > p)", i, i);
    schema = parse(text.data);
    cr_assert_eq(ht_rules_compile(schema, NULL, 0, &rules, &error), HT_ERROR_UNSUPPORTED);
    cr_assert(strstr(error.message, "at most 63"), "%s", error.message);
    ht_schema_free(schema);
    ht_text_free(&text);
}

Test(completion, knows_the_sizes_of_types) {
    ht_schema *schema = parse("kernel(k) field(N) param(T : type float, double) param(a : 1..8)"
                              "require(sizeof(T) * a == N) require(T == 0 || a > 1)");
    ht_rules *rules = compile(schema);
    ht_completion *completion = ht_completion_new(rules);
    ht_completion_start(completion, (int64_t[]){16});
    cr_assert(ht_completion_legal(completion, (uint16_t[]){0, 3}));
    cr_assert(ht_completion_legal(completion, (uint16_t[]){1, 1}));
    ht_completion_start(completion, (int64_t[]){8});
    cr_assert(ht_completion_legal(completion, (uint16_t[]){0, 1}));
    cr_assert_not(ht_completion_legal(completion, (uint16_t[]){1, 0}));
    ht_completion_free(completion);
    ht_rules_free(rules);
    ht_schema_free(schema);
}
