/* `hiptemper refactor` as a whole. */
#include "program.h"
#include "scale_problem.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(refactor, .init = workplace_make, .fini = workplace_remove);

/* Where not the verification itself is tested. */
#define FEW "--verify-configurations 4"

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

static const char problem[] = SCALE_PROBLEM;

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
    cr_assert(strstr(result.out, "scale.hip:3:17: remark: scale: "), "%s", result.out);
    cr_assert(strstr(result.out, " [applied: block-size]\n"), "%s", result.out);
    cr_assert(strstr(result.out, "1 file, 1 kernel, 1 templated"), "%s", result.out);
    program_free(&result);
}

Test(refactor, unknown_arguments_give_a_skeleton_with_their_names) {
    char *kernel = strndup(source, (size_t)(strstr(source, "void host") - source));
    workplace_write("scale.hip", kernel); /* and no launch */
    free(kernel);
    json_t *document = run_json("refactor scale.hip --json --out out " FEW, 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "needs-problem");
    cr_assert_str_eq(kernel_text(document, 0, "problem"), "missing");
    char *skeleton = workplace_read(kernel_text(document, 0, "skeleton"));
    cr_assert_not_null(skeleton);
    cr_assert(strstr(skeleton, "scale") && strstr(skeleton, "in") && strstr(skeleton, "out"));
    free(skeleton);
    json_decref(document);
}

/* Two headers stand in for two frameworks, one of which builds on the other. */
Test(refactor, a_stub_may_use_names_of_the_stubs_before_it) {
    workplace_write("base.h", "#pragma once\nnamespace fw { typedef float real; }\n");
    workplace_write("more.h", "#pragma once\nnamespace fw { struct pair { real a, b; }; }\n");
    workplace_write("sum.hip", "#include <fw/pair.h>\n"
                               "__global__ void sum(fw::pair p, fw::real *out, int n) {\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    if (i < n) out[i] = p.a + p.b;\n"
                               "}\n"
                               "void host(fw::pair p, fw::real *out, int n) {\n"
                               "    sum<<<(n + 63) / 64, 64>>>(p, out, n);\n"
                               "}\n");
    json_t *document =
        run_json("refactor sum.hip --stub base.h --stub more.h --no-verify --json", 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated", "%s",
                     kernel_text(document, 0, "reason"));
    json_decref(document);
    program_result result = program_run("refactor sum.hip --stub more.h --stub base.h");
    cr_assert_eq(result.code, 2);
    cr_assert(strstr(result.err, "more.h:2:"), "%s", result.err);
    program_free(&result);
}

/* Its guard says for which threads it is; the template that is made of it was run. */
Test(refactor, a_kernel_that_nothing_launches_is_verified_with_a_launch_that_covers_its_guard) {
    workplace_write("scale.hip", "#include <hip/hip_runtime.h>\n"
                                 "__global__ void scale(const float *in, float *out, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n) out[i] = 2 * in[i];\n}\n");
    json_t *document = run_json("refactor scale.hip --json --out out --verify-configurations 4", 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated");
    cr_assert_str_eq(kernel_text(document, 0, "problem"), "inferred");
    json_decref(document);
}

Test(refactor, a_problem_is_inferred_and_written_beside_the_template) {
    workplace_write("scale.hip", source);
    json_t *document = run_json("refactor scale.hip --json --out out " FEW, 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated");
    cr_assert_str_eq(kernel_text(document, 0, "problem"), "inferred");
    cr_assert_str_eq(kernel_text(document, 0, "problem_file"),
                     "out/scale.scale.template.problem.json");
    char *text = workplace_read("out/scale.scale.template.problem.json");
    cr_assert_not_null(text);
    cr_assert(strstr(text, "inferred from scale.hip:3"), "%s", text);
    free(text);
    json_decref(document);
    program_result result =
        program_run("tune out/scale.scale.template.hip --max-evals 3 --out tuned");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
    workplace_write("scale.problem.json", problem);
    document = run_json("refactor scale.hip --json --out out " FEW, 0);
    cr_assert_str_eq(kernel_text(document, 0, "problem"), "given", "one by hand wins");
    json_decref(document);
}

/* Subscripts that are not understood: the buffer is as large as a run asks for. */
Test(refactor, a_buffers_elements_are_as_many_as_a_run_touches) {
    workplace_write("scale.hip", "#include <hip/hip_runtime.h>\n"
                                 "__global__ void scale(float *a, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x, to = 0;\n"
                                 "    for (int bit = 0; bit < 4; ++bit) to += i << bit;\n"
                                 "    if (i < n) a[to] = i != NULL ? 2.f * i : 1.f;\n"
                                 "}\n"
                                 "int main(int argc, char **argv) {\n"
                                 "    int n = atoi(argv[1]);\n    float *a = get();\n"
                                 "    scale<<<(n + 63) / 64, 64>>>(a, n);\n"
                                 "}\n");
    json_t *document = run_json("refactor scale.hip --json --out out " FEW, 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated", "%s",
                     kernel_text(document, 0, "reason"));
    char *text = workplace_read(kernel_text(document, 0, "problem_file"));
    cr_assert_not_null(text);
    cr_expect(strstr(text, "\"a : out float[problem.a_elements]\""), "%s", text);
    cr_expect(strstr(text, "\"a_elements\": 524288"), "%s", text);
    free(text);
    json_decref(document);
    document = run_json("refactor scale.hip --json --out other --no-verify", 0);
    cr_expect_str_eq(kernel_text(document, 0, "status"), "needs-problem");
    json_decref(document);
}

/* Each output counts in an array of its own, though each step of it is by one. */
Test(refactor, counts_at_an_outputs_own_subscript_are_not_shared) {
    workplace_write("count.hip", "#include <hip/hip_runtime.h>\n"
                                 "__global__ void count(float *out, const int *in, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    int seen[8] = {};\n"
                                 "    if (i >= n) return;\n"
                                 "    for (int j = 0; j < 5; ++j) seen[in[i + j] & 7]++;\n"
                                 "    out[i] = seen[0] * 3 + seen[1];\n"
                                 "}\n"
                                 "int main(int argc, char **argv) {\n"
                                 "    int n = atoi(argv[1]), *in;\n    float *out;\n"
                                 "    count<<<(n + 63) / 64, 64>>>(out, in, n);\n"
                                 "}\n");
    json_t *document = run_json("refactor count.hip --json --out out " FEW, 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated", "%s",
                     kernel_text(document, 0, "reason"));
    json_decref(document);
}

/* Loaded numbers are subscripts of a local array, which negative ones and 8 are not. */
Test(refactor, contents_are_made_smaller_until_the_original_runs) {
    workplace_write("count.hip", "#include <hip/hip_runtime.h>\n"
                                 "__global__ void count(float *out, const char *in, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    int seen[8] = {};\n"
                                 "    if (i >= n) return;\n"
                                 "    for (int j = 0; j < 5; ++j) seen[in[i + j]]++;\n"
                                 "    out[i] = seen[0] * 3 + seen[1];\n"
                                 "}\n"
                                 "int main(int argc, char **argv) {\n"
                                 "    int n = atoi(argv[1]);\n    float *out;\n    char *in;\n"
                                 "    count<<<(n + 63) / 64, 64>>>(out, in, n);\n"
                                 "}\n");
    json_t *document = run_json("refactor count.hip --json --out out " FEW, 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated", "%s",
                     kernel_text(document, 0, "reason"));
    char *text = workplace_read(kernel_text(document, 0, "problem_file"));
    cr_assert_not_null(text);
    cr_expect(strstr(text, "+ 4] integers(0, 7)\""), "%s", text);
    free(text);
    text = workplace_read(kernel_text(document, 0, "template"));
    cr_expect(strstr(text, "+ 4] integers(0, 7))\n"), "%s", text);
    free(text);
    json_decref(document);
}

/* Numbers of a text are those of letters. The launch's brackets stand as some editors write them.
 */
Test(refactor, text_is_filled_with_letters) {
    workplace_write("letters.cu", "#include <hip/hip_runtime.h>\n"
                                  "__global__ void k(const char *text, int *bins, int n) {\n"
                                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "    if (i < n) atomicAdd(&bins[(text[i] - 'a') / 4], 1);\n"
                                  "}\n"
                                  "void run(const char *text, int n) {\n"
                                  "    int *bins;\n"
                                  "    hipMalloc(&bins, 7 * sizeof(int));\n"
                                  "    k << <(n + 63) / 64, 64 >> > (text, bins, n);\n"
                                  "}\n");
    program_result result = program_run("refactor --verify-configurations 1 --jobs 1 letters.cu");
    cr_expect_eq(result.code, 0, "%s", result.err);
    char *text = workplace_read("hiptemper-out/letters.k.template.hip");
    cr_expect(strstr(text, "arg(text : in char[problem.n] integers(97, 122))"), "%s", text);
    free(text);
    program_free(&result);
}

/* Two threads that write one element race, and which is last is not known: no subscript may come
 * twice. */
Test(refactor, subscripts_that_must_differ_are_counted_up) {
    workplace_write("scatter.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void k(const float *in, const int *to, float *out, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) out[to[i]] = in[i] + out[to[i]] * 0.5f;\n"
                    "}\n"
                    "void run(const float *in, const int *to, int n) {\n"
                    "    float *out;\n"
                    "    hipMalloc(&out, n * sizeof(float));\n"
                    "    k<<<(n + 63) / 64, 64>>>(in, to, out, n);\n"
                    "}\n");
    program_result result =
        program_run("refactor --verify-configurations 1 --jobs 1 --json=r.json scatter.hip");
    cr_expect_eq(result.code, 0, "%s", result.err);
    char *text = workplace_read("hiptemper-out/scatter.k.template.hip");
    cr_expect(strstr(text, "arg(to : in int[problem.n] iota)"), "%s", text);
    free(text);
    program_free(&result);
}

/* The caller's array is as long as the numbers in the other say. */
Test(refactor, an_output_reaches_as_far_as_subscripts_that_are_counted_up) {
    workplace_write("compact.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void k(const float *in, const int *keep, const int *to, float *out,"
                    " int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n && keep[i]) out[to[i]] = in[i];\n"
                    "}\n"
                    "void run(const float *in, const int *keep, const int *to, float *out, int n) "
                    "{\n"
                    "    k<<<(n + 63) / 64, 64>>>(in, keep, to, out, n);\n"
                    "}\n");
    json_t *document =
        run_json("refactor --verify-configurations 1 --jobs 1 compact.hip --json", 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "templated", "%s",
                     kernel_text(document, 0, "reason"));
    char *text = workplace_read(kernel_text(document, 0, "template"));
    cr_expect(strstr(text, "arg(to : in int[problem.n] iota)"), "%s", text);
    cr_expect(strstr(text, "arg(out : out partial float[max(64, problem.n, problem.n)])"), "%s",
              text);
    free(text);
    json_decref(document);
}

/* A subscript that lies ahead of the buffer, however large that is. */
Test(refactor, an_inferred_problem_that_the_original_does_not_run_on_is_none) {
    workplace_write("scale.hip", "#include <hip/hip_runtime.h>\n"
                                 "__global__ void scale(float *a, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n) a[(i ^ 1) - 1] *= 2;\n"
                                 "}\n"
                                 "int main(int argc, char **argv) {\n"
                                 "    int n = atoi(argv[1]);\n    float *a;\n"
                                 "    hipMalloc(&a, n * sizeof(float));\n"
                                 "    scale<<<(n + 63) / 64, 64>>>(a, n);\n"
                                 "}\n");
    json_t *document = run_json("refactor scale.hip --json --out out " FEW, 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "needs-problem");
    cr_assert_str_eq(kernel_text(document, 0, "problem"), "missing");
    /* The access outside, or the crash when nothing is mapped there. */
    const char *reason = kernel_text(document, 0, "reason");
    cr_assert(strstr(reason, "does not hold") && (strstr(reason, "'a'") || strstr(reason, "crash")),
              "%s", reason);
    cr_assert_null(kernel_text(document, 0, "template"));
    char *skeleton = workplace_read(kernel_text(document, 0, "skeleton"));
    cr_assert_not_null(skeleton);
    free(skeleton);
    json_decref(document);
    document = run_json("optimize scale.hip --out out --max-evals 2 --json -", 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "needs-problem");
    json_decref(document);
}

Test(refactor, unreadable_files_of_a_folder_do_not_stop_the_others) {
    workplace_write("src/a.hip", "#include \"nowhere_to_be_found.h\"\n__global__ void a( {\n");
    workplace_write("src/scale.hip", source);
    workplace_write("src/scale.problem.json", problem);
    program_result result = program_run("refactor src --json=kernels.json " FEW);
    cr_assert(result.code == 0 || result.code == 1, "%d: %s", result.code, result.err);
    cr_assert(strstr(result.out, "templated"), "%s", result.out);
    program_free(&result);
}

/* ---- trees */

static const char kernel_header[] = "#pragma once\n"
                                    "__global__ void scale(const float *in, float *out, int n) {\n"
                                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    if (i < n) out[i] = FACTOR * in[i];\n"
                                    "}\n";

static const char unit[] = "#include <cuda_runtime.h>\n#include \"scale.cuh\"\n"
                           "void host(const float *in, float *out, int n) {\n"
                           "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n";

Test(refactor, a_tree_is_read_with_its_compilation_database) {
    workplace_write("src/include/scale.cuh", kernel_header);
    workplace_write("src/include/scale.problem.json", problem);
    workplace_write("src/main.cu", unit);
    workplace_write("src/bad.hip", "__global__ void broken(float *out) { out[0] = nowhere(); }\n");
    char *database = NULL;
    cr_assert(asprintf(&database,
                       "[{\"directory\": \"%s/src\", \"file\": \"main.cu\", \"command\": "
                       "\"nvcc -Iinclude -DFACTOR=3 -c main.cu\"}]",
                       workplace()) > 0);
    workplace_write("src/build/compile_commands.json", database);
    json_t *document = run_json("refactor src --json --sarif log.sarif --jobs 2 --out out " FEW, 0);
    cr_assert_eq(json_integer_value(json_object_get(document, "files")), 2);
    cr_assert_eq(json_integer_value(json_object_get(document, "parsed")), 2);
    cr_assert_eq(json_array_size(json_object_get(document, "kernels")), 2);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "unparsed");
    cr_assert_str_eq(kernel_text(document, 1, "file"), "src/include/scale.cuh");
    cr_assert_str_eq(kernel_text(document, 1, "status"), "templated");
    cr_assert(strstr(kernel_text(document, 1, "launch_file"), "src/main.cu"));
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), 1);
    cr_assert(json_is_true(json_object_get(kernel, "verified")));
    cr_assert(json_array_size(json_object_get(kernel, "transformations")) >= 2);
    cr_assert_str_eq(json_string_value(json_array_get(json_object_get(kernel, "parameters"), 0)),
                     "BLOCK_X");
    json_decref(document);
    char *text = workplace_read("log.sarif");
    json_t *log = json_loads(text, 0, NULL);
    cr_assert_not_null(log);
    json_t *run = json_array_get(json_object_get(log, "runs"), 0);
    json_t *results = json_object_get(run, "results");
    cr_assert(json_array_size(results) >= 4);
    json_t *first = json_array_get(results, 0);
    cr_assert_str_eq(json_string_value(json_object_get(first, "ruleId")), "unparsed");
    json_t *place =
        json_object_get(json_array_get(json_object_get(first, "locations"), 0), "physicalLocation");
    cr_assert_str_eq(
        json_string_value(json_object_get(json_object_get(place, "artifactLocation"), "uri")),
        "src/bad.hip");
    cr_assert_eq(json_integer_value(json_object_get(json_object_get(place, "region"), "startLine")),
                 1);
    json_decref(log);
    free(text);
    free(database);
}

/* The unit that launches it includes it, and could not change it there. */
Test(refactor, optimize_has_one_entry_for_a_headers_kernel) {
    workplace_write("src/scale.cuh", kernel_header);
    workplace_write("src/scale.problem.json", problem);
    workplace_write("src/main.cu", unit);
    json_t *document =
        run_json("optimize src/main.cu src/scale.cuh -D FACTOR=2 --json - --max-evals "
                 "1 --check none --out out",
                 0);
    cr_assert_eq(json_array_size(json_object_get(document, "kernels")), 1);
    cr_assert_str_eq(kernel_text(document, 0, "file"), "src/scale.cuh");
    json_decref(document);
}

Test(refactor, a_second_run_writes_the_same) {
    workplace_write("src/scale.cuh", kernel_header);
    workplace_write("src/scale.problem.json", problem);
    workplace_write("src/main.cu", unit);
    json_decref(run_json("refactor src --json -D FACTOR=2 --out out " FEW, 0));
    char *first = workplace_read("out/scale.scale.template.hip");
    json_t *again = run_json("refactor src --json -D FACTOR=2 --out out --jobs 1 " FEW, 0);
    char *second = workplace_read("out/scale.scale.template.hip");
    cr_assert_not_null(first);
    cr_assert_str_eq(first, second);
    json_decref(again);
    free(first);
    free(second);
}

/* A third of a second in clang: a busy machine may look at the time late. */
Test(refactor, a_file_that_takes_too_long_is_left_out) {
    static const char slow[] = "constexpr int slow() {\n    int sum = 0;\n"
                               "    for (int i = 0; i < 300000; ++i)\n        sum += i & 1;\n"
                               "    return sum;\n}\nstatic_assert(slow() == 150000, \"\");\n";
    char *text = ht_format("%s%s", source, slow);
    workplace_write("src/scale.hip", text);
    free(text);
    json_t *document = run_json("refactor src --json --file-time 0.001", 1);
    cr_assert_eq(json_integer_value(json_object_get(document, "parsed")), 0);
    json_t *error = json_array_get(json_object_get(document, "errors"), 0);
    cr_assert(strstr(json_string_value(json_object_get(error, "message")), "--file-time"));
    json_decref(document);
}

Test(refactor, a_broken_database_is_bad_input) {
    workplace_write("scale.hip", source);
    workplace_write("commands.json", "[{\"file\": 3}]");
    program_result result = program_run("refactor scale.hip --compile-commands commands.json " FEW);
    cr_assert_eq(result.code, 2);
    cr_assert(strstr(result.err, "commands.json") && strstr(result.err, "entry 1"), "%s",
              result.err);
    program_free(&result);
}

static void expect_same(const char *path, const char *before) {
    char *after = workplace_read(path);
    cr_assert_str_eq(after, before, "%s", path);
    free(after);
}

/* The author's macros are in force where the launcher includes the template. */
Test(refactor, a_launcher_does_not_mind_the_macros_of_a_source) {
    workplace_write(
        "smooth.hip",
        "#include <hip/hip_runtime.h>\n"
        "#define min(a, b) ((a) < (b) ? (a) : (b))\n#define T 16\n#define U 3\n#define abs ?\n"
        "#define x(i) in[i]\n#define N 7\n"
        "__global__ void smooth(const float *in, float *out, int W) {\n"
        "    const int col = blockIdx.x * T + threadIdx.x;\n"
        "    float sum = N;\n"
        "    for (int k = 0; k < U; ++k) sum += x(min(col + k, W - 1));\n"
        "    if (col < W) out[col] = sum;\n"
        "}\n"
        "void run(int n) {\n"
        "    float *in, *out;\n    hipMalloc(&in, 4 * n); hipMalloc(&out, 4 * n);\n"
        "    smooth<<<(n + T - 1) / T, T>>>(in, out, n);\n}\n");
    workplace_write(
        "smooth.problem.json",
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
        "\"smooth\", \"problem\": \"line : N, T = 3, U := N + T\", \"args\": [\"in : in "
        "float[problem.N]\", \"out : out float[problem.N]\", \"W : int = problem.N\"], \"host\": "
        "{\"n\": \"problem.N\"}, \"instances\": [{\"fields\": {\"N\": 100}}]}]}");
    json_decref(run_json("refactor smooth.hip --no-verify --json --out out", 0));
    workplace_write("use.hip",
                    "#include \"out/smooth.smooth.launch.hpp\"\n"
                    "hipError_t use(const float *in, float *out) {\n"
                    "    smooth_tuned::problem_fields sizes;\n"
                    "    return smooth_tuned::launch<8>(in, out, sizes) == hipSuccess && "
                    "min(T, U) == 3 ? hipSuccess : hipErrorUnknown;\n}\n");
    char *template = workplace_read("out/smooth.smooth.template.hip");
    cr_assert(template && strstr(template, "RESTRICT") && strstr(template, "#define N 7"), "%s",
              template);
    char *command = ht_format("clang-19 -x hip -std=c++17 -nogpulib --offload-arch=gfx90a -w "
                              "-fsyntax-only '%s/use.hip'",
                              workplace());
    int status = system(command);
    free(command);
    cr_expect_eq(status, 0);
    free(template);
}

Test(refactor, a_second_run_changes_nothing) {
    workplace_write("src/scale.hip", source);
    workplace_write("src/scale.problem.json", problem);
    json_decref(run_json("refactor src --json --beside --out out " FEW, 0));
    char *template = workplace_read("src/scale.scale.template.hip");
    char *launcher = workplace_read("src/scale.scale.launch.hpp");
    cr_assert_not_null(template);
    cr_assert_not_null(launcher);
    cr_assert(strstr(launcher, "template <int BLOCK_X = 64"), "%s", launcher);
    cr_assert(strstr(launcher, "#include \"scale.scale.template.hip\""));
    json_t *document = run_json("refactor src --json --beside --out out " FEW, 0);
    cr_assert_eq(json_integer_value(json_object_get(document, "files")), 1);
    cr_assert_str_eq(kernel_text(document, 0, "launcher"), "src/scale.scale.launch.hpp");
    expect_same("src/scale.scale.template.hip", template);
    expect_same("src/scale.scale.launch.hpp", launcher);
    expect_same("src/scale.hip", source);
    json_decref(document);
    free(launcher);
    free(template);
}

/* Parts that others build on a transformation that is left out go with it; the rest stays. */
Test(refactor, a_transformation_is_left_out_by_name) {
    workplace_write("scale.hip", source);
    workplace_write("scale.problem.json", problem);
    json_t *all = run_json("refactor scale.hip --json --no-verify", 0);
    json_t *less =
        run_json("refactor scale.hip --json --no-verify --without coarsen-x --without restrict", 0);
    json_t *had = json_object_get(json_array_get(json_object_get(all, "kernels"), 0),
                                  "transformations"),
           *has = json_object_get(json_array_get(json_object_get(less, "kernels"), 0),
                                  "transformations");
    bool before = false, block = false;
    size_t index;
    json_t *name;
    json_array_foreach(had, index, name) before =
        before || strcmp(json_string_value(name), "coarsen-x") == 0;
    cr_assert(before);
    json_array_foreach(has, index, name) {
        cr_expect_str_neq(json_string_value(name), "coarsen-x");
        block = block || strcmp(json_string_value(name), "block-size") == 0;
    }
    cr_expect(block);
    json_decref(all);
    json_decref(less);
}

Test(refactor, a_transformation_that_there_is_not_is_bad_input) {
    workplace_write("scale.hip", source);
    static const char *const commands[] = {"refactor scale.hip --without nope",
                                           "optimize scale.hip --without nope --max-evals 1"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        program_result result = program_run(commands[i]);
        cr_expect_eq(result.code, 2, "%s", commands[i]);
        cr_expect(strstr(result.err, "no transformation is named 'nope'; there are: block-size, "),
                  "%s", result.err);
        program_free(&result);
    }
}

/* Those that take the time, the longest first, whatever their order in files and names. */
Test(refactor, a_profile_chooses_kernels_and_orders_them) {
    static const char kernel[] = "__global__ void %s(float *out, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n) out[i] = i;\n}\n";
    char *first = ht_format("#include <hip/hip_runtime.h>\n%s%s", kernel, kernel);
    char *a = ht_format(first, "little", "second"), *b = ht_format(first, "longest", "unseen");
    workplace_write("a.hip", a);
    workplace_write("b.hip", b);
    workplace_write("stats.csv", "Name,TotalDurationNs\n\"second(float*, int)\",300\n"
                                 "\"little(float*, int)\",20\n\"longest(float*, int)\",600\n"
                                 "\"library(float*)\",80\n");
    json_t *document = run_json("refactor a.hip b.hip --profile stats.csv --json --no-verify", 0);
    cr_expect_eq(json_array_size(json_object_get(document, "kernels")), 2);
    cr_expect_str_eq(kernel_text(document, 0, "name"), "longest");
    cr_expect_str_eq(kernel_text(document, 1, "name"), "second");
    const json_t *row = json_array_get(json_object_get(document, "kernels"), 0);
    cr_expect_float_eq(json_real_value(json_object_get(row, "share")), 0.6, 1e-12);
    json_decref(document);
    document =
        run_json("refactor a.hip b.hip --profile stats.csv --share 100 --json --no-verify", 0);
    cr_expect_eq(json_array_size(json_object_get(document, "kernels")), 3, "unseen took no time");
    json_decref(document);
    program_result words = program_run("refactor a.hip b.hip --profile stats.csv --no-verify");
    cr_expect(strstr(words.out, "Not rewritten, as the others take 95 % of the time (--share): "
                                "little (2.0 %)"),
              "%s", words.out);
    cr_expect(strstr(words.out, "in none of these files: library (8.0 %)"), "%s", words.out);
    program_free(&words);
    words = program_run("refactor a.hip --profile nothing.csv");
    cr_expect_eq(words.code, 2, "%s", words.err);
    program_free(&words);
    free(b);
    free(a);
    free(first);
}
