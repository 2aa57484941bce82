/* Facts of a template's launches are those that its own geometry gives. */
#include "../templates/support.h"
#include "pipeline/expectation.h"
#include "pipeline/template_facts.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define T "#pragma tune "
#define HEAD                                                                                       \
    T "unit\n" T "kernel(k)\n" T "problem(p : W, H)\n" T "param(BX : 8, 24, 32, 64 = 8)\n" T       \
      "param(BY : 1, 2, 3, 8 = 1)\n" T "param(TX : 1, 2, 3 = 1)\n" T "param(TY : 1, 2 = 1)\n" T    \
      "arg(x : out float[problem.W])\n" T "block(BX, BY)\n"
#define TAIL "template <int BX, int BY, int TX, int TY> __global__ void k(float *x) {}\n"

typedef struct fixture {
    ht_template *template;
    ht_problem problem;
    ht_binding binding;
    ht_template_facts *facts;
} fixture;

static void fixture_make(fixture *f, const char *text, double wavefront) {
    ht_error error = {0};
    f->template = test_template(text);
    cr_assert_eq(ht_problem_parse(&f->template->problem, "W=192 H=40", &f->problem, &error), HT_OK,
                 "%s", error.message);
    f->binding = (ht_binding){f->template, &f->problem, &test_device};
    f->facts = ht_template_facts_new(&f->binding, wavefront);
}

static void fixture_free(fixture *f) {
    ht_template_facts_free(f->facts);
    ht_problem_free(&f->problem);
    ht_template_free(f->template, 1);
}

/* The same grid as authors write it. */
static const char *const grids[] = {
    T "grid(ceil_div(problem.W, BX * TX), ceil_div(problem.H, BY))\n",
    T "grid(ceil_div(ceil_div(problem.W, TX), BX), ceil_div(problem.H, BY))\n",
    T "grid((problem.W + BX * TX - 1) / (BX * TX), (problem.H + BY - 1) / BY)\n",
    T "grid(max(1, ceil_div(problem.W, BX * TX)), (problem.H - 1 + BY) / BY)\n"};

/* With several outputs along y, too. */
static const char *const grids_of_tiles[] = {
    T "grid(ceil_div(problem.W, BX * TX), ceil_div(problem.H, BY * TY))\n",
    T "grid(ceil_div(ceil_div(problem.W, TX), BX), ceil_div(ceil_div(problem.H, TY), BY))\n",
    T "grid((problem.W + BX * TX - 1) / (BX * TX), ceil_div(problem.H, TY * BY))\n"};

Test(template_facts, are_those_that_counting_gives) {
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g)
        for (int wavefront = 32; wavefront <= 64; wavefront *= 2) {
            char *text = ht_format("%s%s%s", HEAD, grids[g], TAIL);
            fixture f;
            fixture_make(&f, text, wavefront);
            cr_assert_not_null(f.facts);
            ht_config config = ht_config_default(f.template);
            for (int i = 0; i < 4 * 4 * 3; ++i) {
                static const int bx[] = {8, 24, 32, 64}, by[] = {1, 2, 3, 8};
                double values[HT_FACTS];
                config.choice[0] = (uint16_t)(i % 4);
                config.choice[1] = (uint16_t)(i / 4 % 4);
                config.choice[2] = (uint16_t)(i / 16);
                int x = bx[i % 4], y = by[i / 4 % 4], tile = i / 16 + 1, lanes = 0;
                while (lanes < x * y)
                    lanes += wavefront;
                ht_template_facts_values(f.facts, &config, values);
                cr_expect_eq(values[HT_FACT_PARTIAL_X], 192 % (x * tile) != 0, "%s %d", grids[g],
                             i);
                cr_expect_eq(values[HT_FACT_PARTIAL_YZ], 40 % y != 0, "%s %d", grids[g], i);
                cr_expect_eq(values[HT_FACT_PARTIAL_WAVE], lanes > x * y);
                cr_expect_float_eq(exp(values[HT_FACT_IDLE_LANES]), (double)lanes / (x * y), 1e-9);
                cr_expect_float_eq(values[HT_FACT_NARROW_BLOCK],
                                   fmax(0, log2((double)wavefront / x)), 1e-9);
            }
            fixture_free(&f);
            free(text);
        }
}

/* A thread's outputs along x count where it could have them along y. */
Test(template_facts, wide_tiles_are_one_where_there_is_a_choice) {
    for (size_t g = 0; g < 4 + 3; ++g) {
        bool choice = g >= 4;
        char *text = ht_format("%s%s%s", HEAD, choice ? grids_of_tiles[g - 4] : grids[g], TAIL);
        fixture f;
        fixture_make(&f, text, 32);
        ht_config config = ht_config_default(f.template);
        for (int i = 0; i < 4 * 3 * 2; ++i) {
            double values[HT_FACTS];
            config.choice[0] = (uint16_t)(i % 4);
            config.choice[2] = (uint16_t)(i / 4 % 3);
            config.choice[3] = (uint16_t)(i / 12);
            ht_template_facts_values(f.facts, &config, values);
            cr_expect_float_eq(exp2(values[HT_FACT_WIDE_TILE]), choice ? i / 4 % 3 + 1 : 1, 1e-9,
                               "%zu %d", g, i);
        }
        fixture_free(&f);
        free(text);
    }
}

/* A tile of a block that is not its size times something may be shared out in any way. */
Test(template_facts, a_tile_of_the_block_is_no_wide_tile) {
    fixture f;
    char *text =
        ht_format("%s%s%s", HEAD,
                  T "grid(ceil_div(problem.W, 64 * TX), ceil_div(problem.H, BY * TY))\n", TAIL);
    fixture_make(&f, text, 32);
    ht_config config = ht_config_default(f.template);
    for (uint16_t i = 0; i < 4 * 3; ++i) {
        double values[HT_FACTS];
        config.choice[0] = i % 4;
        config.choice[2] = i / 4;
        ht_template_facts_values(f.facts, &config, values);
        cr_expect_eq(values[HT_FACT_WIDE_TILE], 0, "%d", i);
    }
    fixture_free(&f);
    free(text);
}

/* Asked again, it says the same, from memory; as a prior it has the weights of launches. */
Test(template_facts, a_prior_asks_them) {
    fixture f;
    char *text = ht_format("%s%s%s", HEAD, grids[0], TAIL);
    fixture_make(&f, text, 32);
    ht_prior prior = ht_template_facts_prior(f.facts);
    ht_launch_facts none = {0};
    ht_prior named = ht_launch_facts_prior(&none);
    ht_config config = ht_config_default(f.template);
    double once[HT_FACTS], again[HT_FACTS];
    cr_assert_eq(prior.count, HT_FACTS);
    for (size_t k = 0; k < HT_FACTS; ++k)
        cr_expect_eq(prior.weight[k], named.weight[k]);
    config.choice[0] = 1;
    prior.values(prior.context, &config, once);
    config.choice[0] = 2;
    prior.values(prior.context, &config, again);
    cr_expect_neq(once[HT_FACT_IDLE_LANES], again[HT_FACT_IDLE_LANES]);
    config.choice[0] = 1;
    prior.values(prior.context, &config, again);
    for (size_t k = 0; k < HT_FACTS; ++k)
        cr_expect_eq(once[k], again[k]);
    fixture_free(&f);
    free(text);
}

/* There is nothing to expect of blocks that are all the same. */
Test(template_facts, a_block_that_is_fixed_has_none) {
    fixture f;
    fixture_make(&f,
                 T "unit\n" T "kernel(k)\n" T "problem(p : W, H)\n" T "param(TX : 1, 2 = 1)\n" T
                   "arg(x : out float[problem.W])\n" T "block(256)\n" T
                   "grid(ceil_div(problem.W, 256 * TX))\n"
                   "template <int TX> __global__ void k(float *x) {}\n",
                 32);
    cr_expect_null(f.facts);
    fixture_free(&f);
}

/* Searches on GPUs expect something of them by default, where the strategy can; --no-facts leaves
 * them out, and emulation has no wavefronts. */
Test(template_facts, searches_on_gpus_make_use_of_them) {
    static const struct {
        const char *strategy;
        bool emulated, no_facts, used;
    } cases[] = {{"auto", false, false, true},
                 {"bayes", false, false, true},
                 {"random", false, false, false},
                 {"auto", true, false, false},
                 {"auto", false, true, false}};
    fixture f;
    char *text = ht_format("%s%s%s", HEAD, grids[0], TAIL);
    fixture_make(&f, text, 32);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_session session = {
            .options = {.no_sources = true, .no_facts = cases[i].no_facts},
            .device = {.emulated = cases[i].emulated, .fields = {.wavefront = 32}}};
        ht_pair_earlier earlier = {0};
        ht_expectation expectation;
        ht_expectation_begin(&session, &f.binding, NULL, NULL, cases[i].strategy, &earlier,
                             &expectation);
        cr_expect_eq(expectation.facts != NULL, cases[i].used, "%zu", i);
        ht_expectation_end(&expectation);
    }
    fixture_free(&f);
    free(text);
}
