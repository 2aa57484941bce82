/* loop-order: sums come out the same in any order of the loops, in strips, and in whatever form
 * other transformations write; and the reason that keeps the order is reported with its place. */
#include "subject.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define CONV(tolerance)                                                                            \
    "{\"kernel\": \"conv\", \"problem\": \"conv : C, H, W, R, S\", \"tolerance\": \"" tolerance    \
    "\", \"args\": [\"x : in float[problem.C * problem.H * problem.W] integers(-8, 8)\", "         \
    "\"w : in float[problem.C * problem.R * problem.S] integers(-8, 8)\", "                        \
    "\"y : out float[(problem.H - problem.R + 1) * (problem.W - problem.S + 1)]\", "               \
    "\"C : int = problem.C\", \"H : int = problem.H\", \"W : int = problem.W\", "                  \
    "\"R : int = problem.R\", \"S : int = problem.S\"], \"instances\": [{\"fields\": "             \
    "{\"C\": 13, \"H\": 11, \"W\": 23, \"R\": 3, \"S\": 5}}]}"
#define FILE_OF(kernels)                                                                           \
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [" kernels "]}"

static const char problems[] = FILE_OF(
    CONV("1e-6") ", {\"kernel\": \"whole\", \"problem\": \"whole : N, M, K\", \"tolerance\": "
                 "\"exact\", \"args\": [\"a : in int[problem.N * problem.M] integers(-99, 99)\", "
                 "\"b : in int[problem.K + 1] integers(-99, 99)\", \"out : out int[problem.N]\", "
                 "\"n : int = problem.N\", \"m : int = problem.M\", \"k : int = problem.K\"], "
                 "\"instances\": [{\"fields\": {\"N\": 37, \"M\": 7, \"K\": 3}}]}, "
                 "{\"kernel\": \"padded\", \"problem\": \"padded : C, H, W, R\", \"args\": [\"x : "
                 "in float[problem.C * problem.H * problem.W] integers(-8, 8)\", \"w : in "
                 "float[problem.C * problem.R * problem.R] integers(-8, 8)\", \"y : out "
                 "float[problem.H * problem.W]\", \"C : int = problem.C\", \"H : int = "
                 "problem.H\", \"W : int = problem.W\", \"R : int = problem.R\"], \"instances\": "
                 "[{\"fields\": {\"C\": 13, \"H\": 11, \"W\": 23, \"R\": 3}}]}, "
                 "{\"kernel\": \"kept\", \"problem\": \"kept : C\", \"args\": [\"x : in "
                 "float[problem.C * 5]\", \"n : in int[1] integers(1, 5)\", "
                 "\"y : out float[problem.C * 6]\", \"C : int = problem.C\", \"R : int = 5\", "
                 "\"S : int = 5\"], \"instances\": [{\"fields\": {\"C\": 37}}]}");

static subject open_with(const char *kernel, const char *given) {
    return subject_open_file("loop_order.hip", given, kernel);
}

Test(loop_order, six_orders_of_a_convolution) {
    subject of = open_with("conv", problems);
    cr_assert(applied(&of, "loop-order"));
    cr_expect(remarked(&of, "compared within the tolerance"));
    cr_expect_str_eq(of.kernel->rounds, "ORDER_C,STRIP_C");
    expect_equal(&of, "conv",
                 (const char *const[]){
                     "ORDER_C=1", "ORDER_C=2 STRIP_C=4", "ORDER_C=3 COARSEN_X=4",
                     "ORDER_C=4 STRIP_C=8 TILED=true COARSEN_Y=2", "ORDER_C=5 TILED=true",
                     "ORDER_C=1 TILED=true STAGE_X=true R_SIZE=3 S_SIZE=5",
                     "ORDER_C=5 STRIP_C=32 TILED=true COARSEN_X=2 COARSEN_Y=4",
                     "ORDER_C=2 R_SIZE=3 S_SIZE=5 COARSEN_X=8 COARSEN_X_STRIDED=true", NULL});
    cr_expect_not(is_legal(&of, "conv", "ORDER_C=1 STRIP_C=4"));
    subject_close(&of);
}

Test(loop_order, an_index_between_the_loops_is_computed_again) {
    subject of = open_with("padded", problems);
    cr_assert(applied(&of, "loop-order"));
    expect_equal(&of, "padded",
                 (const char *const[]){"ORDER_C=5 TILED=true", "ORDER_C=1 TILED=true COARSEN_X=4",
                                       "ORDER_C=3 STRIP_C=4 TILED=true COARSEN_X=2 COARSEN_Y=2",
                                       NULL});
    cr_expect_not(is_legal(&of, "padded", "ORDER_C=1")); /* elsewhere it has no value yet */
    subject_close(&of);
}

Test(loop_order, an_applied_source_has_plain_loops) {
    subject of = open_with("conv", problems);
    expect_pieces(&of, "ORDER_C=3 STRIP_C=8",
                  (const char *const[]){
                      "for (int c_strip = 0; c_strip < C; c_strip += kConvStripOfC) for "
                      "(int r = 0; r < R; r++)",
                      "for (int s = 0; s < S; s++)",
                      "for (int c = c_strip; c < C && c < c_strip + kConvStripOfC; c++)", NULL});
    const char *unit = of.kernel->against->unit; /* outermost, there are no strips */
    cr_expect_not_null(strstr(unit, "ORDER_C == 0 || ORDER_C == 1 ? (c < C) : "));
    expect_pieces(&of, "ORDER_C=4",
                  (const char *const[]){"for (int s = 0; s < S; s++)",
                                        "for (int c = 0; c < C; c++)",
                                        "for (int r = 0; r < R; r++)", NULL});
    subject_close(&of);
}

Test(loop_order, whole_numbers_stay_exact) {
    subject of = open_with("whole", problems);
    cr_assert(applied(&of, "loop-order"));
    cr_expect_null(of.kernel->rounds);
    expect_equal(&of, "whole",
                 (const char *const[]){
                     "ORDER_J=1", "ORDER_J=1 STRIP_J=4", "ORDER_J=1 TILED=true COARSEN_X=4",
                     "TILED=true STAGE_A=true STAGE_B=true M_SIZE=7 K_SIZE=3", NULL});
    cr_expect_not(is_legal(&of, "whole", "ORDER_J=1 TILED=true STAGE_A=true M_SIZE=7 K_SIZE=3"));
    subject_close(&of);
}

Test(loop_order, what_keeps_the_order_is_said) {
    subject of = open_with("kept", problems);
    cr_expect_not(applied(&of, "loop-order"));
    cr_expect(remarked(&of, "a loop's bound is not the same"));
    cr_expect(remarked(&of, "it is not a sum, product, minimum or maximum"));
    cr_expect(remarked(&of, "a break leaves the loops"));
    cr_expect(remarked(&of, "a declaration between the loops is not computed again inside"));
    cr_expect(remarked(&of, "a sum of whole numbers is computed in floats"));
    cr_expect(remarked(&of, "memory is written inside of the loops"));
    subject_close(&of);
}

Test(loop_order, exact_results_keep_the_order) {
    subject of = open_with("conv", FILE_OF(CONV("exact")));
    cr_expect_not(applied(&of, "loop-order"));
    cr_expect(remarked(&of, "it adds up floats, and results are to be exact"));
    subject_close(&of);
}
