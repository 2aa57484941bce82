/* The models that hiptemper carries: each opens, proposes only legal configurations, likeliest
 * first and all different, as many as asked for or as exist; and knows the real records at hand. */
#include "base/memory.h"
#include "base/random.h"
#include "predictor/data/match.h"
#include "predictor/predictor.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define DATA HT_SOURCE_DIR "/tests/predictor/data/"

typedef struct model_case {
    const char *kernel;
    const char *directions[2];
    int filter, pad;
} model_case;

static const model_case cases[] = {{"ConvAsm1x1U", {"F", "B"}, 1, 0},
                                   {"ConvAsmBwdWrW1x1", {"W", "W"}, 1, 0},
                                   {"ConvAsmBwdWrW3x3", {"W", "W"}, 3, 1},
                                   {"ConvOclDirectFwd", {"F", "B"}, 5, 2},
                                   {"ConvOclDirectFwd1x1", {"F", "B"}, 1, 0}};
enum { CASES = sizeof cases / sizeof *cases, PROBLEMS = 40, PROPOSALS = 10 };

static ht_predictor *open_model(const char *kernel) {
    char *folder = ht_predictor_builtin_folder();
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_predictor_find(folder, kernel, &predictor, &error), HT_OK, "%s", error.message);
    free(folder);
    return predictor;
}

/* Draws sizes that nobody tuned: not multiples, primes, very small. */
static void draw_problem(const ht_predictor *predictor, const model_case *which, ht_random *random,
                         int64_t *out_fields) {
    static const int channels[] = {1, 3, 16, 37, 64, 96, 130, 256, 1000};
    static const int sides[] = {1, 2, 7, 13, 28, 57, 111};
    char *text = ht_format(
        "in_c=%d out_c=%d in_h=%d in_w=%d batch=%d fil_h=%d fil_w=%d pad_h=%d pad_w=%d "
        "direction=%s precision=%s arch=%s",
        channels[ht_random_below(random, 9)], channels[ht_random_below(random, 9)],
        sides[ht_random_below(random, 7)], sides[ht_random_below(random, 7)],
        1 << ht_random_below(random, 8), which->filter, which->filter, which->pad, which->pad,
        which->directions[ht_random_below(random, 2)], ht_random_below(random, 2) ? "FP16" : "FP32",
        ht_random_below(random, 2) ? "gfx900" : "gfx906");
    ht_error error = {0};
    cr_assert_eq(ht_schema_problem_parse(ht_predictor_schema(predictor), text, out_fields, &error),
                 HT_OK, "%s: %s", text, error.message);
    free(text);
}

static void check_proposals(const ht_proposal *proposals, size_t count, size_t params,
                            ht_completion *completion) {
    for (size_t i = 0; i < count; i++) {
        cr_assert(proposals[i].legal);
        cr_assert(ht_completion_legal(completion, proposals[i].choice));
        cr_assert(i == 0 || proposals[i].log_probability <= proposals[i - 1].log_probability);
        for (size_t j = 0; j < i; j++)
            cr_assert(memcmp(proposals[i].choice, proposals[j].choice, params * sizeof(uint16_t)) !=
                      0);
    }
}

Test(models, propose_legal_configurations_for_problems_that_nobody_tuned) {
    for (size_t c = 0; c < CASES; c++) {
        ht_predictor *predictor = open_model(cases[c].kernel);
        const ht_schema *schema = ht_predictor_schema(predictor);
        cr_assert_str_eq(schema->kernel, cases[c].kernel);
        ht_rules *rules = NULL;
        ht_proposer *proposer = NULL;
        ht_error error = {0};
        cr_assert_eq(ht_rules_compile(schema, NULL, 0, &rules, &error), HT_OK);
        ht_beam_settings settings = {.width = PROPOSALS, .constrained = true};
        cr_assert_eq(ht_proposer_new(predictor, NULL, &settings, &proposer, &error), HT_OK);
        ht_completion *completion = ht_completion_new(rules);
        int64_t *fields = ht_alloc(schema->field_count, sizeof *fields);
        ht_random random;
        ht_random_seed(&random, 7 + c);
        size_t served = 0;
        for (int i = 0; i < PROBLEMS; i++) {
            draw_problem(predictor, &cases[c], &random, fields);
            ht_completion_start(completion, fields);
            ht_proposal proposals[PROPOSALS];
            size_t count = ht_proposer_propose(proposer, fields, PROPOSALS, proposals);
            cr_assert_eq(count > 0, ht_completion_possible(completion));
            check_proposals(proposals, count, schema->param_count, completion);
            served += count == PROPOSALS;
        }
        cr_expect_gt(served, 0, "%s: no problem has ten legal configurations", cases[c].kernel);
        free(fields);
        ht_completion_free(completion);
        ht_proposer_free(proposer);
        ht_rules_free(rules);
        ht_predictor_free(predictor);
    }
}

/* A template and its model are of one form: parameters, values and fields. */
Test(models, each_template_of_the_library_has_one_that_matches_it) {
    static const char *const names[] = {"conv2d_direct", "conv2d_implicit_gemm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char *path = ht_format("%s/templates/library/%s.hip", HT_SOURCE_DIR, names[i]);
        ht_template *templates = NULL;
        size_t count = 0;
        ht_error error = {0};
        ht_match *match = NULL;
        ht_predictor *predictor = open_model(names[i]);
        cr_assert_eq(ht_template_load(path, &templates, &count, &error), HT_OK, "%s",
                     error.message);
        cr_expect_eq(ht_match_make(ht_predictor_schema(predictor), &templates[0], &match, &error),
                     HT_OK, "%s: %s", names[i], error.message);
        ht_match_free(match);
        ht_predictor_free(predictor);
        ht_template_free(templates, count);
        free(path);
    }
}

/* However the code that reads fields, tokens and weights changes, a model that was good at these
 * records must still be: their tuned configurations are among the ten likeliest for most. */
Test(models, know_the_records_at_hand) {
    static const char *const files[] = {DATA "ConvAsm1x1U.tsv",
                                        DATA "ConvOclDirectFwd.tsv.gz",
                                        DATA "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC.tsv",
                                        DATA "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC.tsv",
                                        DATA "ConvHipImplicitGemmForwardV4R4Xdlops.tsv",
                                        DATA "ConvHipImplicitGemmWrwV4R4Xdlops.tsv"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char *kernel = ht_dataset_kernel(files[f]);
        ht_predictor *predictor = open_model(kernel);
        ht_dataset dataset;
        ht_error error = {0};
        cr_assert_eq(
            ht_dataset_read(ht_predictor_schema(predictor), &files[f], 1, &dataset, &error), HT_OK,
            "%s", error.message);
        ht_assessment assessment;
        ht_beam_settings settings = {.width = PROPOSALS, .constrained = true};
        cr_assert_eq(ht_predictor_evaluate(predictor, &dataset, NULL, &settings, 1, NULL, NULL,
                                           NULL, &assessment, &error),
                     HT_OK);
        cr_expect_gt(assessment.exact.topk[HT_TOPK_COUNT - 1], 0.6, "%s: %.2f", kernel,
                     assessment.exact.topk[HT_TOPK_COUNT - 1]);
        cr_expect_eq(assessment.legal, 1);
        cr_expect_eq(assessment.short_beams, 0);
        ht_dataset_free(&dataset);
        ht_predictor_free(predictor);
        free(kernel);
    }
}
