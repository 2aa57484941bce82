/* The worth of a transformation, against brute force over a small space; spaces cut down. */
#include "../templates/support.h"
#include "pipeline/ablation.h"

#include "templates/annotations/template.h"

#include <criterion/criterion.h>
#include <string.h>

static const char annotated[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(k)\n"
    "#pragma tune param(BLOCK : 32, 64, 128 = 64)\n"
    "#pragma tune param(UNROLL : 1, 2, 4, 8 = 1)\n"
    "#pragma tune param(STAGE : false, true = false)\n"
    "#pragma tune param(PAD_IN : 0, 1 = 0)\n"
    "#pragma tune param(WAVES : 0, 1, 2, 4 = 0)\n"
    "#pragma tune from(block-size : BLOCK)\n"
    "#pragma tune from(unroll : UNROLL)\n"
    "#pragma tune from(lds-stage : STAGE, PAD_IN)\n"
    "#pragma tune from(waves-per-eu : WAVES)\n"
    "#pragma tune require(STAGE || PAD_IN == 0)\n"
    "#pragma tune require(BLOCK >= 32)\n" /* three: not a power of two, more do not fit in place */
    "#pragma tune require(UNROLL >= 1)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[1])\n"
    "template <int BLOCK, int UNROLL, bool STAGE, int PAD_IN, int WAVES>\n"
    "__global__ void k(float *out) {}\n";

static const volatile int never;

/* Waves gain nothing; the others meet: unrolling helps less when staged. */
static double cost_of(const ht_config *config) {
    static const double block[] = {1.3, 1.0, 0.9}, unroll[] = {1.0, 0.8, 0.7, 1.1};
    double cost = block[config->choice[0]] * unroll[config->choice[1]];
    if (config->choice[2])
        cost = 0.4 * block[config->choice[0]] + 0.1 * unroll[config->choice[1]] -
               0.05 * config->choice[3];
    return cost + 0.001 * config->choice[4];
}

static size_t evaluations;

static ht_status evaluate(void *self, const ht_config *configs, size_t count, ht_outcome *outcomes,
                          size_t *out_done, ht_error *error) {
    (void)self, (void)error;
    for (size_t i = 0; i < count; ++i)
        outcomes[i] = (ht_outcome){.status = HT_OK, .cost = cost_of(&configs[i])};
    evaluations += count;
    *out_done = count;
    return HT_OK;
}

static double least_without(const ht_space *space, const ht_template *template,
                            const char *origin) {
    double least = 1e9;
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        bool without = true;
        for (size_t k = 0; k < template->param_count; ++k)
            without = without && (strcmp(template->params[k].origin, origin) != 0 ||
                                  config.choice[k] == template->params[k].default_index);
        double cost = cost_of(&config);
        least = without && cost < least ? cost : least;
    }
    return least;
}

/* A search that saw only the default and the best. */
static void search_little(const ht_space *space, const ht_template *template, ht_trial trials[2],
                          ht_search_result *out) {
    trials[0].config = trials[1].config = ht_config_default(template);
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        if (cost_of(&config) < cost_of(&trials[1].config))
            trials[1].config = config;
    }
    for (int i = 0; i < 2; ++i)
        trials[i].outcome = (ht_outcome){.status = HT_OK, .cost = cost_of(&trials[i].config)};
    *out = (ht_search_result){.trials = trials, .trial_count = 2};
}

Test(ablation, with_evaluations_enough_each_row_is_the_best_of_what_is_left) {
    ht_template *template = test_template(annotated);
    const ht_binding binding = {template, NULL, &test_device};
    ht_space *space;
    ht_trial trials[2];
    ht_search_result searched;
    ht_evaluator evaluator = {NULL, evaluate, 1};
    cr_assert_eq(ht_space_build(&binding, 0, &space, NULL), HT_OK);
    search_little(space, template, trials, &searched);
    const ht_ablation_options options = {.evaluations = 500, .seed = 1, .interrupted = &never};
    ht_ablation ablation;
    ht_ablation_run(&binding, &searched, &evaluator, &options, &ablation);
    cr_assert_eq(ablation.count, 4);
    for (size_t i = 0; i < ablation.count; ++i) {
        const ht_ablation_row *row = &ablation.rows[i];
        double least = least_without(space, template, row->transformation);
        cr_expect(row->found);
        cr_expect_float_eq(row->cost, least, 1e-12, "%s: %g, by brute force %g",
                           row->transformation, row->cost, least);
        cr_expect_float_eq(row->ratio, least / trials[1].outcome.cost, 1e-12);
        cr_expect_eq(row->used, strcmp(row->transformation, "waves-per-eu") != 0);
    }
    ht_ablation_free(&ablation);
    ht_space_free(space);
    ht_template_free(template, 1);
}

Test(ablation, without_evaluations_only_what_the_search_saw_counts) {
    ht_template *template = test_template(annotated);
    const ht_binding binding = {template, NULL, &test_device};
    ht_space *space;
    ht_trial trials[2];
    ht_search_result searched;
    ht_evaluator evaluator = {NULL, evaluate, 1};
    cr_assert_eq(ht_space_build(&binding, 0, &space, NULL), HT_OK);
    search_little(space, template, trials, &searched);
    const ht_ablation_options options = {.seed = 1, .interrupted = &never};
    ht_ablation ablation;
    evaluations = 0;
    ht_ablation_run(&binding, &searched, &evaluator, &options, &ablation);
    cr_assert_eq(evaluations, 0);
    for (size_t i = 0; i < ablation.count; ++i) {
        const ht_ablation_row *row = &ablation.rows[i];
        cr_expect_eq(row->seen, row->used ? 1 : 2);
        cr_expect_float_eq(row->cost, trials[row->used ? 0 : 1].outcome.cost, 1e-12);
    }
    ht_ablation_free(&ablation);
    ht_space_free(space);
    ht_template_free(template, 1);
}

Test(ablation, a_space_is_cut_down_in_order_and_keeps_its_configurations) {
    ht_template *template = test_template(annotated), *capped;
    const ht_binding binding = {template, NULL, &test_device};
    static const struct {
        uint64_t most, left;
        const char *dropped;
    } cases[] = {{144, 144, ""},
                 {143, 36, "WAVES"},
                 {35, 24, "WAVES, PAD_IN"},
                 {20, 6, "WAVES, PAD_IN, UNROLL"},
                 {1, 3, "WAVES, PAD_IN, UNROLL, STAGE"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_space *space;
        ht_space_cut cut;
        ht_error error = {0};
        cr_assert_eq(ht_space_cap(&binding, false, cases[i].most, &capped, &space, &cut, &error),
                     HT_OK, "%s", error.message);
        cr_expect_eq(ht_space_count(space), cases[i].left, "%lu: %lu", (unsigned long)cases[i].most,
                     (unsigned long)ht_space_count(space));
        cr_expect_str_eq(cut.too_large.data ? cut.too_large.data : "", cases[i].dropped);
        cr_expect_eq(cut.idle.length, 0);
        ht_config standard = ht_config_default(template);
        cr_expect(ht_space_legal(space, &standard));
        ht_space_free(space);
        ht_space_cut_free(&cut);
        if (capped)
            ht_template_free(capped, 1);
    }
    ht_template_free(template, 1);
}

Test(ablation, what_does_nothing_on_the_host_is_not_searched_there) {
    ht_template *template = test_template(annotated), *capped;
    const ht_binding binding = {template, NULL, &test_device};
    ht_space *space;
    ht_space_cut cut;
    cr_assert_eq(ht_space_cap(&binding, true, 144, &capped, &space, &cut, NULL), HT_OK);
    cr_expect_eq(ht_space_count(space), 36);
    cr_expect_str_eq(cut.idle.data, "WAVES");
    cr_expect_eq(cut.too_large.length, 0);
    ht_space_cut_free(&cut);
    ht_space_free(space);
    ht_template_free(capped, 1);
    ht_template_free(template, 1);
}
