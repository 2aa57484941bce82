/* Values past the edge. */
#include "base/memory.h"
#include "loop/widen.h"
#include "templates/annotations/template.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(widen, .timeout = 60);

static const char unit[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(k<BLOCK_X, COARSEN_X, SIZE, FLAG>)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK_X : 32, 64, 128, 256 = 64)\n"
    "#pragma tune param(COARSEN_X : 1..4 = 1)\n"
    "#pragma tune param(SIZE : 3, 5, 7 = 3)\n"
    "#pragma tune param(FLAG : false, true = false)\n"
    "#pragma tune from(block-size : BLOCK_X)\n"
    "#pragma tune from(coarsen-x : COARSEN_X, FLAG)\n"
    "#pragma tune from(fixed-sizes : SIZE)\n"
    "#pragma tune block(BLOCK_X) grid(ceil_div(problem.n, BLOCK_X * COARSEN_X))\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "template <int BLOCK_X, int COARSEN_X, int SIZE, bool FLAG>\n"
    "__global__ void k(float *out) { out[threadIdx.x] = 0; }\n";

static ht_template *template_read(void) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error = {0};
    cr_assert_eq(ht_template_parse(unit, "k.hip", &templates, &count, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(count, 1);
    return templates;
}

static ht_config config_read(const ht_template *template, const char *text) {
    ht_config config;
    ht_error error = {0};
    cr_assert_eq(ht_config_parse(template, text, &config, &error), HT_OK, "%s", error.message);
    return config;
}

Test(widen, edges_are_of_block_sizes_and_the_like_not_of_sizes_made_constants) {
    ht_template *template = template_read();
    ht_config inside = config_read(template, "BLOCK_X=64 COARSEN_X=2 SIZE=7 FLAG=true");
    cr_expect_null(ht_widen_edges(template, &inside));
    ht_config edge = config_read(template, "BLOCK_X=32 COARSEN_X=4 SIZE=7 FLAG=true");
    char *words = ht_widen_edges(template, &edge);
    cr_expect_str_eq(words, "BLOCK_X (32 of 32 to 256), COARSEN_X (4 of 1 to 4)");
    free(words);
    ht_config least = config_read(template, "BLOCK_X=256 COARSEN_X=1 SIZE=3 FLAG=false");
    words = ht_widen_edges(template, &least);
    cr_expect_str_eq(words, "BLOCK_X (256 of 32 to 256)", "nothing is below one output a thread");
    free(words);
    ht_template_free(template, 1);
}

Test(widen, values_go_on_past_the_edge_and_configurations_keep_their_meaning) {
    ht_template *template = template_read();
    ht_config edge = config_read(template, "BLOCK_X=32 COARSEN_X=4 SIZE=7 FLAG=true");
    cr_expect_eq(ht_widen_past(template, &edge), 4);
    const ht_param *block = ht_template_param(template, "BLOCK_X");
    const ht_param *outputs = ht_template_param(template, "COARSEN_X");
    cr_expect_eq(block->value_count, 6);
    cr_expect_str_eq(block->values[4].text, "16");
    cr_expect_str_eq(block->values[5].text, "8");
    cr_expect_str_eq(outputs->values[4].text, "5");
    cr_expect_str_eq(outputs->values[5].text, "6");
    char *text = ht_config_string(template, &edge);
    cr_expect_str_eq(text, "BLOCK_X=32 COARSEN_X=4 SIZE=7 FLAG=true");
    free(text);
    ht_template *again = template_read();
    cr_expect(ht_widen_like(again, template));
    cr_expect(ht_template_equal(again, template));
    ht_template_free(again, 1);
    ht_template_free(template, 1);
}

Test(widen, proposed_values_are_taken_only_where_proofs_hold_for_them) {
    ht_template *template = template_read();
    ht_error error = {0};
    cr_assert_eq(
        ht_widen_lines(template, "#pragma tune param(COARSEN_X : 1, 16, 24 = 1)\n", &error), HT_OK,
        "%s", error.message);
    const ht_param *outputs = ht_template_param(template, "COARSEN_X");
    cr_expect_eq(outputs->value_count, 6);
    cr_expect_eq(outputs->default_index, 0);
    cr_expect_eq(ht_widen_lines(template, "param(SIZE : 9 = 9)", &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "no further values"), "%s", error.message);
    cr_expect_eq(ht_widen_lines(template, "param(NONE : 9 = 9)", &error), HT_ERROR_INPUT);
    cr_expect_eq(ht_widen_lines(template, "param(BLOCK_X : 0 = 0)", &error), HT_ERROR_INPUT);
    cr_expect_eq(ht_widen_lines(template, "param(BLOCK_X : 48 = 48", &error), HT_ERROR_INPUT);
    cr_expect_eq(ht_widen_lines(template, "BLOCK_X = 48", &error), HT_ERROR_INPUT);
    cr_expect_eq(ht_template_param(template, "SIZE")->value_count, 3);
    ht_template_free(template, 1);
}
