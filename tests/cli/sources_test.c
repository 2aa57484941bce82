/* The files that a command works on, and the problem file next to them. */
#include "pipeline/input.h"
#include "program.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char kernel[] = "__global__ void k() {}\n";

static ht_status find(const char *const *names, size_t count, ht_sources *out, ht_error *error) {
    char *paths[8];
    for (size_t i = 0; i < count; ++i)
        paths[i] = ht_path_join(workplace(), names[i]);
    char *skip = ht_path_join(workplace(), "tree/out");
    ht_status status = ht_sources_find(paths, count, skip, out, error);
    free(skip);
    for (size_t i = 0; i < count; ++i)
        free(paths[i]);
    return status;
}

static void expect_outputs(const ht_sources *sources, const char *const *expected, size_t count) {
    cr_assert_eq(sources->count, count, "%zu files", sources->count);
    for (size_t i = 0; i < count; ++i)
        cr_assert_str_eq(sources->items[i].output, expected[i]);
}

Test(sources, folders_are_read_recursively_in_order, .init = workplace_make,
     .fini = workplace_remove) {
    workplace_write("tree/b.hip", kernel);
    workplace_write("tree/a.cu", kernel);
    workplace_write("tree/sub/c.hpp", kernel);
    workplace_write("tree/sub/host.cpp", "int main() {}\n");
    workplace_write("tree/notes.txt", kernel);
    workplace_write("tree/.git/d.hip", kernel);
    workplace_write("tree/out/b.hip", kernel);
    ht_sources sources;
    ht_error error;
    cr_assert_eq(find((const char *const[]){"tree"}, 1, &sources, &error), HT_OK, "%s",
                 error.message);
    expect_outputs(&sources, (const char *const[]){"a.cu", "b.hip", "sub/c.hpp"}, 3);
    ht_sources_free(&sources);
}

Test(sources, files_of_other_suffixes_are_read_where_a_source_includes_them, .init = workplace_make,
     .fini = workplace_remove) {
    workplace_write("tree/host.cu", "#include \"parts/k.cuknl\"\n#include <system.knl>\n");
    workplace_write("tree/parts/k.cuknl", kernel);
    workplace_write("tree/parts/other.cuknl", kernel);
    workplace_write("tree/system.knl", kernel);
    workplace_write("tree/z.cc", kernel);
    ht_sources sources;
    cr_assert_eq(find((const char *const[]){"tree"}, 1, &sources, NULL), HT_OK);
    expect_outputs(&sources, (const char *const[]){"z.cc", "parts/k.cuknl"}, 2);
    ht_sources_free(&sources);
}

Test(sources, a_loop_of_links_ends, .init = workplace_make, .fini = workplace_remove) {
    workplace_write("tree/a.hip", kernel);
    char *link = ht_path_join(workplace(), "tree/loop");
    cr_assert_eq(symlink("..", link), 0);
    free(link);
    ht_sources sources;
    cr_assert_eq(find((const char *const[]){"tree"}, 1, &sources, NULL), HT_OK);
    cr_assert_eq(sources.count, 1);
    ht_sources_free(&sources);
}

Test(sources, equal_names_get_different_outputs_and_the_same_file_comes_once,
     .init = workplace_make, .fini = workplace_remove) {
    workplace_write("one/conv.hip", kernel);
    workplace_write("two/conv.hip", kernel);
    ht_sources sources;
    const char *const paths[] = {"one/conv.hip", "two/conv.hip", "one/conv.hip"};
    cr_assert_eq(find(paths, 3, &sources, NULL), HT_OK);
    expect_outputs(&sources, (const char *const[]){"conv.hip", "conv-2.hip"}, 2);
    ht_sources_free(&sources);
}

static void expect_input_error(const char *name) {
    ht_sources sources;
    ht_error error = {0};
    cr_assert_eq(find(&name, 1, &sources, &error), HT_ERROR_INPUT);
    cr_assert_eq(error.status, HT_ERROR_INPUT);
    cr_assert(strstr(error.file, name), "the message names the file");
}

Test(sources, missing_binary_and_empty_inputs_are_input_errors, .init = workplace_make,
     .fini = workplace_remove) {
    expect_input_error("missing.hip");
    workplace_write("empty/readme.txt", "nothing");
    expect_input_error("empty");
    char *path = ht_path_join(workplace(), "binary.hip");
    ht_file_write(path, "a\0b", 3, NULL);
    free(path);
    expect_input_error("binary.hip");
}

Test(problems, the_file_beside_replaces_the_last_suffix) {
    const char *const pairs[][2] = {{"a/conv.hip", "a/conv.problem.json"},
                                    {"conv.v2.cu", "conv.v2.problem.json"},
                                    {"a.b/conv", "a.b/conv.problem.json"},
                                    {".hip", ".hip.problem.json"}};
    for (size_t i = 0; i < 4; ++i) {
        char *path = ht_problem_path_beside(pairs[i][0]);
        cr_assert_str_eq(path, pairs[i][1]);
        free(path);
    }
}
