/* hiptemper profile, as a user sees it. Without ROCm these skip. */
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

TestSuite(kernel_profile, .init = workplace_make, .fini = workplace_remove);

static json_t *run_json(const char *words, int code) {
    program_result result = program_run(words);
    json_error_t at;
    cr_assert_eq(result.code, code, "%s: exit code %d\n%s", words, result.code, result.err);
    json_t *document = json_loads(result.out, 0, &at);
    cr_assert_not_null(document, "%s: %s\n%s", words, at.text, result.out);
    program_free(&result);
    return document;
}

static void need_gfx90a(void) {
    program_result result = program_run("devices --json");
    bool found = strstr(result.out, "amd:gfx90a") != NULL;
    program_free(&result);
    if (!found)
        cr_skip_test("there is no compiler for gfx90a");
}

/* `index`: of the input that thread i reads. */
static void source_write(const char *index, const char *more) {
    char text[4096];
    snprintf(text, sizeof text,
             "#include <hip/hip_runtime.h>\n"
             "__global__ void copy(float *out, const float *in, int n) {\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    if (i < n) out[i] = in[%s]%s;\n"
             "}\n"
             "void run(float *out, const float *in, int n) {\n"
             "    copy<<<(n + 255) / 256, 256>>>(out, in, n);\n"
             "}\n",
             index, more);
    workplace_write("copy.hip", text);
    workplace_write(
        "copy.problem.json",
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
        "\"copy\", \"problem\": \"line : n\", \"args\": [\"out : out float[problem.n]\", "
        "\"in : in float[problem.n * 32]\", \"n : int = problem.n\"], \"instances\": "
        "[{\"name\": \"a\", \"fields\": {\"n\": 65536}}]}]}");
}

static json_t *profile_of(const char *words, json_t **out_document) {
    *out_document = run_json(words, 0);
    json_t *kernel = json_array_get(json_object_get(*out_document, "kernels"), 0);
    json_t *size = json_array_get(json_object_get(kernel, "sizes"), 0);
    json_t *profile = json_array_get(json_object_get(size, "profiles"), 0);
    cr_assert(json_is_null(json_object_get(profile, "error")));
    return profile;
}

static double number(const json_t *profile, const char *part, const char *name) {
    const json_t *launch = json_array_get(json_object_get(profile, "launches"), 0);
    return json_number_value(json_object_get(json_object_get(launch, part), name));
}

/* Lanes that lie 128 bytes apart each load a line of their own, of which they use a word. */
Test(kernel_profile, loads_that_lie_apart_touch_more_lines_and_cost_more) {
    json_t *near_document, *far_document;
    need_gfx90a();
    source_write("i", "");
    json_t *near = profile_of("profile copy.hip --json", &near_document);
    cr_expect_float_eq(number(near, "per_output", "words_loaded"), 1, 1e-9);
    cr_expect_float_eq(number(near, "per_output", "stores"), 1, 1e-9);
    cr_expect_float_eq(number(near, "shape", "lines_per_load"), 4, 1e-9);
    cr_expect_float_eq(number(near, "shape", "lines_over_least"), 1, 1e-9);
    cr_expect_float_eq(number(near, "resources", "occupancy"), 1, 1e-9);
    source_write("32 * i", "");
    json_t *far = profile_of("profile copy.hip --json", &far_document);
    cr_expect_float_eq(number(far, "shape", "lines_per_load"), 64, 1e-9);
    cr_expect_float_eq(number(far, "shape", "lines_over_least"), 16, 1e-9);
    const json_t *a = json_object_get(near, "predicted"), *b = json_object_get(far, "predicted");
    cr_expect_gt(json_number_value(json_object_get(b, "ms")),
                 json_number_value(json_object_get(a, "ms")));
    double of = json_number_value(json_object_get(a, "of_roofline"));
    cr_expect(of > 0 && of <= 1, "%g", of);
    json_decref(near_document);
    json_decref(far_document);
}

Test(kernel_profile, remarks_configurations_and_counters_are_in_it) {
    need_gfx90a();
    source_write("i", " * 2.0f");
    workplace_write("c.csv", "Kernel_Name,Dispatch_Id,Counter_Name,Counter_Value\n"
                             "\"copy(float*, float const*, int)\",1,SQ_WAVES,1024\n");
    program_result result =
        program_run("profile copy.hip --config COARSEN_X=4 --counters c.csv --device model:mi50");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "the original\n"), "%s", result.out);
    cr_expect(strstr(result.out, "COARSEN_X=4"), "%s", result.out);
    cr_expect(strstr(result.out, "predicted, not measured"), "%s", result.out);
    cr_expect(strstr(result.out, "SQ_WAVES 1024"), "%s", result.out);
    cr_expect(strstr(result.out, "refactorings that were missed"), "%s", result.out);
    program_free(&result);
}

Test(kernel_profile, what_has_no_numbers_says_why) {
    program_result result = program_run("profile nothing.hip");
    cr_expect_eq(result.code, 2);
    program_free(&result);
    source_write("i", "");
    result = program_run("profile copy.hip --device host");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "model:mi250x"), "%s", result.err);
    program_free(&result);
    need_gfx90a();
    result = program_run("profile copy.hip --kernel other");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "no kernel named other"), "%s", result.err);
    program_free(&result);
}
