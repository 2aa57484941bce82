/* Tuned launches that keep the original's block, too, and choose between the two; and words of the
 * author's that stay. */
#include "written_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Block and grid that serve the launch alone choose where they are declared; it stays as it is. */
Test(written_choice, a_block_that_serves_one_launch_chooses_where_it_is_declared) {
    char *text = example("conv2d_direct", "BLOCK_X=32 BLOCK_Y=8 COARSEN_X=2");
    expect_part(text,
                "    dim3 threads = OH <= 524280 ? dim3(32, 8) : dim3(16, 16); "
                "// else too many blocks\n"
                "    dim3 blocks((OW + OUTPUTS_PER_THREAD * threads.x - 1) / "
                "(OUTPUTS_PER_THREAD * threads.x), (OH + threads.y - 1) / threads.y, N * K);\n"
                "    hipLaunchKernelGGL(conv2d, blocks, threads, 0, 0, d_x, d_w");
    free(text);
    text = example("depthwise", "BLOCK_X=64 BLOCK_Y=4 COARSEN_X=2");
    expect_part(text, "  const dim3 block =\n"
                      "      s.out_h <= 262140 ? dim3(64, 4) : dim3(kBlockX, kBlockY); "
                      "// else too many blocks\n"
                      "  const dim3 grid((s.out_w + kOutputsPerThread * block.x - 1) / "
                      "(kOutputsPerThread * block.x), (s.out_h + block.y - 1) / block.y,\n");
    expect_part(text, "  hipLaunchKernelGGL(DepthwiseConv3x3, grid, block, 0, stream, input");
    expect_part(text, "threadIdx.y + blockIdx.y * blockDim.y;\n"); /* either block */
    free(text);
    text = example("depthwise", "BLOCK_X=32 BLOCK_Y=8 COARSEN_X=2");
    expect_none(text, "const dim3 block");
    free(text);
}

/* The new block is larger along x: an unsigned sum with it could overflow where the author's does
 * not, so n is divided first, by the block or by the outputs. */
Test(written_choice, an_unsigned_size_has_no_larger_sum_for_either_block) {
    char *text = example("filter_constant", "BLOCK_X=64 BLOCK_Y=4");
    expect_part(text, "    const dim3 grid_dim(width / block_dim.x + (width % block_dim.x != 0), "
                      "(height + block_dim.y - 1) / block_dim.y);\n"
                      "    filter_image<<<grid_dim, block_dim, 0, hipStreamDefault>>>(d_input");
    free(text);
    text = example("filter_constant", "BLOCK_X=64 BLOCK_Y=4 COARSEN_X=4");
    expect_part(text, "    const unsigned threads = (width + outputs_per_thread - 1) / "
                      "outputs_per_thread;\n"
                      "    const dim3 grid_dim((threads + block_dim.x - 1) / block_dim.x, ");
    free(text);
}

#define TALL(launch)                                                                               \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int w, int h) {\n"                             \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"                                   \
    "    if (x < w && y < h) out[y * w + x] = in[y * w + x] * 2;\n}\n"                             \
    "void run(const float *in, float *out, int w, int h, bool twice) {\n"                          \
    "    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);\n" launch "}\n"

/* Where a declaration could not stand, or would be jumped over, the launch chooses. */
Test(written_choice, a_launch_that_is_no_statement_of_a_block_chooses_where_it_stands) {
    static const char *const launches[] = {
        "    if (twice)\n        k<<<grid, block>>>(in, out, w, h);\n",
        "    switch (w) {\n    default:\n        k<<<grid, block>>>(in, out, w, h);\n    }\n",
        "    /* all */ k<<<grid, block>>>(in, out, w, h);\n"};
    static const char *const after_strings[] = {"    puts(\"a; \\\" # //\");\n",
                                                "    puts(\"{\") ;\n"};
    for (size_t i = 0; i < sizeof after_strings / sizeof *after_strings; ++i) {
        char *source = ht_format("int puts(const char *);\n" TALL("%s%s"), after_strings[i],
                                 "    k<<<grid, block>>>(in, out, w, h);\n");
        char *text = written(source, "BLOCK_X=64 BLOCK_Y=4");
        expect_part(text, "    k<<<k_grid, k_block>>>(in, out, w, h);\n");
        free(text);
        free(source);
    }
    for (size_t i = 0; i < sizeof launches / sizeof *launches; ++i) {
        char *source = ht_format(TALL("%s"), launches[i]);
        char *text = written(source, "BLOCK_X=64 BLOCK_Y=4");
        expect_part(text, "k<<<h <= 262140 ? ");
        free(text);
        free(source);
    }
    char *text =
        written(TALL("    { // once\n\n        k<<<grid, block>>>(in, out, w, h);\n    }\n"),
                "BLOCK_X=64 BLOCK_Y=4");
    expect_part(
        text, "        const bool k_fits = h <= 262140; // else a device launches no such grid\n");
    expect_part(text, "        k<<<k_grid, k_block>>>(in, out, w, h);\n");
    free(text);
}

#define DECLARED(between, more)                                                                    \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int w, int h) {\n"                             \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"                                   \
    "    if (x < w && y < h) out[y * w + x] = in[y * w + x] * 2;\n}\n"                             \
    "void run(const float *in, float *out, int w, int h) {\n"                                      \
    "    dim3 block(32, 8);\n" between "    dim3 grid((w + 31) / 32, (h + 7) / 8);\n"              \
    "    k<<<grid, block>>>(in, out, w, h);\n" more "}\n"

/* A block that others see, or a size that is not known yet where the block is declared: the launch
 * chooses. */
Test(written_choice, a_block_with_other_uses_keeps_its_declaration) {
    static const char *const others[] = {
        DECLARED("", "    k<<<grid, block>>>(out, out + w * h, w, h);\n"),
        DECLARED("", "    if (block.x > 4) out = nullptr;\n"), DECLARED("    h = h / 2;\n", ""),
        DECLARED("", "    block.x = 1;\n")};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        char *text = written(others[i], "BLOCK_X=64 BLOCK_Y=4");
        expect_part(text, "    dim3 block(32, 8);\n");
        free(text);
    }
    char *text = written(DECLARED("    const int rows = h;\n", ""), "BLOCK_X=64 BLOCK_Y=4");
    expect_part(text, "    dim3 block = h <= 262140 ? dim3(64, 4) : dim3(32, 8); "
                      "// else too many blocks\n    const int rows = h;\n"
                      "    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);\n"
                      "    k<<<grid, block>>>");
    free(text);
}

#define ORDERED(declared)                                                                          \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int w, int h) {\n"                             \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"                                   \
    "    out[y * w + x] = in[y * w + x] * 2;\n}\n"                                                 \
    "void run(const float *in, float *out, int w, int h) {\n" declared                             \
    "    k<<<grid, block>>>(in, out, w, h);\n}\n"

/* A grid that leaves rests out has as many threads as before with either block. */
Test(written_choice, a_grid_without_a_rest_is_cut_by_whichever_block_is_chosen) {
    char *text = written(ORDERED("    const dim3 block(16, 16);\n"
                                 "    const dim3 grid(w / 16, h / 16);\n"),
                         "BLOCK_Y=4");
    expect_part(text, "    const dim3 block = h <= 262140 ? dim3(16, 4) : dim3(16, 16); "
                      "// else too many blocks\n"
                      "    const dim3 grid(w / 16, h / 16 * (16 / block.y));\n"
                      "    k<<<grid, block>>>(in, out, w, h);\n");
    free(text);
}

/* A block that is declared right after the grid changes places with it. */
Test(written_choice, a_block_after_the_grid_is_declared_ahead_of_it) {
    char *text = written(ORDERED("    dim3 grid (w / 16, h / 16);\n    dim3 block (16, 16);\n"),
                         "BLOCK_Y=4");
    expect_part(text, "    dim3 block = h <= 262140 ? dim3(16, 4) : dim3(16, 16); "
                      "// else too many blocks\n"
                      "    dim3 grid (w / 16, h / 16 * (16 / block.y));\n"
                      "    k<<<grid, block>>>(in, out, w, h);\n");
    free(text);
    text = written(ORDERED("    dim3 grid (w / 16, h / 16);\n    w = w + 0;\n"
                           "    dim3 block (16, 16);\n"),
                   "BLOCK_Y=4");
    expect_part(text, "    dim3 block (16, 16);\n");
    free(text);
}

/* A product of the host's, which the kernel knows by one name, is the number of items, and the name
 * of the block stays where it has the new one's number. */
Test(written_choice, a_product_is_rounded_up_by_the_authors_own_call) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n"
        "template <class T> T pieces(T n, T of) { return (n + of - 1) / of; }\n"
        "__global__ void k(const float *in, float *out, int rows) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < rows) out[i] = in[i] * 2;\n}\n"
        "void run(const float *in, float *out, int images, int height) {\n"
        "    int threads = 64;\n"
        "    dim3 grid(pieces(images * height, threads));\n"
        "    k<<<grid, threads>>>(in, out, images * height);\n}\n";
    char *text = written(source, "COARSEN_X=4");
    expect_part(text, "grid(pieces(pieces(images * height, kOutputsPerThread), threads));\n");
    free(text);
}

/* Outputs a block apart are clamped without a min of an unsigned and a signed number. */
Test(written_choice, outputs_a_block_apart_are_clamped_in_their_own_type) {
    char *text = example("conv2d_direct", "TILED=true COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "= ow_first + tx * blockDim.x < OW ? ow_first");
    expect_none(text, "min(ow_first");
    free(text);
}
