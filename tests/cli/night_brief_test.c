/* The part of a night's report that the database keeps, and the commit that it was of. */
#include "base/file.h"
#include "base/memory.h"
#include "base/tool.h"
#include "pipeline/nightly/night_brief.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(night_brief, .timeout = 60);

Test(night_brief, rows_have_their_verdicts_without_samples_and_kept_ones_their_names) {
    json_t *document =
        json_pack("{s:i, s:[{s:s, s:s, s:b, s:[i], s:{s:s}}, {s:s, s:s, s:b}]}", "night", 4,
                  "kernels", "kernel", "a", "verdict", "slower", "kept", 0, "watch", 1, "change",
                  "verdict", "slower", "kernel", "b", "verdict", "same", "kept", 1);
    json_t *brief = ht_night_brief(document), *rows = json_object_get(brief, "kernels");
    cr_assert_eq(json_array_size(rows), 2);
    const json_t *row = json_array_get(rows, 0);
    cr_expect_str_eq(json_string_value(json_object_get(row, "verdict")), "slower");
    cr_expect(json_is_object(json_object_get(row, "change")));
    cr_expect_null(json_object_get(row, "watch"));
    const json_t *kept = json_array_get(rows, 1);
    cr_expect_str_eq(json_string_value(json_object_get(kept, "kernel")), "b");
    cr_expect_null(json_object_get(kept, "verdict"));
    cr_expect_eq(json_integer_value(json_object_get(brief, "night")), 4);
    cr_expect_eq(json_array_size(json_object_get(document, "kernels")), 2, "the report stays");
    json_decref(brief);
    json_decref(document);
}

static void git(const char *folder, const char *const *words) {
    const ht_tool_call call = {.arguments = words, .seconds = 20, .folder = folder};
    ht_text out = {0};
    int code = 1;
    cr_assert_eq(ht_tool_run(&call, &out, &code, NULL), HT_OK);
    cr_assert_eq(code, 0, "%s", out.data);
    ht_text_free(&out);
}

Test(night_brief, the_commit_is_that_of_the_sources_folder) {
    static const char *const init[] = {"git", "init", "--quiet", ".", NULL};
    static const char *const commit[] = {
        "git",           "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet",
        "--allow-empty", "-m", "one",         NULL};
    char *folder = test_folder_make(), *tree = ht_path_join(folder, "tree");
    cr_assert_eq(ht_dir_make(tree, NULL), HT_OK);
    cr_expect_null(ht_night_commit(tree), "it is in no repository");
    git(tree, init);
    cr_expect_null(ht_night_commit(tree), "nothing is committed");
    git(tree, commit);
    char *found = ht_night_commit(tree);
    cr_assert(found);
    cr_expect_eq(strlen(found), 40);
    char *file = ht_path_join(tree, "a.hip"), *of_file = NULL;
    cr_assert_eq(ht_file_write(file, "", 0, NULL), HT_OK);
    of_file = ht_night_commit(file);
    cr_assert(of_file);
    cr_expect_str_eq(of_file, found);
    free(of_file);
    free(found);
    free(file);
    free(tree);
    ht_dir_remove(folder);
    free(folder);
}
