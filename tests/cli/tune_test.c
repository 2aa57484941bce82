/* `hiptemper tune` as a whole. */
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(tune, .init = workplace_make, .fini = workplace_remove);

static const char template[] =
    "// Adds two lines.\n"
    "#pragma tune unit\n"
    "#pragma tune kernel(add)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 1, 64, 256 = 1)\n"
    "#pragma tune param(STEPS : 1, 4 = 1)\n"
    "#pragma tune require(BLOCK * STEPS <= 512)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * STEPS))\n"
    "#pragma tune arg(a : in float[problem.n])\n"
    "#pragma tune arg(b : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK, int STEPS>\n"
    "__global__ void add(const float *a, const float *b, float *out, int n) {\n"
    "    for (int s = 0; s < STEPS; ++s) {\n"
    "        int i = (blockIdx.x * STEPS + s) * BLOCK + threadIdx.x;\n"
    "        if (i < n) out[i] = a[i] + b[i];\n"
    "    }\n"
    "}\n";

static json_t *read_json(const char *name) {
    char *text = workplace_read(name);
    cr_assert_not_null(text, "%s was not written", name);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert_not_null(document);
    free(text);
    return document;
}

Test(tune, finds_the_best_configurations_and_writes_them) {
    workplace_write("add.hip", template);
    program_result result =
        program_run("tune add.hip --problem n=60000 --out out --json best.json --top 2");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_assert(strstr(result.out, "host emulation"));
    program_free(&result);
    json_t *document = read_json("best.json");
    cr_assert_str_eq(json_string_value(json_object_get(document, "format")), "hiptemper-tune");
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    cr_assert(json_is_true(json_object_get(kernel, "verified")));
    cr_assert(json_is_true(json_object_get(kernel, "exhausted")), "5 legal ones fit the budget");
    cr_assert_eq(json_integer_value(json_object_get(kernel, "space")), 5);
    json_t *best = json_object_get(kernel, "best");
    cr_assert_eq(json_array_size(best), 2);
    double first = json_real_value(json_object_get(json_array_get(best, 0), "median_ms"));
    double second = json_real_value(json_object_get(json_array_get(best, 1), "median_ms"));
    cr_assert_leq(first, second);
    json_t *config = json_object_get(json_array_get(best, 0), "config");
    cr_assert(json_is_integer(json_object_get(config, "BLOCK")));
    /* A block of one thread pays a whole block's start for each element: anything else wins. */
    cr_assert_str_eq(json_string_value(json_object_get(kernel, "status")), "improved");
    json_decref(document);
    char *tuned = workplace_read("out/add.hip");
    cr_assert_not_null(tuned);
    cr_assert(strstr(tuned, "// Adds two lines."));
    cr_assert_null(strstr(tuned, "64, 256 = 1)"), "the default is new: %s", tuned);
    free(tuned);
    char *launcher = workplace_read("out/add.add.launch.hpp");
    cr_assert_not_null(launcher);
    cr_assert(strstr(launcher, "hipLaunchKernelGGL((add<"));
    free(launcher);
}

Test(tune, a_catalogue_gives_one_report_for_each_instance) {
    workplace_write("add.hip", template);
    workplace_write("lines.json",
                    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"problem\": "
                    "\"line : n\", \"instances\": [{\"name\": \"one\", \"fields\": {\"n\": 100}}, "
                    "{\"name\": \"two\", \"fields\": {\"n\": 30000}}]}");
    program_result result =
        program_run("tune add.hip --problem lines.json --out out --max-evals 2 --seed 3");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
    json_t *document = read_json("out/tune.json");
    json_t *kernels = json_object_get(document, "kernels");
    cr_assert_eq(json_array_size(kernels), 2);
    for (size_t i = 0; i < 2; ++i) {
        json_t *kernel = json_array_get(kernels, i);
        cr_assert_leq(json_integer_value(json_object_get(kernel, "evaluated")), 2);
        cr_assert_str_eq(json_string_value(json_object_get(kernel, "problem")), i ? "two" : "one");
    }
    json_decref(document);
}

Test(tune, wrong_variants_are_rejected_and_told) {
    static const char wrong[] =
        "#pragma tune unit\n#pragma tune kernel(k)\n#pragma tune problem(line : n)\n"
        "#pragma tune param(MODE : 0, 1, 2, 3 = 0)\n#pragma tune block(64)\n"
        "#pragma tune grid(ceil_div(problem.n, 64))\n"
        "#pragma tune arg(in : in float[problem.n])\n#pragma tune arg(out : out float[problem.n])\n"
        "#pragma tune arg(n : int = problem.n)\n"
        "template <int MODE> __global__ void k(const float *in, float *out, int n) {\n"
        "    static_assert(MODE != 1, \"no such mode\");\n"
        "    int i = blockIdx.x * 64 + threadIdx.x;\n"
        "    if (i < n) out[i] = MODE == 2 && i == 77 ? 5.0f : in[i];\n"
        "    if (MODE == 3) *(volatile int *)8 = 1;\n"
        "}\n";
    workplace_write("k.hip", wrong);
    program_result result = program_run("tune k.hip --problem n=1000 --out out");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
    json_t *document = read_json("out/tune.json");
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    json_t *rejected = json_object_get(kernel, "rejected");
    cr_assert_eq(json_integer_value(json_object_get(rejected, "compile")), 1);
    cr_assert_eq(json_integer_value(json_object_get(rejected, "mismatch")), 1);
    cr_assert_eq(json_integer_value(json_object_get(rejected, "crash")), 1);
    cr_assert_str_eq(json_string_value(json_object_get(kernel, "status")), "kept");
    cr_assert(json_is_true(json_object_get(kernel, "verified")));
    json_decref(document);
}
