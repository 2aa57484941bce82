/* Sources with tokens deleted, doubled or swapped: the pass ends with any of them, does not crash,
 * and hands out only templates that parse. HT_MUTATIONS sets how many sources each of the four
 * seeds makes. */
#include "mutate.h"
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_MAX = 60 };

static void check(const char *text, const ht_problem_file *problems, const char *path) {
    ht_refactor *refactor = NULL;
    ht_error error;
    const char *arguments[] = {"-I" HT_SOURCE_DIR "/tests/refactor/sources"};
    ht_refactor_options options = {.arguments = arguments, .argument_count = 1};
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    alarm(SECONDS_MAX);
    ht_status status = ht_refactor_file(path, problems, &options, &refactor, &error);
    alarm(0);
    cr_assert(status == HT_OK || status == HT_ERROR_INPUT, "status %d: %s\n%s", status,
              error.message, text);
    for (size_t i = 0; refactor && i < ht_refactor_kernel_count(refactor); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        cr_assert_not_null(kernel->name);
        cr_assert_eq(kernel->template != NULL, kernel->status == HT_KERNEL_TEMPLATED ||
                                                   kernel->status == HT_KERNEL_ANNOTATED);
        cr_assert_eq(kernel->reason == NULL, kernel->template != NULL);
    }
    ht_refactor_free(refactor);
}

static char *const starts[] = {
    "tests/refactor/sources/literal_blocks", "tests/refactor/sources/tile_template",
    "tests/refactor/sources/stride_macro", "examples/kernels/conv2d_tiled"};

ParameterizedTestParameters(mutation, ends_and_never_crashes) {
    static int seeds[] = {0, 1, 2, 3};
    return cr_make_param_array(int, seeds, 4);
}

ParameterizedTest(int *seed, mutation, ends_and_never_crashes) {
    const char *wanted = getenv("HT_MUTATIONS");
    int count = wanted ? atoi(wanted) : 4;
    ht_random random;
    ht_error error;
    char *folder, *text;
    ht_problem_file *problems;
    char *source = ht_format("%s/%s.hip", HT_SOURCE_DIR, starts[*seed]);
    char *problem = ht_format("%s/%s.problem.json", HT_SOURCE_DIR, starts[*seed]);
    cr_assert_eq(ht_file_read(source, 0, &text, NULL, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_problem_file_load(problem, &problems, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_dir_temporary("mutation", &folder, &error), HT_OK);
    char *path = ht_path_join(folder, "source.hip");
    for (int i = 0; i < count; ++i) {
        ht_random_stream(&random, 77 + (uint64_t)*seed, (uint64_t)i);
        char *mutated = mutate_text(text, &random);
        check(mutated, problems, path);
        free(mutated);
    }
    ht_dir_remove(folder);
    free(path);
    free(folder);
    free(text);
    free(source);
    free(problem);
    ht_problem_file_free(problems);
}
