/* The report of `hiptemper optimize` on many kernels, and its page. */
#include "program.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(optimize_report, .init = workplace_make, .fini = workplace_remove);

/* 22 kernels that nothing launches, and one that is slow by default. */
static void many_write(void) {
    ht_text text = {0};
    ht_text_append(&text, "#include <hip/hip_runtime.h>\n");
    for (int i = 0; i < 22; ++i)
        ht_text_printf(&text, "__global__ void k%d(float *x) { x[threadIdx.x] = %d; }\n", i, i);
    workplace_write("many.hip", text.data);
    ht_text_free(&text);
    workplace_write("slow.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "#pragma tune kernel(twice<TIMES>)\n"
                    "#pragma tune problem(line : N)\n"
                    "#pragma tune arg(in : in float[problem.N])\n"
                    "#pragma tune arg(out : out float[problem.N])\n"
                    "#pragma tune param(TIMES : 1, 400 = 400)\n"
                    "#pragma tune block(64)\n"
                    "#pragma tune grid(ceil_div(problem.N, 64))\n"
                    "template <int TIMES> __global__ void twice(const float *in, float *out) {\n"
                    "    int i = blockIdx.x * 64 + threadIdx.x;\n"
                    "    for (volatile int j = 0; j < TIMES; ++j)\n"
                    "        out[i] = 2 * in[i];\n"
                    "}\n");
    workplace_write(
        "slow.problem.json",
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
        "\"twice\", \"problem\": \"line : N\", \"instances\": [{\"name\": \"a<b\", "
        "\"fields\": {\"N\": 64000}}]}]}");
}

#define OPTIMIZE "optimize many.hip slow.hip --final-time 0.2 --ablation 0 --check none "

Test(optimize_report, of_many_kernels_there_is_a_line_for_each_and_groups_with_next_steps) {
    many_write();
    program_result brief = program_run(OPTIMIZE "--html page.html");
    program_result whole = program_run(OPTIMIZE "--verbose");
    cr_assert_eq(brief.code, 0, "%s%s", brief.out, brief.err);
    cr_expect(strstr(brief.out, "twice (a<b)  slow.hip:9  improved"), "%s", brief.out);
    cr_expect_null(strstr(brief.out, "  because "), "%s", brief.out);
    cr_expect(strstr(brief.out, "fill in its skeleton"), "a next step: %s", brief.out);
    cr_expect(strstr(brief.out, "1 tuned source, 1 patch"), "%s", brief.out);
    cr_expect(strstr(whole.out, "  because "), "%s", whole.out);
    cr_expect(strstr(whole.out, "  patch "), "%s", whole.out);
    char *page = workplace_read("page.html");
    cr_assert_not_null(page);
    const char *measured = strstr(page, "Measured: 1"),
               *without = strstr(page, "Without a gain: 22");
    cr_expect(strstr(page, "<b>1</b> improved"), "%s", page);
    cr_expect(measured && without && measured < without, "%s", page);
    cr_expect(strstr(page, "a&lt;b"), "%s", page);
    cr_expect(strstr(page, "TIMES=1"), "%s", page);
    cr_expect(strstr(page, "host emulation"), "%s", page);
    cr_expect_null(strstr(page, "<script"));
    cr_expect_null(strstr(page, "http"), "nothing is loaded");
    free(page);
    program_free(&brief);
    program_free(&whole);
}

/* Returns the names of the tuned kernels in the report's order: "a b"; free(). */
static char *names_of(const char *words) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document = json_loads(result.out, 0, NULL), *row;
    cr_assert_not_null(document, "%s", result.out);
    ht_text names = {0};
    size_t index;
    json_array_foreach(json_object_get(document, "kernels"), index, row) ht_text_printf(
        &names, "%s%s", index ? " " : "", json_string_value(json_object_get(row, "name")));
    json_decref(document);
    program_free(&result);
    return ht_text_take(&names);
}

Test(optimize_report, a_profile_orders_kernels_by_time_and_leaves_out_those_with_little) {
    workplace_write("a.hip", "#include <hip/hip_runtime.h>\n"
                             "__global__ void one(float *x) { x[threadIdx.x] = 1; }\n"
                             "__global__ void two(float *x) { x[threadIdx.x] = 2; }\n");
    workplace_write("b.hip", "#include <hip/hip_runtime.h>\n"
                             "__global__ void three(float *x) { x[threadIdx.x] = 3; }\n"
                             "__global__ void four(float *x) { x[threadIdx.x] = 4; }\n");
    workplace_write("stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\"\n"
                                 "\"two(float*)\",1,300\n\"one(float*)\",1,100\n"
                                 "\"four(float*)\",1,500\n\"three(float*)\",1,10\n"
                                 "\"rocblas_gemm(float*)\",1,90\n");
    char *most = names_of("optimize a.hip b.hip --profile stats.csv --json - --share 90");
    char *all = names_of("optimize a.hip b.hip --profile stats.csv --json - --share 100");
    cr_expect_str_eq(most, "four two one");
    cr_expect_str_eq(all, "four three two one");
    program_result words = program_run("optimize a.hip b.hip --profile stats.csv");
    cr_expect(strstr(words.out, "three (1.0 %)"), "%s", words.out);
    cr_expect(strstr(words.out, "in none of these files: rocblas_gemm (9.0 %)"), "%s", words.out);
    program_free(&words);
    words = program_run("optimize a.hip --profile nothing.csv");
    cr_expect_eq(words.code, 2);
    cr_expect(strstr(words.err, "nothing.csv"), "%s", words.err);
    program_free(&words);
    free(most);
    free(all);
}
