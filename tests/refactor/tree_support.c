#include "tree_support.h"

#include "base/file.h"
#include "base/memory.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

char *tree_folder;

void tree_folder_make(void) {
    tree_folder = test_folder_make();
}

void tree_folder_remove(void) {
    ht_dir_remove(tree_folder);
    free(tree_folder);
}

char *tree_put(const char *name, const char *text) {
    char *path = ht_path_join(tree_folder, name), *parent = ht_path_folder(path);
    cr_assert_eq(ht_dir_make(parent, NULL), HT_OK);
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    free(parent);
    return path;
}

static const char problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : N\", \"args\": [\"in : in float[problem.N]\", "
    "\"out : out float[problem.N]\", \"n : int = problem.N\"], \"host\": {\"n\": \"problem.N\"}, "
    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000}}]}]}";

ht_problem_file *tree_problems(void) {
    ht_problem_file *file;
    cr_assert_eq(ht_problem_file_parse(problem, "problems", &file, NULL), HT_OK);
    return file;
}

ht_refactor *tree_read(const char *path, const ht_refactor_options *options,
                       const ht_problem_file *given) {
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, given, options, &refactor, &error), HT_OK, "%s",
                 error.message);
    return refactor;
}
