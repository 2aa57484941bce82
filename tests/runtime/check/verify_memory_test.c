/* Verification within a limit of memory: which problems are tried, and with what outputs are
 * compared. */
#include "runtime/job/job_memory.h"
#include "runtime/verify/verify.h"
#include "tests/runtime/job/support.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(verify_memory, .init = use_test_worker);

enum { MIB = 1 << 20, LINE = 300000 };

/* A line of LINE elements, whose last output is off by `fault` in blocks of 32. */
static char *line_of(const char *fault) {
    return ht_format("#pragma tune unit\n"
                     "#include <hip/hip_runtime.h>\n"
                     "__global__ void k__original(const float *in, float *out, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) out[i] = 2 * in[i];\n"
                     "}\n"
                     "#pragma tune kernel(k<BLOCK>)\n"
                     "#pragma tune arg(in : in float[%d])\n"
                     "#pragma tune arg(out : out float[%d])\n"
                     "#pragma tune arg(n : int = %d)\n"
                     "#pragma tune param(BLOCK : 32, 64 = 64)\n"
                     "#pragma tune block(BLOCK)\n"
                     "#pragma tune grid(ceil_div(n, BLOCK))\n"
                     "#pragma tune reference(k__original)\n"
                     "#pragma tune block(64)\n"
                     "#pragma tune grid(ceil_div(n, 64))\n"
                     "template <int BLOCK>\n"
                     "__global__ void k(const float *in, float *out, int n) {\n"
                     "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                     "    if (i < n) out[i] = 2 * in[i] + (BLOCK == 32 && i == n - 1 ? %s : 0.f);\n"
                     "}\n",
                     LINE, LINE, LINE, fault);
}

static ht_verify_result verify_within(const char *text, uint64_t memory, bool reassociates) {
    bound bound;
    ht_error error = {0};
    ht_verify_result result;
    bind_text(&bound, text, NULL);
    const ht_verify_options options = {.seed = 5,
                                       .configurations = 1,
                                       .sizes = 1,
                                       .reassociates = reassociates,
                                       .memory = memory,
                                       .unreduced = true,
                                       .compile_workers = 2};
    ht_status status =
        ht_verify(&bound.templates[0], NULL, &bound.device, &options, &result, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    unbind(&bound);
    return result;
}

/* In: the buffer and its contents. Out: the buffer and what is expected. A twin's float is 16 bytes
 * wide, and an expected value has a scale. */
Test(verify_memory, the_largest_process_is_foreseen) {
    char *text = line_of("0.f");
    bound b;
    bind_text(&b, text, NULL);
    const uint64_t line = LINE * sizeof(float);
    cr_expect_eq(ht_job_memory_plain(&b.binding), 2 * line);
    cr_expect_eq(ht_job_memory_verifying(&b.binding, HT_COMPARING_BITS), 4 * line);
    cr_expect_eq(ht_job_memory_verifying(&b.binding, HT_COMPARING_VALUES), (2 + 2 + 4) * line);
    cr_expect_eq(ht_job_memory_verifying(&b.binding, HT_COMPARING_TWIN),
                 (4 + 4 /* contents */ + 4 + 1 + 4) * line);
    unbind(&b);
    free(text);
}

static void expect_found(uint64_t memory) {
    char *wrong = line_of("0.001f");
    ht_verify_result result = verify_within(wrong, memory, true);
    cr_expect_eq(result.outcome, HT_VERIFY_DIFFERS);
    cr_expect(result.reason && strstr(result.reason, "'out'[299999]"), "%s", result.reason);
    ht_verify_result_free(&result);
    free(wrong);
}

/* With a twin, whose large contents are let go, and without one, for which memory does not do. */
Test(verify_memory, a_fault_is_found_with_a_twin_and_without) {
    char *text = line_of("0.f");
    ht_verify_result result = verify_within(text, 64 * MIB, true);
    cr_expect_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_expect_not(result.bitwise);
    ht_verify_result_free(&result);
    free(text);
    expect_found(64 * MIB);
    expect_found(10 * MIB);
}

Test(verify_memory, what_takes_more_than_it_may_is_said) {
    char *text = line_of("0.f");
    ht_verify_result result = verify_within(text, 2 * MIB, false);
    cr_assert_eq(result.outcome, HT_VERIFY_ORIGINAL);
    cr_assert(strstr(result.reason, "take 4 MiB for the smallest problem that is known, and "
                                    "verification takes no more than 2 MiB"),
              "%s", result.reason);
    ht_verify_result_free(&result);
    free(text);
}

/* Seven extents, each with the usual values, make an array of gigabytes. */
Test(verify_memory, products_of_many_extents_are_small_and_stay_odd) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "#pragma tune kernel(f)\n"
        "#pragma tune problem(many : A, B, C, D, E, F, G)\n"
        "#pragma tune param(P : 1, 2 = 1)\n"
        "#pragma tune block(16)\n"
        "#pragma tune grid(problem.A)\n"
        "#pragma tune arg(out : out float[problem.A * problem.B * problem.C * problem.D * "
        "problem.E * problem.F * problem.G])\n"
        "template <int P> __global__ void f(float *out) { out[threadIdx.x] = P; }\n";
    bound b;
    bind_text(&b, text, "A=12, B=12, C=12, D=12, E=12, F=12, G=12");
    ht_problem *problems = NULL;
    size_t count = 0;
    ht_verify_problems(&b.templates[0], &b.problem, &problems, &count);
    cr_assert_geq(count, 6);
    for (size_t i = 0; i < 5; ++i) {
        const ht_binding tried = {&b.templates[0], &problems[i], &b.device.fields};
        cr_expect_leq(ht_job_memory_plain(&tried), 8 * MIB + 64 * 1024, "%zu", i);
        cr_expect_gt(ht_job_memory_plain(&tried), 1024, "%zu", i);
    }
    for (size_t j = 0; j < problems[0].value_count; ++j) {
        cr_expect_eq(problems[0].values[j].value % 2, 1);
        cr_expect_geq(problems[0].values[j].value, 3);
    }
    for (size_t i = 0; i < count; ++i)
        ht_problem_free(&problems[i]);
    free(problems);
    unbind(&b);
}
