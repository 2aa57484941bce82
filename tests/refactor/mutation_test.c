/* Sources with tokens deleted, doubled or swapped: whatever comes out, the pass ends, does not
 * crash, and hands out only templates that parse. HT_MUTATIONS sets how many sources each of the
 * four seeds makes. */
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_MAX = 60 };

typedef struct piece {
    size_t begin, end;
} piece;

/* Words, numbers and single characters, with the white space in front of them. */
static size_t cut(const char *text, piece **out) {
    piece *list = NULL;
    size_t count = 0;
    for (size_t at = 0; text[at];) {
        size_t end = at;
        while (isspace((unsigned char)text[end]))
            ++end;
        if (isalnum((unsigned char)text[end]) || text[end] == '_')
            while (isalnum((unsigned char)text[end]) || text[end] == '_')
                ++end;
        else if (text[end])
            ++end;
        HT_GROW(list, count);
        list[count++] = (piece){at, end};
        at = end;
    }
    *out = list;
    return count;
}

static char *mutate(const char *text, ht_random *random) {
    piece *pieces;
    ht_text out = {0};
    size_t count = cut(text, &pieces);
    size_t changes = 1 + (size_t)ht_random_below(random, 3);
    size_t where[3];
    int how[3];
    for (size_t i = 0; i < changes; ++i) {
        where[i] = (size_t)ht_random_below(random, count);
        how[i] = (int)ht_random_below(random, 3);
    }
    for (size_t i = 0; i < count; ++i) {
        int change = -1;
        for (size_t j = 0; j < changes; ++j)
            change = where[j] == i ? how[j] : change;
        piece next = pieces[i + 1 < count ? i + 1 : i];
        if (change == 2 && i + 1 < count) {
            ht_text_append_n(&out, text + next.begin, next.end - next.begin);
            ht_text_append_n(&out, text + pieces[i].begin, pieces[i].end - pieces[i].begin);
            ++i;
        } else if (change != 0) {
            ht_text_append_n(&out, text + pieces[i].begin, pieces[i].end - pieces[i].begin);
            if (change == 1)
                ht_text_append_n(&out, text + pieces[i].begin, pieces[i].end - pieces[i].begin);
        }
    }
    free(pieces);
    return ht_text_take(&out);
}

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
        char *mutated = mutate(text, &random);
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
