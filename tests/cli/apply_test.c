/* `hiptemper apply` as a whole. */
#include "program.h"
#include "scale_problem.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(apply, .init = workplace_make, .fini = workplace_remove);

static const char header[] =
    "#pragma once\n"
    "// scales a line\n"
    "__global__ void scale(const float *in, float *out, int n) // in place\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x; /* index */\n"
    "    if (i < n)\n"
    "        out[i] = 2 * in[i];\n"
    "}\n";

static const char unit[] = "#include <cuda_runtime.h>\n"
                           "#include \"scale.cuh\"\n"
                           "void host(const float *in, float *out, int n) {\n"
                           "    int block = 256; // threads\n"
                           "    scale<<<(n + block - 1) / block, block>>>(in, out, n);\n"
                           "}\n";

static const char problem[] = SCALE_PROBLEM;

static void tree_write(void) {
    workplace_write("src/scale.cuh", header);
    workplace_write("src/scale.problem.json", problem);
    workplace_write("src/main.cu", unit);
}

static void expect_run(const char *words, int code, const char *said) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%s: %d: %s%s", words, result.code, result.out, result.err);
    if (said)
        cr_assert(strstr(code ? result.err : result.out, said), "%s: %s%s", words, result.out,
                  result.err);
    program_free(&result);
}

static void expect_text(const char *path, const char *wanted) {
    char *text = workplace_read(path);
    cr_assert_not_null(text, "%s", path);
    cr_assert_str_eq(text, wanted);
    free(text);
}

static void shell(const char *command) {
    char *words = NULL;
    cr_assert(asprintf(&words, "cd '%s' && %s", workplace(), command) > 0);
    int code = system(words); /* NOLINT(cert-env33-c): a fixed command in the test's own folder */
    cr_assert_eq(code, 0, "%s", command);
    free(words);
}

/* The kernel in a header, its launch in a source: copies, one patch for both, and the same in
 * place. */
Test(apply, a_launch_in_another_file_changes_with_the_kernel) {
    tree_write();
    expect_run("apply BLOCK_X=64 src/scale.cuh --out tuned --no-comment", 0, "scale: applied");
    expect_text("src/main.cu", unit); /* not edited */
    expect_text("src/scale.cuh", header);
    char *kernel = workplace_read("tuned/scale.cuh"),
         *launch = workplace_read("tuned/scale.cuh.launches/main.cu");
    cr_assert_str_eq(kernel, header); /* it takes blockDim as it comes */
    cr_assert(strstr(launch, "int block = 64; // threads"), "%s", launch);
    cr_assert(strstr(launch, "(n + block - 1) / block, block>>>"), "%s", launch);
    shell("patch -s -p1 < tuned/scale.cuh.patch");
    expect_text("src/main.cu", launch);
    free(kernel);
    free(launch);
}

Test(apply, a_second_run_in_place_changes_nothing) {
    tree_write();
    expect_run("apply BLOCK_X=64,COARSEN_X=2 src/scale.cuh --in-place --comment", 0, "applied");
    char *kernel = workplace_read("src/scale.cuh"), *launch = workplace_read("src/main.cu");
    cr_assert(strstr(kernel, "// scales a line\n// Tuned by hiptemper "), "%s", kernel);
    cr_assert(strstr(kernel, "/* index */"));
    cr_assert(strstr(kernel, "int n) // in place\n"));
    expect_run("apply BLOCK_X=64,COARSEN_X=2 src/scale.cuh --in-place", 0, "unchanged");
    expect_text("src/scale.cuh", kernel);
    expect_text("src/main.cu", launch);
    expect_run("apply BLOCK_X=128 src/scale.cuh --in-place", 1, "tuned already");
    free(kernel);
    free(launch);
}

/* Nothing was measured: there is nothing in a comment that the code does not say. */
Test(apply, a_configuration_without_a_speedup_gets_no_comment) {
    tree_write();
    expect_run("apply BLOCK_X=64,COARSEN_X=2 src/scale.cuh --out plain", 0, "applied");
    char *text = workplace_read("plain/scale.cuh");
    cr_expect_not(strstr(text, "hiptemper"), "%s", text);
    free(text);
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        ++count;
    return count;
}

#define REPORT(emulated)                                                                           \
    "{\"kernels\": [{\"name\": \"scale\", \"file\": \"src/scale.cuh\", \"status\": \"improved\", " \
    "\"config\": {\"BLOCK_X\": 64}, \"problem_fields\": \"N=4096\", \"device\": \"amd:gfx90a\", "  \
    "\"emulated\": " emulated ", \"speedup\": 1.306, \"speedup_ci\": [1.29, 1.33]}]}"

/* A reader of the kernel learns what was gained and where; a gain under emulation is not taken for
 * one of a GPU. */
Test(apply, one_comment_says_what_was_measured) {
    tree_write();
    workplace_write("report.json", REPORT("false"));
    expect_run("apply report.json --out gpu", 0, "applied");
    char *text = workplace_read("gpu/scale.cuh");
    cr_expect_eq(count_of(text, "Tuned by"), 1, "%s", text);
    cr_expect(strstr(text, "BLOCK_X=64; 1.31x [1.29, 1.33] for N=4096 on\n// amd:gfx90a\n"), "%s",
              text);
    cr_expect_not(strstr(text, "emulation"), "%s", text);
    free(text);
    workplace_write("report.json", REPORT("true"));
    expect_run("apply report.json --out host", 0, "applied");
    text = workplace_read("host/scale.cuh");
    cr_expect_eq(count_of(text, "Tuned by"), 1, "%s", text);
    cr_expect(strstr(text, "measured\n// in host emulation, not on a GPU\n"), "%s", text);
    free(text);
    expect_run("apply report.json --out none --no-comment", 0, "applied");
    text = workplace_read("none/scale.cuh");
    cr_expect_not(strstr(text, "hiptemper"), "%s", text);
    free(text);
}

/* A form that nobody writes by hand is written when it is asked for by name, but not silently. */
Test(apply, a_form_that_nobody_writes_is_named) {
    tree_write();
    program_result result =
        program_run("apply BLOCK_X=64,COARSEN_X=2,COARSEN_X_JAM=true src/scale.cuh --out a");
    cr_expect_eq(result.code, 0);
    cr_expect(strstr(result.err, "written with a second body for the edge (COARSEN_X_JAM)"), "%s",
              result.err);
    program_free(&result);
    result = program_run("apply BLOCK_X=64,COARSEN_X=2,COARSEN_X_JAM=true src/scale.cuh --out d "
                         "--style any");
    cr_expect_eq(result.code, 0);
    cr_expect_not(strstr(result.err, "second body"), "%s", result.err);
    program_free(&result);
    expect_run("apply BLOCK_X=64,COARSEN_X=2 src/scale.cuh --out b --json=b.json", 0, NULL);
    char *text = workplace_read("b.json");
    cr_expect(strstr(text, "\"form\": null"), "%s", text);
    free(text);
    expect_run("apply BLOCK_X=64 src/scale.cuh --out c --style fancy", 2, "neither plain nor any");
}

Test(apply, a_kernel_that_others_launch_too_is_left_alone) {
    tree_write();
    workplace_write("src/other.cu", "#include \"scale.cuh\"\n"
                                    "void other(const float *in, float *out, int n) {\n"
                                    "    scale<<<(n + 31) / 32, 32>>>(in, out, n);\n}\n");
    expect_run("apply BLOCK_X=64 src/scale.cuh --out tuned", 1, "other.cu too");
}

Test(apply, templates_and_reports_tell_the_source) {
    tree_write();
    expect_run("refactor src --out out --no-verify", 0, NULL);
    expect_run("apply BLOCK_X=64 out/scale.scale.template.hip --out a", 0, "applied");
    workplace_write("best.json", "{\"BLOCK_X\": 64}");
    expect_run("apply best.json src/scale.cuh --out b", 0, "applied");
    workplace_write("report.json",
                    "{\"kernels\": [{\"name\": \"scale\", \"file\": \"src/scale.cuh\", \"status\": "
                    "\"improved\", \"config\": {\"BLOCK_X\": 64, \"LAUNCH_BOUNDS\": false}}, "
                    "{\"name\": \"scale\", \"file\": \"src/scale.cuh\", \"status\": \"kept\", "
                    "\"config\": {\"BLOCK_X\": 32}}]}");
    expect_run("apply report.json --out c", 0, "applied");
    char *text = workplace_read("a/scale.cuh.launches/main.cu");
    expect_text("b/scale.cuh.launches/main.cu", text);
    expect_text("c/scale.cuh.launches/main.cu", text);
    free(text);
}

Test(apply, mistakes_are_told) {
    tree_write();
    expect_run("apply BLOCK_X=64", 2, "give the file too");
    expect_run("apply NOTHING=1 src/scale.cuh", 2, "NOTHING");
    expect_run("apply BLOCK_X=63 src/scale.cuh", 2, "63");
    expect_run("apply what src/scale.cuh", 2, "neither a JSON file nor");
    expect_run("apply BLOCK_X=64 src/scale.cuh --kernel other", 2, "it has no kernel other");
    workplace_write("bad.json", "{\"BLOCK_X\": [1]}");
    expect_run("apply bad.json src/scale.cuh", 2, "bad.json");
}

Test(apply, a_kernel_that_nothing_launches_gets_a_launcher) {
    workplace_write("scale.hip", "#include <hip/hip_runtime.h>\n"
                                 "__global__ void scale(const float *in, float *out, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n)\n"
                                 "        out[i] = 2 * in[i];\n"
                                 "}\n");
    workplace_write("scale.problem.json",
                    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
                    "  \"kernel\": \"scale\", \"problem\": \"line : n\",\n"
                    "  \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\", "
                    "\"n : int = problem.n\"],\n"
                    "  \"block\": [\"256\"], \"grid\": [\"(problem.n + 255) / 256\"],\n"
                    "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"n\": 1000}} ] } ] }\n");
    expect_run("apply BLOCK_X=64 scale.hip --out tuned", 0, "verified  1 launch of the file run");
    char *text = workplace_read("tuned/scale.hip");
    cr_assert(text && strstr(text, "scale_tuned_launch("), "%s", text ? text : "");
    free(text);
}

/* Line 34 of a template that nobody sees says nothing; the sizes do. */
Test(apply, what_is_not_legal_is_so_for_sizes_that_are_named) {
    workplace_write("sum.hip", "#include <hip/hip_runtime.h>\n"
                               "__global__ void sum(const float *in, float *out, int n, int w) {\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    if (i < n) {\n"
                               "        float s = 0.0f;\n"
                               "        for (int k = 0; k < w; ++k)\n"
                               "            s += in[i + k];\n"
                               "        out[i] = s;\n"
                               "    }\n"
                               "}\n"
                               "void run(const float *in, float *out, int n, int w) {\n"
                               "    sum<<<(n + 255) / 256, 256>>>(in, out, n, w);\n"
                               "}\n");
    program_result result = program_run("apply W_SIZE=3 sum.hip");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "sum.hip:2: sum: 'W_SIZE=3' is not legal for n="), "%s",
              result.err);
    cr_expect(strstr(result.err, "require(W_SIZE == 0 || W_SIZE == w) does not hold; give those it "
                                 "is meant for with --problem"),
              "%s", result.err);
    program_free(&result);
}

/* A program that says its size launches no more blocks for any: sizes that it does not have are no
 * reason to hold a lower block back. */
Test(apply, a_size_that_the_program_fixes_bounds_its_launch) {
    workplace_write("rows.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void rows(const float *in, float *out, int h, int w) {\n"
                    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                    "    if (x < w && y < h)\n"
                    "        out[y * w + x] = 2 * in[y * w + x];\n"
                    "}\n"
                    "int main() {\n"
                    "    const int h = 64, w = 96;\n"
                    "    float *in, *out;\n"
                    "    hipMalloc(&in, h * w * sizeof(float));\n"
                    "    hipMalloc(&out, h * w * sizeof(float));\n"
                    "    dim3 grid((w + 15) / 16, (h + 15) / 16), block(16, 16);\n"
                    "    rows<<<grid, block>>>(in, out, h, w);\n"
                    "}\n");
    expect_run("apply --kernel rows BLOCK_Y=2 rows.hip", 0, "equal to the bit");
    char *text = workplace_read("hiptemper-out/rows.hip");
    cr_assert(text && strstr(text, "(h + 1) / 2), block(16, 2);"), "%s", text);
    free(text);
}

/* A number of blocks that is computed from sizes is no size of its own: it would be varied apart
 * from them, and a launch that is right for all sizes be held back. */
Test(apply, a_constant_number_of_blocks_hangs_on_the_sizes) {
    workplace_write("line.hip", "#include <hip/hip_runtime.h>\n"
                                "__global__ void twice(float *data, int n) {\n"
                                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    if (i < n)\n"
                                "        data[i] *= 2;\n"
                                "}\n"
                                "int main() {\n"
                                "    const int w = 320, h = 20;\n"
                                "    float *data;\n"
                                "    hipMalloc(&data, w * h * sizeof(float));\n"
                                "    const int threads = 256;\n"
                                "    const int blocks = (w * h + threads - 1) / threads;\n"
                                "    twice<<<blocks, threads>>>(data, w * h);\n"
                                "}\n");
    expect_run("apply --kernel twice BLOCK_X=128,COARSEN_X=8 line.hip", 0, "at 8 sizes");
    char *text = workplace_read("hiptemper-out/line.hip");
    cr_assert(text && strstr(text, "const int threads = 128;") &&
                  strstr(text, "    twice<<<blocks, threads>>>(data, w * h);"),
              "%s", text);
    free(text);
}

/* Blocks that divide a program's own sizes are right for it, though not for other sizes, at which
 * the original leaves a rest as well, but another one. */
Test(apply, blocks_that_divide_the_sizes_that_a_program_fixes_are_written) {
    workplace_write("even.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void even(const float *in, float *out, int w, int h) {\n"
                    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                    "    out[y * w + x] = 2 * in[y * w + x];\n"
                    "}\n"
                    "int main() {\n"
                    "    constexpr int w = 64, h = 96;\n"
                    "    float *in, *out;\n"
                    "    hipMalloc(&in, w * h * sizeof(float));\n"
                    "    hipMalloc(&out, w * h * sizeof(float));\n"
                    "    dim3 threads(16, 16), blocks(w / threads.x, h / threads.y);\n"
                    "    even<<<blocks, threads>>>(in, out, w, h);\n"
                    "}\n");
    expect_run("apply --kernel even BLOCK_Y=2 even.hip", 0, "equal to the bit");
    char *text = workplace_read("hiptemper-out/even.hip");
    cr_assert(text && strstr(text, "threads(16, 2), blocks(w / threads.x, h / threads.y);"), "%s",
              text);
    free(text);
    expect_run("apply --kernel even BLOCK_X=128 even.hip", 2, "is not legal for w=64 h=96");
}

/* The program does not fix a size that another launch has as a variable: what is not run for
 * it is said. */
Test(apply, sizes_that_one_launch_of_two_fixes_are_looked_at) {
    workplace_write("two.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "__global__ void even(const float *in, float *out, int w, int h) {\n"
                    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                    "    out[y * w + x] = 2 * in[y * w + x];\n"
                    "}\n"
                    "int main() {\n"
                    "    constexpr int w = 64, h = 96;\n"
                    "    float *in, *out;\n"
                    "    hipMalloc(&in, w * h * sizeof(float));\n"
                    "    hipMalloc(&out, w * h * sizeof(float));\n"
                    "    dim3 threads(16, 16), blocks(w / threads.x, h / threads.y);\n"
                    "    even<<<blocks, threads>>>(in, out, w, h);\n"
                    "}\n"
                    "void bench(const float *in, float *out, int width, int height) {\n"
                    "    dim3 threads(16, 16), blocks(width / threads.x, height / threads.y);\n"
                    "    even<<<blocks, threads>>>(in, out, width, height);\n"
                    "}\n");
    expect_run("apply --kernel even BLOCK_Y=2 two.hip", 0,
               "what it launches where 'h / 16 <= 8191' is false was not run");
}

Test(apply, a_kernel_whose_original_runs_at_no_size_is_not_written) {
    tree_write();
    char *text = ht_text_replaced(problem, "out float[problem.n]", "out float[problem.n / 2]");
    cr_assert_str_neq(text, problem);
    workplace_write("src/scale.problem.json", text);
    free(text);
    expect_run("apply BLOCK_X=128 src/scale.cuh --out tuned", 1,
               "withheld: nothing of it could be verified: the launch at ");
    cr_assert_null(workplace_read("tuned/scale.cuh"));
}

/* A GPU of another maker aligns its wide accesses; its configuration is written here, too, and run
 * with the alignment. */
Test(apply, a_configuration_of_an_nvidia_gpu_is_written_and_run) {
    workplace_write("row.hip", "#include <hip/hip_runtime.h>\n"
                               "__global__ void twice(const float *in, float *out, int n) {\n"
                               "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                               "        out[blockIdx.x * n + i] = 2 * in[blockIdx.x * n + i];\n"
                               "}\n"
                               "void run(const float *in, float *out, int rows, int n) {\n"
                               "    twice<<<rows, 64>>>(in, out, n);\n"
                               "}\n");
    expect_run("apply VECTOR_STRIDE=4,VECTOR_ALIGNED=true row.hip --out a", 0, "equal to the bit");
    char *text = workplace_read("a/row.hip");
    cr_expect(text && strstr(text, "__builtin_assume_aligned("), "%s", text);
    free(text);
    expect_run("apply VECTOR_STRIDE=1,VECTOR_ALIGNED=true row.hip --out b", 2, "is not legal for");
}

/* Launches with lists in braces and array parameters are read in another form than they have. The
 * file that is written keeps the author's, wherever in it they stand. */
Test(apply, a_file_with_forms_that_are_read_otherwise_is_written) {
    static const struct {
        const char *parameters, *launch, *other, *stays;
    } cases[] = {
        {"const float in[], float out[], int n", "256", "", "const float in[], float out[]"},
        {"const float *in, float *out, int n", "{256}", "", "/ 64, "},
        {"const float *in, float *out, int n", "256",
         "__global__ void z(float o[]) { o[threadIdx.x] = 1; }\n"
         "void other(float *o) { z<<<1, {32, 1}>>>(o); z<< <1, 32>> >(o); }\n",
         "z(float o[]) { o[threadIdx.x] = 1; }\n"
         "void other(float *o) { z<<<1, {32, 1}>>>(o); z<< <1, 32>> >(o); }\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = ht_format("#include <hip/hip_runtime.h>\n__global__ void k(%s) {\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    if (i < n) out[i] = in[i] * 2.0f;\n}\n"
                               "void run(const float *in, float *out, int n) {\n"
                               "    k<<<(n + 255) / 256, %s>>>(in, out, n);\n}\n%s",
                               cases[i].parameters, cases[i].launch, cases[i].other);
        workplace_write("forms.hip", text);
        free(text);
        program_result result = program_run("apply BLOCK_X=64 --kernel k forms.hip --out tuned");
        cr_expect_eq(result.code, 0, "case %zu: %s", i, result.err);
        cr_expect(strstr(result.out, "equal to the bit"), "case %zu: %s", i, result.out);
        program_free(&result);
        text = workplace_read("tuned/forms.hip");
        cr_expect(text && strstr(text, cases[i].stays), "case %zu: %s", i, text);
        free(text);
    }
}

/* `else if (...)` is no function of the name `if`, so that the launch may stand there; the number
 * of blocks that others are launched with stays. */
Test(apply, a_launch_among_others_with_one_number_of_blocks_is_written) {
    workplace_write("ladder.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "#define BLOCK 256\n"
                    "int blocks_for(int n, int block) {\n"
                    "    if (n < 1) return 1;\n    return (n + block - 1) / block;\n}\n"
                    "__global__ void twice(float *x, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) x[i] *= 2;\n}\n"
                    "__global__ void thrice(float *x, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) x[i] *= 3;\n}\n"
                    "void run(float *x, int n, int a) {\n"
                    "    const int blocks = blocks_for(n, BLOCK);\n"
                    "    if (a == 0) return;\n"
                    "    else if (a == 1 || a == 2) twice<<<blocks, BLOCK>>>(x, n);\n"
                    "    else thrice<<<blocks, BLOCK>>>(x, n);\n}\n");
    expect_run("apply COARSEN_X=4 --kernel twice ladder.hip --out tuned", 0, "equal to the bit");
    char *text = workplace_read("tuned/ladder.hip");
    cr_expect(text && strstr(text, "const int blocks = blocks_for(n, BLOCK);\n") &&
                  strstr(text, "thrice<<<blocks, BLOCK>>>(x, n)"),
              "%s", text);
    free(text);
}
