/* Configurations next to one. */
#include "loop/neighbours.h"
#include "loop/widen.h"
#include "templates/annotations/template.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(neighbours, .timeout = 60);

enum { MOST = 64 };

static const char unit[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(k<BLOCK_X, ROW_BLOCKS, COARSEN_X, SIZE, FLAG>)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK_X : 256, 32, 64, 128 = 64)\n"
    "#pragma tune param(ROW_BLOCKS : 1, 2, 4, 8 = 1)\n"
    "#pragma tune param(COARSEN_X : 1..4 = 1)\n"
    "#pragma tune param(SIZE : 3, 5, 7 = 3)\n"
    "#pragma tune param(FLAG : false, true = false)\n"
    "#pragma tune from(block-size : BLOCK_X)\n"
    "#pragma tune from(row-blocks : ROW_BLOCKS)\n"
    "#pragma tune from(coarsen-x : COARSEN_X, FLAG)\n"
    "#pragma tune block(BLOCK_X) grid(ceil_div(problem.n, BLOCK_X * COARSEN_X), ROW_BLOCKS)\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "template <int BLOCK_X, int ROW_BLOCKS, int COARSEN_X, int SIZE, bool FLAG>\n"
    "__global__ void k(float *out) { out[threadIdx.x] = 0; }\n";

static ht_template *template_read(void) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error = {0};
    cr_assert_eq(ht_template_parse(unit, "k.hip", &templates, &count, &error), HT_OK, "%s",
                 error.message);
    return templates;
}

static ht_config config_read(const ht_template *template, const char *text) {
    ht_config config;
    ht_error error = {0};
    cr_assert_eq(ht_config_parse(template, text, &config, &error), HT_OK, "%s", error.message);
    return config;
}

static size_t place_of(const ht_template *template, const ht_config *configs, size_t count,
                       const char *text) {
    ht_config wanted = config_read(template, text);
    for (size_t i = 0; i < count; ++i)
        if (ht_config_equal(&configs[i], &wanted))
            return i;
    return count;
}

Test(neighbours, are_all_single_steps_and_all_trades_that_keep_the_product_once_each) {
    ht_template *template = template_read();
    ht_config found[MOST];
    ht_config best = config_read(template, "BLOCK_X=64 ROW_BLOCKS=8 COARSEN_X=2 SIZE=5 FLAG=false");
    size_t count = ht_neighbours_list(template, &best, found, MOST);
    static const char *const expected[] = {
        "BLOCK_X=128 ROW_BLOCKS=4 COARSEN_X=2 SIZE=5 FLAG=false", /* trades */
        "BLOCK_X=128 ROW_BLOCKS=8 COARSEN_X=1 SIZE=5 FLAG=false",
        "BLOCK_X=128 ROW_BLOCKS=8 COARSEN_X=2 SIZE=5 FLAG=false", /* single steps */
        "BLOCK_X=32 ROW_BLOCKS=8 COARSEN_X=2 SIZE=5 FLAG=false",
        "BLOCK_X=64 ROW_BLOCKS=4 COARSEN_X=2 SIZE=5 FLAG=false",
        "BLOCK_X=64 ROW_BLOCKS=8 COARSEN_X=3 SIZE=5 FLAG=false",
        "BLOCK_X=64 ROW_BLOCKS=8 COARSEN_X=1 SIZE=5 FLAG=false",
        "BLOCK_X=64 ROW_BLOCKS=8 COARSEN_X=2 SIZE=7 FLAG=false",
        "BLOCK_X=64 ROW_BLOCKS=8 COARSEN_X=2 SIZE=3 FLAG=false",
        "BLOCK_X=64 ROW_BLOCKS=8 COARSEN_X=2 SIZE=5 FLAG=true",
    };
    const size_t expected_count = sizeof expected / sizeof *expected;
    cr_expect_eq(count, expected_count);
    for (size_t i = 0; i < expected_count; ++i)
        cr_expect_lt(place_of(template, found, count, expected[i]), count, "%s", expected[i]);
    /* the sizes' ones come before the others, and trades are among the first */
    cr_expect_lt(place_of(template, found, count, expected[0]), 2);
    for (size_t size = 0; size < 7; ++size)
        for (size_t other = 7; other < expected_count; ++other)
            cr_expect_lt(place_of(template, found, count, expected[size]),
                         place_of(template, found, count, expected[other]));
    cr_expect_eq(ht_neighbours_list(template, &best, found, 3), 3, "no more than are wanted");
    ht_template_free(template, 1);
}

Test(neighbours, of_a_form_that_nobody_writes_by_hand_keep_it) {
    ht_template *template = template_read();
    ht_config found[MOST];
    ht_config best = config_read(template, "BLOCK_X=64 ROW_BLOCKS=8 COARSEN_X=2 SIZE=5 FLAG=false");
    template->params[1].form = "a form";
    size_t count = ht_neighbours_list(template, &best, found, MOST);
    cr_expect_eq(count, 8);
    for (size_t i = 0; i < count; ++i)
        cr_expect_eq(found[i].choice[1], best.choice[1]);
    ht_template_free(template, 1);
}

/* The best of silu_and_mul is such a one: 64 threads in 32 blocks of a row, from 128 in 16. */
Test(neighbours, a_value_past_an_edge_is_tried_with_what_it_is_traded_for) {
    ht_template *template = template_read();
    ht_config found[MOST];
    size_t counts[HT_PARAM_MAX] = {0};
    ht_config edge =
        config_read(template, "BLOCK_X=128 ROW_BLOCKS=8 COARSEN_X=1 SIZE=5 FLAG=false");
    for (size_t i = 0; i < template->param_count; ++i)
        counts[i] = template->params[i].value_count;
    cr_assert_eq(ht_widen_past(template, &edge), 2);
    size_t count = ht_widen_steps(template, &edge, counts, found, MOST);
    cr_expect_eq(count, 3);
    cr_expect_eq(
        place_of(template, found, count, "BLOCK_X=64 ROW_BLOCKS=16 COARSEN_X=1 SIZE=5 FLAG=false"),
        2);
    cr_expect_eq(ht_widen_steps(template, &edge, counts, found, 2), 2);
    ht_template_free(template, 1);
}
