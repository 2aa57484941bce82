/* Tuned sources of tiles: a thread's outputs in an array, in one body. */
#include "written_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Loops of the author's stay around the loop over outputs, and his guard asks for the first. */
Test(written_tile, outputs_that_share_loads_are_an_array) {
    char *text = example("conv2d_direct", "TILED=true COARSEN_X=4");
    expect_part(
        text,
        "    int ow_first = (blockIdx.x * blockDim.x + threadIdx.x) * OUTPUTS_PER_THREAD;\n"
        "    int oh = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    int k = blockIdx.z % K;\n"
        "    int n = blockIdx.z / K;\n"
        "\n"
        "    if (ow_first >= OW || oh >= OH)\n"
        "        return;\n"
        "    // outputs past the edge, if the tile is not full, read what lies inside and are not "
        "stored\n"
        "    const bool full = OW - ow_first >= OUTPUTS_PER_THREAD;\n"
        "\n"
        "    float sum[OUTPUTS_PER_THREAD] = {};\n"
        "    for (int c = 0; c < C; c++) {\n"
        "        for (int r = 0; r < R; r++) {\n"
        "            for (int s = 0; s < S; s++) {\n"
        "                #pragma unroll\n"
        "                for (int tx = 0; tx < OUTPUTS_PER_THREAD; ++tx) {\n"
        "                    int ow = full ? ow_first + tx : min(ow_first + tx, OW - 1);\n"
        "                    sum[tx] += x[((n * C + c) * H + oh + r) * W + ow + s] * w[((k * C + "
        "c) "
        "* R + r) * S + s];\n"
        "                }\n"
        "            }\n"
        "        }\n"
        "    }\n"
        "    #pragma unroll\n"
        "    for (int tx = 0; tx < OUTPUTS_PER_THREAD; ++tx) {\n"
        "        int ow = ow_first + tx;\n"
        "        if (ow < OW)\n"
        "            y[((n * K + k) * OH + oh) * OW + ow] = sum[tx];\n"
        "    }\n"
        "}\n");
    expect_none(text, "auto ");
    expect_none(text, "dim3 blockIdx");
    free(text);
}

Test(written_tile, a_guard_around_the_work_stays_around_an_array_of_outputs) {
    char *text = example("separable", "TILED=true COARSEN_X=4 COARSEN_Y=2 BLOCK_X=64");
    expect_part(
        text,
        "    if (xFirst < width && yFirst < height) {\n"
        "        // outputs past the edge, if the tile is not full, read what lies inside and "
        "are not stored\n"
        "        const bool full = height - yFirst >= kBlurRowsOutputsAlongY && width - xFirst "
        ">= kBlurRowsOutputsAlongX;\n"
        "        float value[kBlurRowsOutputsAlongY][kBlurRowsOutputsAlongX] = {};\n");
    expect_part(text, "                    int y = full ? yFirst + ty : min(yFirst + ty, height - "
                      "1);\n"
                      "                    int x = xFirst + tx;\n");
    expect_none(text, "Clamped"); /* the author clamps x */
    expect_part(text, "                if (full || (y < height && x < width))\n"
                      "                    dst[y * width + x] = value[ty][tx];\n"
                      "            }\n"
                      "    }\n"
                      "}\n");
    free(text);
}

/* Along an axis with one output a thread, the author's index and all that is made of it stay; so
 * does his name for a block that stays. */
Test(written_tile, an_array_along_one_axis_leaves_the_other_alone) {
    char *text = example("depthwise", "TILED=true COARSEN_X=4");
    expect_part(text, "  const int out_y = threadIdx.y + blockIdx.y * kBlockY;\n"
                      "  if (out_x_first >= out_w || out_y >= out_h) return;\n");
    expect_part(text, "  for (int i = 0; i < 3; ++i) {\n"
                      "    const int y = out_y * stride - pad + i;\n"
                      "#pragma unroll\n"
                      "    for (int j = 0; j < 3; ++j) {\n");
    expect_part(text, "  const int threads = (s.out_w + kOutputsPerThread - 1) / "
                      "kOutputsPerThread;\n"
                      "  const dim3 grid((threads + kBlockX - 1) / kBlockX, ");
    free(text);
    text = example("depthwise", "TILED=true COARSEN_Y=2");
    expect_part(text, "        const int y = out_y * stride - pad + i;\n");
    expect_part(text, "      const int x = out_x * stride - pad + j;\n");
    free(text);
}

/* A test that no axis with several outputs has a part in stays where it is, with its index. */
Test(written_tile, an_array_leaves_tests_of_other_indices_alone) {
    char *text = example("conv2d_nhwc", "TILED=true COARSEN_X=4");
    expect_part(text, "  int k_first = (hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x) * "
                      "OUTPUTS_PER_THREAD;\n");
    expect_part(text, "  for (int r = 0; r < R; ++r) {\n"
                      "    int h = p * stride - pad + r;\n"
                      "    if (h < 0 || h >= H) continue;\n"
                      "    for (int s = 0; s < S; ++s) {\n");
    free(text);
}

/* Outputs a block apart are no neighbours: each has a clamped index, computed once. */
Test(written_tile, outputs_a_block_apart_have_their_clamped_indices_in_an_array) {
    char *text = example("conv2d_direct", "TILED=true COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "    int ow_clamped[OUTPUTS_PER_THREAD];\n");
    expect_part(text, "int ow = ow_clamped[tx];\n");
    expect_none(text, "full");
    free(text);
}

/* One question for all axes. */
Test(written_tile, a_tile_along_two_axes_asks_once_whether_it_is_full) {
    char *text = example("depthwise", "TILED=true COARSEN_X=4 COARSEN_Y=2");
    expect_part(text, "  const bool full = out_h - out_y_first >= kOutYPerThread && out_w - "
                      "out_x_first >= kOutXPerThread;\n");
    expect_part(text, "const int out_y = full ? out_y_first + ty : min(out_y_first + ty, out_h - "
                      "1);\n");
    expect_part(text, "if (full || (out_y < out_h && out_x < out_w))\n");
    expect_part(text, "const int out_x = full ? out_x_first + tx : min(out_x_first + tx, out_w - "
                      "1);\n");
    expect_none(text, "lamped");
    free(text);
}

/* x is bounded on both sides, so that only y has a limit that can be asked for. */
Test(written_tile, a_tile_with_one_output_along_the_only_limit_asks_nothing) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(const float *in, float *out, int w, int h) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (x < 1 || x >= w - 1 || y >= h) return;\n"
        "    float sum = 0;\n"
        "    for (int k = -1; k <= 1; ++k) sum += in[y * w + x + k];\n"
        "    out[y * w + x] = sum;\n}\n"
        "void run(const float *in, float *out, int w, int h) {\n"
        "    k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, w, h);\n}\n";
    char *text = written(source, "TILED=true COARSEN_X=4");
    expect_none(text, "bool full");
    free(text);
    free(written(source, "TILED=true COARSEN_X=4 COARSEN_Y=2")); /* it compiles */
}

/* Bounds on both sides, and of another type, are those of the author's guard. */
Test(written_tile, an_array_of_outputs_keeps_to_its_guard) {
    char *text =
        written(KERNEL("    if (i < 1 || i >= n - 1) return;\n"
                       "    float sum = 0;\n"
                       "    for (int k = -1; k <= 1; ++k) sum += in[i + k];\n    out[i] = sum;\n"),
                "TILED=true COARSEN_X=4");
    expect_part(text, "    if (i_high < 1 || i_first >= n - 1) return;\n");
    expect_part(text, "    if (i_low < 1) i_low = 1;\n");
    expect_part(text, "    if (i_high >= n - 1) i_high = n - 1 - 1;\n");
    expect_part(text, "const int i = i_first + ti < i_low ? i_low : ");
    free(text);
    text = example("filter_constant", "TILED=true COARSEN_X=4");
    expect_part(text, "const bool full = width - x_first >= ");
    expect_part(text, "x = full ? x_first + tx : x_first + tx < width ? x_first + tx : width - 1;");
    expect_part(text, "    for(size_t mask_y = 0; mask_y < mask_width; ++mask_y)\n    {\n");
    free(text);
}

/* A compiler unrolls the author's loop by itself, and leaves one with the body of several outputs,
 * which share loads only if it is unrolled: as it was when it was timed. */
Test(written_tile, a_loop_that_is_unrolled_says_so_where_its_body_has_several_outputs) {
    static const char whole[] = "        #pragma unroll\n"
                                "        for (int k = -kRadius; k <= kRadius; ++k) {\n"
                                "            #pragma unroll\n"
                                "            for (int tx = 0; ";
    char *text = example("separable", "TILED=true COARSEN_X=4");
    expect_part(text, whole);
    expect_none(text, "bool full"); /* the author clamps x, and there is one y */
    free(text);
    text = example("separable", "COARSEN_X_JAM=true COARSEN_X=4");
    expect_part(text, "            #pragma unroll\n"
                      "            for (int k = -kRadius; k <= kRadius; ++k) {\n");
    free(text);
    text = example("separable", "TILED=true COARSEN_X=4 UNROLL_K=1");
    expect_part(text, "        #pragma unroll 1\n"
                      "        for (int k = -kRadius; k <= kRadius; ++k) {\n");
    free(text);
    text = example("separable", "COARSEN_X=4");
    expect_none(text, "unroll");
    free(text);
}
