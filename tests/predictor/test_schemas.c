/* The schemas of the kernels: their rules say of real tuning records that they are legal, and so
 * are those that the look-ahead builds from them. */
#include "predictor/data/dataset.h"
#include "rules_case.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define DATA HT_SOURCE_DIR "/tests/predictor/data/"

typedef struct setting {
    ht_schema *schema;
    ht_rules *rules;
    ht_completion *completion;
} setting;

static setting make(const char *kernel) {
    setting s;
    ht_error error;
    cr_assert_eq(ht_schema_parse(ht_schema_builtin_text(kernel), kernel, &s.schema, &error), HT_OK,
                 "%s:%d:%d: %s", kernel, error.line, error.column, error.message);
    cr_assert_eq(ht_rules_compile(s.schema, NULL, 0, &s.rules, &error), HT_OK, "%s", error.message);
    s.completion = ht_completion_new(s.rules);
    return s;
}

static void drop(setting *s) {
    ht_completion_free(s->completion);
    ht_rules_free(s->rules);
    ht_schema_free(s->schema);
}

static void start(setting *s, const char *problem, int64_t *fields) {
    ht_error error;
    cr_assert_eq(ht_schema_problem_parse(s->schema, problem, fields, &error), HT_OK, "%s",
                 error.message);
    ht_completion_start(s->completion, fields);
}

/* Walks along allowed values, to end in a configuration that the trees call legal. */
static void walk(setting *s, const int64_t *fields, ht_random *random) {
    uint16_t choice[HT_PARAM_MAX] = {0};
    uint8_t allowed[HT_PARAM_VALUES_MAX];
    for (size_t p = 0; p < s->schema->param_count; ++p) {
        size_t count = ht_completion_allowed(s->completion, choice, p, allowed), v = 0;
        cr_assert_gt(count, 0, "%s: nothing completes parameter %zu", s->schema->kernel, p);
        for (size_t left = ht_random_below(random, count); !allowed[v] || left; ++v)
            left -= allowed[v];
        choice[p] = (uint16_t)v;
    }
    cr_assert(rules_legal(s->schema, fields, choice));
    cr_assert(ht_completion_exact(s->completion));
}

static void check_records(const char *kernel, const char *file, double least_legal) {
    setting s = make(kernel);
    ht_dataset data;
    ht_error error;
    ht_random random;
    size_t legal = 0;
    uint8_t allowed[HT_PARAM_VALUES_MAX];
    ht_random_seed(&random, 6);
    cr_assert_eq(ht_dataset_read(s.schema, &file, 1, &data, &error), HT_OK, "%s", error.message);
    cr_assert_eq(data.skipped, 0);
    for (size_t i = 0; i < data.count; ++i) {
        const int64_t *fields = &data.fields[i * s.schema->field_count];
        const uint16_t *target = &data.targets[i * s.schema->param_count];
        ht_completion_start(s.completion, fields);
        bool good = ht_completion_legal(s.completion, target);
        cr_assert_eq(good, rules_legal(s.schema, fields, target));
        legal += good;
        for (size_t p = 0; good && p < s.schema->param_count; ++p) {
            ht_completion_allowed(s.completion, target, p, allowed);
            cr_assert(allowed[target[p]]);
        }
        for (int k = 0; k < 5; ++k)
            walk(&s, fields, &random);
    }
    cr_assert_geq((double)legal, least_legal * (double)data.count, "%zu of %zu", legal, data.count);
    ht_dataset_free(&data);
    drop(&s);
}

Test(schemas, real_records_are_legal) {
    check_records("ConvAsm1x1U", DATA "ConvAsm1x1U.tsv", 1);
    check_records("ConvOclDirectFwd", DATA "ConvOclDirectFwd.tsv.gz", 0.95);
}

Test(schemas, real_records_of_matrix_cores_are_legal) {
    static const char *const kernels[] = {"ConvHipImplicitGemmForwardV4R4Xdlops",
                                          "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
                                          "ConvHipImplicitGemmForwardV4R5Xdlops",
                                          "ConvHipImplicitGemmBwdDataV4R1Xdlops",
                                          "ConvHipImplicitGemmWrwV4R4Xdlops",
                                          "ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm",
                                          "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
                                          "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC",
                                          "ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
        char *file = ht_format(DATA "%s.tsv", kernels[i]);
        check_records(kernels[i], file, 1);
        free(file);
    }
}

/* A usual problem of each kernel, most of its fields at their fallbacks. */
Test(schemas, every_kernel_has_legal_configurations) {
    static const char *const problems[][2] = {
        {"ConvAsm1x1U", "in_c=64 in_h=56 in_w=56 out_c=256 batch=32 direction=F arch=gfx906"},
        {"ConvAsm1x1UV2",
         "in_c=64 in_h=56 in_w=56 out_c=128 batch=8 stride_h=2 direction=F arch=gfx900"},
        {"ConvAsm3x3U", "in_c=64 in_h=56 in_w=56 out_c=64 batch=32 direction=B arch=gfx906"},
        {"ConvAsmBwdWrW1x1", "in_c=64 in_h=56 in_w=56 out_c=256 batch=32 arch=gfx906"},
        {"ConvAsmBwdWrW3x3", "in_c=64 in_h=56 in_w=56 out_c=64 batch=32 arch=gfx906"},
        {"ConvOclDirectFwd", "in_c=64 in_h=28 in_w=28 out_c=96 batch=16 direction=F arch=gfx906"},
        {"ConvOclDirectFwd1x1",
         "in_c=64 in_h=28 in_w=28 out_c=96 batch=16 direction=B arch=gfx906"},
        {"ConvOclBwdWrW2",
         "in_c=64 in_h=28 in_w=28 out_c=32 batch=16 fil_h=5 pad_h=2 direction=W arch=gfx906"},
        {"ConvHipImplicitGemmV4R4Fwd",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=F arch=gfx906"},
        {"ConvHipImplicitGemmV4R4WrW",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=W arch=gfx906"},
        {"ConvHipImplicitGemmBwdDataV1R1",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=B arch=gfx906"},
        {"ConvHipImplicitGemmV4R1Fwd",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=F arch=gfx906"},
        {"ConvHipImplicitGemmV4Fwd",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=F arch=gfx906"},
        {"ConvHipImplicitGemmV4R1WrW",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=W arch=gfx906"},
        {"ConvHipImplicitGemmV4WrW",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=W arch=gfx906"},
        {"ConvHipImplicitGemmV4_1x1",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 direction=F arch=gfx906"},
        {"ConvHipImplicitGemmForwardV4R4Xdlops",
         "in_c=64 in_h=28 in_w=28 fil_h=3 fil_w=3 out_c=128 batch=64 pad_h=1 pad_w=1 arch=gfx90a"},
        {"ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
         "in_c=3 in_h=224 in_w=224 fil_h=7 fil_w=7 out_c=60 batch=8 pad_h=3 pad_w=3 stride_h=2 "
         "precision=FP16 arch=gfx908"},
        {"ConvHipImplicitGemmForwardV4R5Xdlops",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 precision=FP16 arch=gfx90a"},
        {"ConvHipImplicitGemmBwdDataV4R1Xdlops",
         "in_c=64 in_h=28 in_w=28 fil_h=3 fil_w=3 out_c=128 batch=64 pad_h=1 pad_w=1 "
         "precision=BF16 arch=gfx90a"},
        {"ConvHipImplicitGemmWrwV4R4Xdlops",
         "in_c=64 in_h=28 in_w=28 fil_h=3 fil_w=3 out_c=128 batch=64 pad_h=1 pad_w=1 arch=gfx90a"},
        {"ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm",
         "in_c=60 in_h=19 in_w=19 out_c=130 batch=12 precision=FP16 arch=gfx90a"},
        {"ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 precision=FP16 arch=gfx942"},
        {"ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC",
         "in_c=64 in_h=28 in_w=28 fil_h=3 fil_w=3 out_c=128 batch=64 pad_h=1 pad_w=1 arch=gfx942"},
        {"ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC",
         "in_c=64 in_h=28 in_w=28 out_c=128 batch=64 precision=BF16 arch=gfx942"},
    };
    size_t count = 0;
    ht_random random;
    ht_random_seed(&random, 7);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i, ++count) {
        int64_t fields[HT_SCHEMA_FIELDS_MAX];
        setting s = make(problems[i][0]);
        start(&s, problems[i][1], fields);
        for (int k = 0; k < 20; ++k)
            walk(&s, fields, &random);
        drop(&s);
    }
    for (const char *const *name = ht_schema_builtin_names(); *name; ++name, --count)
        ;
    cr_assert_eq(count, 0, "a kernel without a problem here");
}

static uint16_t index_of(const ht_param *param, int64_t number) {
    for (size_t v = 0; v < param->value_count; ++v)
        if (param->values[v].number == number)
            return (uint16_t)v;
    cr_assert(false, "%s has no value %lld", param->name, (long long)number);
    return 0;
}

static void check_canonical(const char *kernel, const char *problem, const int64_t *numbers,
                            const int64_t *expected, bool legal) {
    setting s = make(kernel);
    int64_t fields[HT_SCHEMA_FIELDS_MAX], got[HT_PARAM_MAX];
    uint16_t choice[HT_PARAM_MAX];
    start(&s, problem, fields);
    for (size_t p = 0; p < s.schema->param_count; ++p)
        choice[p] = index_of(&s.schema->params[p], numbers[p]);
    cr_assert_eq(ht_completion_legal(s.completion, choice), legal);
    ht_completion_canonical(s.completion, choice, got);
    for (size_t p = 0; p < s.schema->param_count; ++p)
        cr_assert_eq(got[p], expected[p], "%s: %s is %lld", kernel, s.schema->params[p].name,
                     (long long)got[p]);
    drop(&s);
}

Test(schemas, aliases_become_one) {
    const char *strided = "in_c=32 in_h=28 in_w=28 fil_h=5 pad_h=2 stride_h=2 out_c=32 batch=16 "
                          "direction=B arch=gfx906";
    check_canonical("ConvOclDirectFwd", strided, (int64_t[]){8, 16, 16, 32, 2, 2, 4, 2, 2},
                    (int64_t[]){8, 16, 16, 32, 2, 2, 4, 2, 1}, true);
    check_canonical("ConvOclDirectFwd", strided, (int64_t[]){16, 32, 16, 32, 1, 1, 4, 2, 1},
                    (int64_t[]){8, 16, 16, 32, 2, 2, 4, 2, 1}, true);
    const char *small = "in_c=48 in_h=14 in_w=14 out_c=48 batch=16 direction=F arch=gfx906";
    check_canonical("ConvOclDirectFwd1x1", small, (int64_t[]){1, 64, 1, 1, 1, 0, 64, 2048, 0},
                    (int64_t[]){1, 64, 1, 1, 1, 0, 16, 48, 0}, true);
    const char *half = "in_c=12 in_h=14 in_w=14 out_c=24 batch=16 direction=F precision=FP16 "
                       "arch=gfx906";
    check_canonical("ConvOclDirectFwd1x1", half, (int64_t[]){1, 64, 1, 1, 0, 4, 16, 4, 0},
                    (int64_t[]){1, 64, 1, 1, 0, 2, 8, 4, 0}, true);
    check_canonical("ConvOclDirectFwd1x1", half, (int64_t[]){1, 64, 1, 1, 0, 4, 16, 8, 0},
                    (int64_t[]){1, 64, 1, 1, 0, 2, 8, 4, 0}, false);
}

/* Of the kernels without tuning: one legal configuration besides those of the rules. */
Test(schemas, the_untuned_default_is_admitted) {
    setting s = make("ConvOclDirectFwd1x1");
    int64_t fields[HT_SCHEMA_FIELDS_MAX];
    static const int64_t first[] = {8, 8, 8, 8, 1, 0, 32, 128, 1};
    static const int64_t other[] = {16, 64, 32, 32, 0, 2, 16, 4, 1};
    uint16_t choice[HT_PARAM_MAX];
    for (size_t p = 0; p < 9; ++p)
        choice[p] = index_of(&s.schema->params[p], first[p]);
    start(&s, "in_c=64 in_h=7 in_w=7 out_c=64 direction=F arch=gfx906", fields);
    cr_assert(ht_completion_legal(s.completion, choice));
    start(&s, "in_c=64 in_h=14 in_w=14 out_c=64 direction=F arch=gfx906", fields);
    cr_assert_not(ht_completion_legal(s.completion, choice));
    for (size_t p = 0; p < 9; ++p)
        choice[p] = index_of(&s.schema->params[p], other[p]);
    start(&s, "in_c=64 in_h=28 in_w=28 out_c=64 direction=B arch=gfx906", fields);
    cr_assert(ht_completion_legal(s.completion, choice));
    drop(&s);
}
