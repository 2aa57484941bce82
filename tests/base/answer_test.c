/* Programs that are asked about themselves: `date` is, under clang's name, since it never answers
 * the same twice. */
#include "base/answer.h"
#include "base/file.h"
#include "base/memory.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static void make(void) {
    folder = test_folder_make();
    setenv("HIPTEMPER_CACHE", folder, 1);
}

static void clear(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(answer, .init = make, .fini = clear, .timeout = 30);

/* Puts a program under a name in the folder; free(). */
static char *put(const char *program, const char *name) {
    char *path = ht_path_join(folder, name), *data;
    size_t length;
    ht_error error;
    cr_assert_eq(ht_file_read(program, 0, &data, &length, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_file_write(path, data, length, &error), HT_OK, "%s", error.message);
    cr_assert_eq(chmod(path, 0700), 0);
    free(data);
    return path;
}

static char *ask(const char *path, const char *question) {
    const char *arguments[] = {path, question, NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = 10};
    ht_text out = {0};
    ht_error error;
    int code = -1;
    cr_assert_eq(ht_answer_ask(&call, &out, &code, &error), HT_OK, "%s", error.message);
    cr_assert_eq(code, 0);
    return ht_text_take(&out);
}

/* Returns true if two questions to a program have the same answer. */
static bool is_kept(const char *path, const char *first_question, const char *second_question) {
    char *first = ask(path, first_question), *second = ask(path, second_question);
    bool same = strcmp(first, second) == 0;
    cr_assert(*first != '\0');
    free(second);
    free(first);
    return same;
}

Test(answer, clang_is_asked_once_for_each_question) {
    char *path = put("/bin/date", "clang-19");
    cr_expect(is_kept(path, "+%s%N", "+%s%N"));
    cr_expect_not(is_kept(path, "+%s%N", "+%N%s"));
    free(path);
}

Test(answer, other_programs_and_scripts_are_asked_each_time) {
    char *path = put("/bin/date", "ccache"), *script = ht_path_join(folder, "clang++-19");
    static const char text[] = "#!/bin/sh\nexec date \"$@\"\n";
    cr_expect_not(is_kept(path, "+%s%N", "+%s%N"));
    cr_assert_eq(ht_file_write(script, text, strlen(text), NULL), HT_OK);
    cr_assert_eq(chmod(script, 0700), 0);
    cr_expect_not(is_kept(script, "+%s%N", "+%s%N"));
    free(script);
    free(path);
}

Test(answer, a_program_that_has_changed_is_asked_again) {
    char *path = put("/bin/date", "clang-19"), *first = ask(path, "+same");
    cr_expect_str_eq(first, "same\n");
    free(path);
    path = put("/bin/echo", "clang-19");
    char *second = ask(path, "+same");
    cr_expect_str_eq(second, "+same\n");
    free(second);
    free(first);
    free(path);
}

Test(answer, another_process_takes_it_from_the_cache) {
    char *path = put("/bin/date", "clang-19"), *noted = ht_path_join(folder, "noted");
    pid_t child = fork();
    if (child == 0) {
        char *answer = ask(path, "+%s%N");
        _exit(ht_file_write(noted, answer, strlen(answer), NULL) != HT_OK);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    char *answer = ask(path, "+%s%N"), *first;
    cr_assert_eq(ht_file_read_text(noted, "answer", &first, NULL), HT_OK);
    cr_expect_str_eq(answer, first);
    free(first);
    free(answer);
    free(noted);
    free(path);
}

Test(answer, a_damaged_file_of_the_cache_is_not_believed) {
    char *path = put("/bin/date", "clang-19");
    const char *const words[] = {"sh", "-c",
                                 "for i in $HIPTEMPER_CACHE/answer-*; do echo x >>$i; done", NULL};
    pid_t child = fork();
    if (child == 0)
        _exit(strcmp(ask(path, "+old"), "old\n") != 0);
    int status = -1, code = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    ht_text said = {0};
    const ht_tool_call call = {.arguments = words, .seconds = 10};
    cr_assert_eq(ht_tool_run(&call, &said, &code, NULL), HT_OK);
    cr_assert_eq(code, 0, "%s", said.data);
    ht_text_free(&said);
    char *answer = ask(path, "+old");
    cr_expect_str_eq(answer, "old\n");
    free(answer);
    free(path);
}
