/* `hiptemper refactor` as a whole. */
#include "program.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(refactor, .init = workplace_make, .fini = workplace_remove);

static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "#define BLOCK 64\n"
    "__global__ void scale(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) out[i] = 2 * in[i];\n"
    "}\n"
    "void host(const float *in, float *out, int n) {\n"
    "    hipLaunchKernelGGL(scale, dim3((n + BLOCK - 1) / BLOCK), dim3(BLOCK), 0, 0, in, out, n);\n"
    "}\n";

static const char problem[] =
    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
    "  \"kernel\": \"scale\", \"problem\": \"line : n\",\n"
    "  \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\", "
    "\"n : int = problem.n\"],\n"
    "  \"host\": {\"n\": \"problem.n\"},\n"
    "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"n\": 1000}} ] } ] }\n";

static json_t *run_json(const char *words, int code) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%d: %s", result.code, result.err);
    json_error_t error;
    json_t *document = json_loads(result.out, 0, &error);
    cr_assert_not_null(document, "%s in %s", error.text, result.out);
    program_free(&result);
    return document;
}

static const char *kernel_text(json_t *document, size_t index, const char *name) {
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), index);
    return json_string_value(json_object_get(kernel, name));
}

Test(refactor, writes_a_template_that_tune_accepts) {
    workplace_write("scale.hip", source);
    workplace_write("scale.problem.json", problem);
    json_t *document = run_json("refactor scale.hip --json --out out", 0);
    cr_assert_str_eq(json_string_value(json_object_get(document, "format")), "hiptemper-refactor");
    cr_assert_eq(json_integer_value(json_object_get(document, "files")), 1);
    cr_assert_eq(json_integer_value(json_object_get(document, "parsed")), 1);
    cr_assert_str_eq(kernel_text(document, 0, "name"), "scale");
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated");
    const char *template = kernel_text(document, 0, "template");
    cr_assert_not_null(template);
    char *text = workplace_read(template);
    cr_assert_not_null(text);
    cr_assert(strstr(text, "#pragma tune kernel(scale<"));
    free(text);
    json_decref(document);
    program_result result =
        program_run("tune out/scale.scale.template.hip --problem n=5000 --max-evals 3 --out tuned");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
}

Test(refactor, remarks_read_like_a_compilers) {
    workplace_write("scale.hip", source);
    workplace_write("scale.problem.json", problem);
    program_result result = program_run("refactor scale.hip --explain");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_assert(strstr(result.out, "scale.hip:"));
    cr_assert(strstr(result.out, ": applied: "), "%s", result.out);
    cr_assert(strstr(result.out, "1 kernel, 1 templated"), "%s", result.out);
    program_free(&result);
}

Test(refactor, unknown_arguments_give_a_skeleton_with_their_names) {
    workplace_write("scale.hip", source);
    json_t *document = run_json("refactor scale.hip --json --out out", 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "needs-problem");
    char *skeleton = workplace_read(kernel_text(document, 0, "skeleton"));
    cr_assert_not_null(skeleton);
    cr_assert(strstr(skeleton, "scale") && strstr(skeleton, "in") && strstr(skeleton, "out"));
    free(skeleton);
    json_decref(document);
}

Test(refactor, unreadable_files_of_a_folder_do_not_stop_the_others) {
    workplace_write("src/a.hip", "#include \"nowhere_to_be_found.h\"\n__global__ void a( {\n");
    workplace_write("src/scale.hip", source);
    workplace_write("src/scale.problem.json", problem);
    program_result result = program_run("refactor src --json=kernels.json");
    cr_assert(result.code == 0 || result.code == 1, "%d: %s", result.code, result.err);
    cr_assert(strstr(result.out, "templated"), "%s", result.out);
    program_free(&result);
}
