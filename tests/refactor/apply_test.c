/* Applied sources: they compile wherever the original does, hold the chosen values, and leave the
 * rest alone. */
#include "refactor/rewrite/apply.h"
#include "support.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *apply_config(const ht_refactor *refactor, size_t index, const char *config) {
    ht_refactor_choice choice = {.kernel = index};
    ht_error error;
    char *text = NULL;
    const ht_kernel *kernel = ht_refactor_kernel(refactor, index);
    cr_assert_eq(ht_config_parse(kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    return text;
}

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

Test(apply, default_configurations_leave_the_file_as_it_is) {
    ht_problem_file *problems;
    ht_error error;
    char *original, *path = ht_path_join(HT_SOURCE_DIR, "examples/kernels/separable.hip");
    ht_refactor *refactor = refactor_open("examples/kernels/separable.hip", &problems);
    cr_assert_eq(ht_file_read(path, 0, &original, NULL, &error), HT_OK);
    char *text = apply_config(refactor, 0, "");
    cr_assert_str_eq(text, original);
    free(text);
    free(original);
    free(path);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(apply, literal_blocks_change_in_kernel_launch_and_rounding) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("tests/refactor/sources/literal_blocks.hip", &problems);
    char *text = apply_config(refactor, 0, "BLOCK_X=64 BLOCK_Y=16 UNROLL_S=1");
    cr_expect(has(text, "blockIdx.x * blockDim.x + threadIdx.x"));
    cr_expect(has(text, "threadIdx.y + 16 * blockIdx.y"));
    cr_expect(has(text, "dim3(64, 16)"));
    cr_expect(has(text, "(height - 1) / 16 + 1"));
    cr_expect(has(text, "std::vector<int> unrelated(16);"), "an unrelated 16 was changed");
    cr_expect(has(text, "#pragma unroll 1\n"));
    cr_expect(has(text, "extern \"C\" __global__"));
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(apply, a_macro_of_one_kernel_is_edited_where_it_is_defined) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("examples/kernels/conv2d_tiled.hip", &problems);
    char *text = apply_config(refactor, 0, "TILE=8");
    cr_expect(has(text, "#define TILE   8\n"));
    cr_expect(has(text, "dim3 block(TILE, TILE);"));
    cr_expect(has(text, "(width + TILE - 1) / TILE"));
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(apply, a_constant_that_others_use_keeps_its_value_for_them) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("tests/refactor/sources/tile_template.hip", &problems);
    size_t index;
    kernel_named(refactor, "transpose", &index);
    char *text = apply_config(refactor, index, "kEdge=32");
    cr_expect(has(text, "constexpr int kEdge = 16;"), "the shared constant was changed");
    cr_expect(has(text, "constexpr int kEdge = 32;"), "the kernel's own constant is missing");
    cr_expect(has(text, "product<float, kEdge><<<grid, block>>>"));
    free(text);
    kernel_named(refactor, "product", &index);
    text = apply_config(refactor, index, "Edge=8");
    cr_expect(has(text, "product<float, 8>"));
    cr_expect(has(text, "transpose<<<dim3((width + kEdge - 1) / kEdge"));
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(apply, a_kernel_without_launch_gets_a_launcher) {
    static const char source[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void scale(const float *in, float *out, int n, int rows) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n) return;\n"
        "    for (int k = 0; k < 4; ++k) out[i] = in[i] * k;\n"
        "}\n";
    static const char problem[] =
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"scale\","
        "\"problem\": \"line : N, R\", \"args\": [\"in : in float[problem.N]\", \"out : out "
        "float[problem.N]\","
        "\"n : int = problem.N\", \"rows : int = 1\"], \"block\": [\"128\"],"
        "\"grid\": [\"ceil_div(problem.N, 128)\", \"problem.R\"],"
        "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000, \"R\": 1}}]}]}";
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(source, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "scale", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_null(kernel->launch_file);
    char *output, *text = apply_config(refactor, 0, "BLOCK_X=256");
    cr_expect(has(text,
                  "static inline hipError_t scale_tuned_launch(const float *in, float *out, int n, "
                  "int rows, long long problem_R, hipStream_t stream = 0)"),
              "%s", text);
    cr_expect(has(text, "dim3(256)"));
    cr_expect(clang_parses(text, &output), "%s", output);
    free(output);
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* ---- names for values ---- */

#define SCALE(head, divide)                                                                        \
    "#include <hip/hip_runtime.h>\n" head "// doubles a line\n"                                    \
    "__global__ void twice(const float *in, float *out, int n) {\n"                                \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (i < n) out[i] = 2 * in[i];\n}\n"                                                      \
    "void run(float *a, float *b, int n) { twice<<<" divide ", 256>>>(a, b, n); }\n"

static const char twice_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"twice\", "
    "\"problem\": \"line : N\", \"args\": [\"in : in float[problem.N]\", "
    "\"out : inout float[problem.N]\", \"n : int = problem.N\"], \"host\": {\"n\": \"problem.N\"}, "
    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000}}]}]}";

/* Applies COARSEN_X=4 to a source, which must have the parts and compile. */
static void expect_named(const char *source, const char *first, const char *second) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(source, twice_problem, &problems);
    char *output, *text = apply_config(refactor, 0, "COARSEN_X=4");
    cr_expect(has(text, first), "no '%s' in %s", first, text);
    cr_expect(has(text, second), "no '%s' in %s", second, text);
    cr_expect_not(has(text, "* 4"), "a number that has a name: %s", text);
    cr_expect_not(has(text, "< 4"), "a number that has a name: %s", text);
    cr_expect(clang_parses(text, &output), "%s", output);
    free(output);
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(apply, a_value_that_occurs_often_gets_a_name_above_the_kernels_comment) {
    expect_named(SCALE("", "(n + 255) / 256"),
                 "constexpr int kOutputsPerThread = 4;\n\n// doubles a line\n__global__",
                 "<<<((n + kOutputsPerThread - 1) / kOutputsPerThread + 255) / 256, 256>>>");
}

/* A head that a kernel gets for its fixed sizes stays with it. */
Test(apply, names_stand_ahead_of_a_new_template_head) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("examples/kernels/conv2d_direct.hip", &problems);
    char *output, *text = apply_config(refactor, 0, "R_SIZE=3 S_SIZE=3 COARSEN_X=2");
    cr_expect(has(text, "#define OUTPUTS_PER_THREAD 2\n\ntemplate <int R_SIZE"), "%s", text);
    cr_expect(clang_parses(text, &output), "%s", output);
    free(output);
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(apply, a_name_has_the_style_of_the_files_constants) {
    expect_named(SCALE("#define ROWS 8\n", "(n + 255) / 256"), "#define OUTPUTS_PER_THREAD 4\n",
                 "i < i0 + OUTPUTS_PER_THREAD");
    expect_named(SCALE("static const int row_count = 8;\n", "(n + 255) / 256"),
                 "static const int outputs_per_thread = 4;\n", "i < i0 + outputs_per_thread");
    expect_named(SCALE("constexpr unsigned rowCount = 8;\n", "(n + 255) / 256"),
                 "constexpr int outputsPerThread = 4;\n", "i < i0 + outputsPerThread");
}

Test(apply, a_name_that_the_file_has_is_not_taken) {
    expect_named(SCALE("constexpr int kOutputsPerThread = 9;\n", "(n + 255) / 256"),
                 "constexpr int kTwiceOutputsPerThread = 4;\n", "i < i0 + kTwiceOutputsPerThread");
}

Test(apply, rounding_up_is_the_authors_call) {
    expect_named(
        SCALE("#define UP(a, b) (((a) + (b)-1) / (b))\nconstexpr int kRows = 8;\n", "UP(n, 256)"),
        "constexpr int kOutputsPerThread = 4;\n", "<<<UP(UP(n, kOutputsPerThread), 256)");
    expect_named(SCALE("static int up(int a, int b) { return (a + b - 1) / b; }\n", "up(n, 256)"),
                 "constexpr int kOutputsPerThread = 4;\n", "<<<up(up(n, kOutputsPerThread), 256)");
}

/* ---- indices with an offset ---- */

#define INTERIOR(type, index)                                                                      \
    "#include <hip/hip_runtime.h>\n#define AT(b, t) (b * 64 + t + 1)\n"                            \
    "__global__ void k(const float *in, float *out, int n) {\n  " type " i = " index ";\n"         \
    "  if (i < n - 1) out[i] = in[i - 1] + in[i] + in[i + 1];\n}\n"                                \
    "void run(float *a, float *b, int n) { k<<<(n + 61) / 64, 64>>>(a, b, n); }\n"

static const char interior_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : N\", \"args\": [\"in : in float[problem.N]\", "
    "\"out : inout float[problem.N]\", \"n : int = problem.N\"], \"host\": {\"n\": \"problem.N\"}, "
    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000}}]}]}";

Test(apply, an_index_with_an_offset_is_in_parts_only_where_they_serve) {
    ht_problem_file *problems;
    ht_refactor *refactor =
        refactor_text(INTERIOR("const int", "blockIdx.x * blockDim.x + threadIdx.x + 1"),
                      interior_problem, &problems);
    char *plain = apply_config(refactor, 0, "BLOCK_X=128");
    cr_expect(has(plain, "const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;"), "%s", plain);
    cr_expect_not(has(plain, "i_thread"), "%s", plain);
    char *coarse = apply_config(refactor, 0, "COARSEN_X=4");
    cr_expect(has(coarse, "i_thread0 = (blockIdx.x * blockDim.x + threadIdx.x) * kOutputs"), "%s",
              coarse);
    free(plain);
    free(coarse);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* Where it would matter in which width a sum wraps, or a macro writes it, it stays. */
Test(apply, which_indices_with_an_offset_are_read_in_parts) {
    static const struct {
        const char *text;
        bool parts;
    } cases[] = {
        {INTERIOR("unsigned", "1 + blockIdx.x * blockDim.x + threadIdx.x"), true},
        {INTERIOR("int", "threadIdx.x - (-1 - (int)(blockIdx.x * blockDim.x))"), true},
        {INTERIOR("int", "threadIdx.x - (0 - blockIdx.x * 64 - 1)"), true},
        {INTERIOR("int", "threadIdx.x + 2 * n - (n - blockIdx.x * 64 - 1) - n"), true},
        {INTERIOR("long", "blockIdx.x * blockDim.x + threadIdx.x + 1"), false},
        {INTERIOR("int", "blockIdx.x * blockDim.x + threadIdx.x + 1.0f"), false},
        {INTERIOR("int", "AT(blockIdx.x, threadIdx.x)"), false},
        {INTERIOR("int", "blockIdx.x * blockDim.x + threadIdx.y + 1"), false},
        {INTERIOR("int", "blockIdx.x * blockDim.x + threadIdx.x"), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(cases[i].text, interior_problem, &problems);
        const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
        cr_expect_eq(kernel->template && strstr(kernel->template->unit, "i_thread"), cases[i].parts,
                     "%s%s", cases[i].text, kernel->reason ? kernel->reason : "");
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}
