/* Reading a tree: compilation databases, headers through their units, CUDA sources. */
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/warning.h"
#include "refactor/rewrite/apply.h"
#include "refactor/source/tree.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder;

static void folder_make(void) {
    cr_assert_eq(ht_dir_temporary("tree", &folder, NULL), HT_OK);
}

static void folder_remove(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(tree, .init = folder_make, .fini = folder_remove);

static char *put(const char *name, const char *text) {
    char *path = ht_path_join(folder, name), *parent = ht_path_folder(path);
    cr_assert_eq(ht_dir_make(parent, NULL), HT_OK);
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    free(parent);
    return path;
}

#define MAP(name, type)                                                                            \
    "__global__ void " name "(const " type " *in, " type " *out, int n) {\n"                       \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n"

static const char problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : N\", \"args\": [\"in : in float[problem.N]\", "
    "\"out : out float[problem.N]\", \"n : int = problem.N\"], \"host\": {\"n\": \"problem.N\"}, "
    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000}}]}]}";

static ht_problem_file *problems(void) {
    ht_problem_file *file;
    cr_assert_eq(ht_problem_file_parse(problem, "problems", &file, NULL), HT_OK);
    return file;
}

static ht_refactor *read_with(const char *path, const ht_refactor_options *options,
                              const ht_problem_file *given) {
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, given, options, &refactor, &error), HT_OK, "%s",
                 error.message);
    return refactor;
}

Test(tree, a_header_is_read_with_the_launch_of_its_unit) {
    char *header = put("kernels.h", "#pragma once\n#define WIDE 128\n" MAP("k", "float"));
    char *unit = put("main.hip", "#include <hip/hip_runtime.h>\n#include \"kernels.h\"\n"
                                 "void f(const float *a, float *b, int n) {\n"
                                 "  dim3 threads(WIDE);\n"
                                 "  k<<<(n + WIDE - 1) / WIDE, threads>>>(a, b, n);\n}\n");
    ht_problem_file *given = problems();
    ht_refactor *refactor = read_with(header, &(ht_refactor_options){.through = unit}, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_str_eq(kernel->file, header);
    cr_assert_eq(kernel->line, 3);
    cr_assert_str_eq(kernel->launch_file, unit);
    cr_assert_eq(kernel->launch_line, 5);
    cr_assert(strstr(kernel->template->unit, "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 128)"));
    /* the launch stands in another file: the header alone cannot be rewritten */
    ht_refactor_choice choice = {0};
    char *text = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_config_parse(kernel->template, "BLOCK_X=256", &choice.config, NULL), HT_OK);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_ERROR_UNSUPPORTED);
    cr_assert(strstr(error.message, "main.hip"), "%s", error.message);
    ht_applied applied;
    cr_assert_eq(ht_refactor_apply_all(refactor, &choice, 1, &applied, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(applied.count, 2);
    cr_assert_str_eq(applied.files[0].path, header);
    cr_assert_str_eq(applied.files[1].path, unit);
    cr_assert(strstr(applied.files[0].text, "#define WIDE 128\n"));
    cr_assert(strstr(applied.files[1].text, "dim3 threads(256);"), "%s", applied.files[1].text);
    cr_assert(strstr(applied.files[1].text, "k<<<n / 256 + (n % 256 != 0), threads>>>"), "%s",
              applied.files[1].text);
    ht_applied_free(&applied);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(header);
    free(unit);
}

Test(tree, a_use_of_the_name_in_the_unit_is_seen) {
    char *header = put("kernels.h", MAP("k", "float"));
    char *unit = put("main.hip", "#include \"kernels.h\"\nvoid *address() { return (void *)k; }\n"
                                 "void f(const float *a, float *b, int n) {\n"
                                 "  k<<<(n + 63) / 64, 64>>>(a, b, n);\n}\n");
    ht_problem_file *given = problems();
    ht_refactor *refactor = read_with(header, &(ht_refactor_options){.through = unit}, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_null(kernel->template);
    bool told = false;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        told = told || strstr(kernel->remarks[i].message, "main.hip, line 2");
    cr_assert(told, "%s", kernel->reason);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(header);
    free(unit);
}

Test(tree, a_unit_that_does_not_include_the_header_is_an_error) {
    char *header = put("kernels.h", MAP("k", "float"));
    char *unit = put("main.hip", "#if 0\n#include \"kernels.h\"\n#endif\n");
    ht_refactor *refactor;
    ht_error error = {0};
    ht_refactor_options options = {.through = unit};
    cr_assert_eq(ht_refactor_file(header, NULL, &options, &refactor, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "does not include"), "%s", error.message);
    free(header);
    free(unit);
}

Test(tree, cuda_sources_are_read_without_cuda) {
    char *path = put(
        "k.cu", "#include <cuda_runtime.h>\n#include \"helper_cuda.h\"\n"
                "#include <cub/cub.cuh>\n"
                "#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) "
                "exit(1); } while (0)\n" MAP("k", "float") "template <typename T> " MAP(
                    "t", "T") "int main() {\n  float *a, *b;\n  int n = atoi(\"7\");\n"
                              "  CHECK(cudaMalloc(&a, n * 4));\n  cudaMalloc((void **)&b, n * 4);\n"
                              "  cudaStream_t s;\n  cudaStreamCreate(&s);\n"
                              "  cudaNeverHeardOf(a);\n  cub::Everything<int>(a);\n"
                              "  k<<<(n + 255) / 256, 256, 0, s>>>(a, b, n);\n"
                              "  t<float><<<(n + 127) / 128, 128, 0, s>>>(a, b, n);\n}\n");
    ht_problem_file *given = problems();
    ht_refactor *refactor = read_with(path, NULL, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(kernel_named(refactor, "t", NULL)->launch_line, 23);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(path);
}

/* Host code with Thrust's vectors and algorithms around the launch; the last kernel uses Thrust
 * itself. */
static const char thrust_source[] =
    "#include <thrust/device_vector.h>\n#include <thrust/transform_reduce.h>\n" MAP(
        "k", "float") "__global__ void own(thrust::complex<float> *z) { z[0] = z[1]; }\n"
                      "float run(thrust::device_vector<float> &a, thrust::device_vector<float> &b, "
                      "int n) {\n"
                      "  thrust::host_vector<float> h(n, 1.0f);\n"
                      "  thrust::fill(b.begin(), b.end(), 0);\n  a = h;\n"
                      "  float *out = thrust::raw_pointer_cast(b.data() + n);\n"
                      "  k<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(a.data()), out, n);\n"
                      "  return thrust::reduce(b.begin(), b.end(), 0.0f, thrust::plus<float>()) / "
                      "n;\n}\n";

/* Without declarations of Thrust's names, clang drops a launch that has them in its arguments. */
Test(tree, launches_are_read_without_thrust) {
    char *path = put("k.hip", thrust_source);
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s", error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_neq(kernel->launch_line, 0);
    const ht_kernel *own = kernel_named(refactor, "own", NULL);
    cr_assert_eq(own->status, HT_KERNEL_UNPARSED, "%s", own->reason);
    ht_refactor_free(refactor);
    free(path);
}

Test(tree, a_kernel_is_judged_by_its_own_errors) {
    char *path =
        put("k.hip",
            "#include \"not/there.hpp\"\nunknown_type global;\n"
            "__device__ float helper(float x) { return nowhere(x); }\n"
            "__global__ void bad(float *out) { out[0] = missing(1); }\n"
            "__global__ void worse(float *out) { out[0] = helper(1); }\n" MAP(
                "k", "float") "void f(const float *a, float *b, int n) {\n  undeclared.run();\n"
                              "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    ht_problem_file *given = problems();
    ht_refactor *refactor = read_with(path, NULL, given);
    cr_assert_eq(kernel_named(refactor, "bad", NULL)->status, HT_KERNEL_UNPARSED);
    cr_assert_eq(kernel_named(refactor, "worse", NULL)->status, HT_KERNEL_UNPARSED);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(path);
}

Test(tree, the_parsed_header_changes_nothing) {
    unsetenv("HIPTEMPER_CACHE"); /* which the suite's own run sets */
    char *path = put("k.hip", "#include <hip/hip_runtime.h>\n#include <vector>\n" MAP(
                                  "k", "float") "void f(const float *a, float *b, int n) {\n"
                                                "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    char *cache = ht_path_join(folder, "cache");
    cr_assert_eq(ht_dir_make(cache, NULL), HT_OK);
    ht_problem_file *given = problems();
    char *units[3];
    static const char *const arguments[] = {"-DHIP_SOMETHING=1", "-DN=5", "-std=c++14"};
    for (size_t i = 0; i < 3; ++i) { /* without, made, found */
        ht_refactor_options options = {.arguments = arguments, .argument_count = 3};
        options.cache = i ? cache : NULL;
        ht_refactor *refactor = read_with(path, &options, given);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
        units[i] = ht_strdup(kernel->template->unit);
        ht_refactor_free(refactor);
    }
    cr_assert_str_eq(units[0], units[1]);
    cr_assert_str_eq(units[0], units[2]);
    for (size_t i = 0; i < 3; ++i)
        free(units[i]);
    ht_problem_file_free(given);
    free(cache);
    free(path);
}

/* Returns the first file of the folder that the name ends so; free(). */
static char *kept_file(const char *kept, const char *end) {
    DIR *directory = opendir(kept);
    char *path = NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (!path && strstr(entry->d_name, end))
            path = ht_path_join(kept, entry->d_name);
    if (directory)
        closedir(directory);
    return path;
}

Test(tree, a_parsed_header_is_kept_from_run_to_run_and_made_anew_when_damaged) {
    char *path = put("k.hip", MAP("k", "float") "void f(const float *a, float *b, int n) {\n"
                                                "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    char *kept = ht_path_join(folder, "kept");
    setenv("HIPTEMPER_CACHE", kept, 1);
    ht_problem_file *given = problems();
    for (size_t i = 0; i < 3; ++i) { /* made, found, damaged */
        char *header = kept_file(kept, ".pch");
        cr_assert_eq(header != NULL, i > 0);
        cr_assert(i < 2 || truncate(header, 1000) == 0);
        ht_refactor_options options = {0};
        ht_refactor *refactor = read_with(path, &options, given);
        cr_assert_eq(kernel_named(refactor, "k", NULL)->status, HT_KERNEL_TEMPLATED);
        ht_refactor_free(refactor);
        struct stat now;
        cr_assert(i == 0 || (stat(header, &now) == 0 && now.st_size > 1000));
        free(header);
    }
    ht_problem_file_free(given);
    free(kept);
    free(path);
}

static size_t warnings;
static char first_warning[4096];

static void note_warning(const char *message) {
    if (warnings++ == 0)
        snprintf(first_warning, sizeof first_warning, "%s", message);
}

/* libclang aborts where it cannot write the file. */
Test(tree, a_parsed_header_that_cannot_be_written_is_done_without_and_reported_once) {
    enum { BYTES = 1 << 20 };
    char *path = put("k.hip", MAP("k", "float") "void f(const float *a, float *b, int n) {\n"
                                                "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n");
    char *kept = ht_path_join(folder, "kept");
    struct rlimit small;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &small), 0);
    small.rlim_cur = BYTES;
    setenv("HIPTEMPER_CACHE", kept, 1);
    signal(SIGXFSZ, SIG_IGN);
    ht_warning_sink = note_warning;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ht_problem_file *given = problems();
    for (size_t i = 0; i < 2; ++i) {
        ht_refactor *refactor = read_with(path, &(ht_refactor_options){0}, given);
        cr_expect_eq(kernel_named(refactor, "k", NULL)->status, HT_KERNEL_TEMPLATED);
        ht_refactor_free(refactor);
    }
    cr_expect_eq(warnings, 1, "%zu warnings", warnings);
    cr_expect(strstr(first_warning, kept) &&
                  strstr(first_warning, "cannot be written: File too large; free space there, or "
                                        "set HIPTEMPER_CACHE"),
              "%s", first_warning);
    char *left = kept_file(kept, "hip-");
    cr_expect_null(left, "%s is left", left);
    free(left);
    ht_problem_file_free(given);
    free(kept);
    free(path);
}

Test(tree, a_file_that_is_included_twice_is_refused_once) {
    char *body = put("body.inl", MAP("k", "T"));
    char *unit = put("main.hip", "#define T float\n#include \"body.inl\"\n#undef T\n"
                                 "#define T double\n#include \"body.inl\"\n"
                                 "void f(const float *a, float *b, int n) {\n"
                                 "  k<<<(n + 63) / 64, 64>>>(a, b, n);\n}\n");
    ht_problem_file *given = problems();
    ht_refactor *refactor = read_with(body, &(ht_refactor_options){.through = unit}, given);
    cr_assert_eq(ht_refactor_kernel_count(refactor), 1);
    cr_assert_eq(ht_refactor_kernel(refactor, 0)->status, HT_KERNEL_REFUSED);
    cr_assert(strstr(ht_refactor_kernel(refactor, 0)->reason, "included repeatedly"));
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(body);
    free(unit);
}

/* ---- the files, and those they are read through */

static const ht_tree_file *file_of(const ht_tree *tree, const char *name) {
    for (size_t i = 0; i < tree->count; ++i)
        if (strcmp(ht_path_name(tree->files[i].path), name) == 0)
            return &tree->files[i];
    return NULL;
}

Test(tree, headers_find_the_unit_that_launches_them) {
    free(put("include/deep.hpp", MAP("deep", "float")));
    char *middle = put("include/middle.h", "  #  include \"deep.hpp\"\n");
    char *alone = put("alone.cuh", MAP("alone", "float"));
    free(put("a_test.cpp", "#include \"middle.h\"\nint x;\n"));
    char *unit = put("z.cpp", "#include <middle.h>\nvoid f() { deep<<<1, 2>>>(); }\n");
    char *piece = put("piece.cu", MAP("piece", "float"));
    free(put("whole.cu", "#include \"piece.cu\"\nvoid g() { piece<<<1, 2>>>(); }\n"));
    char *include = ht_format("-I%s/include", folder);
    const char *arguments[] = {include}, *roots[] = {folder};
    ht_refactor_options compiler = {.arguments = arguments, .argument_count = 1};
    ht_tree_options options = {.roots = roots, .root_count = 1, .compiler = &compiler};
    char *deep = ht_path_join(folder, "include/deep.hpp");
    const char *paths[] = {deep, alone, piece};
    ht_tree tree;
    ht_tree_make(paths, 3, &options, &tree);
    cr_assert_eq(tree.count, 3);
    cr_assert_str_eq(tree.files[0].through, unit);
    cr_assert_null(tree.files[1].through);
    cr_assert(strstr(tree.files[2].through, "whole.cu"));
    ht_tree_free(&tree);
    /* asked for a source alone, its headers with kernels come along */
    ht_tree_options bare = {.compiler = &compiler};
    const char *one[] = {unit};
    ht_tree_make(one, 1, &bare, &tree);
    const ht_tree_file *header = file_of(&tree, "deep.hpp");
    cr_assert_not_null(header);
    cr_assert_eq(header->given, SIZE_MAX);
    cr_assert_str_eq(header->through, unit);
    ht_tree_free(&tree);
    free(middle);
    free(alone);
    free(unit);
    free(piece);
    free(include);
    free(deep);
}

#define PROTOTYPE "__global__ void k(const float *in, float *out, int n);\n"

/* Puts a program in a folder: its kernel, its declaration, and its launch. */
static char *put_program(const char *name) {
    char *kernel = ht_format("%s/kernel.cu", name), *header = ht_format("%s/kernel.h", name),
         *main = ht_format("%s/main.cu", name);
    free(put(header, "#pragma once\n#define WIDE 128\n" PROTOTYPE));
    free(put(main, "#include <hip/hip_runtime.h>\n#include \"kernel.h\"\n"
                   "static int helper(int n) { return n; }\n"
                   "void f(const float *a, float *b, int n) {\n"
                   "  k<<<(n + WIDE - 1) / WIDE, WIDE>>>(a, b, helper(n));\n}\n"));
    char *path = put(kernel, "#include \"kernel.h\"\n"
                             "static float helper(float x) { return x; }\n" MAP("k", "float"));
    free(main);
    free(header);
    free(kernel);
    return path;
}

Test(tree, a_source_finds_the_one_that_launches_its_kernels) {
    char *a = put_program("a"), *b = put_program("b");
    /* further ones have a kernel of that name themselves, do not see it, or only speak of it */
    free(put("a/other.cu", MAP("k", "float") "void g() { k<<<1, 2>>>(0, 0, 0); }\n"));
    free(put("a/blind.cu", "void g() { k<<<1, 2>>>(0, 0, 0); }\n"));
    free(put("a/words.cu", "#include \"kernel.h\"\nvoid g() { // k<<<1, 2>>>\n"
                           "  other<<<1, 2>>>(\"k<<<1, 2>>>\"); }\n"));
    char *own = put("c/own.cu", "#include \"../a/kernel.h\"\n" MAP(
                                    "k", "float") "void g() { k<<<1, 2>>>(0, 0, 0); }\n");
    const char *paths[] = {a, b, own}, *roots[] = {folder};
    ht_tree_options options = {.roots = roots, .root_count = 1};
    ht_tree tree;
    ht_tree_make(paths, 3, &options, &tree);
    for (size_t i = 0; i < 2; ++i) {
        cr_assert_not_null(tree.files[i].through);
        cr_expect(tree.files[i].joined);
        cr_expect(strstr(tree.files[i].through, i ? "b/main.cu" : "a/main.cu"), "%s",
                  tree.files[i].through);
        cr_expect_eq(tree.files[i].other_count, 0);
    }
    cr_expect_null(tree.files[2].through);
    ht_tree_free(&tree);
    /* one that does not include its own declaration, which lies next to it */
    free(put("d/kernels.h", PROTOTYPE));
    free(put("d/main.cu", "#include \"kernels.h\"\nvoid g() { k<<<1, 2>>>(0, 0, 0); }\n"));
    char *alone = put("d/kernel.cu", MAP("k", "float"));
    const char *lone[] = {alone};
    ht_tree_make(lone, 1, &options, &tree);
    cr_assert_not_null(tree.files[0].through);
    cr_expect(tree.files[0].joined && strstr(tree.files[0].through, "d/main.cu"));
    ht_tree_free(&tree);
    free(alone);
    /* a second one that launches it is reported, so that it is not forgotten */
    free(put("a/z.cu", "#include \"kernel.h\"\nvoid g() { hipLaunchKernelGGL(k, 1, 2, 0, 0); }\n"));
    ht_tree_make(paths, 1, &options, &tree);
    cr_expect(strstr(tree.files[0].through, "a/main.cu"));
    cr_assert_eq(tree.files[0].other_count, 1);
    cr_expect(strstr(tree.files[0].others[0], "a/z.cu"));
    ht_tree_free(&tree);
    free(a);
    free(b);
    free(own);
}

/* Names that both have for themselves do not matter: those in the kernel are read first. */
Test(tree, a_source_is_read_with_the_launch_of_another) {
    char *kernels = put_program("a"), *unit = ht_path_join(folder, "a/main.cu");
    ht_problem_file *given = problems();
    const ht_refactor_options options = {.through = unit, .joined = true};
    ht_refactor *refactor = read_with(kernels, &options, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_str_eq(kernel->file, kernels);
    cr_assert_eq(kernel->line, 3);
    cr_assert_str_eq(kernel->launch_file, unit);
    cr_assert_eq(kernel->launch_line, 5);
    cr_assert(strstr(kernel->template->unit, "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 128)"));
    ht_refactor_choice choice = {0};
    ht_error error = {0};
    ht_applied applied;
    cr_assert_eq(ht_config_parse(kernel->template, "BLOCK_X=256 COARSEN_X=2", &choice.config, NULL),
                 HT_OK);
    cr_assert_eq(ht_refactor_apply_all(refactor, &choice, 1, &applied, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(applied.count, 2);
    cr_assert_str_eq(applied.files[0].path, kernels);
    cr_assert_str_eq(applied.files[1].path, unit);
    cr_assert(strstr(applied.files[1].text, "k<<<(n + 511) / 512, 256>>>(a, b, helper(n))") ||
                  strstr(applied.files[1].text, "256>>>(a, b, helper(n))"),
              "%s", applied.files[1].text);
    ht_applied_free(&applied);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(kernels);
    free(unit);
}

/* Tiles and blocks from a header of constants: it is not edited, others may include it. */
Test(tree, a_macro_of_a_header_keeps_its_value_for_others) {
    free(put("sizes.h", "#pragma once\n#define TILE 64\n#define HALO (TILE + 2)\n"));
    char *path = put("line.hip",
                     "#include <hip/hip_runtime.h>\n#include \"sizes.h\"\n"
                     "__global__ void k(const float *in, float *out, int n) {\n"
                     "  __shared__ float line[HALO];\n  int i = blockIdx.x * TILE + threadIdx.x;\n"
                     "  for (int j = threadIdx.x; j < HALO; j += TILE) {\n"
                     "    int at = blockIdx.x * TILE + j - 1;\n"
                     "    line[j] = at >= 0 && at < n ? in[at] : 0;\n  }\n  __syncthreads();\n"
                     "  if (i < n) out[i] = line[threadIdx.x] + line[threadIdx.x + 2];\n}\n"
                     "int other() { return TILE; }\n"
                     "void f(const float *a, float *b, int n) {\n"
                     "  k<<<(n + TILE - 1) / TILE, TILE>>>(a, b, n);\n}\n");
    ht_problem_file *given = problems();
    ht_refactor *refactor = read_with(path, NULL, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    ht_refactor_choice choice = {0};
    ht_error error = {0};
    char *text = NULL;
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(ht_config_parse(kernel->template, "TILE=128", &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message); /* one file changes, and it compiles */
    const char *kernel_at = strstr(text, "__global__"), *before = strstr(text, "#define TILE 128"),
               *after = strstr(text, "#define TILE 64");
    cr_expect(before && after && before < kernel_at && kernel_at < after, "%s", text);
    cr_expect(after && after < strstr(text, "int other()"), "%s", text);
    cr_expect(strstr(text, "k<<<n / 128 + (n % 128 != 0), 128>>>"), "%s", text);
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(path);
}

Test(tree, a_database_tells_folders_and_macros) {
    char *source = put("src/k.cu", "#include \"k.h\"\n");
    free(put("inc/k.h", MAP("k", "float")));
    char *text = ht_format(
        "[{\"directory\": \"%s\", \"file\": \"src/k.cu\", \"command\": \"nvcc -I inc "
        "-D'A B=\\\"x y\\\"' -DN=3 --std=c++14 -gencode arch=sm_80 -isystem sys -O3 -o k.o\"},\n"
        " {\"directory\": \"%s\", \"file\": \"other.cpp\", \"arguments\": [\"clang++\", \"-U\", "
        "\"M\", \"-I/abs\", \"-std=c11\", \"-include\", \"k.h\"]}]",
        folder, folder);
    ht_command_list list;
    ht_error error = {0};
    cr_assert_eq(ht_command_list_parse(text, "db", &list, &error), HT_OK, "%s", error.message);
    cr_assert_eq(list.count, 2);
    const ht_command_entry *first = &list.items[0];
    cr_assert_str_eq(first->file, source);
    cr_assert_eq(first->argument_count, 6);
    char *include = ht_format("-I%s/inc", folder);
    cr_assert_str_eq(first->arguments[0], include);
    cr_assert_str_eq(first->arguments[1], "-DA B=\"x y\"");
    cr_assert_str_eq(first->arguments[3], "-std=c++14");
    cr_assert_str_eq(first->arguments[4], "-isystem");
    cr_assert_str_eq(list.items[1].arguments[0], "-UM");
    cr_assert_str_eq(list.items[1].arguments[3], "k.h");
    ht_tree_options options = {.commands = &list};
    const char *paths[] = {source};
    ht_tree tree;
    ht_tree_make(paths, 1, &options, &tree);
    cr_assert_eq(tree.count, 2, "its header comes along, found in the command's folder");
    cr_assert_str_eq(tree.files[1].through, source);
    cr_assert_eq(tree.files[1].argument_count, 6);
    ht_tree_free(&tree);
    ht_command_list_free(&list);
    free(include);
    free(text);
    free(source);
}

Test(tree, arguments_in_files_are_read) {
    free(put("flags/a.rsp", "-isystem=sys -DA=1\n--options-file flags/b.rsp\n"));
    free(put("flags/b.rsp", "\"-I inc\" @flags/a.rsp"));
    char *text = ht_format("[{\"directory\": \"%s\", \"file\": \"k.cu\", \"command\": \"nvcc "
                           "--options-file flags/a.rsp @nowhere -DB -c k.cu\"}]",
                           folder);
    ht_command_list list;
    ht_error error = {0};
    cr_assert_eq(ht_command_list_parse(text, "db", &list, &error), HT_OK, "%s", error.message);
    const ht_command_entry *entry = &list.items[0];
    char *system = ht_path_join(folder, "sys");
    cr_assert_str_eq(entry->arguments[0], "-isystem");
    cr_assert_str_eq(entry->arguments[1], system);
    cr_assert_str_eq(entry->arguments[2], "-DA=1");
    cr_assert_str_eq(entry->arguments[entry->argument_count - 1], "-DB");
    ht_command_list_free(&list);
    free(system);
    free(text);
}

/* Such a database may come with the sources. */
Test(tree, commands_load_no_code_into_the_parse) {
    static const char text[] =
        "[{\"directory\": \"/d\", \"file\": \"/d/k.hip\", \"arguments\": [\"c++\", "
        "\"-fplugin=/d/evil.so\", \"-fpass-plugin=/d/evil.so\", \"-Xclang\", \"-load\", "
        "\"-Xclang\", "
        "\"/d/evil.so\", \"-load\", \"/d/evil.so\", \"-mllvm\", \"-load=/d/evil.so\", "
        "\"-include-pch\", \"/d/evil.pch\", \"-fmodule-file=/d/evil.pcm\", "
        "\"--config=/d/evil.cfg\", "
        "\"-B/d\", \"-DA\", \"-c\", \"/d/k.hip\"]}]";
    ht_command_list list;
    ht_error error = {0};
    cr_assert_eq(ht_command_list_parse(text, "db", &list, &error), HT_OK, "%s", error.message);
    cr_assert_eq(list.items[0].argument_count, 1);
    cr_expect_str_eq(list.items[0].arguments[0], "-DA");
    ht_command_list_free(&list);
}

Test(tree, a_database_that_is_none_is_refused) {
    static const char no_list[] = "[{\"directory\": \"/\", \"file\": \"a\", \"arguments\": [1]}]";
    static const char *const cases[] = {"", "{}", "[1]", "[{\"file\": \"a\"}]", no_list};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_command_list list;
        ht_error error = {0};
        cr_assert_eq(ht_command_list_parse(cases[i], "db", &list, &error), HT_ERROR_INPUT);
        cr_assert(error.message[0] && error.file[0]);
        cr_assert_eq(list.count, 0);
    }
}

/* A source of the host that only declares and launches kernels has nothing to say, whatever it
 * lacks; one that would define some has. */
Test(tree, sources_that_declare_kernels_alone_need_not_be_read) {
    static const char text[] = "#include \"missing.h\"\n"
                               "LOCAL __global__ void k(Missing *a)%s\n"
                               "void f() { k<<<1, 2>>>(0); }\n";
    for (int defines = 0; defines < 2; ++defines) {
        char *whole = ht_format(text, defines ? " { a->b = 1; }" : ";");
        char *path = put(defines ? "defines.cu" : "declares.cu", whole);
        ht_refactor *refactor;
        ht_error error = {0};
        ht_status status = ht_refactor_file(path, NULL, NULL, &refactor, &error);
        cr_expect_eq(status == HT_OK, !defines, "%s", error.message);
        if (status == HT_OK)
            ht_refactor_free(refactor);
        free(path);
        free(whole);
    }
}
