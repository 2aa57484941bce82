/* Strided coarsening: outputs of a thread that lie a block apart. */
#include "subject.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(strided, outputs_a_block_apart_are_equal) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(applied(&of, "coarsen-x"));
    expect_equal(&of, "blur",
                 (const char *const[]){"COARSEN_X=4 COARSEN_X_STRIDED=true",
                                       "COARSEN_X=8 COARSEN_X_STRIDED=true BLOCK_X=4",
                                       "COARSEN_X=2 COARSEN_X_STRIDED=true BLOCK_X=32 BLOCK_Y=2",
                                       "COARSEN_X=4", NULL});
    subject_close(&of);
}

Test(strided, a_tuned_source_reads_like_a_source) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(
        &of, "COARSEN_X=4 COARSEN_X_STRIDED=true",
        (const char *const[]){"* 4 - 3 * threadIdx.x;", "x0 + 3 * 16 < W", "cx * 16", NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, blur_source);
    free(text);
    subject_close(&of);
}
