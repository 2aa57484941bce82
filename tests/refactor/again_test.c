/* A tuned source is a source: its named constants become parameters again, and tuning it twice
 * gives what tuning it once does. */
#include "refactor/rewrite/apply.h"
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *read_problems(const char *name) {
    char *path = ht_format(HT_SOURCE_DIR "/examples/kernels/%s.problem.json", name), *text = NULL;
    ht_error error;
    cr_assert_eq(ht_file_read_text(path, "an example", &text, &error), HT_OK);
    free(path);
    return text;
}

static char *read_source(const char *name) {
    char *path = ht_format(HT_SOURCE_DIR "/examples/kernels/%s.hip", name), *text = NULL;
    ht_error error;
    cr_assert_eq(ht_file_read_text(path, "an example", &text, &error), HT_OK);
    free(path);
    return text;
}

/* Returns the text with the configuration; it must compile. */
static char *tuned(const char *text, const char *problem, const char *config) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    ht_refactor_choice choice = {0};
    ht_error error;
    char *out = NULL, *output;
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(ht_config_parse(kernel->template, config, &choice.config, &error), HT_OK, "%s\n%s",
                 error.message, text);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &out, &error), HT_OK, "%s", error.message);
    cr_expect(clang_parses(out, &output), "%s\n%s", output, out);
    free(output);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return out;
}

/* Returns a parameter's default; -1: there is no such parameter, or it has no other value. */
static int64_t default_of(const char *text, const char *problem, const char *name) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    int64_t value = -1;
    for (size_t i = 0; kernel->template && i < kernel->template->param_count; ++i) {
        const ht_param *param = &kernel->template->params[i];
        if (strcmp(param->name, name) == 0 && param->value_count > 1)
            value = param->values[param->default_index].number;
    }
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return value;
}

/* The first configuration is the tuned source's default, from which the block and the outputs go on
 * as if nothing had been merged. */
Test(again, a_tuned_source_has_the_parameters_that_it_was_tuned_with) {
    static const struct {
        const char *name, *first, *second;
        int64_t block, outputs;
    } cases[] = {
        {"conv1d", "BLOCK_X=128 COARSEN_X=4", "BLOCK_X=256 COARSEN_X=2", 128, 4},
        {"conv1x1", "BLOCK_X=128 COARSEN_X=4", "BLOCK_X=512 COARSEN_X=2", 128, 4},
        {"conv2d_nhwc", "BLOCK_X=128 COARSEN_X=8", "BLOCK_X=32 COARSEN_X=4", 128, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *source = read_source(cases[i].name), *problem = read_problems(cases[i].name);
        char *once = tuned(source, problem, cases[i].first);
        cr_expect_eq(default_of(once, problem, "BLOCK_X"), cases[i].block, "%s", once);
        cr_expect_eq(default_of(once, problem, "COARSEN_X"), cases[i].outputs, "%s", once);
        char *same = tuned(once, problem, "");
        cr_expect_str_eq(same, once);
        char *twice = tuned(once, problem, cases[i].second);
        char *direct = tuned(source, problem, cases[i].second);
        cr_expect_str_eq(twice, direct);
        free(direct);
        free(twice);
        free(same);
        free(once);
        free(problem);
        free(source);
    }
}

/* n + 7 may overflow where the author's n + 3 does not. */
Test(again, more_outputs_have_no_larger_sum_in_the_launch) {
    char *source = read_source("conv1d"), *problem = read_problems("conv1d");
    char *once = tuned(source, problem, "COARSEN_X=4");
    char *twice = tuned(once, problem, "COARSEN_X=8");
    cr_expect(strstr(twice, "constexpr int kOutputsPerThread = 8;\n"), "%s", twice);
    cr_expect(strstr(twice, "(n_out / kOutputsPerThread + (n_out % kOutputsPerThread != 0) + "
                            "threads - 1) / threads;\n"),
              "%s", twice);
    free(twice);
    free(once);
    free(problem);
    free(source);
}

#define TUNED(front, body, launch)                                                                 \
    "#include <hip/hip_runtime.h>\n#include <cstdio>\n" front "\n"                                 \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    const int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * kOut;\n" body "}\n"              \
    "void run(const float *in, float *out, int n) {\n" launch "}\n"
#define LOOP "    for (int i = i0; i < n && i - i0 < kOut; ++i) {\n"
#define CONSTANT "constexpr int kOut = 4;"
#define GRID "    k<<<((n + kOut - 1) / kOut + 255) / 256, 256>>>(in, out, n);\n"
#define WORK "        out[i] = in[i] * 2;\n    }\n"

Test(again, a_constant_of_kernel_and_launch_is_one_parameter) {
    static const char *const sources[] = {
        TUNED(CONSTANT, LOOP WORK, GRID),
        TUNED("#define kOut 4", LOOP WORK, GRID),
        TUNED("static const int kOut = 4;",
              LOOP "        float v = in[i];\n        out[i] = v;\n    }\n", GRID),
        TUNED(CONSTANT, LOOP "        const int to = n - 1 - i;\n        out[to] = in[i];\n    }\n",
              GRID),
        TUNED(CONSTANT, "    if (n > 0)\n" LOOP WORK, GRID),
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        cr_expect_eq(default_of(sources[i], NULL, "COARSEN_X"), 4, "%s", sources[i]);
        char *text = tuned(sources[i], NULL, "COARSEN_X=2");
        cr_expect(strstr(text, "kOut = 2;") || strstr(text, "#define kOut 2\n"), "%s", text);
        cr_expect(strstr(text, "(blockIdx.x * blockDim.x + threadIdx.x) * kOut;\n"), "%s", text);
        cr_expect(strstr(text, GRID), "%s", text);
        free(text);
    }
}

/* i0 + 8 may overflow where the author's i0 + 4 does not. */
Test(again, more_outputs_have_no_larger_sum_in_the_loop) {
    static const char source[] =
        TUNED(CONSTANT, "    for (int i = i0; i < n && i < i0 + kOut; ++i) {\n" WORK, GRID);
    cr_expect_eq(default_of(source, NULL, "COARSEN_X"), 4);
    for (int more = 0; more < 2; ++more) {
        char *text = tuned(source, NULL, more ? "COARSEN_X=8" : "COARSEN_X=2");
        cr_expect(
            strstr(text, more ? "i < n && i - i0 < kOut; ++i" : "i < n && i < i0 + kOut; ++i"),
            "%s", text);
        free(text);
    }
}

/* Parentheses around what is compared change nothing. */
Test(again, outputs_are_counted_in_parentheses_too) {
    static const char *const tests[] = {"(i - i0) < kOut", "(i) < (i0 + (kOut))",
                                        "((i) - i0) < (kOut)"};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
        char *source = ht_format(
            TUNED(CONSTANT, "    for (int i = i0; i < n && %s; ++i) {\n" WORK, GRID), tests[i]);
        cr_expect_eq(default_of(source, NULL, "COARSEN_X"), 4, "%s", source);
        char *text = tuned(source, NULL, "COARSEN_X=8");
        cr_expect(strstr(text, "kOut = 8;") && strstr(text, "i0") && strstr(text, "++i) {\n"), "%s",
                  text);
        free(text);
        free(source);
    }
}

/* The number of outputs is something else's, too, or the outputs hang together: it stays. */
Test(again, a_constant_that_serves_more_stays) {
    static const char *const sources[] = {
        TUNED(CONSTANT "\nvoid tell() { printf(\"%d\", kOut); }", LOOP WORK, GRID),
        TUNED(CONSTANT "\nconstexpr int kMore = 2 * kOut;", LOOP WORK, GRID),
        TUNED(CONSTANT "\n__global__ void other(float *o) { o[0] = kOut; }", LOOP WORK, GRID),
        TUNED(CONSTANT, LOOP WORK, GRID "    std::printf(\"%d outputs\", kOut);\n"),
        TUNED(CONSTANT, LOOP WORK, "    k<<<((n + 3) / 4 + 255) / 256, 256>>>(in, out, n);\n"),
        TUNED(CONSTANT,
              "    float sum = 0;\n" LOOP "        sum += in[i];\n        out[i] = sum;\n    }\n",
              GRID),
        TUNED(CONSTANT, LOOP "        out[i + 1] = out[i] + in[i];\n    }\n", GRID),
        TUNED(CONSTANT, LOOP "        out[i / 2] = in[i];\n    }\n", GRID),
        TUNED(CONSTANT, LOOP "        if (in[i] < 0) break;\n        out[i] = in[i];\n    }\n",
              GRID),
        TUNED(CONSTANT, LOOP "        if (in[i] < 0) return;\n        out[i] = in[i];\n    }\n",
              GRID),
        TUNED(CONSTANT, LOOP "        out[i] = in[i] * (i - i0);\n    }\n", GRID),
        TUNED(CONSTANT, "    out[n] = 1;\n" LOOP WORK, GRID),
        TUNED(CONSTANT, LOOP "        atomicAdd(&out[0], in[i]);\n    }\n", GRID),
        TUNED(CONSTANT,
              "    for (int i = i0; i - i0 < kOut; ++i) {\n        if (i < n) out[i] = in[i];\n    "
              "}\n",
              GRID),
        TUNED(CONSTANT, "    for (int i = i0; i < n && i - i0 < kOut; i += 2) {\n" WORK, GRID),
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i)
        cr_expect_eq(default_of(sources[i], NULL, "COARSEN_X"), -1, "%s", sources[i]);
}

/* ---- launches, in each form in which tuned sources have them ---- */

#define MACRO_CEIL "\n#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))"
#define CALL_CEIL "\ntemplate <class T> T ceil_div(T a, T b) { return (a + b - 1) / b; }"
#define THREADS "\n#define THREADS 256"
#define BLOCK "    dim3 block(256);\n"
#define RUN(grid, block) "    k<<<" grid ", " block ">>>(in, out, n);\n"

/* Text of the source with fewer outputs in smaller blocks, and with more in larger ones, where a
 * sum of ints may overflow that the author's does not. */
typedef struct launch_form {
    const char *front, *launch, *less, *more;
} launch_form;

static const launch_form forms[] = {
    {"", BLOCK RUN("(n + kOut * block.x - 1) / (kOut * block.x)", "block"),
     "dim3 block(64);\n    k<<<(n + kOut * block.x - 1) / (kOut * block.x), block>>>",
     "dim3 block(512);\n    k<<<(n + kOut * block.x - 1) / (kOut * block.x), block>>>"},
    {"", BLOCK "    dim3 grid((n + kOut * block.x - 1) / (kOut * block.x));\n" RUN("grid", "block"),
     "dim3 block(64);\n    dim3 grid((n + kOut * block.x - 1) / (kOut * block.x));",
     "dim3 block(512);\n    dim3 grid((n + kOut * block.x - 1) / (kOut * block.x));"},
    {THREADS, RUN("(n + kOut * THREADS - 1) / (kOut * THREADS)", "THREADS"), "#define THREADS 64\n",
     "<<<n / (kOut * THREADS) + (n % (kOut * THREADS) != 0), THREADS>>>"},
    {"\nconstexpr int kThreads = 256;",
     RUN("(n + kOut * kThreads - 1) / (kOut * kThreads)", "kThreads"), "kThreads = 64;",
     "<<<n / (kOut * kThreads) + (n % (kOut * kThreads) != 0), kThreads>>>"},
    {"", "    const int size = 256;\n" RUN("(n + kOut * size - 1) / (kOut * size)", "size"),
     "size = 64;\n    k<<<(n + kOut * size - 1) / (kOut * size), size>>>",
     "size = 512;\n    k<<<n / (kOut * size) + (n % (kOut * size) != 0), size>>>"},
    {"", RUN("(n + kOut * 256 - 1) / (kOut * 256)", "256"),
     "<<<(n + kOut * 64 - 1) / (kOut * 64), 64>>>",
     "<<<n / (kOut * 512) + (n % (kOut * 512) != 0), 512>>>"},
    {"", RUN("(n - 1LL + kOut * 256) / (kOut * 256)", "256"),
     "<<<(n - 1LL + kOut * 64) / (kOut * 64), 64>>>",
     "<<<(n - 1LL + kOut * 512) / (kOut * 512), 512>>>"},
    {"", BLOCK RUN("(n + (1LL * kOut * block.x - 1)) / (kOut * block.x)", "block"),
     "dim3 block(64);\n    k<<<(n + (1LL * kOut * block.x - 1)) / (kOut * block.x), block>>>",
     "dim3 block(512);\n    k<<<(n + (1LL * kOut * block.x - 1)) / (kOut * block.x), block>>>"},
    {"", RUN("n / (kOut * 256) + (n % (kOut * 256) != 0)", "256"),
     "<<<n / (kOut * 64) + (n % (kOut * 64) != 0), 64>>>",
     "<<<n / (kOut * 512) + (n % (kOut * 512) != 0), 512>>>"},
    {MACRO_CEIL THREADS, RUN("CEIL_DIV(n, kOut * THREADS)", "THREADS"), "#define THREADS 64\n",
     "<<<n / (kOut * THREADS) + (n % (kOut * THREADS) != 0), THREADS>>>"},
    {CALL_CEIL, RUN("ceil_div(n, kOut * 256)", "256"), "<<<ceil_div(n, kOut * 64), 64>>>",
     "<<<n / (kOut * 512) + (n % (kOut * 512) != 0), 512>>>"},
    {CALL_CEIL, "    int size = 256;\n" RUN("ceil_div(ceil_div(n, kOut), size)", "size"),
     "int size = 64;\n    k<<<ceil_div(ceil_div(n, kOut), size), size>>>", "int size = 512;"},
    {"", BLOCK RUN("((n + kOut - 1) / kOut + block.x - 1) / block.x", "block"),
     "dim3 block(64);\n    k<<<((n + kOut - 1) / kOut + block.x - 1) / block.x, block>>>",
     "dim3 block(512);"},
    {"", RUN("(n / kOut + (n % kOut != 0) + 255) / 256", "256"),
     "<<<(n / kOut + (n % kOut != 0) + 63) / 64, 64>>>",
     "<<<(n / kOut + (n % kOut != 0) + 511) / 512, 512>>>"},
};

Test(again, each_form_of_launch_is_read_again) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        char *front = ht_format("constexpr int kOut = 4;%s", forms[i].front);
        char *source = ht_format(TUNED("%s", LOOP WORK, "%s"), front, forms[i].launch);
        cr_expect_eq(default_of(source, NULL, "COARSEN_X"), 4, "%s", source);
        char *same = tuned(source, NULL, "");
        cr_expect_str_eq(same, source);
        char *less = tuned(source, NULL, "BLOCK_X=64 COARSEN_X=2");
        cr_expect(strstr(less, "kOut = 2;") && strstr(less, forms[i].less), "%s", less);
        char *more = tuned(source, NULL, "BLOCK_X=512 COARSEN_X=8");
        cr_expect(strstr(more, "kOut = 8;") && strstr(more, forms[i].more), "%s", more);
        free(more);
        free(less);
        free(same);
        free(source);
        free(front);
    }
}

/* The kernel's bound is what the launch gives for it, or less than the grid has. */
Test(again, the_bound_may_be_less_than_the_outputs) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\nconstexpr int kOut = 4;\n"
        "__global__ void k(const float *in, float *out, int width, int t) {\n"
        "    const int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * kOut;\n"
        "    for (int i = i0; i < %s && i < i0 + kOut; ++i) {\n" WORK "}\n"
        "void run(const float *in, float *out, int n) {\n    const dim3 block(256);\n"
        "    const dim3 grid((%s + kOut * block.x - 1) / (kOut * block.x));\n"
        "    for (int t = 0; t < 3; ++t)\n        k<<<grid, block>>>(in, out, n, t);\n}\n";
    static const struct {
        const char *bound, *items;
        int64_t outputs;
    } cases[] = {
        {"width", "n", 4}, {"width - t", "n", 4}, {"width + t", "n", -1}, {"width", "(n - 1)", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = ht_format(source, cases[i].bound, cases[i].items);
        cr_expect_eq(default_of(text, NULL, "COARSEN_X"), cases[i].outputs, "%s", text);
        free(text);
    }
}

/* Outputs that are not rounded up, or by another product, or which another kernel's grid counts,
 * too. */
Test(again, other_products_are_not_read) {
    static const char *const launches[] = {
        RUN("(n + kOut * 128 - 1) / (kOut * 256)", "256"),
        RUN("(n + kOut * 256) / (kOut * 256)", "256"),
        RUN("n / (kOut * 256)", "256"),
        RUN("(n + 1023) / (kOut * 256)", "256"),
        RUN("(n + kOut * 256 - 1) / (kOut * 128)", "256"),
        RUN("(n + kOut * 256 - 1) / (kOut * 256) + 1", "256"),
        RUN("n / (kOut * 256) + (n % (kOut * 128) != 0)", "256"),
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; ++i) {
        char *source = ht_format(TUNED(CONSTANT, LOOP WORK, "%s"), launches[i]);
        cr_expect_eq(default_of(source, NULL, "COARSEN_X"), -1, "%s", source);
        free(source);
    }
}
