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
                                       "COARSEN_X=4", "COARSEN_X=4 COARSEN_X_JAM=true",
                                       "COARSEN_X=2 COARSEN_X_STRIDED=true COARSEN_X_JAM=true",
                                       NULL});
    subject_close(&of);
}

Test(strided, a_tuned_source_reads_like_a_source) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(
        &of, "COARSEN_X=4 COARSEN_X_STRIDED=true COARSEN_X_JAM=true",
        (const char *const[]){"x0 = blockIdx.x * (blockDim.x * kOutputsPerThread) + threadIdx.x;",
                              "x0 + (kOutputsPerThread - 1) * 16 < W", "cx * 16", NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, blur_source);
    free(text);
    subject_close(&of);
}

Test(strided, outputs_one_after_the_other_are_a_plain_loop) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(&of, "COARSEN_X=4",
                  (const char *const[]){
                      "    int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * kOutputsPerThread;\n"
                      "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                      "    if (y >= H)\n        return;\n"
                      "    for (int x = x0; x < W && x < x0 + kOutputsPerThread; ++x) {\n"
                      "        float sum = 0.0f;\n        for (int r = 0; r < R; ++r)\n"
                      "            sum += w[r] * in[y * (W + R) + x + r];\n"
                      "        out[y * W + x] = sum;\n    }\n}\n",
                      NULL});
    subject_close(&of);
}
