/* Problems for verification, in which a fault shows at the edge, inside of the grid or in a way of
 * its own for a filter size. */
#include "runtime/verify/verify.h"
#include "runtime/verify/verify_template.h"

#include "base/memory.h"
#include "tests/runtime/job/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* `grid`: in W, H and `wide`, an argument that is another name for W. */
static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(f)\n"
    "#pragma tune problem(planes : C, H, W, R, batch, groups, pad = 0, rows := H - R + 1)\n"
    "#pragma tune param(A : 1, 2 = 1)\n"
    "#pragma tune block(16)\n"
    "#pragma tune grid(%s)\n"
    "#pragma tune arg(out : out float[problem.W])\n"
    "#pragma tune arg(wide : int = problem.W + 2)\n"
    "template <int A>\n"
    "__global__ void f(float *out, int wide) { out[threadIdx.x] = A; }\n";

typedef struct tried {
    bound b;
    char *text;
    ht_problem *problems;
    size_t count;
} tried;

static tried try_grid(const char *grid, const char *problem) {
    tried out = {.text = ht_format(source, grid)};
    bind_text(&out.b, out.text, problem);
    ht_verify_problems(&out.b.templates[0], out.b.binding.problem, &out.problems, &out.count);
    cr_assert_geq(out.count, 6);
    return out;
}

static void tried_free(tried *of) {
    for (size_t i = 0; i < of->count; ++i)
        ht_problem_free(&of->problems[i]);
    free(of->problems);
    unbind(&of->b);
    free(of->text);
}

static int64_t field(const tried *of, size_t problem, const char *name) {
    int64_t value = 0;
    cr_assert(ht_problem_get(&of->problems[problem], name, &value), "%s", name);
    return value;
}

#define GIVEN "C=3, H=64, W=64, R=3, batch=1, groups=5"

Test(verify_sizes, most_blocks_lie_along_x) {
    static const struct {
        const char *grid, *along;
    } cases[] = {{"ceil_div(problem.W, 16), problem.H", "W"},
                 {"ceil_div(problem.H, 16), problem.W", "H"},
                 {"wide, problem.H", "W"},     /* by way of an argument */
                 {"problem.rows, wide", "H"}}; /* and of a field that is computed */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tried of = try_grid(cases[i].grid, GIVEN);
        const char *other = strcmp(cases[i].along, "W") == 0 ? "H" : "W";
        cr_expect_gt(field(&of, 0, cases[i].along), 4 * field(&of, 0, other), "%s", cases[i].grid);
        cr_expect_lt(field(&of, 1, "W"), 16);
        tried_free(&of);
    }
}

/* A block for each row: it is the row's length that a block's threads share out. */
Test(verify_sizes, rows_that_have_a_block_each_are_few) {
    static const struct {
        const char *grid, *last, *first;
    } cases[] = {
        {"problem.H", "H", "W"}, {"problem.rows", "H", "W"}, {"ceil_div(problem.H, 16)", "W", "H"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tried of = try_grid(cases[i].grid, GIVEN);
        cr_expect_gt(field(&of, 0, cases[i].first), field(&of, 0, cases[i].last), "%s",
                     cases[i].grid);
        tried_free(&of);
    }
}

/* A test that is off by one shows where tiles of 16 leave one output over, or lack one; of stencils
 * the outermost are no outputs. */
Test(verify_sizes, tiles_have_one_more_or_one_less_to_do_with_a_border_and_without) {
    tried of = try_grid("problem.W, problem.H", GIVEN);
    static const struct {
        const char *name;
        int64_t rest;
    } wanted[] = {{"W", 1}, {"W", 2 + 1}, {"W", 15}, {"H", 1}, {"H", 2 + 1}, {"H", 15}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
        bool found = false;
        for (size_t problem = 0; problem < 5 && !found; ++problem) {
            int64_t extent = field(&of, problem, wanted[i].name);
            found = extent > 16 && extent % 16 == wanted[i].rest;
        }
        cr_expect(found, "%s of 16 * n + %d", wanted[i].name, (int)wanted[i].rest);
    }
    tried_free(&of);
}

static bool any_multiple(const char *reference_grid) {
    char *grid = ht_format("problem.W)\n#pragma tune reference(f<1> : out, wide)\n"
                           "#pragma tune block(16)\n#pragma tune grid(%s",
                           reference_grid);
    tried of = try_grid(grid, GIVEN);
    bool found = false;
    for (size_t i = 0; i < 5; ++i)
        found = found || field(&of, i, "W") % 16 == 0;
    tried_free(&of);
    free(grid);
    return found;
}

/* Their last threads compute the last outputs with such sizes alone. */
Test(verify_sizes, originals_that_are_launched_for_multiples_get_one) {
    cr_expect(any_multiple("problem.W / 16"));
    cr_expect_not(any_multiple("(problem.W + 15) / 16"));
    cr_expect_not(any_multiple("ceil_div(problem.W, 16)"));
}

/* Ways of their own are for 3, 5 and 7 and the problem's own size; steps of 1 hide factors. */
Test(verify_sizes, filters_and_steps_are_others_in_the_fifth) {
    tried of = try_grid("problem.W, problem.H", GIVEN);
    cr_expect_eq(field(&of, 0, "R"), 3);
    cr_expect_eq(field(&of, 4, "R"), 5);
    cr_expect_eq(field(&of, 4, "C"), 5);
    cr_expect_eq(field(&of, 4, "groups"), 7);
    cr_expect_eq(field(&of, 4, "batch"), 2);
    /* next, should the original not run with that */
    cr_expect_eq(field(&of, 5, "R"), 5);
    cr_expect_eq(field(&of, 5, "batch"), 1);
    cr_expect_eq(field(&of, 6, "R"), 3);
    cr_expect_eq(field(&of, 6, "batch"), 1);
    tried_free(&of);
}

/* A border that the problem chose hides tests that only matter without one. */
Test(verify_sizes, options_are_as_nobody_chose_them_in_the_fifth) {
    tried of = try_grid("problem.W, problem.H", GIVEN ", pad=1");
    for (size_t i = 0; i < 4; ++i)
        cr_expect_eq(field(&of, i, "pad"), 1);
    cr_expect_eq(field(&of, 4, "pad"), 0);
    cr_expect_eq(field(&of, 5, "pad"), 1);
    tried_free(&of);
    /* also where equal fields stay so, options among them */
    of = try_grid("problem.W, problem.H", "C=32, H=64, W=64, R=3, batch=1, groups=3, pad=32");
    bool found = false;
    for (size_t i = 0; i < of.count && i < 14; ++i)
        found =
            found || (field(&of, i, "batch") == 2 && field(&of, i, "pad") == field(&of, i, "C"));
    cr_expect(found);
    tried_free(&of);
}

Test(verify_sizes, what_is_equal_stays_so_in_some) {
    tried of = try_grid("problem.W, problem.H", "C=32, H=64, W=64, R=3, batch=1, groups=32");
    bool equal = false;
    for (size_t i = 0; i < of.count && i < 12; ++i)
        equal = equal || (field(&of, i, "C") == field(&of, i, "groups") &&
                          field(&of, i, "W") == field(&of, i, "H") &&
                          field(&of, i, "W") > 2 * field(&of, i, "C"));
    cr_expect(equal);
    tried_free(&of);
}

/* An author who knows the sizes that are always tried must not know these. */
Test(verify_sizes, fresh_ones_hang_on_the_seed_alone) {
    tried of = try_grid("problem.W, problem.H", GIVEN);
    ht_problem *drawn[3];
    size_t counts[3], others = 0;
    for (uint64_t i = 0; i < 3; ++i)
        ht_verify_fresh(&of.b.templates[0], &of.b.problem, i / 2 + 1, &drawn[i], &counts[i]);
    cr_assert(counts[0] >= 8 && counts[0] == counts[1], "%zu %zu", counts[0], counts[1]);
    for (size_t i = 0; i < counts[0]; ++i) {
        int64_t first, again, other = 0;
        ht_problem_get(&drawn[0][i], "W", &first);
        ht_problem_get(&drawn[1][i], "W", &again);
        if (i < counts[2])
            ht_problem_get(&drawn[2][i], "W", &other);
        cr_assert(first >= 1 && first == again);
        others += first != other;
    }
    cr_assert_gt(others, counts[0] / 2);
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < counts[i]; ++j)
            ht_problem_free(&drawn[i][j]);
        free(drawn[i]);
    }
    tried_free(&of);
}

/* Parameters that change the order of sums are at their defaults where results are to be exact. */
Test(verify_sizes, parameters_that_round_keep_their_default_wherever_it_stands) {
    static const char text[] = "#include <hip/hip_runtime.h>\n"
                               "#pragma tune kernel(f)\n"
                               "#pragma tune problem(line : W)\n"
                               "#pragma tune param(A : 1, 2, 4 = 2)\n"
                               "#pragma tune param(B : 1, 2 = 1)\n"
                               "#pragma tune block(16)\n"
                               "#pragma tune grid(problem.W)\n"
                               "#pragma tune arg(out : out float[problem.W])\n"
                               "template <int A, int B>\n"
                               "__global__ void f(float *out) { out[threadIdx.x] = A + B; }\n";
    bound b;
    bind_text(&b, text, "W=64");
    ht_template *ordered = ht_verify_keep_order(&b.templates[0], "C,A");
    cr_assert_eq(ordered->params[0].value_count, 1);
    cr_expect_eq(ordered->params[0].values[0].number, 2);
    cr_expect_eq(ordered->params[0].default_index, 0);
    cr_expect_eq(ordered->params[1].value_count, 2);
    ht_config config = {.count = 2, .choice = {0, 1}};
    ht_verify_reorder(&b.templates[0], ordered, &config);
    cr_expect_eq(config.choice[0], 1);
    cr_expect_eq(config.choice[1], 1);
    ht_template_free(ordered, 1);
    unbind(&b);
}
