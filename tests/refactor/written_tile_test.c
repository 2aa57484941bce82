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
        "    // a full tile needs no clamp; a partial one does not store outputs past the edge\n"
        "    const bool full = OW - ow_first >= OUTPUTS_PER_THREAD;\n"
        "\n"
        "    float sum[OUTPUTS_PER_THREAD] = {};\n"
        "    for (int c = 0; c < C; c++) {\n"
        "        for (int r = 0; r < R; r++) {\n"
        "            for (int s = 0; s < S; s++) {\n"
        "                float w_value = w[((k * C + c) * R + r) * S + s];\n"
        "                #pragma unroll\n"
        "                for (int tx = 0; tx < OUTPUTS_PER_THREAD; ++tx) {\n"
        "                    int ow = full ? ow_first + tx : min(ow_first + tx, OW - 1);\n"
        "                    sum[tx] += x[((n * C + c) * H + oh + r) * W + ow + s] * w_value;\n"
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
        "        // a full tile needs no clamp; a partial one does not store outputs past the "
        "edge\n"
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
                                "        for (int k = -kRadius; k <= kRadius; ++k) {\n";
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

/* ---- what outputs share ---- */

/* A read that no output has a part in stands ahead of the loop over outputs, once; so does one of
 * an index along which a thread has one output, but none whose index outputs change, and none that
 * a test keeps some outputs from. */
Test(written_tile, what_all_outputs_read_stands_ahead_of_their_loop) {
    char *text = example("conv2d_nhwc", "TILED=true COARSEN_X=4");
    expect_part(text, "        float in_value = in[((n * H + h) * W + w) * C + c];\n"
                      "        #pragma unroll\n"
                      "        for (int tk = 0; tk < OUTPUTS_PER_THREAD; ++tk) {\n");
    expect_part(text, "acc[tk] += in_value * flt[((r * S + s) * C + c) * K + k];\n");
    free(text);
    text = example("conv2d_nhwc", "TILED=true COARSEN_X=4 TILE_P=2"); /* p is of the output */
    expect_none(text, "in_value");
    free(text);
    text = example("conv2d_direct", "TILED=true TILE_K=4");
    expect_part(text, "float x_value = x[((n * C + c) * H + oh + r) * W + ow + s];\n");
    free(text);
    text = example("conv2d_direct", "TILED=true COARSEN_X=4 TILE_K=4");
    expect_none(text, "x_value");
    free(text);
}

Test(written_tile, what_not_all_outputs_read_stays_where_it_is) {
    static const char *const bodies[] = {
        "        if (in[i + k] > 0) sum += in[m];\n",
        "        sum += in[i + k] > 0 ? in[m] : 0;\n",
        "        sum += in[i + k] > 0 && in[m] > 0;\n",
        "        if (i + k < m) continue;\n        sum += in[k];\n",
        "        const float *p = &in[k];\n        sum += in[i + k] * *p;\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        char *body = ht_format("    if (i >= n) return;\n    float sum = 0;\n"
                               "    for (int k = 0; k < 9; ++k) {\n%s    }\n    out[i] = sum;\n",
                               bodies[i]);
        char *source = ht_format("#include <hip/hip_runtime.h>\n"
                                 "__global__ void k(const float *in, float *out, int n, int m) {\n"
                                 "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n%s}\n"
                                 "void run(const float *in, float *out, int n, int m) {\n"
                                 "    k<<<(n + 255) / 256, 256>>>(in, out, n, m);\n}\n",
                                 body);
        char *text = written(source, "TILED=true COARSEN_X=4");
        expect_none(text, "in_value");
        free(text);
        free(source);
        free(body);
    }
}

/* Elements that are the same by their text are one. */
Test(written_tile, what_all_outputs_read_twice_is_read_once) {
    char *text = written(KERNEL("    if (i >= n) return;\n    float sum = 0;\n"
                                "    for (int k = 0; k < 9; ++k)\n"
                                "        sum += in[k] * in[i + k] + in[k];\n    out[i] = sum;\n"),
                         "TILED=true COARSEN_X=4");
    expect_part(text, "        const float in_value = in[k];\n");
    expect_part(text, "in_value * in[i + k] + in_value;\n");
    expect_none(text, "in_value_2");
    free(text);
}

/* The question is there for clamps in the author's loops: where he clamps himself there are none.
 */
Test(written_tile, no_question_is_asked_that_nothing_needs) {
    char *text = example("separable", "TILED=true COARSEN_X=4");
    expect_none(text, "bool full");
    expect_part(text, "                int x = xFirst + tx;\n"
                      "                int xx = min(max(x + k, 0), width - 1);\n");
    free(text);
}

/* The template asks for the whole tile where its source does. */
Test(written_tile, the_template_asks_where_the_source_asks) {
    static const char *const bodies[] = {
        "    float sum = 0;\n    for (int k = 0; k < 9; ++k) sum += in[i + k];\n    out[i] = "
        "sum;\n",
        "    float sum = in[i] + in[i + 1] + in[i + 2] + in[i + 3];\n    out[i] = sum;\n"};
    for (size_t i = 0; i < 2; ++i) {
        ht_problem_file *problems;
        char *source = ht_format(
            "#include <hip/hip_runtime.h>\n"
            "__global__ void k(const float *in, float *out, int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n%s}\n"
            "void run(const float *in, float *out, int n) {\n"
            "    k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n",
            bodies[i]);
        ht_refactor *refactor = refactor_text(source, NULL, &problems);
        const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
        char *text = apply_to(refactor, "TILED=true COARSEN_X=4");
        bool asks = strstr(text, "bool full") != NULL;
        cr_expect_eq(asks, i == 0, "%s", text);
        cr_expect_eq(strstr(kernel->template->unit, "!COARSEN_X_STRIDED) || !all_inside)") != NULL,
                     asks, "%s", kernel->template->unit);
        free(text);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
        free(source);
    }
}

/* ---- what outputs do not share ---- */

/* Returns the form that a parameter's values other than the default have; NULL: a plain one. */
static const char *form_of(const ht_refactor *refactor, size_t index, const char *name) {
    const ht_kernel *kernel = ht_refactor_kernel(refactor, index);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    for (size_t i = 0; i < kernel->template->param_count; ++i)
        if (strcmp(kernel->template->params[i].name, name) == 0)
            return kernel->template->params[i].form;
    cr_assert(false, "no %s", name);
    return NULL;
}

/* Rows of blurRows have no pixel in common, columns of blurColumns are read together, and windows
 * overlap along both axes, with a stride as well. */
Test(written_tile, a_tile_along_an_axis_that_shares_nothing_is_not_plain) {
    static const struct {
        const char *name, *param;
        size_t kernel;
        bool plain;
    } cases[] = {{"separable", "COARSEN_Y", 0, false},    {"separable", "COARSEN_X", 0, true},
                 {"separable", "COARSEN_Y", 1, true},     {"separable", "COARSEN_X", 1, true},
                 {"conv2d_direct", "COARSEN_Y", 0, true}, {"conv2d_direct", "TILE_K", 0, true},
                 {"depthwise", "COARSEN_Y", 0, true},     {"filter_constant", "COARSEN_Y", 0, true},
                 {"conv2d_nhwc", "TILED", 0, true},       {"conv1d", "TILED", 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_problem_file *problems;
        char *path = ht_format("examples/kernels/%s.hip", cases[i].name);
        ht_refactor *refactor = refactor_open(path, &problems);
        const char *form = form_of(refactor, cases[i].kernel, cases[i].param);
        cr_expect_eq(form == NULL, cases[i].plain, "%s %s: %s", cases[i].name, cases[i].param,
                     form ? form : "plain");
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
        free(path);
    }
}

/* Outputs whose index is taken apart have nothing in common, and all loops are theirs. */
Test(written_tile, a_tile_around_all_of_the_body_is_not_plain) {
    static const char *const bodies[] = {
        "    int x = i % m, y = i / m;\n    float sum = 0;\n"
        "    for (int k = 0; k < y; ++k) sum += in[y * k + x];\n    out[i] = sum;\n",
        "    float sum = 0;\n    for (int k = 0; k < m; ++k) sum += in[k] * in[i + k];\n"
        "    out[i] = sum;\n"};
    for (size_t i = 0; i < 2; ++i) {
        ht_problem_file *problems;
        char *source = ht_format(
            "#include <hip/hip_runtime.h>\n"
            "__global__ void k(const float *in, float *out, int n, int m) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n%s}\n"
            "void run(const float *in, float *out, int n, int m) {\n"
            "    k<<<(n + 255) / 256, 256>>>(in, out, n, m);\n}\n",
            bodies[i]);
        ht_refactor *refactor = refactor_text(source, NULL, &problems);
        cr_expect_eq(form_of(refactor, 0, "TILED") == NULL, i == 1, "%s", bodies[i]);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
        free(source);
    }
}
