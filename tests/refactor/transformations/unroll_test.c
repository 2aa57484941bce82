/* unroll: loops that are bounded at run time. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Returns a loop over rows that are too many to be a filter's. */
static char *summing(const char *loop) {
    return ht_format(HEAD "__global__ void sum(const float *in, float *out, int n, int rows) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i >= n) return;\n"
                          "    float all = 0.0f;\n"
                          "    %s\n"
                          "    out[i] = all;\n"
                          "}\n"
                          "void run(const float *in, float *out, int n, int rows) {\n"
                          "    sum<<<(n + 127) / 128, 128>>>(in, out, n, rows);\n"
                          "}\n",
                     loop);
}

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"sum\", "
    "\"problem\": \"sum : n, rows\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.n * problem.rows]\", \"out : out float[problem.n]\", "
    "\"n : int = problem.n\", \"rows : int = problem.rows\"], "
    "\"instances\": [{\"fields\": {\"n\": 301, \"rows\": 37}}]}]}";

static const char *const plain = "for (int r = 0; r < rows; ++r)\n        all += in[r * n + i];";

Test(unroll, a_loop_over_rows_is_equal_with_any_factor) {
    char *text = summing(plain);
    subject of = subject_open(text, problem, "sum");
    cr_expect(applied(&of, "unroll"));
    expect_equal(&of, "sum",
                 (const char *const[]){"", "UNROLL_R=2", "UNROLL_R=4 COARSEN_X=4",
                                       "UNROLL_R=8 COARSEN_X=2 COARSEN_X_STRIDED=true", NULL});
    expect_pieces(
        &of, "UNROLL_R=4",
        (const char *const[]){"    #pragma unroll 4\n    for (int r = 0; r < rows; ++r)", NULL});
    char *same = apply_config(&of, "");
    cr_expect_str_eq(same, text);
    free(same);
    subject_close(&of);
    free(text);
}

/* Steps of any kind are clang's to count. */
Test(unroll, counters_that_step_or_stop_early) {
    char *text = summing("for (int r = 2; r < rows; r += 3) {\n        if (in[r * n + i] > 0.9f)\n"
                         "            break;\n        all += in[r * n + i];\n    }\n"
                         "    for (int r = rows - 1; r >= 0; --r)\n        all -= in[r * n + i];");
    subject of = subject_open(text, problem, "sum");
    expect_equal(
        &of, "sum",
        (const char *const[]){"UNROLL_R=4", "UNROLL_R_2=8", "UNROLL_R=8 UNROLL_R_2=2", NULL});
    subject_close(&of);
    free(text);
}

Test(unroll, only_innermost_loops) {
    char *text = summing("for (int q = 0; q < 2; ++q)\n        for (int s = q; s < rows; ++s)\n"
                         "            for (int r = 0; r < s; ++r)\n"
                         "                all += in[r * n + i];");
    subject of = subject_open(text, problem, "sum");
    cr_expect(ht_template_param(of.kernel->template, "UNROLL_R"));
    cr_expect_not(ht_template_param(of.kernel->template, "UNROLL_S"));
    subject_close(&of);
    free(text);
}

/* The compiler unrolls a loop whose bound has become a constant. */
Test(unroll, sizes_that_are_constants_need_no_factor) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(ht_template_param(of.kernel->template, "R_SIZE"));
    cr_expect_not(applied(&of, "unroll"));
    subject_close(&of);
}

Test(unroll, a_factor_of_the_authors_stays) {
    char *text = summing("#pragma unroll\n    for (int r = 0; r < rows; ++r)\n"
                         "        all += in[r * n + i];");
    subject of = subject_open(text, problem, "sum");
    cr_expect_not(applied(&of, "unroll"));
    subject_close(&of);
    free(text);
}

/* A default factor is no request: NVRTC unrolls a loop without a pragma, one with a factor of 1 it
 * does not, and an applied source has no pragma. */
Test(unroll, a_default_factor_leaves_the_loop_to_the_compiler) {
    char *text = summing(plain);
    subject of = subject_open(text, problem, "sum");
    const char *unit = of.kernel->template->unit;
    cr_expect(strstr(unit, "#pragma unroll UNROLL_UNLESS(1, UNROLL_R)"), "%s", unit);
    cr_expect(strstr(unit, "#define UNROLL_UNLESS(own, factor) ((factor) == (own) ? 0 : (factor))"),
              "%s", unit);
    subject_close(&of);
    free(text);
    text = summing("for (int r = 0; r < 6; ++r)\n        all += in[r * n + i];");
    of = subject_open(text, problem, "sum");
    unit = of.kernel->template->unit;
    cr_expect(strstr(unit, "#pragma unroll UNROLL_UNLESS(6, UNROLL_R)"), "%s", unit);
    subject_close(&of);
    free(text);
}

/* An author's pragma is a request. */
Test(unroll, a_factor_where_a_pragma_stands_is_passed_on) {
    char *text = summing("#pragma unroll\n    for (int r = 0; r < 6; ++r)\n"
                         "        all += in[r * n + i];");
    subject of = subject_open(text, problem, "sum");
    const char *unit = of.kernel->template->unit;
    cr_expect(strstr(unit, "#pragma unroll UNROLL_R\n"), "%s", unit);
    cr_expect_not(strstr(unit, "UNROLL_UNLESS"), "%s", unit);
    subject_close(&of);
    free(text);
}
