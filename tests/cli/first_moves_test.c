/* The first configurations of a search of a refactored kernel. */
#include "../templates/support.h"
#include "pipeline/first_moves.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL                                                                                     \
    "#pragma tune unit\n#pragma tune kernel(k)\n"                                                  \
    "#pragma tune problem(k : R = 3, S = 5)\n"                                                     \
    "#pragma tune param(BLOCK_X : 32, 64, 128 = 32)\n"                                             \
    "#pragma tune param(R_SIZE : 0, 3, 7 = 0)\n#pragma tune param(S_SIZE : 0, 5, 7 = 0)\n"         \
    "#pragma tune param(COARSEN_X : 1, 2, 4, 8 = 1)\n"                                             \
    "#pragma tune param(COARSEN_X_STRIDED : false, true = false)\n"                                \
    "#pragma tune param(TILED : false, true = false)\n"                                            \
    "#pragma tune param(STAGE_IN : false, true = false)\n"                                         \
    "#pragma tune param(STAGE_W : false, true = false)\n"                                          \
    "#pragma tune require(R_SIZE == 0 || R_SIZE == problem.R)\n"                                   \
    "#pragma tune require(S_SIZE == 0 || S_SIZE == problem.S)\n"                                   \
    "#pragma tune require((R_SIZE == 0) == (S_SIZE == 0))\n"                                       \
    "#pragma tune require(!STAGE_IN && !STAGE_W || TILED)\n"                                       \
    "#pragma tune block(BLOCK_X)\n#pragma tune grid(1)\n"                                          \
    "#pragma tune arg(out : out float[1])\n"                                                       \
    "template <int BLOCK_X, int R_SIZE, int S_SIZE, int COARSEN_X, bool COARSEN_X_STRIDED,\n"      \
    "          bool TILED, bool STAGE_IN, bool STAGE_W> __global__ void k(float *out) {}\n"

static const char from[] = "#pragma tune from(block-size : BLOCK_X)\n"
                           "#pragma tune from(fixed-sizes : R_SIZE, S_SIZE)\n"
                           "#pragma tune from(coarsen-x : COARSEN_X, COARSEN_X_STRIDED)\n"
                           "#pragma tune from(register-tile : TILED)\n"
                           "#pragma tune from(lds-stage : STAGE_IN, STAGE_W)\n";

typedef struct fixture {
    ht_template *template;
    ht_problem problem;
    ht_binding binding;
    ht_space *space;
    ht_move moves[HT_FIRST_MOVES_MOST];
    size_t count;
} fixture;

static void fixture_open(fixture *f, const char *text) {
    ht_error error = {0};
    f->template = test_template(text);
    cr_assert_eq(ht_problem_parse(&f->template->problem, "R=3 S=5", &f->problem, &error), HT_OK,
                 "%s", error.message);
    f->binding = (ht_binding){f->template, &f->problem, &test_device};
    cr_assert_eq(ht_space_build(&f->binding, 0, &f->space, &error), HT_OK, "%s", error.message);
    f->count = ht_first_moves_find(f->space, 1, f->moves);
}

static void fixture_make(fixture *f, const char *origins) {
    char *text = malloc(sizeof KERNEL + sizeof from), *at = strstr(KERNEL, "template <");
    size_t head = (size_t)(at - KERNEL);
    memcpy(text, KERNEL, head);
    strcpy(text + head, origins);
    strcat(text, at);
    fixture_open(f, text);
    free(text);
}

static void fixture_free(fixture *f) {
    ht_problem_free(&f->problem);
    ht_space_free(f->space);
    ht_template_free(f->template, 1);
}

static int64_t value(const fixture *f, const ht_config *config, const char *name) {
    for (size_t i = 0; i < f->template->param_count; ++i)
        if (strcmp(f->template->params[i].name, name) == 0)
            return f->template->params[i].values[config->choice[i]].number;
    cr_assert_fail("no %s", name);
    return 0;
}

/* Returns a move on top of what comes before it. */
static ht_config moved(const fixture *f, const ht_config *base, const ht_move *move) {
    ht_config config = *base;
    for (size_t i = 0; i < f->template->param_count; ++i)
        if (move->set[i])
            config.choice[i] = move->to.choice[i];
    return config;
}

Test(first_moves, each_transformation_is_tried_with_what_it_needs) {
    fixture f;
    fixture_make(&f, from);
    ht_config standard = ht_config_default(f.template);
    cr_assert_gt(f.count, 0);
    cr_expect(f.moves[0].foundation);
    ht_config sized = moved(&f, &standard, &f.moves[0]);
    cr_expect_eq(value(&f, &sized, "R_SIZE"), 3, "the problem's, not another's");
    cr_expect_eq(value(&f, &sized, "S_SIZE"), 5);
    bool tiled = false, staged = false, strided = false, block = false, coarse = false;
    for (size_t i = 0; i < f.count; ++i) {
        ht_config config = moved(&f, &sized, &f.moves[i]);
        cr_expect(ht_space_legal(f.space, &config), "move %zu", i);
        int64_t more = value(&f, &config, "COARSEN_X"), both = value(&f, &config, "STAGE_IN");
        cr_expect_eq(both, value(&f, &config, "STAGE_W"));
        staged = staged || both;
        tiled = tiled || (value(&f, &config, "TILED") && !both && more > 1);
        strided = strided || (value(&f, &config, "COARSEN_X_STRIDED") && more > 1);
        coarse = coarse || (more > 1 && !value(&f, &config, "COARSEN_X_STRIDED"));
        block = block || value(&f, &config, "BLOCK_X") > 32;
    }
    cr_expect(tiled && staged && strided && block && coarse);
    fixture_free(&f);
}

/* Work that outputs of one row share is worth more, the more there are. */
Test(first_moves, outputs_in_one_row_are_tried_with_vectors) {
    static const char rows[] =
        "#pragma tune unit\n#pragma tune kernel(k)\n#pragma tune problem(k : R = 3, S = 5)\n"
        "#pragma tune param(COARSEN_X : 1, 2, 4, 8 = 1)\n"
        "#pragma tune param(COARSEN_X_JAM : false, true = false)\n"
        "#pragma tune param(COARSEN_X_ROWS : false, true = false)\n"
        "#pragma tune param(VECTOR_OUTPUTS : 1, 2, 4 = 1)\n"
        "#pragma tune from(coarsen-x : COARSEN_X, COARSEN_X_JAM, COARSEN_X_ROWS)\n"
        "#pragma tune from(vector-width : VECTOR_OUTPUTS)\n"
        "#pragma tune require(COARSEN_X > 1 || !COARSEN_X_JAM && !COARSEN_X_ROWS)\n"
        "#pragma tune require(!COARSEN_X_JAM || !COARSEN_X_ROWS)\n"
        "#pragma tune require(VECTOR_OUTPUTS == 1 || COARSEN_X_JAM || COARSEN_X_ROWS)\n"
        "#pragma tune require(COARSEN_X % VECTOR_OUTPUTS == 0)\n"
        "#pragma tune block(32)\n#pragma tune grid(1)\n"
        "#pragma tune arg(out : out float[1])\n"
        "template <int COARSEN_X, bool COARSEN_X_JAM, bool COARSEN_X_ROWS, int VECTOR_OUTPUTS>\n"
        "__global__ void k(float *out) {}\n";
    fixture f;
    fixture_open(&f, rows);
    ht_config standard = ht_config_default(f.template);
    bool wide = false;
    for (size_t i = 0; i < f.count; ++i) {
        ht_config config = moved(&f, &standard, &f.moves[i]);
        wide =
            wide || (value(&f, &config, "COARSEN_X_ROWS") && value(&f, &config, "COARSEN_X") == 8 &&
                     value(&f, &config, "VECTOR_OUTPUTS") == 4);
    }
    cr_expect(wide);
    fixture_free(&f);
}

Test(first_moves, an_author_s_parameters_mean_nothing_here) {
    fixture f;
    fixture_make(&f, "");
    cr_expect_eq(f.count, 0);
    fixture_free(&f);
}
