/* A tool's answer about itself is kept as long as the tool is the same. */
#include "runtime/host/kept_answer.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder, *program;

/* Each test is a process of its own, so the folder is looked up after this. */
static void make_folder(void) {
    char *data;
    size_t length;
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    setenv("HIPTEMPER_CACHE", folder, 1);
    program = ht_path_join(folder, "program");
    cr_assert_eq(ht_file_read("/bin/echo", 0, &data, &length, NULL), HT_OK);
    cr_assert_eq(ht_file_write(program, data, length, NULL), HT_OK);
    free(data);
}

static void remove_folder(void) {
    ht_dir_remove(folder);
    free(program);
    free(folder);
}

TestSuite(kept_answer, .init = make_folder, .fini = remove_folder, .timeout = 60);

static void put(const char *word, const char *answer) {
    ht_text text = {0};
    ht_text_append(&text, answer);
    ht_kept_answer_put((const char *const[]){program, word, NULL}, &text);
    ht_text_free(&text);
}

/* Returns true if this answer is kept. */
static bool takes(const char *word, const char *answer) {
    ht_text text = {0};
    bool taken = ht_kept_answer_take((const char *const[]){program, word, NULL}, &text) &&
                 strcmp(text.data, answer) == 0;
    ht_text_free(&text);
    return taken;
}

Test(kept_answer, is_of_one_call_of_one_program) {
    put("--version", "version 1\n");
    cr_expect(takes("--version", "version 1\n"));
    cr_expect_not(takes("--help", "version 1\n"));
    put("--version", "version 2\n");
    cr_expect(takes("--version", "version 2\n"));
    char *other = ht_path_join(folder, "other");
    cr_assert_eq(rename(program, other), 0);
    cr_expect_not(takes("--version", "version 2\n"));
    free(program);
    program = other;
    cr_expect_not(takes("--version", "version 2\n"));
}

Test(kept_answer, is_forgotten_when_the_program_changes) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000000000}};
    put("--version", "version 1\n");
    cr_assert_eq(utimensat(AT_FDCWD, program, times, 0), 0);
    cr_expect_not(takes("--version", "version 1\n"));
    put("--version", "version 2\n");
    cr_assert_eq(truncate(program, 64), 0);
    cr_assert_eq(utimensat(AT_FDCWD, program, times, 0), 0);
    cr_expect_not(takes("--version", "version 2\n"));
}

Test(kept_answer, of_a_script_is_not_kept) {
    static const char script[] = "#!/bin/sh\nexec another \"$@\"\n";
    cr_assert_eq(ht_file_write(program, script, strlen(script), NULL), HT_OK);
    put("--version", "version 1\n");
    cr_expect_not(takes("--version", "version 1\n"));
}

Test(kept_answer, is_done_without_where_it_cannot_be_kept) {
    setenv("HIPTEMPER_CACHE", "", 1);
    put("--version", "version 1\n");
    cr_expect_not(takes("--version", "version 1\n"));
}
