/* A rewrite next to the original, as text. */
#include "loop/agent/pair.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(pair, .timeout = 60);

static const char pair_unit[] =
    "#pragma tune unit\n"
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(scale) problem(line : n) \\\n"
    "    block(64) grid(ceil_div(problem.n, 64))\n"
    "#pragma tune arg(out : out float[problem.n]) arg(n : int = problem.n)\n"
    "#pragma tune reference(scale) block(64) grid(ceil_div(problem.n, 64))\n"
    "__global__ void scale(float *out, int n) { out[threadIdx.x] = n; }\n";

static const char rewrite_unit[] =
    "#pragma tune unit\n"
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(scale) param(WIDE : 64, 128 = 64) \\\n"
    "    problem(line : n) \\\n"
    "    block(WIDE) grid(ceil_div(problem.n, WIDE))\n"
    "#pragma tune arg(out : out float[problem.n]) arg(n : int = problem.n)\n"
    "template <int WIDE> __global__ void scale(float *out, int n) { out[threadIdx.x] = n; }\n";

static ht_template *template_read(const char *unit) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error = {0};
    cr_assert_eq(ht_template_parse(unit, "k.hip", &templates, &count, &error), HT_OK, "%d: %s",
                 error.line, error.message);
    cr_assert_eq(count, 1);
    return templates;
}

/* They were left in the unit, as code: each compile failed, and with it the rewrite. */
Test(pair, lines_that_go_on_after_an_annotation_are_no_code) {
    ht_template *pair = template_read(pair_unit), *rewrite = template_read(rewrite_unit);
    ht_template *joined = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_pair_join(rewrite, pair, &joined, &error), HT_OK, "%s", error.message);
    cr_expect_null(strstr(joined->unit, "\n    problem("), "%s", joined->unit);
    cr_expect_null(strstr(joined->unit, "\n    block("), "%s", joined->unit);
    cr_expect(strstr(joined->unit, "template <int WIDE> __global__ void scale("), "%s",
              joined->unit);
    ht_template_free(joined, 1);
    ht_template_free(rewrite, 1);
    ht_template_free(pair, 1);
}
