/* Patches apply, whatever the file is called and however its lines end, with both tools. */
#include "pipeline/patch.h"
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(patch, .init = workplace_make, .fini = workplace_remove, .timeout = 600);

/* Runs a tool in `folder` with the patch on standard input; returns its exit code. */
static int tool_run(const char *const *words, const char *folder, const char *patch) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[1]);
        setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
        setenv("GIT_CEILING_DIRECTORIES", "/", 1);
        if (chdir(folder) == 0)
            execvp(words[0], (char *const *)words);
        _exit(127);
    }
    close(ends[0]);
    size_t length = strlen(patch);
    cr_assert_eq(write(ends[1], patch, length), (ssize_t)length);
    close(ends[1]);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void put(const char *path, const char *text) {
    char *folder = ht_path_folder(path);
    ht_error error;
    cr_assert_eq(ht_dir_make(folder, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK, "%s", error.message);
    free(folder);
}

static void expect(const char *path, const char *wanted, const char *patch) {
    char *text = NULL;
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, NULL), HT_OK, "%s", path);
    cr_assert_str_eq(text, wanted, "%s\n%s", path, patch);
    free(text);
}

/* Applies the patch of `path` from `before` to `after`, which turns one into the other with both
 * tools, from the folder that it is for. */
static void applies(const char *path, const char *before, const char *after) {
    static const char *const tools[][6] = {{"patch", "-p1", "-s", NULL},
                                           {"git", "apply", "--whitespace=nowarn", "-", NULL}};
    char *copy = ht_path_join(workplace(), "the copy"), *folder, *patch;
    ht_error error;
    put(path, before);
    put(copy, after);
    cr_assert_eq(ht_patch_folder(&path, 1, &folder, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_patch_make(path, copy, folder, &patch, &error), HT_OK, "%s", error.message);
    for (size_t i = 0; i < 2 && strcmp(before, after) != 0; ++i) {
        put(path, before);
        cr_assert_eq(tool_run(tools[i], folder, patch), 0, "%s for '%s':\n%s", tools[i][0], path,
                     patch);
        expect(path, after, patch);
    }
    free(patch);
    free(folder);
    free(copy);
}

/* Returns a part of a path: letters, and marks that make names hard. */
static char *name_make(ht_random *random) {
    static const char *const parts[] = {"a",   "Z",    "0",        " ",    "  ",    "\t", "\"",
                                        "\\",  "'",    "\xC3\xA9", "\xFF", "\n",    "\r", "-",
                                        "..",  "...",  "$",        "*",    "`",     "a/", "b/",
                                        "\\n", "\x01", "\x7f",     ".cu",  ".orig", "#",  "%"};
    size_t count = 1 + ht_random_below(random, 6);
    ht_text text = {0};
    for (size_t i = 0; i < count; ++i)
        ht_text_append(&text, parts[ht_random_below(random, sizeof parts / sizeof *parts)]);
    for (char *at = text.data; *at; ++at) /* ".", ".." and an empty text are not names */
        if (at[0] == '/' && (at[1] == '/' || at[1] == 0))
            *at = '_';
    ht_text_append(&text, "x");
    return ht_text_take(&text);
}

static char *text_make(ht_random *random, bool changed) {
    static const char *const ends[] = {"\n", "\r\n"};
    ht_text text = {0};
    size_t style = ht_random_below(random, 3), lines = 5 + ht_random_below(random, 12);
    bool ended = ht_random_below(random, 2);
    size_t at = ht_random_below(random, lines);
    for (size_t i = 0; i < lines; ++i) {
        const char *end = ends[style == 2 ? ht_random_below(random, 2) : style];
        ht_text_printf(&text, "line %zu%s%s", i, changed && i == at ? ", changed\t " : "",
                       i + 1 < lines || ended ? end : "");
    }
    return ht_text_take(&text);
}

Test(patch, applies_with_both_tools_for_any_name_and_any_line_ends) {
    const char *asked = getenv("HT_PATCH_NAMES");
    size_t count = asked ? (size_t)strtoull(asked, NULL, 10) : 25;
    ht_random random;
    ht_random_seed(&random, 11);
    for (size_t i = 0; i < count; ++i) {
        char *name = name_make(&random), *path = ht_format("%s/%zu/%s", workplace(), i, name);
        ht_random same = random;
        char *before = text_make(&random, false), *after = text_make(&same, true);
        applies(path, before, after);
        free(after);
        free(before);
        free(path);
        free(name);
    }
}

Test(patch, of_a_file_above_the_current_folder_applies_where_it_says) {
    char *inner = ht_path_join(workplace(), "project/build"), *folder;
    ht_error error;
    cr_assert_eq(ht_dir_make(inner, &error), HT_OK);
    cr_assert_eq(chdir(inner), 0);
    applies("../src/../src/main.cu", "one\ntwo\n", "one\n2\n");
    applies("in here.cu", "one\ntwo\n", "one\n2\n");
    const char *one[] = {"in here.cu"}, *two[] = {"in here.cu", "../src/main.cu"};
    cr_assert_eq(ht_patch_folder(one, 1, &folder, &error), HT_OK);
    cr_assert_str_eq(folder, inner);
    free(folder);
    cr_assert_eq(ht_patch_folder(two, 2, &folder, &error), HT_OK);
    cr_assert_str_eq(ht_path_name(folder), "project");
    free(folder);
    free(inner);
    cr_assert_eq(chdir("/"), 0);
}

Test(patch, of_a_link_is_one_of_the_file_itself) {
    char *file = ht_path_join(workplace(), "deep/real.cu"), *link;
    link = ht_path_join(workplace(), "link.cu");
    put(file, "one\n");
    cr_assert_eq(symlink("deep/real.cu", link), 0);
    applies(link, "one\ntwo\n", "one\n2");
    free(link);
    free(file);
}

Test(patch, without_a_change_is_empty_and_without_a_file_an_error) {
    char *file = ht_path_join(workplace(), "a.cu"), *folder, *patch;
    const char *path = file, *absent = "/no/such/file";
    ht_error error;
    put(file, "one\n");
    cr_assert_eq(ht_patch_folder(&path, 1, &folder, &error), HT_OK);
    cr_assert_eq(ht_patch_make(file, file, folder, &patch, &error), HT_OK);
    cr_assert_str_eq(patch, "");
    free(patch);
    cr_assert_eq(ht_patch_make(file, absent, folder, &patch, &error), HT_ERROR_IO);
    free(folder);
    cr_assert_eq(ht_patch_folder(&absent, 1, &folder, &error), HT_ERROR_IO);
    free(file);
}
