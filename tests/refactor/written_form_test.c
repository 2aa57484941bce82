/* Tuned sources as a person would write them: one body, the author's constants, macros and style.
 */
#include "refactor/rewrite/apply.h"
#include "written_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* ---- outputs one after the other ---- */

Test(written_form, an_early_return_becomes_the_loops_condition) {
    char *text = example("conv2d_nhwc", "BLOCK_X=128 COARSEN_X=2");
    expect_part(text, "  int n = hipBlockIdx_z / P;\n"
                      "\n"
                      "  for (int k = k0; k < K && k < k0 + OUTPUTS_PER_THREAD; ++k) {\n"
                      "    float acc = 0.0f;\n");
    free(text);
}

/* Declarations that are the same for all outputs stay where they are, after the author's guard. */
Test(written_form, what_is_the_same_for_all_outputs_stays_ahead_of_the_loop) {
    char *text = example("conv1d", "BLOCK_X=128 COARSEN_X=4");
    expect_part(text,
                "    const int n_out = n - TAPS + 1;\n"
                "    const int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * kOutputsPerThread;\n"
                "\n"
                "    const T* s = signal + blockIdx.y * n;\n"
                "    for (int i = i0; i < n_out && i < i0 + kOutputsPerThread; ++i) {\n"
                "        T acc = 0;\n"
                "        for (int t = 0; t < TAPS; ++t)\n"
                "            acc = mul_add(s[i + t], taps[t], acc);\n"
                "        out[blockIdx.y * n_out + i] = acc;\n"
                "    }\n"
                "}\n");
    free(text);
    for (int strided = 0; strided < 2; ++strided) {
        text = example("depthwise", strided ? "COARSEN_X=2 COARSEN_X_STRIDED=true" : "COARSEN_X=2");
        expect_part(text, "  if (out_y >= out_h) return;\n"
                          "\n"
                          "  const int plane = blockIdx.z;  // n * channels + c\n"
                          "  const int c = plane % channels;\n"
                          "  const float* in = input + plane * in_h * in_w;\n"
                          "  const float* f = filter + c * 9;\n");
        expect_part(text, strided ? "    const int out_x = out_x0 + cx * kBlockX;\n"
                                  : "  for (int out_x = out_x0; out_x < out_w && ");
        free(text);
    }
}

/* A declaration that only the guard needs is made for each output, and not ahead of the loop, too.
 */
Test(written_form, what_only_the_guard_needs_is_not_declared_twice) {
    char *text = written(KERNEL("    if (i >= n) return;\n    const int x = i + m;\n"
                                "    if (x >= n) return;\n    out[x] = in[x] * 2;\n"),
                         "COARSEN_X=4");
    const char *first = strstr(text, "const int x = ");
    cr_assert(first, "%s", text);
    cr_expect(!strstr(first + 1, "const int x = ") && strstr(text, "for (int ") < first, "%s",
              text);
    free(text);
}

#define AFTER_GUARD(declarations)                                                                  \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int n, int m) {\n"                             \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i >= n) return;\n" declarations "    out[i] = in[i] * v;\n}\n"                        \
    "void run(const float *in, float *out, int n, int m) {\n"                                      \
    "    k<<<(n + 255) / 256, 256>>>(in, out, n, m);\n}\n"

/* The index, what the kernel writes, and what changes, are each output's own. */
Test(written_form, what_differs_or_changes_goes_into_the_loop) {
    static const struct {
        const char *source, *first; /* in the loop */
    } cases[] = {
        {AFTER_GUARD("    float v = in[m / 2];\n"), "        out[i] = in[i] * v;\n"},
        {AFTER_GUARD("    float v = out[m];\n"), "        float v = out[m];\n"},
        {AFTER_GUARD("    float v = 1;\n    v += in[0];\n"), "        float v = 1;\n"},
        {AFTER_GUARD("    int w = i * m;\n    float v = w;\n"), "        int w = i * m;\n"},
        {AFTER_GUARD("    m += 1;\n    float v = m;\n"), "        m += 1;\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = written(cases[i].source, "COARSEN_X=4"), *loop = strstr(text, "for (int ");
        cr_assert(loop, "%s", text);
        const char *first = strstr(loop, "{\n");
        cr_assert(first, "%s", text);
        cr_expect(strstr(first, cases[i].first), "%zu: %s", i, text);
        free(text);
    }
    char *text = written(cases[0].source, "COARSEN_X=4");
    expect_part(text, "* kOutputsPerThread;\n    float v = in[m / 2];\n    for (int i = i0;");
    free(text);
}

/* The body stays as it is: a test around it and a loop around it are indented alike. */
Test(written_form, a_test_around_the_work_becomes_the_loop) {
    char *text = example("separable", "COARSEN_X=4 BLOCK_X=64");
    expect_part(text,
                "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                "\n"
                "    if (y >= height) return;\n"
                "    for (int x = x0; x < width && x - x0 < kBlurRowsOutputsPerThread; ++x) {\n"
                "        float value = 0.f;\n");
    free(text);
}

/* A value that no output changes is computed once, however far down in the body it stands: here
 * after a test of the output, which stays. */
Test(written_form, what_is_the_same_for_all_outputs_leaves_the_loop) {
    char *text = written(KERNEL("    if (i >= n) return;\n    const int j = i + m;\n\n"
                                "    if (j >= n) return;\n    const float v = in[j];\n"
                                "    const float part = m / 255.0f;\n"
                                "    const float rest = 1.0f - part;\n"
                                "    out[i] = v * part + rest;\n"),
                         "COARSEN_X=4");
    expect_part(text, "    const float part = m / 255.0f;\n"
                      "    const float rest = 1.0f - part;\n"
                      "    for (int i = i0; i < n && i < i0 + kOutputsPerThread; ++i) {\n"
                      "        const int j = i + m;\n");
    expect_part(text, "        const float v = in[j];\n        out[i] = v * part + rest;\n");
    free(text);
    /* a division that the test keeps from 0 stays after it, and so does what is made of it */
    text = written(KERNEL("    if (i >= n) return;\n    if (m < 1) return;\n"
                          "    const int part = n / m;\n    const int rest = part + 1;\n"
                          "    out[i] = in[i] * rest;\n"),
                   "COARSEN_X=4");
    expect_part(text, "        const int part = n / m;\n        const int rest = part + 1;\n");
    free(text);
}

/* A test that no output changes is made once, also in a kernel whose outputs are computed one after
 * the other because it reads what it writes. */
Test(written_form, what_a_guard_asks_of_other_indices_is_asked_once) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(float *a, int n, int m, int t) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (j < m - t && i < n) {\n"
        "        a[j * n + i] -= a[t * n + i];\n"
        "    }\n"
        "}\n"
        "void run(float *a, int n, int m, int t) {\n"
        "    k<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, n, m, t);\n}\n";
    char *text = written(source, "COARSEN_X=4");
    expect_part(text, "    if (j >= m - t) return;\n"
                      "    for (int i = i0; i < n && i < i0 + kOutputsPerThread; ++i) {\n"
                      "        a[j * n + i] -= a[t * n + i];\n    }\n}\n");
    free(text);
    text = written(source, "COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "    if (j >= m - t) return;\n    for (int ci = 0;");
    expect_part(text, "        if (i < n) {\n");
    free(text);
}

/* x0 + 4 overflows for the last outputs of the largest n, unless the launch has a sum of ints that
 * overflows before, or the index has 64 bits. */
Test(written_form, a_sum_that_may_overflow_is_no_loops_condition) {
    static const struct {
        const char *type, *blocks, *condition;
    } cases[] = {
        {"int", "(n + 255) / 256", "i < i0 + kOutputsPerThread"},
        {"int", "n / 256 + (n % 256 != 0)", "i - i0 < kOutputsPerThread"},
        {"int", "(n + 255u) / 256", "i - i0 < kOutputsPerThread"},
        {"unsigned", "(n + 255) / 256", "i - i0 < kOutputsPerThread"},
        {"size_t", "(n + 255) / 256", "i < i0 + kOutputsPerThread"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *source = ht_format("#include <hip/hip_runtime.h>\n"
                                 "__global__ void k(const float *in, float *out, %s n) {\n"
                                 "    const %s i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n) out[i] = in[i] * 2;\n}\n"
                                 "void run(const float *in, float *out, %s n) {\n"
                                 "    k<<<%s, 256>>>(in, out, n);\n}\n",
                                 cases[i].type, cases[i].type, cases[i].type, cases[i].blocks);
        char *text = written(source, "COARSEN_X=4");
        expect_part(text, cases[i].condition);
        free(text);
        free(source);
    }
}

Test(written_form, braces_and_spaces_are_the_authors) {
    char *text = example("filter_constant", "COARSEN_X=4");
    expect_part(text,
                "    if(y >= height)\n    {\n        return;\n    }\n"
                "\n"
                "    const size_t padded_width = width + (mask_width / 2) * 2;\n"
                "\n"
                "    for(size_t x = x0; x < width && x < x0 + outputs_per_thread; ++x)\n    {\n"
                "        float sum");
    free(text);
}

Test(written_form, an_authors_pragma_for_all_iterations_stays) {
    char *text = example("depthwise", "COARSEN_X=2");
    expect_part(text, "#pragma unroll\n    for (int i = 0; i < 3; ++i) {\n");
    expect_none(text, "#pragma unroll 3");
    free(text);
}

/* Each of these keeps its guard in the body, in a loop that counts. */
Test(written_form, guards_that_are_no_loops_condition_stay) {
    static const char *const sources[] = {
        KERNEL("    if (n > i) out[i] = in[i] * 2;\n"),
        KERNEL("    if (i + 1 > n) return;\n    out[i] = in[i] * 2;\n"),
        KERNEL("    if (i < n) { if (m > 0) m = 1; out[i] = in[i] * m; }\n"),
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        char *text = written(sources[i], "COARSEN_X=4");
        expect_part(text, "for (int ci = 0; ci < kOutputsPerThread; ++ci) {");
        expect_part(text, "const int i = i0 + ci;");
        free(text);
    }
    char *text = written(KERNEL("    if (i < n) out[i] = in[i] * 2;\n"),
                         "COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "const int i = i0 + ci * blockDim.x;");
    free(text);
}

/* in[m] is read only where m is below n: not ahead of the loop. */
Test(written_form, a_test_inside_of_a_test_stays_behind_it) {
    char *text = written(
        KERNEL("    if (i < n && m < n) {\n        if (in[m] > 0) out[i] = in[i] * 2;\n    }\n"),
        "COARSEN_X=4");
    const char *guard = strstr(text, "m < n"), *read = strstr(text, "in[m]");
    cr_expect(guard && read && guard < read, "%s", text);
    expect_none(text, "i < n && m < n && i < i0");
    free(text);
}

/* The author's block, by its name, where it stays, and a grid of its own ahead of the launch. */
Test(written_form, a_long_launch_gets_its_grid_declared_ahead) {
    char *text = example("separable", "COARSEN_X=4");
    expect_part(
        text, "    blurRows<<<blurRowsGrid, block, 0, stream>>>(tmp, src, taps, width, height);\n");
    expect_part(text, "    const dim3 blurRowsGrid((grid.x + kBlurRowsOutputsPerThread - 1) / "
                      "kBlurRowsOutputsPerThread, grid.y);\n");
    free(text);
    text = example("conv2d_direct", "COARSEN_X=2 R_SIZE=3 S_SIZE=3"); /* has a name */
    expect_part(text, "conv2d<>), blocks, threads, 0, 0, d_x,");
    free(text);
}

Test(written_form, a_size_as_a_constant_is_declared_as_deep_as_the_body) {
    char *text = example("depthwise", "STRIDE_SIZE=1");
    expect_part(text,
                "pad) {\n  const int stride = STRIDE_SIZE > 0 ? STRIDE_SIZE : stride_given;\n");
    free(text);
}

/* The work itself is no test of what stands ahead of it, whatever follows. */
Test(written_form, the_work_stays_where_a_return_follows) {
    char *text = written(KERNEL("    int p = i % m;\n    if (i < n) {\n        out[i] = in[p];\n"
                                "    }\n    return;\n"),
                         "COARSEN_X=4 COARSEN_X_STRIDED=true");
    expect_part(text, "out[i] = in[p];");
    free(text);
}

/* ---- launches ---- */

#define CONSTANT_BLOCK(more)                                                                       \
    "#include <hip/hip_runtime.h>\n#include <cstdio>\n#define THREADS 256\n" more                  \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"                                                      \
    "void run(const float *in, float *out, int n) {\n"                                             \
    "    int blocks = (n + THREADS - 1) / THREADS;\n"                                              \
    "    k<<<dim3(blocks), dim3(THREADS)>>>(in, out, n);\n}\n"

/* The author's constant stays the number of threads, also where a block serves as many items as
 * before. */
Test(written_form, a_constant_for_the_block_counts_its_threads) {
    char *text = written(CONSTANT_BLOCK(""), "BLOCK_X=128 COARSEN_X=2");
    expect_part(text, "#define THREADS 128\n");
    expect_part(text, "#define OUTPUTS_PER_THREAD 2\n");
    expect_part(text, "    int blocks = (n + OUTPUTS_PER_THREAD * THREADS - 1) / "
                      "(OUTPUTS_PER_THREAD * THREADS);\n"
                      "    k<<<dim3(blocks), dim3(THREADS)>>>");
    free(text);
    text = written(CONSTANT_BLOCK(""), "BLOCK_X=128");
    expect_part(text, "#define THREADS 128\n");
    expect_part(text, "    int blocks = (n + THREADS - 1) / THREADS;\n"
                      "    k<<<dim3(blocks), dim3(THREADS)>>>");
    free(text);
}

/* A constant that something else needs keeps its value: the grid stays, and the block is a part. */
Test(written_form, a_block_next_to_a_constant_with_other_uses_is_a_part_of_it) {
    char *text = written(CONSTANT_BLOCK("int table[THREADS];\n"), "BLOCK_X=128 COARSEN_X=2");
    expect_part(text, "#define THREADS 256\n");
    expect_part(text, "    int blocks = (n + THREADS - 1) / THREADS;\n"
                      "    k<<<dim3(blocks), dim3(THREADS / OUTPUTS_PER_THREAD)>>>");
    free(text);
}

/* Next to numbers for the block that is declared ahead, its name: an unsigned sum that holds any
 * int, so that n is divided once. */
Test(written_form, a_grid_after_its_block_names_it) {
    char *text = example("conv2d_direct", "BLOCK_X=8 BLOCK_Y=32 TILED=true COARSEN_X=2");
    expect_part(text, "dim3 threads(8, 32);\n");
    expect_part(text,
                "dim3 blocks((OW + OUTPUTS_PER_THREAD * threads.x - 1) / "
                "(OUTPUTS_PER_THREAD * threads.x), (OH + threads.y - 1) / threads.y, N * K);");
    free(text);
    text = example("conv2d_direct", "BLOCK_X=8 BLOCK_Y=32"); /* one output each: as it was */
    expect_part(text, "dim3 blocks((OW + 7) / 8, (OH + 31) / 32, N * K);");
    free(text);
    text = written("#include <hip/hip_runtime.h>\n"
                   "__global__ void k(const float *in, float *out, unsigned n) {\n"
                   "    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "    if (i < n) out[i] = in[i] * 2;\n}\n"
                   "void run(const float *in, float *out, unsigned n) {\n"
                   "    dim3 block(256), grid((n + 255) / 256);\n"
                   "    k<<<grid, block>>>(in, out, n);\n}\n",
                   "COARSEN_X=4"); /* its sum would overflow where the author's does not */
    expect_none(text, "block.x - 1");
    free(text);
}

/* extern "C" is no scope of names, and the namespace around it is one. */
Test(written_form, a_launch_outside_of_a_namespace_names_its_constants) {
    char *text = written("#include <hip/hip_runtime.h>\n"
                         "namespace image {\n"
                         "extern \"C\" __global__ void k(const float *in, float *out, int n) {\n"
                         "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i < n) out[i] = in[i] * 2;\n}\n"
                         "} // namespace image\n"
                         "void run(const float *in, float *out, int n) {\n"
                         "    image::k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n",
                         "COARSEN_X=4");
    expect_part(text, "image::kOutputsPerThread");
    free(text);
}

/* Where threads meet, none leaves before the others. */
Test(written_form, threads_that_load_a_tile_together_have_one_body) {
    char *text = example("separable", "TILED=true COARSEN_X=2 STAGE_SRC=true");
    expect_part(text, "    if (xTile >= width) return; // no output of the block\n");
    expect_part(text, "    const bool allInside = yTile + ");
    expect_none(text, "auto ");
    free(text);
}

/* ---- macros ---- */

Test(written_form, a_macro_whose_uses_all_change_is_defined_anew) {
    char *text = example("conv1x1", "BLOCK_X=128 COARSEN_X=4");
    expect_part(text, "#define THREADS 128\n");
    expect_part(text, "__launch_bounds__(THREADS)");
    expect_part(text,
                "CEIL_DIV(CEIL_DIV(pixels, OUTPUTS_PER_THREAD), THREADS), out_channels, batch");
    expect_part(text, "<<<grid, THREADS>>>");
    free(text);
}

#define LAUNCHED(define, more)                                                                     \
    "#include <hip/hip_runtime.h>\n#include <algorithm>\n" define                                  \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"                                                      \
    "void run(const float *in, float *out, int n) {\n" more "}\n"

Test(written_form, a_macro_that_is_named_elsewhere_keeps_its_number) {
    static const char launch[] = "    k<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n);\n";
    char *text = ht_format(LAUNCHED("#define THREADS 256\n", "%s"), launch);
    char *changed = written(text, "BLOCK_X=128");
    expect_part(changed, "#define THREADS 128\n");
    free(changed);
    free(text);
    text = ht_format(LAUNCHED("#define THREADS 256\nint threads() { return THREADS; }\n", "%s"),
                     launch);
    changed = written(text, "BLOCK_X=128");
    expect_part(changed, "#define THREADS 256\n");
    expect_part(changed, "128>>>");
    free(changed);
    free(text);
}

/* A sum of 64 bits is wanted where 32 could overflow, and only where it is taken. */
Test(written_form, an_authors_macro_rounds_up) {
    static const struct {
        const char *source, *part;
    } cases[] = {
        {LAUNCHED("#define UP(a, b) (((a) + (b) - 1) / (b))\n",
                  "    dim3 grid(UP(n, 256));\n    k<<<grid, 256>>>(in, out, n);\n"),
         "dim3 grid(UP(n, 512LL));"},
        {LAUNCHED("#define UP(a, b) ((int)((a) + (b) - 1) / (b))\n",
                  "    dim3 grid(UP(n, 256));\n    k<<<grid, 256>>>(in, out, n);\n"),
         "dim3 grid(n / 512 + (n % 512 != 0));"},
        {LAUNCHED("#define UP(a, b) (((a) + (b) - 1) / (b))\n",
                  "    int blocks = UP(n, 256);\n    k<<<blocks, 256>>>(in, out, n);\n"),
         "int blocks = n / 512 + (n % 512 != 0);"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = written(cases[i].source, "BLOCK_X=512");
        expect_part(text, cases[i].part);
        free(text);
    }
}

/* ---- a tuned source, tuned again ---- */

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        ++count;
    return count;
}

static char *written_with_note(const char *source, const char *config, const char *note) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(source, NULL, &problems);
    ht_refactor_choice choice = {.note = note};
    ht_error error;
    char *text = NULL;
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(ht_config_parse(kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return text;
}

/* The comment of the first run names parameters, which are not names of the source: the second has
 * the same, and its comment takes the place of the first. */
Test(written_form, a_second_run_has_the_same_parameters_and_one_comment) {
    static const char source[] = "#include <hip/hip_runtime.h>\n"
                                 "__global__ void scale(const float *in, float *out, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n)\n"
                                 "        out[i] = 2 * in[i];\n"
                                 "}\n"
                                 "void run(const float *in, float *out, int n) {\n"
                                 "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                                 "}\n";
    char *once = written_with_note(source, "BLOCK_X=128 COARSEN_X=2",
                                   "Tuned by hiptemper 0.1.0: BLOCK_X=128 COARSEN_X=2; it was not "
                                   "measured, of course");
    expect_part(once, "// Tuned by hiptemper 0.1.0: BLOCK_X=128 COARSEN_X=2; ");
    char *twice =
        written_with_note(once, "BLOCK_X=64", "Tuned by hiptemper 0.1.0: BLOCK_X=64; nor was this");
    cr_expect_eq(count_of(twice, "Tuned by"), 1, "%s", twice);
    cr_expect_eq(count_of(twice, "constexpr int"), 1, "%s", twice);
    cr_expect_eq(count_of(twice, "for ("), 1, "%s", twice);
    expect_part(twice, "// Tuned by hiptemper 0.1.0: BLOCK_X=64; nor was this\n__global__");
    free(twice);
    free(once);
}

/* A name next to a comment of an earlier run is taken. */
Test(written_form, only_the_comment_itself_gives_names_free) {
    char *text = written("#include <hip/hip_runtime.h>\n"
                         "// Tuned by hiptemper 0.1.0: COARSEN_X=2; not measured\n"
                         "__global__ void scale(const float *in, float *out, int BLOCK_X) /* n */\n"
                         "{\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i < BLOCK_X)\n"
                         "        out[i] = 2 * in[i];\n"
                         "}\n"
                         "void run(const float *in, float *out, int n) {\n"
                         "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                         "}\n",
                         "BLOCK_X_2=64");
    expect_part(text, ", 64>>>");
    free(text);
}
