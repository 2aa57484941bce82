/* fixed-sizes: arguments that bound loops as template constants, and the launches that choose. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(sizes, constants_change_no_result) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(applied(&of, "fixed-sizes"));
    expect_equal(&of, "blur",
                 (const char *const[]){
                     "R_SIZE=5",
                     "R_SIZE=5 TILED=true COARSEN_X=2 COARSEN_Y=4 RESTRICT=true BLOCK_X=32",
                     "COARSEN_X=8 COARSEN_X_STRIDED=true BLOCK_X=4 R_SIZE=5", NULL});
    subject_close(&of);
}

Test(sizes, a_tuned_source_asks_for_the_size) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(&of, "R_SIZE=5",
                  (const char *const[]){"template <int R_SIZE = 0>\n__global__ void blur(",
                                        "R_given", "const int R = R_SIZE > 0 ? R_SIZE : R_given;",
                                        "(R == 5 ? blur<5> : blur<>)<<<grid, block>>>", NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, blur_source);
    free(text);
    subject_close(&of);
}

/* Sizes follow the template parameters that all launches name, as the author has them. */
Test(sizes, a_templates_own_arguments_stay_as_they_are) {
    char *text = ht_strdup(
        HEAD "template <typename T, int SIDE>\n"
             "__global__ void blur(const T *in, const T *w, T *out, int W, int H, int R) {\n"
             "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
             "    if (x >= W || y >= H) return;\n    T sum = 0;\n"
             "    for (int r = 0; r < R; ++r) sum += w[r] * in[y * (W + R) + x + r];\n"
             "    out[y * W + x] = sum;\n}\n"
             "void run(float *a, float *b, float *c, int W, int H, int R) {\n"
             "    constexpr int side = 16;\n    dim3 block(side, side);\n"
             "    dim3 grid((W + side - 1) / side, (H + side - 1) / side);\n"
             "    blur<float, side><<<grid, block>>>(a, b, c, W, H, R);\n}\n");
    subject of = subject_open(text, blur_problem, "blur");
    expect_pieces(&of, "R_SIZE=5",
                  (const char *const[]){
                      "template <typename T, int SIDE, int R_SIZE = 0>\n",
                      "(R == 5 ? blur<float, side, 5> : blur<float, side>)<<<grid, block>>>",
                      NULL});
    subject_close(&of);
    free(text);
}

Test(sizes, a_kernel_that_is_declared_ahead_keeps_its_sizes) {
    char *text =
        ht_format("%s__global__ void blur(float *in, const float *w, float *out, int W, int "
                  "H, int R);\n%s",
                  HEAD, blur_source);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_not(applied(&of, "fixed-sizes"));
    cr_expect(remarked(&of, "declared ahead"));
    subject_close(&of);
    free(text);
}

Test(sizes, a_launch_whose_size_is_a_call_is_not_asked_twice) {
    char *text =
        ht_format("%sint next();\nvoid run(float *a, float *b, float *c, int W, int H, int R) "
                  "{\n    blur<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(a, b, "
                  "c, W, H, next());\n}\n",
                  BLUR);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_not(applied(&of, "fixed-sizes"));
    cr_expect(remarked(&of, "cannot test its value"));
    subject_close(&of);
    free(text);
}

Test(sizes, the_launch_macro_asks_too) {
    char *text = ht_format(BLUR "void run(float *a, float *b, float *c, int W, int H, int R) {\n"
                                "    hipLaunchKernelGGL(blur, dim3((W + 15) / 16, (H + 15) / 16), "
                                "dim3(16, 16), 0, 0, a, b, c, W, H, R);\n}\n");
    subject of = subject_open(text, blur_problem, "blur");
    expect_pieces(&of, "R_SIZE=5",
                  (const char *const[]){"hipLaunchKernelGGL((R == 5 ? blur<5> : blur<>), ", NULL});
    subject_close(&of);
    free(text);
}
