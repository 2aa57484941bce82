/* Coarsening along y and z, alone and with what else there is. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(outer, three_dimensions_blocked_and_strided) {
    subject of = subject_open(volume_source, volume_problem, "volume");
    cr_expect(applied(&of, "coarsen-yz"));
    expect_equal(&of, "volume",
                 (const char *const[]){"COARSEN_Z=4 COARSEN_Z_STRIDED=true COARSEN_Y=2",
                                       "COARSEN_Z=2 COARSEN_Y=8 COARSEN_Y_STRIDED=true",
                                       "COARSEN_X=2 COARSEN_X_STRIDED=true COARSEN_Y=2 COARSEN_Z=2",
                                       NULL});
    subject_close(&of);
}

Test(outer, with_the_other_transformations) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(applied(&of, "coarsen-yz"));
    expect_equal(&of, "blur",
                 (const char *const[]){
                     "COARSEN_X=4 COARSEN_X_STRIDED=true COARSEN_Y=2 COARSEN_Y_STRIDED=true",
                     "COARSEN_X=2 COARSEN_Y=4 RESTRICT=true BLOCK_X=32 BLOCK_Y=2",
                     "COARSEN_Y=8 LAUNCH_BOUNDS=true", NULL});
    subject_close(&of);
}

Test(outer, a_tuned_source_reads_like_a_source) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(&of, "COARSEN_Y=2",
                  (const char *const[]){"for (int cy = 0; cy < 2; ++cy)", "* 2 + cy)", NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, blur_source);
    free(text);
    subject_close(&of);
}

/* ---- what forbids it */

static char *with(const char *from, const char *to) {
    const char *at = strstr(blur_source, from);
    cr_assert_not_null(at);
    return ht_format("%.*s%s%s", (int)(at - blur_source), blur_source, to, at + strlen(from));
}

static void expect_refused(const char *from, const char *to, const char *words) {
    char *text = with(from, to);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_not(applied(&of, "coarsen-yz"), "%s", text);
    cr_expect(!words || remarked(&of, words), "%s", text);
    subject_close(&of);
    free(text);
}

Test(outer, threads_that_a_larger_grid_adds_must_do_nothing) {
    expect_refused("x >= W || y >= H", "x >= W", "no guard");
}

Test(outer, an_argument_that_changes_would_go_on_changed) {
    expect_refused("    float sum = 0.0f;\n", "    in += 1;\n    in -= 1;\n    float sum = 0.0f;\n",
                   "'in' changes");
    expect_refused("    float sum = 0.0f;\n", "    int *own = &W;\n    float sum = *own * 0.0f;\n",
                   "'W' changes");
}

Test(outer, threads_of_a_block_stay_what_they_are) {
    expect_refused("sum = 0.0f", "sum = threadIdx.y * 0.0f", NULL);
}
