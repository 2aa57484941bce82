/* Verification: templates that agree, that do not, and the report. */
#include "tests/runtime/job/support.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/verify/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(verify, .init = use_test_worker);

/* The annotations of all kernels of BLOCK alone that take a line to another. */
#define LINE_HEAD(original)                                                                        \
    "#pragma tune unit\n"                                                                          \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k__original(const float *in, float *out, int n) {\n"                          \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" original "}\n"                          \
    "#pragma tune kernel(k<BLOCK>)\n"                                                              \
    "#pragma tune problem(line : N)\n"                                                             \
    "#pragma tune arg(in : in float[problem.N])\n"                                                 \
    "#pragma tune arg(out : out partial float[problem.N])\n"                                       \
    "#pragma tune arg(n : int = problem.N)\n"                                                      \
    "#pragma tune param(BLOCK : 32, 64, 128 = 64)\n"                                               \
    "#pragma tune block(BLOCK)\n"                                                                  \
    "#pragma tune grid(ceil_div(problem.N, BLOCK))\n"                                              \
    "#pragma tune reference(k__original)\n"                                                        \
    "#pragma tune block(64)\n"                                                                     \
    "#pragma tune grid(ceil_div(problem.N, 64))\n"

/* Returns a line, OUTPUTS a thread; `guard` stands before each store. */
static char *unit_of(const char *guard) {
    return ht_format("#pragma tune unit\n"
                     "#include <hip/hip_runtime.h>\n"
                     "__global__ void k__original(const float *in, float *out, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) out[i] = 2 * in[i];\n"
                     "}\n"
                     "#pragma tune kernel(k<BLOCK, OUTPUTS>)\n"
                     "#pragma tune problem(line : N)\n"
                     "#pragma tune arg(in : in float[problem.N])\n"
                     "#pragma tune arg(out : out partial float[problem.N])\n"
                     "#pragma tune arg(n : int = problem.N)\n"
                     "#pragma tune param(BLOCK : 32, 64, 128, 256 = 64)\n"
                     "#pragma tune param(OUTPUTS : 1, 2, 4 = 1)\n"
                     "#pragma tune block(BLOCK)\n"
                     "#pragma tune grid(ceil_div(problem.N, BLOCK * OUTPUTS))\n"
                     "#pragma tune reference(k__original)\n"
                     "#pragma tune block(64)\n"
                     "#pragma tune grid(ceil_div(problem.N, 64))\n"
                     "template <int BLOCK, int OUTPUTS>\n"
                     "__global__ void k(const float *in, float *out, int n) {\n"
                     "    int i = (blockIdx.x * BLOCK + threadIdx.x) * OUTPUTS;\n"
                     "    for (int c = 0; c < OUTPUTS; ++c)\n"
                     "        if (%s) out[i + c] = 2 * in[i + c];\n"
                     "}\n",
                     guard);
}

static double compile_limit, reference_limit, none_limit; /* 0: as it is */

static ht_verify_result verify_text(const char *text, const char *problem, bool reassociates) {
    bound bound;
    ht_error error = {0};
    ht_verify_result result;
    bind_text(&bound, text, problem);
    const ht_verify_options options = {.seed = 5,
                                       .configurations = 12,
                                       .reassociates = reassociates,
                                       .compile_workers = 2,
                                       .compile_limit = compile_limit,
                                       .reference_limit = reference_limit,
                                       .none_limit = none_limit};
    ht_status status =
        ht_verify(&bound.templates[0], &bound.problem, &bound.device, &options, &result, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    unbind(&bound);
    return result;
}

static void expect_failing(const char *text, const char *problem, const char *config) {
    bound bound;
    ht_verify_result result = verify_text(text, problem, false);
    cr_assert_eq(result.outcome, HT_VERIFY_DIFFERS);
    cr_assert_eq(result.failure, HT_ERROR_MISMATCH);
    cr_assert_not_null(result.reason);
    cr_assert_lt(result.failing_size, result.size_count);
    bind_text(&bound, text, problem);
    char *failing = ht_config_string(&bound.templates[0], &result.failing);
    cr_assert_str_eq(failing, config, "%s: %s", failing, result.reason);
    free(failing);
    unbind(&bound);
    ht_verify_result_free(&result);
}

Test(verify, what_does_the_same_agrees_on_five_sizes) {
    char *text = unit_of("i + c < n");
    ht_verify_result result = verify_text(text, "N=5000", false);
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_assert(result.bitwise && result.checked);
    cr_assert_null(result.reason);
    cr_assert_eq(result.configurations, 12); /* all there are */
    cr_assert_eq(result.size_count, 5);
    for (size_t i = 0; i < 5; ++i) {
        cr_assert_eq(result.sizes[i].runs, 12);
        for (size_t j = 0; j < i; ++j)
            cr_assert_str_neq(result.sizes[i].problem, result.sizes[j].problem);
    }
    cr_assert_neq(strtol(result.sizes[0].problem + 2, NULL, 10) % 2, 0);
    cr_assert_lt(strtol(result.sizes[1].problem + 2, NULL, 10), 32);
    ht_verify_result_free(&result);
    free(text);
}

/* The smallest configuration that fails has every innocent parameter at its default. */
Test(verify, a_guard_that_only_some_configurations_need_is_missed) {
    char *text = unit_of("i < n");
    expect_failing(text, "N=5000", "BLOCK=64 OUTPUTS=2");
    free(text);
}

/* `partial` is of the original alone: elements that it writes, every configuration must write
 * too. */
Test(verify, an_element_that_only_the_original_writes_is_missed) {
    char *text = unit_of("i + c < n && (OUTPUTS < 4 || i + c != 7)");
    cr_assert(strstr(text, "out partial"));
    expect_failing(text, "N=5000", "BLOCK=64 OUTPUTS=4");
    free(text);
    text = unit_of("i + c < n - 1");
    expect_failing(text, "N=5000", "BLOCK=64 OUTPUTS=1");
    free(text);
}

Test(verify, a_weak_guard_is_caught_by_the_default) {
    char *text = unit_of("i + c <= n");
    expect_failing(text, "N=5000", "BLOCK=64 OUTPUTS=1");
    free(text);
}

Test(verify, sizes_that_the_original_does_not_take_are_left_out) {
    char *text = unit_of("i + c < n"), *guard = strstr(text, "if (i < n) ");
    memset(guard, ' ', strlen("if (i < n) "));
    char *grid = strstr(text, "grid(ceil_div(problem.N, 64))"); /* the original's */
    memcpy(grid, "grid(problem.N / 64)         ", strlen("grid(ceil_div(problem.N, 64))"));
    ht_verify_result result = verify_text(text, "N=4096", false);
    for (size_t i = 0; i < result.size_count; ++i)
        cr_assert_geq(strtol(result.sizes[i].problem + 2, NULL, 10), 64);
    ht_verify_result_free(&result);
    free(text);
}

/* Of a kernel whose time grows with a power of an extent, a usual size may take years. */
Test(verify, after_a_size_that_does_not_end_only_much_smaller_ones_are_tried) {
    const char text[] = LINE_HEAD(
        "    if (n > 100) for (volatile unsigned long j = 0; j < 1ul << 44; ++j) ;\n"
        "    if (i < n) out[i] = 2 * in[i];\n") "template <int BLOCK>\n"
                                                "__global__ void k(const float *in, float *out, "
                                                "int "
                                                "n) {\n"
                                                "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                                                "    if (i < n) out[i] = 2 * in[i];\n"
                                                "}\n";
    reference_limit = 0.5;
    ht_verify_result result = verify_text(text, "N=1000", false);
    cr_expect_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_expect(result.late);
    cr_assert_eq(result.size_count, 1); /* 353 does not end; 319, 259 and 150 may not, either */
    cr_expect_str_eq(result.sizes[0].problem, "N=31");
    ht_verify_result_free(&result);
}

Test(verify, when_the_time_for_sizes_is_over_the_given_one_is_still_run) {
    char *text = unit_of("i + c < n"), *read = strstr(text, "2 * in[i];");
    cr_assert(read);
    none_limit = 1e-9;
    ht_verify_result result = verify_text(text, "N=5000", false);
    cr_expect_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_expect_str_eq(result.sizes[0].problem, "N=5000");
    ht_verify_result_free(&result);
    memcpy(read, "in[i + n];", strlen("in[i + n];"));
    result = verify_text(text, "N=5000", false);
    cr_expect_eq(result.outcome, HT_VERIFY_ORIGINAL);
    cr_expect(result.reason && strstr(result.reason, "the original itself fails"), "%s",
              result.reason);
    ht_verify_result_free(&result);
    free(text);
}

Test(verify, an_original_that_reads_outside_is_no_judge) {
    char *text = unit_of("i + c < n"), *read = strstr(text, "2 * in[i];");
    memcpy(read, "in[i + n];", strlen("in[i + n];"));
    ht_verify_result result = verify_text(text, "N=5000", false);
    cr_assert_eq(result.outcome, HT_VERIFY_ORIGINAL);
    cr_assert(strstr(result.reason, "original"), "%s", result.reason);
    ht_verify_result_free(&result);
    free(text);
}

/* Which of four threads writes last is nobody's promise: another order is no fault of the template.
 */
Test(verify, an_original_whose_threads_race_is_no_judge) {
    const char *store = "out[i + c] = 2 * in[i + c]";
    char *plain = unit_of("i + OUTPUTS - 1 - c < n"), *at = strstr(plain, store);
    char *text = ht_format("%.*sout[i + OUTPUTS - 1 - c & 1] = in[i + OUTPUTS - 1 - c]%s",
                           (int)(at - plain), plain, at + strlen(store));
    for (at = text; (at = strstr(at, "out[i] = 2 * in[i]")) != NULL;)
        memcpy(at, "out[i & 1] = in[i]", strlen("out[i & 1] = in[i]"));
    ht_verify_result result = verify_text(text, "N=5000", false);
    cr_assert_eq(result.outcome, HT_VERIFY_ORIGINAL, "%d %s", result.outcome, result.reason);
    cr_expect(strstr(result.reason, "race"), "%s", result.reason);
    ht_verify_result_free(&result);
    free(text);
    free(plain);
}

/* A block of which threads end before a barrier, as kernels with a guard do: its neighbours' values
 * by way of shared memory. `barrier` is the template's. */
static char *ended_unit(const char *barrier) {
    return ht_format(
        "%s"
        "template <int BLOCK> __global__ void k(const float *in, float *out, int n) {\n"
        "    __shared__ float tile[BLOCK];\n"
        "    int i = blockIdx.x * BLOCK + threadIdx.x, first = blockIdx.x * BLOCK;\n"
        "    if (i >= n) return;\n"
        "    tile[threadIdx.x] = in[i];\n"
        "    %s\n"
        "    int before = i / 2 * 2 - first;\n"
        "    out[i] = tile[before];\n"
        "}\n",
        LINE_HEAD("    __shared__ float tile[64];\n"
                  "    if (i >= n) return;\n"
                  "    tile[threadIdx.x] = in[i];\n"
                  "    __syncthreads();\n"
                  "    out[i] = tile[threadIdx.x / 2 * 2];\n"),
        barrier);
}

Test(verify, accesses_are_looked_at_where_threads_end_before_a_barrier) {
    char *text = ended_unit("__syncthreads();");
    ht_verify_result result = verify_text(text, "N=5000", false);
    cr_expect_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_expect(result.checked);
    ht_verify_result_free(&result);
    free(text);
}

Test(verify, a_barrier_that_is_lost_where_threads_end_before_it_is_missed) {
    char *text = ended_unit("");
    ht_verify_result result = verify_text(text, "N=5000", false);
    cr_assert_eq(result.outcome, HT_VERIFY_DIFFERS, "%d", result.outcome);
    cr_expect_str_eq(result.finding, "race", "%s", result.reason);
    ht_verify_result_free(&result);
    free(text);
}

/* Barriers at two places end the checks: a race would not have been seen. Half of its runs differ,
 * so that some size is good by chance. */
Test(verify, an_original_that_differs_from_run_to_run_is_no_judge) {
    static const char text[] = LINE_HEAD(
        "    if (threadIdx.x < 32) __syncthreads();\n    else __syncthreads();\n"
        "    if (i < n) out[i] = i ? in[i] : clock64() / 64 % 2;\n") "template <int BLOCK>\n"
                                                                     "__global__ void k(const "
                                                                     "float *in, float *out, int "
                                                                     "n) {\n"
                                                                     "    int i = blockIdx.x * "
                                                                     "BLOCK + threadIdx.x;\n"
                                                                     "    if (i < n) out[i] = "
                                                                     "in[i] + 5;\n"
                                                                     "}\n";
    ht_verify_result result = verify_text(text, "N=5000", false);
    cr_assert_eq(result.outcome, HT_VERIFY_ORIGINAL, "%d %s", result.outcome, result.reason);
    ht_verify_result_free(&result);
}

Test(verify, sums_in_any_order_are_compared_within_the_tolerance) {
    static const char text[] =
        "#pragma tune unit\n"
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k__original(const float *in, float *out, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) atomicAdd(&out[0], in[i]);\n"
        "}\n"
        "#pragma tune kernel(k<BLOCK>)\n"
        "#pragma tune problem(line : N)\n"
        "#pragma tune arg(in : in float[problem.N])\n"
        "#pragma tune arg(out : inout float[1])\n"
        "#pragma tune arg(n : int = problem.N)\n"
        "#pragma tune param(BLOCK : 32, 64, 128 = 64)\n"
        "#pragma tune block(BLOCK)\n"
        "#pragma tune grid(ceil_div(problem.N, BLOCK))\n"
        "#pragma tune reference(k__original)\n"
        "#pragma tune block(64)\n"
        "#pragma tune grid(ceil_div(problem.N, 64))\n"
        "template <int BLOCK> __global__ void k(const float *in, float *out, int n) {\n"
        "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "    if (i < n) atomicAdd(&out[0], in[i]);\n"
        "}\n";
    ht_verify_result result = verify_text(text, "N=5000", true);
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_assert_not(result.bitwise);
    ht_verify_result_free(&result);
}

Test(verify, a_sum_by_atomics_that_lacks_one_element_is_missed) {
    static const char text[] = LINE_HEAD(
        "    if (i < n) atomicAdd(&out[0], in[i]);\n") "#pragma tune tolerance(4e-6)\n"
                                                       "template <int BLOCK> __global__ void "
                                                       "k(const "
                                                       "float *in, float *out, int n) {\n"
                                                       "    int i = blockIdx.x * BLOCK + "
                                                       "threadIdx.x;\n"
                                                       "    if (i < n && (BLOCK < 128 || i != 5)) "
                                                       "atomicAdd(&out[0], in[i]);\n"
                                                       "}\n";
    char *sum = ht_strdup(text), *role = strstr(sum, "out partial float");
    memcpy(role, "inout float      ", strlen("inout float      "));
    ht_verify_result result = verify_text(sum, "N=5000", true);
    cr_assert_eq(result.outcome, HT_VERIFY_DIFFERS, "%d", result.outcome);
    ht_verify_result_free(&result);
    free(sum);
}

/* A configuration whose compiling takes minutes says nothing about the template; the others do. */
Test(verify, what_the_compiler_takes_too_long_for_is_left_out_and_counted) {
    static const char text[] = LINE_HEAD(
        "    if (i < n) out[i] = 2 * in[i];\n") "template <int N, long M> struct count {\n"
                                                "    static constexpr int value = count<N - 1, 2 * "
                                                "M>::value + count<N - 1, 2 * M + "
                                                "1>::value;\n"
                                                "};\n"
                                                "template <long M> struct count<0, M> { static "
                                                "constexpr int value = 0; };\n"
                                                "template <int BLOCK> __global__ void k(const "
                                                "float *in, float *out, int n) {\n"
                                                "    int i = blockIdx.x * BLOCK + threadIdx.x + "
                                                "count<BLOCK == 128 ? 22 : 0, 1>::value;\n"
                                                "    if (i < n) out[i] = 2 * in[i];\n"
                                                "}\n";
    compile_limit = 8;
    ht_verify_result result = verify_text(text, "N=500", false);
    compile_limit = 0;
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_assert_eq(result.slow, 1);
    cr_assert_eq(result.configurations, 3);
    cr_assert_eq(result.sizes[0].runs, 2);
    ht_verify_result_free(&result);
}

/* Sizes have more blocks than are checked, the first (353) and others, and still no output may be
 * missing. */
Test(verify, an_output_in_the_middle_of_a_large_grid_that_no_block_writes_is_missed) {
    static const char text[] =
        LINE_HEAD("    for (int r = 0; i < n && r < 5000; ++r) out[i] = r * "
                  "in[i];\n") "template <int BLOCK> __global__ void k(const "
                              "float *in, float *out, int n) {\n"
                              "    int i = blockIdx.x * BLOCK + "
                              "threadIdx.x;\n"
                              "    if (BLOCK == 128 && i == 200 && n < 350) return;\n"
                              "    for (int r = 0; i < n && r < 5000; ++r) "
                              "out[i] = r * in[i];\n"
                              "}\n";
    expect_failing(text, "N=5000", "BLOCK=128");
}

/* Shared memory and outputs hold the same values before: written or not is the difference. */
Test(verify, an_output_that_the_original_leaves_alone_may_not_be_written) {
    static const char text[] = LINE_HEAD(
        "    if (i < n && i != 7) out[i] = 2 * in[i];\n") "template <int BLOCK> __global__ void "
                                                          "k(const float *in, float *out, int n) "
                                                          "{\n"
                                                          "    __shared__ float tile[BLOCK];\n"
                                                          "    int i = blockIdx.x * BLOCK + "
                                                          "threadIdx.x;\n"
                                                          "    if (i < n && i != 7) "
                                                          "tile[threadIdx.x] = 2 * in[i];\n"
                                                          "    if (i < n && (i != 7 || BLOCK == "
                                                          "32)) out[i] = tile[threadIdx.x];\n"
                                                          "}\n";
    expect_failing(text, "N=5000", "BLOCK=32");
}

/* An array that ends a structure is as long as it says, not as long as what it lies in. */
Test(verify, an_element_behind_a_pack_is_outside) {
    static const char text[] = LINE_HEAD(
        "    if (i < n) out[i] = 2 * in[i];\n") "template <int BLOCK> __global__ void k(const "
                                                "float *in, float *out, int n) {\n"
                                                "    struct pack { float before; float element[2]; "
                                                "} packs[2];\n"
                                                "    int i = blockIdx.x * BLOCK + threadIdx.x, "
                                                "past = n > 0 ? 2 : 0;\n"
                                                "    packs[1].before = i < n ? 2 * in[i] : 0;\n"
                                                "    if (i < n) out[i] = BLOCK == 32 ? "
                                                "packs[0].element[past] : packs[1].before;\n"
                                                "}\n";
    expect_failing(text, "N=5000", "BLOCK=32");
}

/* ---- launches that fall back
 * -------------------------------------------------------------------------------------------
 */

static bool none(void *context, const ht_problem *problem) {
    (void)context, (void)problem;
    return true;
}

static bool high(void *context, const ht_problem *problem) {
    int64_t rows = 0;
    (void)context;
    return ht_problem_get(problem, "H", &rows) && rows > 65535;
}

/* A delivered file's launch: blocks of 64 x 1 up to a number of rows, then the original's, in a
 * grid of `rows` rows of blocks. */
static ht_verify_result verify_fallback(const char *test, const char *rows,
                                        bool (*skipped)(void *context, const ht_problem *problem)) {
    char *text = ht_format("#include <hip/hip_runtime.h>\n"
                           "#pragma tune kernel(k)\n"
                           "#pragma tune problem(image : W, H)\n"
                           "#pragma tune arg(in : in float[problem.W * problem.H])\n"
                           "#pragma tune arg(out : out float[problem.W * problem.H])\n"
                           "#pragma tune arg(w : int = problem.W) arg(h : int = problem.H)\n"
                           "#pragma tune block(%s ? 64 : 8, %s ? 1 : 8)\n"
                           "#pragma tune grid(%s ? ceil_div(w, 64) : ceil_div(w, 8), %s ? h : %s)\n"
                           "#pragma tune reference(k)\n"
                           "#pragma tune block(8, 8) grid(ceil_div(w, 8), ceil_div(h, 8))\n"
                           "__global__ void k(const float *in, float *out, int w, int h) {\n"
                           "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                           "    if (x < w && y < h) out[y * w + x] = 2 * in[y * w + x];\n"
                           "}\n",
                           test, test, test, test, rows);
    bound bound;
    ht_error error;
    ht_verify_result result;
    bind_text(&bound, text, "W=500 H=400");
    const ht_verify_options options = {.seed = 5,
                                       .configurations = 1,
                                       .compile_workers = 2,
                                       .written = true,
                                       .skipped = skipped,
                                       .absent = skipped == high ? high : NULL};
    ht_status status =
        ht_verify(&bound.templates[0], &bound.problem, &bound.device, &options, &result, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    unbind(&bound);
    free(text);
    return result;
}

static bool ran_at(const ht_verify_result *result, const char *size) {
    for (size_t i = 0; i < result->size_count; ++i)
        if (strstr(result->sizes[i].problem, size))
            return true;
    return false;
}

Test(verify, a_launch_past_a_limit_is_run) {
    ht_verify_result result = verify_fallback("(h <= 65535)", "ceil_div(h, 8)", NULL);
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_expect(ran_at(&result, "H=65536"));
    cr_expect_null(result.left_out, "%s", result.left_out);
    ht_verify_result_free(&result);
}

/* Only the last of 8,192 rows of blocks is missing. */
Test(verify, a_launch_that_is_wrong_past_a_limit_is_found) {
    ht_verify_result result = verify_fallback("(h <= 65535)", "h / 8 - 1", NULL);
    cr_assert_eq(result.outcome, HT_VERIFY_DIFFERS);
    cr_expect(strstr(result.sizes[result.failing_size].problem, "H=65536"));
    cr_expect(strstr(result.reason, "left unwritten"), "%s", result.reason);
    ht_verify_result_free(&result);
}

Test(verify, a_launch_past_a_limit_that_is_too_large_to_be_run_is_said) {
    ht_verify_result result = verify_fallback("(h <= 2000000000)", "ceil_div(h, 8)", NULL);
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_assert_not_null(result.left_out);
    cr_expect(strstr(result.left_out, "'h <= 2000000000' is false was not run") &&
                  strstr(result.left_out, "H=2000000001"),
              "%s", result.left_out);
    ht_verify_result_free(&result);
}

/* A way that small sizes take needs no large ones. */
Test(verify, a_launch_that_small_sizes_take_both_ways_gets_no_large_ones) {
    ht_verify_result result = verify_fallback("(h % 2 == 0)", "ceil_div(h, 8)", NULL);
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_expect_not(ran_at(&result, "H=65536"));
    cr_expect_null(result.left_out, "%s", result.left_out);
    ht_verify_result_free(&result);
    result = verify_fallback("(h <= 65535)", "ceil_div(h, 8)", none);
    cr_expect_eq(result.size_count, 0);
    cr_expect_null(result.left_out, "%s", result.left_out);
    ht_verify_result_free(&result);
}

Test(verify, a_way_that_the_program_has_no_sizes_for_is_left_out) {
    ht_verify_result result = verify_fallback("(h <= 65535)", "ceil_div(h, 8)", high);
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_assert_not_null(result.left_out);
    cr_expect(
        strstr(result.left_out, "'h <= 65535' is false was not run: sizes for that, such as ") &&
            strstr(result.left_out, "H=65536, are not those of the program"),
        "%s", result.left_out);
    ht_verify_result_free(&result);
}

Test(verify, turns_of_a_launch_are_found_at_any_size) {
    bound bound;
    ht_problem *problems;
    size_t count;
    int64_t most = 0, value = 0;
    bind_text(&bound,
              "#pragma tune unit\n#pragma tune kernel(k)\n#pragma tune problem(image : W, H)\n"
              "#pragma tune arg(out : out float[problem.W])\n#pragma tune block(8)\n"
              "#pragma tune grid(problem.H <= 524272 ? 2 : 1, problem.W > 1 ? 1 : 2)\n"
              "#pragma tune reference(k)\n#pragma tune block(8)\n#pragma tune grid(1)\n"
              "__global__ void k(float *out) {}\n",
              "W=500 H=400");
    ht_verify_turns(&bound.templates[0], &bound.device, &bound.problem, &problems, &count);
    for (size_t i = 0; i < count; ++i) {
        ht_problem_get(&problems[i], "H", &value);
        most = value > most ? value : most;
        ht_problem_free(&problems[i]);
    }
    free(problems);
    cr_expect_eq(most, 524273);
    unbind(&bound);
}

static bool is_beyond(void *context, const ht_problem *problem) {
    int64_t width = 0, height = 0;
    (void)context;
    ht_problem_get(problem, "W", &width);
    ht_problem_get(problem, "H", &height);
    return width * height > 1000000 || height > 70001;
}

/* A property is looked for along each size, the others as given, to the least value that has it. */
Test(verify, sizes_with_a_property_are_found_along_each_field) {
    bound bound;
    ht_problem *problems;
    size_t count;
    int64_t width, height;
    bind_text(&bound,
              "#pragma tune unit\n#pragma tune kernel(k)\n#pragma tune problem(image : W, H)\n"
              "#pragma tune arg(out : out float[problem.W])\n#pragma tune block(8)\n"
              "#pragma tune grid(1)\n__global__ void k(float *out) {}\n",
              "W=10 H=400");
    ht_verify_turns_of(&bound.templates[0], &bound.problem, is_beyond, NULL, &problems, &count);
    cr_assert_eq(count, 2);
    ht_problem_get(&problems[0], "W", &width);
    ht_problem_get(&problems[1], "H", &height);
    cr_expect_eq(width, 2501);
    cr_expect_eq(height, 70002);
    for (size_t i = 0; i < count; ++i)
        ht_problem_free(&problems[i]);
    free(problems);
    unbind(&bound);
}
