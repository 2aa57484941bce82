/* The files of a tree: compilation databases, and the units that headers are read through. */
#include "tree_support.h"

#include "base/file.h"
#include "base/memory.h"
#include "refactor/rewrite/apply.h"
#include "refactor/source/tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(tree_files, .init = tree_folder_make, .fini = tree_folder_remove);

static const ht_tree_file *file_of(const ht_tree *tree, const char *name) {
    for (size_t i = 0; i < tree->count; ++i)
        if (strcmp(ht_path_name(tree->files[i].path), name) == 0)
            return &tree->files[i];
    return NULL;
}

Test(tree_files, headers_find_the_unit_that_launches_them) {
    free(tree_put("include/deep.hpp", MAP("deep", "float")));
    char *middle = tree_put("include/middle.h", "  #  include \"deep.hpp\"\n");
    char *alone = tree_put("alone.cuh", MAP("alone", "float"));
    free(tree_put("a_test.cpp", "#include \"middle.h\"\nint x;\n"));
    char *unit = tree_put("z.cpp", "#include <middle.h>\nvoid f() { deep<<<1, 2>>>(); }\n");
    char *piece = tree_put("piece.cu", MAP("piece", "float"));
    free(tree_put("whole.cu", "#include \"piece.cu\"\nvoid g() { piece<<<1, 2>>>(); }\n"));
    char *include = ht_format("-I%s/include", tree_folder);
    const char *arguments[] = {include}, *roots[] = {tree_folder};
    ht_refactor_options compiler = {.arguments = arguments, .argument_count = 1};
    ht_tree_options options = {.roots = roots, .root_count = 1, .compiler = &compiler};
    char *deep = ht_path_join(tree_folder, "include/deep.hpp");
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
    free(tree_put(header, "#pragma once\n#define WIDE 128\n" PROTOTYPE));
    free(tree_put(main, "#include <hip/hip_runtime.h>\n#include \"kernel.h\"\n"
                        "static int helper(int n) { return n; }\n"
                        "void f(const float *a, float *b, int n) {\n"
                        "  k<<<(n + WIDE - 1) / WIDE, WIDE>>>(a, b, helper(n));\n}\n"));
    char *path = tree_put(kernel, "#include \"kernel.h\"\n"
                                  "static float helper(float x) { return x; }\n" MAP("k", "float"));
    free(main);
    free(header);
    free(kernel);
    return path;
}

/* Expects a template of kernel "k" of a unit, with the arguments that the tree gives it. */
static void expect_templated(const ht_tree *tree, const char *unit) {
    ht_problem_file *given = tree_problems();
    ht_refactor_options compiler = {.arguments = (const char *const *)tree->files[0].arguments,
                                    .argument_count = tree->files[0].argument_count};
    ht_refactor *refactor = tree_read(unit, &compiler, given);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
}

/* Without options, "utils/scale.cuh" is the one file of the tree with that end; of two, neither.
 * The folder serves for names in quotes alone, so that no header of the system's gets another. */
Test(tree_files, headers_are_found_in_the_tree_by_the_end_of_their_path) {
    free(tree_put("csrc/utils/scale.cuh", "#include \"utils/deeper.cuh\"\n"));
    free(tree_put("csrc/utils/deeper.cuh",
                  "__device__ inline float twice(float x) { return 2 * x; }\n"));
    free(tree_put("csrc/math.h", "#error \"not the system's\"\n"));
    free(tree_put("a/both.cuh", ""));
    free(tree_put("b/both.cuh", ""));
    char *unit = tree_put(
        "csrc/ops/k.cu",
        "#include \"utils/scale.cuh\"\n#include \"both.cuh\"\n#include <math.h>\n"
        "__global__ void k(const float *in, float *out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = twice(in[i]);\n}\n"
        "void f(const float *a, float *b, int n) { k<<<(n + 63) / 64, 64>>>(a, b, n); }\n");
    const char *paths[] = {unit}, *roots[] = {tree_folder};
    ht_tree_options options = {.roots = roots, .root_count = 1};
    ht_tree tree;
    ht_tree_make(paths, 1, &options, &tree);
    char *folder = ht_path_join(tree_folder, "csrc");
    cr_assert_eq(tree.files[0].argument_count, 2);
    cr_expect_str_eq(tree.files[0].arguments[0], "-iquote");
    cr_expect_str_eq(tree.files[0].arguments[1], folder);
    expect_templated(&tree, unit);
    ht_tree_free(&tree);
    free(folder);
    free(unit);
}

/* Returns the folder that a source of the tree has of a header that no option finds; free().
 * NULL: none. */
static char *guessed_folder(const char *name) {
    char *unit = tree_put(name, "#include \"shared.cuh\"\n" MAP("k", "float")), *folder = NULL;
    const char *paths[] = {unit}, *roots[] = {tree_folder};
    ht_tree_options options = {.roots = roots, .root_count = 1};
    ht_tree tree;
    ht_tree_make(paths, 1, &options, &tree);
    if (tree.files[0].argument_count == 2)
        folder = ht_strdup(tree.files[0].arguments[1] + strlen(tree_folder));
    ht_tree_free(&tree);
    free(unit);
    return folder;
}

/* Of several headers of a name it is the one that stands nearest, as if the command were given that
 * project of the tree; where two are as near, none. */
Test(tree_files, the_nearest_of_several_headers_is_taken) {
    free(tree_put("first/include/shared.cuh", ""));
    free(tree_put("second/include/shared.cuh", ""));
    free(tree_put("second/old/include/shared.cuh", ""));
    free(tree_put("third/readme.h", ""));
    char *first = guessed_folder("first/ops/k.cu"), *old = guessed_folder("second/old/ops/k.cu");
    cr_assert_not_null(first);
    cr_expect_str_eq(first, "/first/include");
    cr_assert_not_null(old);
    cr_expect_str_eq(old, "/second/old/include");
    cr_expect_null(guessed_folder("second/ops/k.cu"));
    cr_expect_null(guessed_folder("third/ops/k.cu"));
    free(first);
    free(old);
}

/* A name in <> that the system does not have is found in the tree, too; one that it has is the
 * system's, although the tree has such a file. */
Test(tree_files, headers_in_angle_brackets_that_the_system_lacks_are_found_in_the_tree) {
    free(tree_put("utilities/bench.h", "#define LIMIT(x) (x)\n"));
    free(tree_put("other/limits.h", "#error \"not the system's\"\n"));
    free(tree_put("other/vector", "#error \"not the system's\"\n"));
    char *unit = tree_put(
        "linear/k.cu",
        "#include <bench.h>\n#include <limits.h>\n#include <vector>\n"
        "__global__ void k(const float *in, float *out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < LIMIT(n)) out[i] = in[i];\n}\n"
        "void f(const float *a, float *b, int n) { k<<<(n + 63) / 64, 64>>>(a, b, n); }\n");
    const char *paths[] = {unit}, *roots[] = {tree_folder};
    ht_tree_options options = {.roots = roots, .root_count = 1};
    ht_tree tree;
    ht_tree_make(paths, 1, &options, &tree);
    char *folder = ht_format("-I%s/utilities", tree_folder);
    cr_assert_eq(tree.files[0].argument_count, 1);
    cr_expect_str_eq(tree.files[0].arguments[0], folder);
    free(folder);
    expect_templated(&tree, unit);
    ht_tree_free(&tree);
    free(unit);
}

/* A source of the compilation database has the folders of its command, no others. */
Test(tree_files, headers_of_compiled_sources_are_not_guessed) {
    free(tree_put("csrc/utils/scale.cuh", ""));
    char *unit = tree_put("csrc/ops/k.cu", "#include \"utils/scale.cuh\"\n" MAP("k", "float"));
    char *text = ht_format("[{\"directory\": \"%s\", \"file\": \"csrc/ops/k.cu\", "
                           "\"command\": \"cc -c csrc/ops/k.cu\"}]",
                           tree_folder);
    char *database = tree_put("commands.json", text);
    ht_command_list commands;
    ht_error error = {0};
    cr_assert_eq(ht_command_list_load(database, &commands, &error), HT_OK, "%s", error.message);
    const char *paths[] = {unit}, *roots[] = {tree_folder};
    ht_tree_options options = {.roots = roots, .root_count = 1, .commands = &commands};
    ht_tree tree;
    ht_tree_make(paths, 1, &options, &tree);
    cr_expect_eq(tree.files[0].argument_count, 0);
    ht_tree_free(&tree);
    ht_command_list_free(&commands);
    free(database);
    free(text);
    free(unit);
}

Test(tree_files, a_source_finds_the_one_that_launches_its_kernels) {
    char *a = put_program("a"), *b = put_program("b");
    /* further ones have a kernel of that name themselves, do not see it, or only speak of it */
    free(tree_put("a/other.cu", MAP("k", "float") "void g() { k<<<1, 2>>>(0, 0, 0); }\n"));
    free(tree_put("a/blind.cu", "void g() { k<<<1, 2>>>(0, 0, 0); }\n"));
    free(tree_put("a/words.cu", "#include \"kernel.h\"\nvoid g() { // k<<<1, 2>>>\n"
                                "  other<<<1, 2>>>(\"k<<<1, 2>>>\"); }\n"));
    char *own = tree_put("c/own.cu", "#include \"../a/kernel.h\"\n" MAP(
                                         "k", "float") "void g() { k<<<1, 2>>>(0, 0, 0); }\n");
    const char *paths[] = {a, b, own}, *roots[] = {tree_folder};
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
    free(tree_put("d/kernels.h", PROTOTYPE));
    free(tree_put("d/main.cu", "#include \"kernels.h\"\nvoid g() { k<<<1, 2>>>(0, 0, 0); }\n"));
    char *alone = tree_put("d/kernel.cu", MAP("k", "float"));
    const char *lone[] = {alone};
    ht_tree_make(lone, 1, &options, &tree);
    cr_assert_not_null(tree.files[0].through);
    cr_expect(tree.files[0].joined && strstr(tree.files[0].through, "d/main.cu"));
    ht_tree_free(&tree);
    free(alone);
    /* a second one that launches it is reported, so that it is not forgotten */
    free(tree_put("a/z.cu",
                  "#include \"kernel.h\"\nvoid g() { hipLaunchKernelGGL(k, 1, 2, 0, 0); }\n"));
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
Test(tree_files, a_source_is_read_with_the_launch_of_another) {
    char *kernels = put_program("a"), *unit = ht_path_join(tree_folder, "a/main.cu");
    ht_problem_file *given = tree_problems();
    const ht_refactor_options options = {.through = unit, .joined = true};
    ht_refactor *refactor = tree_read(kernels, &options, given);
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
                  strstr(applied.files[1].text, "+ 256 - 1) / 256, 256>>>(a, b, helper(n))") ||
                  strstr(applied.files[1].text, ", 2 * WIDE>>>(a, b, helper(n))"),
              "%s", applied.files[1].text);
    ht_applied_free(&applied);
    ht_refactor_free(refactor);
    ht_problem_file_free(given);
    free(kernels);
    free(unit);
}

/* Tiles and blocks from a header of constants: it is not edited, others may include it. */
Test(tree_files, a_macro_of_a_header_keeps_its_value_for_others) {
    free(tree_put("sizes.h", "#pragma once\n#define TILE 64\n#define HALO (TILE + 2)\n"));
    char *path = tree_put(
        "line.hip", "#include <hip/hip_runtime.h>\n#include \"sizes.h\"\n"
                    "__global__ void k(const float *in, float *out, int n) {\n"
                    "  __shared__ float line[HALO];\n  int i = blockIdx.x * TILE + threadIdx.x;\n"
                    "  for (int j = threadIdx.x; j < HALO; j += TILE) {\n"
                    "    int at = blockIdx.x * TILE + j - 1;\n"
                    "    line[j] = at >= 0 && at < n ? in[at] : 0;\n  }\n  __syncthreads();\n"
                    "  if (i < n) out[i] = line[threadIdx.x] + line[threadIdx.x + 2];\n}\n"
                    "int other() { return TILE; }\n"
                    "void f(const float *a, float *b, int n) {\n"
                    "  k<<<(n + TILE - 1) / TILE, TILE>>>(a, b, n);\n}\n");
    ht_problem_file *given = tree_problems();
    ht_refactor *refactor = tree_read(path, NULL, given);
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

Test(tree_files, a_database_tells_folders_and_macros) {
    char *source = tree_put("src/k.cu", "#include \"k.h\"\n");
    free(tree_put("inc/k.h", MAP("k", "float")));
    char *text = ht_format(
        "[{\"directory\": \"%s\", \"file\": \"src/k.cu\", \"command\": \"nvcc -I inc "
        "-D'A B=\\\"x y\\\"' -DN=3 --std=c++14 -gencode arch=sm_80 -isystem sys -O3 -o k.o\"},\n"
        " {\"directory\": \"%s\", \"file\": \"other.cpp\", \"arguments\": [\"clang++\", \"-U\", "
        "\"M\", \"-I/abs\", \"-std=c11\", \"-include\", \"k.h\"]}]",
        tree_folder, tree_folder);
    ht_command_list list;
    ht_error error = {0};
    cr_assert_eq(ht_command_list_parse(text, "db", &list, &error), HT_OK, "%s", error.message);
    cr_assert_eq(list.count, 2);
    const ht_command_entry *first = &list.items[0];
    cr_assert_str_eq(first->file, source);
    cr_assert_eq(first->argument_count, 6);
    char *include = ht_format("-I%s/inc", tree_folder);
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

Test(tree_files, arguments_in_files_are_read) {
    free(tree_put("flags/a.rsp", "-isystem=sys -DA=1\n--options-file flags/b.rsp\n"));
    free(tree_put("flags/b.rsp", "\"-I inc\" @flags/a.rsp"));
    char *text = ht_format("[{\"directory\": \"%s\", \"file\": \"k.cu\", \"command\": \"nvcc "
                           "--options-file flags/a.rsp @nowhere -DB -c k.cu\"}]",
                           tree_folder);
    ht_command_list list;
    ht_error error = {0};
    cr_assert_eq(ht_command_list_parse(text, "db", &list, &error), HT_OK, "%s", error.message);
    const ht_command_entry *entry = &list.items[0];
    char *system = ht_path_join(tree_folder, "sys");
    cr_assert_str_eq(entry->arguments[0], "-isystem");
    cr_assert_str_eq(entry->arguments[1], system);
    cr_assert_str_eq(entry->arguments[2], "-DA=1");
    cr_assert_str_eq(entry->arguments[entry->argument_count - 1], "-DB");
    ht_command_list_free(&list);
    free(system);
    free(text);
}

/* Such a database may come with the sources. */
Test(tree_files, commands_load_no_code_into_the_parse) {
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

Test(tree_files, a_database_that_is_none_is_refused) {
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
Test(tree_files, sources_that_declare_kernels_alone_need_not_be_read) {
    static const char text[] = "#include \"missing.h\"\n"
                               "LOCAL __global__ void k(Missing *a)%s\n"
                               "void f() { k<<<1, 2>>>(0); }\n";
    for (int defines = 0; defines < 2; ++defines) {
        char *whole = ht_format(text, defines ? " { a->b = 1; }" : ";");
        char *path = tree_put(defines ? "defines.cu" : "declares.cu", whole);
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

/* A benchmark and a test launch a header's kernel; the benchmark's library is not installed, so
 * that its launches are not read. */
Test(tree_files, a_header_is_read_with_the_unit_whose_libraries_are_there) {
    char *header = tree_put("k.cuh", MAP("k", "float"));
    free(tree_put("a_bench.cu", "#include <cuda_runtime.h>\n#include <nvbench/nvbench.cuh>\n"
                                "#include \"k.cuh\"\nvoid f() { k<<<1, 2>>>(); }\n"));
    char *test = tree_put("b_test.cu", "#include <thrust/device_vector.h>\n#include \"k.cuh\"\n"
                                       "void f() { k<<<1, 2>>>(); }\n");
    const char *roots[] = {tree_folder}, *paths[] = {header};
    ht_tree_options options = {.roots = roots, .root_count = 1};
    ht_tree tree;
    ht_tree_make(paths, 1, &options, &tree);
    cr_assert_str_eq(tree.files[0].through, test);
    ht_tree_free(&tree);
    free(header);
    free(test);
}
