/* A schema next to a template, and parts of data sets. */
#include "predictor/data/match.h"
#include "predictor/data/split.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(match);
TestSuite(split);

static const char source[] = "#pragma tune kernel(k)\n"
                             "#pragma tune problem(size : n, pad = 1)\n"
                             "#pragma tune param(tile : 1, 2, 4, 8 = 2)\n"
                             "#pragma tune param(fast : false, true = false)\n"
                             "#pragma tune require(tile * 16 <= device.max_threads)\n"
                             "#pragma tune block(tile)\n#pragma tune grid(problem.n)\n"
                             "__global__ void k() {}\n";

static void template_read(ht_template **out_templates) {
    size_t count = 0;
    ht_error error = {0};
    cr_assert_eq(ht_template_parse(source, "k.hip", out_templates, &count, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(count, 1);
}

static ht_schema *schema_read(const char *text) {
    ht_schema *schema = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_schema_parse(text, "test", &schema, &error), HT_OK, "%s", error.message);
    return schema;
}

Test(match, own_schema) {
    ht_template *templates = NULL;
    template_read(&templates);
    ht_schema *schema = NULL;
    ht_match *match = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_schema_from_template(templates, "k", &schema, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_match_make(schema, templates, &match, &error), HT_OK, "%s", error.message);
    ht_problem problem;
    cr_assert_eq(ht_problem_parse(&templates->problem, "n=40", &problem, &error), HT_OK);
    ht_device_fields device = {.max_threads = 64};
    int64_t fields[8] = {0};
    cr_assert_eq(ht_match_fields(match, &problem, &device, fields, &error), HT_OK);
    cr_assert_eq(fields[ht_schema_field_index(schema, "n")], 40);
    cr_assert_eq(fields[ht_schema_field_index(schema, "pad")], 1);
    cr_assert_eq(fields[ht_schema_field_index(schema, "device_max_threads")], 64);
    /* Every configuration there and back. */
    for (uint16_t tile = 0; tile < 4; ++tile) {
        for (uint16_t fast = 0; fast < 2; ++fast) {
            ht_config config = {.count = 2, .choice = {tile, fast}};
            uint16_t choice[2];
            cr_assert(ht_match_choice(match, &config, choice));
            ht_config back = ht_match_config(match, choice);
            cr_assert(ht_config_equal(&config, &back));
        }
    }
    ht_problem_free(&problem);
    ht_match_free(match);
    ht_schema_free(schema);
    ht_template_free(templates, 1);
}

/* Another order, fewer values: by name and value. */
Test(match, other_order) {
    ht_template *templates = NULL;
    template_read(&templates);
    ht_schema *schema = schema_read("kernel(k)\nfield(n)\nparam(fast : true, false)\n"
                                    "param(tile : 8, 2)\n");
    ht_match *match = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_match_make(schema, templates, &match, &error), HT_OK, "%s", error.message);
    ht_config config = ht_match_config(match, (const uint16_t[]){0, 0});
    char *text = ht_config_string(templates, &config);
    cr_assert_str_eq(text, "tile=8 fast=true");
    uint16_t choice[2];
    cr_assert(ht_match_choice(match, &config, choice));
    cr_assert(choice[0] == 0 && choice[1] == 0);
    cr_assert_eq(ht_config_parse(templates, "tile=4", &config, &error), HT_OK);
    cr_assert_not(ht_match_choice(match, &config, choice));
    free(text);
    ht_match_free(match);
    ht_schema_free(schema);
    ht_template_free(templates, 1);
}

Test(match, refusals) {
    static const struct {
        const char *schema, *fragment;
    } cases[] = {
        {"kernel(k)\nfield(n)\nparam(tile : 1, 2)\n", "no parameter fast"},
        {"kernel(k)\nfield(n)\nparam(tile : 1, 16)\nparam(fast : false, true)\n",
         "tile has no value 16"},
        {"kernel(k)\nfield(n)\nparam(tile : 1, 2)\nparam(fast : 0, 1)\n",
         "fast is of another kind"},
        {"kernel(k)\nfield(n)\nparam(tile : 1)\nparam(fast : false)\nparam(more : 1)\n",
         "no parameter more"},
        {"kernel(k)\nfield(m)\nparam(tile : 1)\nparam(fast : false)\n", "no field m"},
    };
    ht_template *templates = NULL;
    template_read(&templates);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_schema *schema = schema_read(cases[i].schema);
        ht_match *match = NULL;
        ht_error error = {0};
        cr_assert_eq(ht_match_make(schema, templates, &match, &error), HT_ERROR_INPUT);
        cr_assert_not_null(strstr(error.message, cases[i].fragment), "%s", error.message);
        ht_schema_free(schema);
    }
    ht_template_free(templates, 1);
}

/* 200 problems, each on two machines. */
static ht_dataset records_make(const ht_schema *schema) {
    ht_dataset dataset = {.schema = schema};
    for (int64_t n = 0; n < 200; ++n) {
        for (int64_t cu = 0; cu < 2; ++cu)
            ht_dataset_append(&dataset, (const int64_t[]){n, cu},
                              (const uint16_t[]){(uint16_t)(n % 3)}, 1);
    }
    return dataset;
}

static bool holds(const ht_dataset *dataset, int64_t n) {
    bool found = false;
    for (size_t i = 0; i < dataset->count; ++i)
        found |= dataset->fields[2 * i] == n;
    return found;
}

Test(split, folds_are_a_partition_by_problem) {
    ht_schema *schema = schema_read("kernel(k)\nfield(n, cu)\ndevice(cu)\nparam(t : 1, 2, 3)\n");
    ht_dataset all = records_make(schema);
    size_t total = 0;
    for (uint32_t i = 0; i < 5; ++i) {
        ht_dataset inside, outside;
        ht_dataset_split_fold(&all, &(ht_fold){i, 5}, &inside, &outside);
        cr_assert_eq(inside.count + outside.count, 400);
        cr_assert(inside.count > 40 && inside.count < 130);
        for (int64_t n = 0; n < 200; ++n)
            cr_assert(holds(&inside, n) != holds(&outside, n), "problem %d on both sides", (int)n);
        total += inside.count;
        ht_dataset_free(&inside);
        ht_dataset_free(&outside);
    }
    cr_assert_eq(total, 400);
    ht_dataset_free(&all);
    ht_schema_free(schema);
}

Test(split, by_record_it_leaks) {
    ht_schema *schema = schema_read("kernel(k)\nfield(n, cu)\ndevice(cu)\nparam(t : 1, 2, 3)\n");
    ht_dataset all = records_make(schema), inside, outside;
    ht_dataset_ungroup(&all);
    ht_dataset_split_fold(&all, &(ht_fold){0, 2}, &inside, &outside);
    size_t both = 0;
    for (int64_t n = 0; n < 200; ++n)
        both += holds(&inside, n) && holds(&outside, n);
    cr_assert(both > 50);
    ht_dataset_free(&inside);
    ht_dataset_free(&outside);
    ht_dataset_free(&all);
    ht_schema_free(schema);
}

Test(split, shares) {
    ht_schema *schema = schema_read("kernel(k)\nfield(n, cu)\ndevice(cu)\nparam(t : 1, 2, 3)\n");
    ht_dataset all = records_make(schema), inside, outside;
    ht_dataset_split_share(&all, 0, 1, &inside, &outside);
    cr_assert(inside.count == 0 && outside.count == 400);
    ht_dataset_free(&inside);
    ht_dataset_free(&outside);
    ht_dataset_split_share(&all, 1, 1, &inside, &outside);
    cr_assert(inside.count == 400 && outside.count == 0);
    ht_dataset_free(&inside);
    ht_dataset_free(&outside);
    ht_dataset_split_share(&all, 0.25, 1, &inside, &outside);
    cr_assert(inside.count > 60 && inside.count < 140);
    ht_dataset_free(&inside);
    ht_dataset_free(&outside);
    ht_dataset_free(&all);
    ht_schema_free(schema);
}

Test(split, fold_texts) {
    ht_fold fold;
    cr_assert_eq(ht_fold_parse("2/5", &fold, NULL), HT_OK);
    cr_assert(fold.index == 1 && fold.count == 5);
    static const char *const wrong[] = {"", "1", "0/5", "6/5", "1/1", "a/5", "1/", "1/5x", "-1/5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        cr_assert_eq(ht_fold_parse(wrong[i], &fold, NULL), HT_ERROR_INPUT, "%s", wrong[i]);
}
