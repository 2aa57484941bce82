/* Verification of templates whose parameters change the order of sums. */
#include "tests/runtime/job/support.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/verify/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(verify_order, .init = use_test_worker);

/* Rows of 1000 numbers that are not below 0, from the first to the last or, with BACK, the other
 * way; `last` is what the other way leaves out. */
static ht_verify_result verify_rows(const char *last, const char *tolerance) {
    char *text =
        ht_format("#pragma tune unit\n"
                  "#include <hip/hip_runtime.h>\n"
                  "__global__ void k__original(const float *in, float *out, int n) {\n"
                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "    float sum = 0;\n"
                  "    for (int j = 0; j < 1000; ++j)\n"
                  "        if (i < n) sum += fabsf(in[i * 1000 + j]);\n"
                  "    if (i < n) out[i] = sum;\n"
                  "}\n"
                  "#pragma tune kernel(k<BACK>)\n"
                  "#pragma tune problem(rows : N)\n"
                  "#pragma tune arg(in : in float[problem.N * 1000])\n"
                  "#pragma tune arg(out : out partial float[problem.N])\n"
                  "#pragma tune arg(n : int = problem.N)\n"
                  "#pragma tune param(BACK : false, true = false)\n"
                  "#pragma tune block(64)\n"
                  "#pragma tune grid(ceil_div(problem.N, 64))\n%s"
                  "#pragma tune reference(k__original)\n"
                  "#pragma tune block(64)\n"
                  "#pragma tune grid(ceil_div(problem.N, 64))\n"
                  "template <bool BACK>\n"
                  "__global__ void k(const float *in, float *out, int n) {\n"
                  "    int i = blockIdx.x * 64 + threadIdx.x;\n"
                  "    float sum = 0;\n"
                  "    for (int j = 0; j < 1000; ++j) {\n"
                  "        int at = BACK ? 999 - j : j;\n"
                  "        if (i < n && !(BACK && at %s)) sum += fabsf(in[i * 1000 + at]);\n"
                  "    }\n"
                  "    if (i < n) out[i] = sum;\n"
                  "}\n",
                  tolerance, last);
    bound bound;
    ht_error error = {0};
    ht_verify_result result;
    bind_text(&bound, text, "N=500");
    const ht_verify_options options = {
        .seed = 5, .configurations = 2, .rounds = "BACK", .compile_workers = 2};
    ht_status status =
        ht_verify(&bound.templates[0], &bound.problem, &bound.device, &options, &result, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    unbind(&bound);
    free(text);
    return result;
}

/* Rounding alone is no defect; the author's own tolerance holds all the same. */
Test(verify_order, a_sum_in_another_order_may_be_off_by_the_rounding_of_hundreds_of_numbers) {
    ht_verify_result result = verify_rows("> 999", "");
    cr_assert_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    ht_verify_result_free(&result);
    result = verify_rows("> 999", "#pragma tune tolerance(9e-7)\n");
    cr_assert_eq(result.outcome, HT_VERIFY_DIFFERS);
    ht_verify_result_free(&result);
    result = verify_rows("> 998", "");
    cr_assert_eq(result.outcome, HT_VERIFY_DIFFERS, "one of 1000 is left out");
    ht_verify_result_free(&result);
}
