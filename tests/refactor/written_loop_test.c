/* Launches and loops of a tuned source that a maintainer recognizes. */
#include "base/memory.h"
#include "refactor/rewrite/apply.h"
#include "written_support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char counted[] = "#include <hip/hip_runtime.h>\n"
                              "__global__ void scale(const float *in, float *out, int n) {\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    if (i < n) {\n"
                              "        float sum = 0.f;\n"
                              "        for (int k = 0; k < 4; ++k)\n"
                              "            sum += k * in[i];\n"
                              "        out[i] = sum;\n"
                              "    }\n"
                              "}\n"
                              "int used(int threads);\n"
                              "void run(const float *in, float *out, int n) {\n"
                              "    const int threads = 256, blocks = (n + threads - 1) / threads;\n"
                              "    scale<<<blocks, threads>>>(in, out, n);\n"
                              "    used(threads + blocks);\n"
                              "}\n";

/* The author's constant has another use and cannot change: the launch says how the new block comes
 * of it, and not a number without a reason. */
Test(written_loop, a_block_is_a_part_of_the_authors_constant) {
    char *text = written(counted, "BLOCK_X=64 COARSEN_X=4");
    expect_part(text, "scale<<<blocks, threads / kOutputsPerThread>>>(in, out, n);");
    free(text);
    text = written(counted, "BLOCK_X=512");
    expect_part(text, ", 2 * threads>>>(in, out, n);");
    free(text);
}

/* A default factor, of a loop for which the author wrote no pragma, leaves no trace. */
Test(written_loop, a_loop_with_its_default_factor_stays_as_it_was) {
    char *text = written(counted, "BLOCK_X=64");
    expect_none(text, "unroll");
    free(text);
    text = written(counted, "BLOCK_X=64 UNROLL_K=2");
    expect_part(text, "        #pragma unroll 2\n        for (int k = 0;");
    free(text);
}

/* No block is launched for n = 0 where a sum rounds n up, and so no thread without an output reads
 * `by`; (n - 1) / 256 + 1 is one block. */
Test(written_loop, a_read_stays_after_the_guard_where_a_block_may_have_no_output) {
    static const char *const grids[] = {"(n - 1) / 256 + 1", "(n + 255) / 256"};
    for (size_t i = 0; i < 2; ++i) {
        char *source = ht_format("#include <hip/hip_runtime.h>\n"
                                 "__global__ void scale(float *out, const float *in,\n"
                                 "                      const float *by, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i >= n) return;\n"
                                 "    const float s = by[0];\n"
                                 "    out[i] = in[i] * s;\n"
                                 "}\n"
                                 "void run(float *out, const float *in, const float *by, int n) {\n"
                                 "    scale<<<%s, 256>>>(out, in, by, n);\n"
                                 "}\n",
                                 grids[i]);
        char *text = written(source, "COARSEN_X=4");
        if (i == 0)
            expect_part(text, "    if (i0 >= n) return;\n    const float s = by[0];\n");
        else
            expect_none(text, "return;");
        free(text);
        free(source);
    }
}

/* A statement on the guard's own line gets a line in the loop, indented for it. */
Test(written_loop, a_statement_on_the_guards_line_gets_its_own) {
    static const char *const guards[] = {"if (i < n) out[i] = 2 * in[i];",
                                         "if (i < n) { out[i] = 2 * in[i]; }",
                                         "if (i >= n) return;  out[i] = 2 * in[i];"};
    for (size_t i = 0; i < sizeof guards / sizeof *guards; ++i) {
        char *source = ht_format("#include <hip/hip_runtime.h>\n"
                                 "__global__ void scale(const float *in, float *out, int n) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  %s\n"
                                 "}\n"
                                 "void run(const float *in, float *out, int n) {\n"
                                 "  scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                                 "}\n",
                                 guards[i]);
        char *text = written(source, "COARSEN_X=4");
        expect_part(text, "++i) {\n    out[i] = 2 * in[i];\n  }\n}\n");
        free(text);
        free(source);
    }
}

/* A grid that serves as many outputs as before is not written anew. */
Test(written_loop, a_grid_that_does_not_change_is_not_written) {
    char *text = written("#include <hip/hip_runtime.h>\n"
                         "__global__ void scale(const float *in, float *out, int n) {\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i < n)\n"
                         "        out[i] = 2 * in[i];\n"
                         "}\n"
                         "int used(dim3 grid);\n"
                         "void run(const float *in, float *out, int n) {\n"
                         "    dim3 grid((n + 255) / 256), block(256);\n"
                         "    scale<<<grid, block>>>(in, out, n);\n"
                         "    used(grid);\n"
                         "}\n",
                         "BLOCK_X=64 COARSEN_X=4");
    expect_part(text, "    scale<<<grid, block>>>(in, out, n);\n");
    expect_part(text, "grid((n + 255) / 256), block(64);");
    free(text);
}

/* A grid that is computed at compile time from the author's block, by a function of his, follows
 * the block's definition: it is not changed at the launch, too. */
Test(written_loop, a_constant_grid_does_not_change_twice) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n"
        "constexpr unsigned int up(unsigned int a, unsigned int b) { return (a + b - 1) / b; }\n"
        "__global__ void scale(const float *in, float *out, const unsigned int n) {\n"
        "    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n)\n"
        "        out[i] = 2 * in[i];\n"
        "}\n"
        "void run(const float *in, float *out) {\n"
        "    constexpr unsigned int n = 1000000;\n"
        "    constexpr unsigned int block = 256;\n"
        "    constexpr unsigned int grid = up(n, block);\n"
        "    scale<<<dim3(grid), dim3(block)>>>(in, out, n);\n"
        "}\n";
    char *text = written(source, "BLOCK_X=128 COARSEN_X=4");
    expect_part(text, "unsigned int block = 128;\n");
    expect_part(text, "unsigned int grid = up(n, kOutputsPerThread * block);\n");
    expect_part(text, "scale<<<dim3(grid), dim3(block)>>>(in, out, n);\n");
    free(text);
}

/* Whether a source is one that a maintainer could have written is asked of its parameters' forms:
 * one that brings a lambda or indices that are declared anew has one. */
Test(written_loop, parameters_whose_text_no_maintainer_writes_have_a_form) {
    static const char *const paths[] = {"examples/kernels/conv2d_direct.hip",
                                        "examples/kernels/depthwise.hip"};
    size_t odd = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_open(paths[i], &problems);
        const ht_template *template = ht_refactor_kernel(refactor, 0)->template;
        cr_assert_not_null(template, "%s", paths[i]);
        for (size_t p = 0; p < template->param_count; ++p) {
            const ht_param *param = &template->params[p];
            ht_refactor_choice choice = {.config = ht_config_default(template)};
            char *text = NULL;
            choice.config.choice[p] = (uint16_t)(param->value_count - 1);
            if (ht_refactor_apply(refactor, &choice, 1, &text, NULL) != HT_OK)
                continue; /* no configuration without others */
            bool shows = strstr(text, "dim3 blockIdx(") || strstr(text, "[&]");
            cr_expect(!shows || param->form, "%s: %s\n%s", paths[i], param->name, text);
            odd += shows;
            free(text);
        }
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
    cr_expect_geq(odd, 4); /* GRID_ORDER of both, GRID_DEPTH, a thread order */
}

/* As darknet's convolve_gpu_kernel and its like have it. */
#define PIXELS                                                                                     \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void act_norm_kernel(const float *in, float *out, int size, int channels, int w) " \
    "{\n"                                                                                          \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "\n"                                                                                           \
    "    // where the pixel lies\n"                                                                \
    "    int p = i % w;\n"                                                                         \
    "    const float eps = 0.0001f;\n"                                                             \
    "    if (i < size) {\n"                                                                        \
    "        float sum = eps;\n"                                                                   \
    "        float most;\n"                                                                        \
    "        if (channels > 2) {\n"                                                                \
    "            most = in[p];\n"                                                                  \
    "        }\n"                                                                                  \
    "        else\n"                                                                               \
    "            most = 0;\n"                                                                      \
    "        for (int k = 0; k < channels; ++k)\n"                                                 \
    "        {\n"                                                                                  \
    "            // the channel's value\n"                                                         \
    "            float v, s;\n"                                                                    \
    "            v = in[p + k * w] - most;\n"                                                      \
    "            s = v * v;\n"                                                                     \
    "            sum += s;\n"                                                                      \
    "        }\n"                                                                                  \
    "        out[i] = sum;\n"                                                                      \
    "    }\n"                                                                                      \
    "}\n"                                                                                          \
    "void run(const float *in, float *out, int size, int channels, int w) {\n"                     \
    "    act_norm_kernel<<<(size + 255) / 256, 256>>>(in, out, size, channels, w);\n"              \
    "}\n"

/* Declarations stay as they are, comments are not lost, `else` keeps its line, an index that is not
 * const stays so, and what is in the author's guard is indented as that. */
Test(written_loop, declarations_and_comments_of_a_tile_stay_the_authors) {
    char *text = written(PIXELS, "TILED=true COARSEN_X=4");
    expect_part(text, "            // the channel's value\n");
    expect_part(text, "float v, s;\n");
    expect_part(text, "// where the pixel lies\n");
    expect_part(text, "\n        float sum[kOutputsPerThread];\n");
    expect_part(text, "\n        }\n        else {\n");
    expect_part(text, "    int i_first = ");
    expect_part(text, "int i = full ? i_first + ti : min(i_first + ti, size - 1);\n");
    expect_none(text, "const int i");
    free(text);
}

/* A value that may fault ahead of the guard is asked for after it, and that once. */
Test(written_loop, a_test_ahead_of_a_division_takes_the_guards_place) {
    char *text = written(PIXELS, "COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "        int i = i0 + ci * blockDim.x;\n        if (i >= size)\n"
                      "            break;\n\n        // where the pixel lies\n"
                      "        int p = i % w;\n");
    expect_none(text, "if (i < size)");
    expect_part(text, "\n        float sum = eps;\n");
    free(text);
}

/* A constant has no more of a long name than says which kernel it is for; a line that is longer
 * than 100 columns as its author has it gets no longer: its grid is declared ahead; and a call is
 * no summand that needs parentheses. */
Test(written_loop, long_names_and_launches_stay_in_bounds) {
    static const char line[] =
        "    fill_the_whole_of_it_all_gpu_kernel<<<blocks, 256, 0, stream>>>(out, n); "
        "// one block for every 256 of the elements that there are\n";
    static const char kernels[] =
        "__global__ void fill_the_whole_of_it_all_gpu_kernel(float *out, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = 0;\n}\n"
        "__global__ void other_kernel(float *out, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = 1;\n}\n";
    char *source = ht_format("#include <hip/hip_runtime.h>\n"
                             "int blocks_for(int n, int block);\n%s"
                             "void run(float *out, int n, hipStream_t stream) {\n"
                             "    const int blocks = blocks_for(n, 256);\n%s}\n",
                             kernels, line);
    char *text = written(source, "COARSEN_X=4");
    expect_part(text, "constexpr int kTheWholeOfItAllOutputsPerThread = 4;\n");
    expect_part(text, "dim3 grid((blocks + (kTheWholeOfItAllOutputsPerThread - 1u)) / "
                      "kTheWholeOfItAllOutputsPerThread);\n");
    expect_part(text, "_kernel<<<grid, 256, 0, stream>>>(out, n); // one block");
    free(text);
    free(source);
    source =
        ht_format("#include <hip/hip_runtime.h>\n"
                  "inline int blocks_for(int n) { return (n + 255) / 256; }\n%s"
                  "void run(float *out, int n) {\n"
                  "    fill_the_whole_of_it_all_gpu_kernel<<<blocks_for(n), 256>>>(out, n);\n}\n",
                  kernels);
    text = written(source, "BLOCK_X=128");
    expect_part(text, "<<<blocks_for(n) * 2, 128>>>");
    free(text);
    free(source);
}

/* The first output of box_x is not called box_x0 next to the author's x0. */
Test(written_loop, the_first_output_is_not_named_as_a_corner_of_the_author) {
    static const char format[] = "#include <hip/hip_runtime.h>\n"
                                 "__global__ void draw(float *out, int %s, int n) {\n"
                                 "    int box_x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (box_x < n) out[box_x] = %s;\n}\n"
                                 "void run(float *out, int at, int n) {\n"
                                 "    draw<<<(n + 255) / 256, 256>>>(out, at, n);\n}\n";
    char *source = ht_format(format, "x0", "x0"), *text = written(source, "COARSEN_X=4");
    expect_part(text, "int box_x_first = ");
    free(text);
    free(source);
    source = ht_format(format, "left", "left");
    text = written(source, "COARSEN_X=4");
    expect_part(text, "int box_x0 = ");
    free(text);
    free(source);
}
