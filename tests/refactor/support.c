#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/libclang.h"
#include "refactor/source/resource_dir.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const templated_sources[] = {
    "examples/kernels/conv2d_direct.hip",
    "examples/kernels/conv2d_tiled.hip",
    "examples/kernels/separable.hip",
    "examples/kernels/depthwise.hip",
    "examples/kernels/conv1x1.hip",
    "examples/kernels/filter_constant.hip",
    "examples/kernels/conv1d.hip",
    "tests/refactor/sources/mask_template.hip",
    "tests/refactor/sources/halo_line.cu",
    "tests/refactor/sources/pool3d.hip",
    "tests/refactor/sources/stride_macro.hip",
    "tests/refactor/sources/literal_blocks.hip",
    "tests/refactor/sources/tile_template.hip",
    "tests/refactor/sources/host_forms.hip",
    "tests/refactor/sources/flat_grid.hip",
    "tests/refactor/sources/row_stride.hip",
    NULL,
};

/* Chooses a cache, so that HIP's header is parsed once for all tests of a build, unless the run has
 * a folder for it. */
__attribute__((constructor)) static void cache_choose(void) {
    setenv("HIPTEMPER_CACHE", HT_BINARY_DIR "/cache", 0);
}

static bool is_same(const void *context, const char *kernel) {
    return strcmp(context, kernel) == 0;
}

/* `kernel`: of one alone; NULL: of all. */
static ht_refactor *open_file(const char *path, const ht_problem_file *problems,
                              const char *kernel) {
    const char *arguments[] = {"-I" HT_SOURCE_DIR "/tests/refactor/sources"};
    ht_refactor_options options = {.arguments = arguments,
                                   .argument_count = 1,
                                   .wanted = kernel ? is_same : NULL,
                                   .wanted_context = kernel};
    ht_refactor *refactor = NULL;
    ht_error error;
    ht_status status = ht_refactor_file(path, problems, &options, &refactor, &error);
    cr_assert_eq(status, HT_OK, "%s: %s", path, error.message);
    return refactor;
}

ht_refactor *refactor_open(const char *path, ht_problem_file **out_problems) {
    return refactor_open_of(path, NULL, out_problems);
}

ht_refactor *refactor_open_of(const char *path, const char *kernel,
                              ht_problem_file **out_problems) {
    char *whole = ht_path_join(HT_SOURCE_DIR, path);
    char *stem = ht_strdup(whole);
    *strrchr(stem, '.') = 0;
    char *problem = ht_format("%s.problem.json", stem);
    ht_error error;
    *out_problems = NULL;
    if (ht_file_exists(problem))
        cr_assert_eq(ht_problem_file_load(problem, out_problems, &error), HT_OK, "%s",
                     error.message);
    ht_refactor *refactor = open_file(whole, *out_problems, kernel);
    free(whole);
    free(stem);
    free(problem);
    return refactor;
}

ht_refactor *refactor_text(const char *text, const char *problems_text,
                           ht_problem_file **out_problems) {
    return refactor_text_of(text, problems_text, NULL, out_problems);
}

ht_refactor *refactor_text_of(const char *text, const char *problems_text, const char *kernel,
                              ht_problem_file **out_problems) {
    char *folder = test_folder_make();
    ht_error error;
    char *path = ht_path_join(folder, "source.hip");
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    *out_problems = NULL;
    if (problems_text)
        cr_assert_eq(ht_problem_file_parse(problems_text, "problems", out_problems, &error), HT_OK,
                     "%s", error.message);
    ht_refactor *refactor = open_file(path, *out_problems, kernel);
    ht_dir_remove(folder);
    free(path);
    free(folder);
    return refactor;
}

ht_refactor *refactor_text_with(const char *text, const ht_refactor_options *options) {
    char *folder = test_folder_make(), *path = ht_path_join(folder, "source.hip");
    ht_refactor *refactor = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    cr_assert_eq(ht_refactor_file(path, NULL, options, &refactor, &error), HT_OK, "%s",
                 error.message);
    ht_dir_remove(folder);
    free(path);
    free(folder);
    return refactor;
}

const ht_kernel *kernel_named(const ht_refactor *refactor, const char *name, size_t *out_index) {
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i)
        if (strcmp(ht_refactor_kernel(refactor, i)->name, name) == 0) {
            if (out_index)
                *out_index = i;
            return ht_refactor_kernel(refactor, i);
        }
    cr_assert_fail("no kernel named %s", name);
    return NULL;
}

bool frees_block(const ht_kernel *kernel) {
    bool offered = false;
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        offered = offered || strcmp(kernel->transformations[i], "block-size") == 0;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        if (kernel->remarks[i].kind == HT_REMARK_APPLIED &&
            strstr(kernel->remarks[i].message, "the original's blocks"))
            return false;
    return offered;
}

unsigned has_parameters(const char *text, const char *problems_text, const char *const *names) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problems_text, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    unsigned has = 0;
    for (size_t i = 0; names[i] && kernel->template; ++i)
        has |= (unsigned)(ht_template_param(kernel->template, names[i]) != NULL) << i;
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return has;
}

bool has_parameter(const char *text, const char *problems_text, const char *name) {
    return has_parameters(text, problems_text, (const char *const[]){name, NULL}) != 0;
}

int clang_run(const char *text, const char *options, char **out_output) {
    char *folder;
    ht_error error;
    cr_assert_eq(ht_dir_temporary("clang", &folder, &error), HT_OK);
    char *path = ht_path_join(folder, "unit.hip");
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    /* clang takes no parsed header that was made with other macros */
    const char *header = strstr(options, "-D") ? "-include hip/hip_runtime.h"
                                               : "-include-pch '" HT_TEST_PARSED_HIP "'";
    char *command =
        ht_format(HT_TEST_CLANG " -x hip -std=c++17 -nogpulib --offload-arch=gfx90a -w "
                                "-I '" HT_SOURCE_DIR "/tests/refactor/sources' %s %s '%s' "
                                "-o - 2>&1",
                  header, options, path);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    ht_text output = {0};
    char block[4096];
    for (size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;)
        ht_text_append_n(&output, block, got);
    int status = pclose(pipe);
    *out_output = ht_text_take(&output);
    ht_dir_remove(folder);
    free(command);
    free(path);
    free(folder);
    return status;
}

/* Parses one side of a text, "host" or "device", as clang's driver would have it parsed. Returns
 * true if it has no error; errors go to `out`. */
static bool parse_side(const char *text, const char *side, ht_text *out) {
    char *resources = ht_resource_dir_find(), *only = ht_format("--cuda-%s-only", side),
         *header = ht_format("%s/%s.pch", HT_TEST_PARSED_HIP, side);
    const char *arguments[] = {"-x",
                               "hip",
                               "-std=c++17",
                               "-nogpulib",
                               "--offload-arch=gfx90a",
                               "-w",
                               only,
                               "-resource-dir",
                               resources,
                               "-I" HT_SOURCE_DIR "/tests/refactor/sources",
                               "-include-pch",
                               header};
    enum { COUNT = sizeof arguments / sizeof *arguments };
    struct CXUnsavedFile file = {"/unit.hip", text, strlen(text)};
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    bool good = clang_parseTranslationUnit2(index, file.Filename, arguments, COUNT, &file, 1,
                                            CXTranslationUnit_None, &unit) == CXError_Success;
    for (unsigned i = 0; unit && i < clang_getNumDiagnostics(unit); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        CXString words = clang_getDiagnosticSpelling(diagnostic);
        unsigned line;
        clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), NULL, &line, NULL,
                                   NULL);
        good = good && clang_getDiagnosticSeverity(diagnostic) < CXDiagnostic_Error;
        ht_text_printf(out, "%s, line %u: %s\n", side, line, clang_getCString(words));
        clang_disposeString(words);
        clang_disposeDiagnostic(diagnostic);
    }
    if (unit)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    free(header);
    free(only);
    free(resources);
    return good;
}

bool clang_parses(const char *text, char **out_output) {
    ht_text output = {0};
    ht_text_append(&output, "");
    bool host = parse_side(text, "host", &output), device = parse_side(text, "device", &output);
    *out_output = ht_text_take(&output);
    return host && device;
}
