/* hiptemper tune --device model:NAME: choosing for a GPU that is not there. Without ROCm these
 * skip. */
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(tune_model, .init = workplace_make, .fini = workplace_remove);

/* WORK 0 does the least, and not what the original does. */
static const char template[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(chain)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(WORK : 0, 1, 2, 3 = 3)\n"
    "#pragma tune block(256)\n"
    "#pragma tune grid(ceil_div(problem.n, 256))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int WORK> __global__ void chain(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * 256 + threadIdx.x;\n"
    "    if (i >= n) return;\n"
    "    float x = in[i];\n"
    "#pragma unroll 8\n"
    "    for (int c = 0; c < WORK * 256; c++) x = x * 0.5f;\n"
    "    out[i] = WORK == 0 ? 2 : in[i] + (x > 1 ? 1 : 0);\n"
    "}\n";

static const char problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"problem\": \"line : n\",\n"
    " \"instances\": [{\"name\": \"one\", \"fields\": {\"n\": 100000}}]}\n";

static program_result tuned(const char *words) {
    workplace_write("chain.hip", template);
    workplace_write("chain.json", problem);
    program_result result = program_run(words);
    if (result.code == 3)
        cr_skip_test("no hiprtc (Debian: apt-get install libamdhip64-5)");
    return result;
}

static json_t *read_choices(json_t **out_document) {
    char *text = workplace_read("out/tune.json");
    *out_document = text ? json_loads(text, 0, NULL) : NULL;
    cr_assert_not_null(*out_document);
    free(text);
    return json_array_get(json_object_get(*out_document, "kernels"), 0);
}

static long work_of(const json_t *choice) {
    return (long)json_integer_value(json_object_get(json_object_get(choice, "config"), "WORK"));
}

Test(tune_model, writes_the_best_and_the_next_best_that_do_what_the_original_does) {
    program_result result =
        tuned("tune chain.hip --problem n=100000 --device model:mi250x --out out");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "predicted, not measured"), "%s", result.out);
    json_t *document, *kernel = read_choices(&document);
    json_t *choices = json_object_get(kernel, "choices");
    cr_assert_eq(json_array_size(choices), 2, "%s", result.out);
    cr_expect_eq(work_of(json_array_get(choices, 0)), 1, "0 is faster, and wrong");
    cr_expect_eq(work_of(json_array_get(choices, 1)), 2);
    cr_expect_eq(json_integer_value(json_object_get(kernel, "refused")), 1);
    cr_expect(strstr(result.out, "not verified: 1"), "%s", result.out);
    static const char *const files[] = {"out/chain.hip", "out/chain.second.hip"};
    for (size_t i = 0; i < 2; i++) {
        char *text = workplace_read(files[i]), value[32];
        snprintf(value, sizeof value, "0, 1, 2, 3 = %zu)", i + 1);
        cr_assert_not_null(text, "%s", files[i]);
        cr_expect(strstr(text, "predicted, not measured") && strstr(text, value), "%s", text);
        free(text);
    }
    json_decref(document);
    program_free(&result);
}

Test(tune_model, writes_nothing_where_none_is_predicted_to_be_faster) {
    program_result result = tuned("tune chain.hip --problem n=100000 --device model:mi50 --out out "
                                  "--max-evals 1");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document, *kernel = read_choices(&document);
    cr_expect_eq(json_array_size(json_object_get(kernel, "choices")), 0);
    cr_expect(strstr(json_string_value(json_object_get(kernel, "reason")),
                     "none is predicted to be faster"));
    cr_expect_null(workplace_read("out/chain.hip"));
    json_decref(document);
    program_free(&result);
}

/* A space that is larger than the budget is searched: no configuration is compiled twice, and the
 * default one is among them. */
Test(tune_model, a_search_asks_the_model_where_not_all_are_compiled) {
    program_result result = tuned("tune chain.hip --problem n=100000 --device model:mi50 --out out "
                                  "--max-evals 3 --check none");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document, *kernel = read_choices(&document);
    cr_expect_eq(json_integer_value(json_object_get(kernel, "legal")), 4);
    cr_expect_eq(json_integer_value(json_object_get(kernel, "compiled")), 3);
    cr_expect_geq(json_array_size(json_object_get(kernel, "choices")), 1, "%s", result.out);
    json_decref(document);
    program_free(&result);
}

Test(tune_model, is_refused_by_commands_that_measure) {
    workplace_write("chain.hip", template);
    static const char *const words[] = {"optimize --run chain.hip --device model:mi50",
                                        "optimize chain.hip --html p.html --device model:mi50"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        program_result result = program_run(words[i]);
        cr_expect_eq(result.code, 2, "%s: %s", words[i], result.err);
        cr_expect(strstr(result.err, "device model:mi50 predicts"), "%s", result.err);
        program_free(&result);
    }
}

/* A source is written with the best, verified on the host, and its companions say that nothing was
 * measured. */
Test(tune_model, optimize_writes_sources_that_are_verified_and_not_measured) {
    program_result result = tuned("optimize chain.hip --problem chain.json --device model:mi250x "
                                  "--out out");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "predicted, not measured"), "%s", result.out);
    char *text = workplace_read("out/optimize.json");
    json_t *document = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    cr_assert_not_null(document, "%s", result.out);
    const json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    const json_t *choice = json_array_get(json_object_get(kernel, "choices"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(kernel, "verdict")), "improved");
    cr_expect_eq(work_of(choice), 1, "0 is faster, and wrong");
    cr_expect_gt(json_number_value(json_object_get(choice, "predicted_speedup")), 1);
    cr_expect(json_is_string(json_object_get(kernel, "patch_file")));
    char *copy = workplace_read("out/chain.hip"),
         *launcher = workplace_read("out/chain.chain.launch.hpp");
    cr_expect(copy && strstr(copy, "0, 1, 2, 3 = 1)"), "%s", result.out);
    cr_expect(launcher && strstr(launcher, "predicted, not measured"), "%s", result.out);
    free(copy);
    free(launcher);
    json_decref(document);
    program_free(&result);
}
