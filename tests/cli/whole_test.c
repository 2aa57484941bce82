/* `hiptemper optimize --run`: a program's own launches are tuned for, and the program with its
 * tuned sources is compared with the original as a whole. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(whole, .init = workplace_make, .fini = workplace_remove, .timeout = 250);

/* Blocks of one thread, which any other is faster than. `%s`: what else main copies. */
static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "#include <cstdio>\n"
    "#include <cstdlib>\n"
    "#include <unistd.h>\n"
    "#include <vector>\n"
    "#include \"scale.cuh\"\n"
    "int main(int argc, char **argv) {\n"
    "    int n = argc > 1 ? atoi(argv[1]) : 1000;\n"
    "    std::vector<float> a(n);\n"
    "    for (int i = 0; i < n; i++) a[i] = 0.25f * i;\n"
    "    float *in, *out;\n"
    "    hipMalloc(&in, n * sizeof(float));\n"
    "    hipMalloc(&out, n * sizeof(float));\n"
    "    hipMemcpy(in, a.data(), n * sizeof(float), hipMemcpyHostToDevice);\n"
    "    for (int k = 0; k < 20; k++) scale<<<(n + 0) / 1, 1>>>(in, out, n);\n"
    "    hipMemcpy(a.data(), out, n * sizeof(float), hipMemcpyDeviceToHost);\n"
    "    %s\n"
    "    printf(\"last %%g\\n\", a[n - 1]);\n"
    "    return argc > 2 ? atoi(argv[2]) : 0;\n"
    "}\n";

static const char header[] = "#pragma once\n"
                             "__global__ void scale(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i >= n) return;\n"
                             "    float x = in[i];\n"
                             "    for (int k = 0; k < 8; k++) x = x * 0.5f + 1.0f;\n"
                             "    out[i] = x;\n"
                             "}\n"
                             "__global__ void total(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) atomicAdd(out, in[i]);\n"
                             "}\n"
                             "__global__ void tiny(float *out, int n) {\n"
                             "    if (threadIdx.x < n) out[threadIdx.x] = 1.0f;\n"
                             "}\n";

static void program_write(const char *more) {
    char *text = ht_format(source, more);
    workplace_write("main.hip", text);
    workplace_write("scale.cuh", header);
    free(text);
}

static json_t *read_report(void) {
    char *text = workplace_read("out/optimize.json");
    cr_assert_not_null(text);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert_not_null(document, "%s", text);
    free(text);
    return document;
}

static const char *text_of(const json_t *object, const char *member) {
    const char *text = json_string_value(json_object_get(object, member));
    return text ? text : "";
}

#define TUNE "optimize --run main.hip --max-evals 6 --ablation 0 --final-time 0.3 --out out"

Test(whole, a_program_needs_no_problem_file_and_stays_the_same) {
    program_write("tiny<<<1, 1>>>(in, 1);");
    program_result result = program_run(TUNE " --share 60 -- 30000");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "Whole program: equal: 1 copy to the host (120000 bytes)"), "%s",
              result.out);
    cr_expect_null(strstr(result.out, "last "), "its output is not the report's");
    cr_expect(strstr(result.err, "last 31.28"), "%s", result.err);
    cr_expect(strstr(result.out, "take 60 % of the time (--share): tiny ("), "%s", result.out);
    program_free(&result);
    json_t *document = read_report();
    cr_expect_eq(json_array_size(json_object_get(document, "kernels")), 1);
    const json_t *whole = json_object_get(document, "whole_program");
    const json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    cr_expect_str_eq(text_of(kernel, "status"), "improved");
    cr_expect(strstr(text_of(kernel, "problem_fields"), "n=30000"));
    cr_expect_str_eq(text_of(whole, "verdict"), "equal");
    kernel = json_array_get(json_object_get(whole, "kernels"), 1);
    cr_expect_str_eq(text_of(kernel, "kernel"), "tiny");
    cr_expect(json_is_false(json_object_get(kernel, "chosen")));
    cr_expect_str_eq(json_string_value(json_array_get(json_object_get(whole, "arguments"), 0)),
                     "30000");
    json_decref(document);
}

/* A number that is another one in each run stands for a tuned source that computes something else.
 */
Test(whole, a_copy_that_differs_is_a_failure) {
    program_write("int own = getpid(), back; hipMemcpy(in, &own, 4, hipMemcpyHostToDevice); "
                  "hipMemcpy(&back, in, 4, hipMemcpyDeviceToHost);");
    program_result result = program_run(TUNE " -- 3000");
    cr_assert_eq(result.code, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "Whole program: differs: 1 of 2 copies to the host differ, the "
                                 "first is number 2"),
              "%s", result.out);
    program_free(&result);
    json_t *document = read_report();
    const json_t *whole = json_object_get(document, "whole_program");
    cr_expect_str_eq(text_of(whole, "verdict"), "differs");
    const json_t *of = json_array_get(json_object_get(whole, "results"), 0);
    cr_expect_eq(json_integer_value(json_object_get(of, "first_different")), 2);
    json_decref(document);
}

Test(whole, a_program_that_fails_is_tuned_for_what_it_launched_and_what_is_missing_is_listed) {
    program_write("hipGraph_t graph; (void)hipGraphCreate(&graph, 0);");
    program_result result = program_run(TUNE " --json=- -- 2000 3");
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s%s", result.out, result.err);
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.err, "The program ended with exit code 3"), "%s", result.err);
    const json_t *whole = json_object_get(document, "whole_program");
    cr_expect_str_eq(text_of(whole, "verdict"), "equal");
    const json_t *of = json_array_get(json_object_get(whole, "results"), 0);
    cr_expect_eq(json_integer_value(json_object_get(of, "exit_code")), 3);
    cr_expect(strstr(result.err, "main.hip:17: hipGraphCreate is not supported"), "%s", result.err);
    const json_t *missing = json_array_get(json_object_get(whole, "missing"), 0);
    cr_expect_str_eq(text_of(missing, "function"), "hipGraphCreate");
    char *problem = workplace_read("out/problem.json");
    cr_expect(strstr(problem, "captured: 1 different launch, 20 in all"), "%s", problem);
    free(problem);
    json_decref(document);
    program_free(&result);
}

/* Atomics add in the order of the threads, which another block changes: last bits differ, by luck.
 * The copy for each of the two sizes is compared. */
Test(whole, sums_in_another_order_are_compared_within_the_tolerance_for_every_problem) {
    program_write("for (int m = n; m >= n / 2; m -= n / 2) {\n"
                  "        hipMemset(out, 0, 4);\n"
                  "        total<<<(m + 0) / 1, 1>>>(in, out, m);\n"
                  "        hipMemcpy(a.data(), out, 4, hipMemcpyDeviceToHost);\n"
                  "    }");
    program_result result = program_run(TUNE " --kernel total --json=- -- 3000");
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s%s", result.out, result.err);
    cr_assert_eq(result.code, 0, "%s", result.err);
    const json_t *whole = json_object_get(document, "whole_program");
    const json_t *results = json_object_get(whole, "results");
    cr_expect_eq(json_array_size(results), 2, "%s", result.err);
    cr_expect_str_eq(text_of(json_array_get(results, 1), "problem"), "launch_2");
    cr_expect_float_eq(json_real_value(json_object_get(whole, "tolerance")), 4e-6, 1e-12);
    cr_expect(strstr(result.err, "Whole program (launch_2): equal"), "%s", result.err);
    json_decref(document);
    program_free(&result);
}

Test(whole, bad_input_is_named) {
    static const char *const cases[][2] = {
        {"optimize main.hip -- 3000", "add --run"},
        {"optimize --run main.hip --problem p.json", "leave --problem out"},
        {"optimize --run main.hip --share 0", "option --share: 0 is no share"},
        {"optimize --run . --out out", "a program is given by its files"},
        {"optimize --run none.hip --out out", "there is no such file"},
        {"optimize --run main.hip --read none --out out", "option --read: there is no folder"},
    };
    program_write("");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        program_result result = program_run(cases[i][0]);
        cr_expect_eq(result.code, 2, "%s: %d %s", cases[i][0], result.code, result.err);
        cr_expect(strstr(result.err, cases[i][1]), "%s: %s", cases[i][0], result.err);
        program_free(&result);
    }
}

Test(whole, a_program_that_does_not_compile_is_told_so) {
    program_write("nonsense;");
    program_result result = program_run(TUNE);
    cr_expect_eq(result.code, 1, "%d", result.code);
    cr_expect(strstr(result.err, "main.hip:17"), "%s", result.err);
    program_free(&result);
}
