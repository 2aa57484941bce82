/* Writing results: onto no input, by no name that others could know, through links, with the
 * rights that were there. */
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static void folder_make(void) {
    cr_assert_eq(ht_dir_temporary("result", &folder, NULL), HT_OK);
    cr_assert_eq(chdir(folder), 0);
}

static void folder_remove(void) {
    cr_assert_eq(chdir("/"), 0);
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(result, .init = folder_make, .fini = folder_remove);

static void put(const char *path, const char *text) {
    ht_error error = {0};
    cr_assert_eq(ht_result_write(path, text, strlen(text), &error), HT_OK, "%s: %s", error.file,
                 error.message);
}

static void expect(const char *path, const char *wanted) {
    char *text = NULL;
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, NULL), HT_OK, "%s", path);
    cr_assert_str_eq(text, wanted, "%s", path);
    free(text);
}

static size_t entries(const char *path) {
    size_t count = 0;
    DIR *directory = opendir(path);
    cr_assert_not_null(directory);
    while (directory && readdir(directory))
        ++count;
    closedir(directory);
    return count - 2;
}

Test(result, an_input_is_not_overwritten_by_whatever_name) {
    put("source.hip", "original");
    cr_assert_eq(symlink("source.hip", "link.hip"), 0);
    cr_assert_eq(link("source.hip", "second.hip"), 0);
    ht_input_add("source.hip");
    static const char *const names[] = {"source.hip", "./source.hip", "link.hip", "second.hip"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        ht_error error = {0};
        cr_assert_eq(ht_result_write(names[i], "x", 1, &error), HT_ERROR_INPUT);
        cr_assert_str_eq(error.file, names[i]);
        cr_assert(strstr(error.message, "input of this command"), "%s", error.message);
    }
    expect("source.hip", "original");
    put("new", "new"); /* an editor replaces the input meanwhile */
    cr_assert_eq(rename("new", "source.hip"), 0);
    cr_assert_eq(ht_result_write("source.hip", "x", 1, NULL), HT_ERROR_INPUT);
    put("other.hip", "y");
    const ht_file_content over = {"source.hip", "asked for", 9};
    cr_assert_eq(ht_results_write_over(&over, 1, NULL), HT_OK);
    expect("source.hip", "asked for");
}

Test(result, a_link_stays_a_link_and_the_file_behind_it_changes) {
    struct stat info;
    cr_assert_eq(ht_dir_make("deep/folder", NULL), HT_OK);
    put("deep/folder/file", "old");
    cr_assert_eq(symlink("folder/file", "deep/first"), 0);
    cr_assert_eq(symlink("deep/first", "second"), 0);
    cr_assert_eq(symlink("deep/folder/absent", "dangling"), 0);
    cr_assert_eq(symlink("round", "round"), 0);
    put("second", "new");
    put("dangling", "made");
    expect("deep/folder/file", "new");
    expect("deep/folder/absent", "made");
    cr_assert(lstat("second", &info) == 0 && S_ISLNK(info.st_mode));
    cr_assert(lstat("deep/first", &info) == 0 && S_ISLNK(info.st_mode));
    cr_assert(lstat("dangling", &info) == 0 && S_ISLNK(info.st_mode));
    ht_error error = {0};
    cr_assert_eq(ht_result_write("round", "x", 1, &error), HT_ERROR_IO);
    cr_assert(strstr(error.message, "symbolic links"), "%s", error.message);
}

Test(result, modes_and_owners_stay) {
    static const mode_t modes[] = {0700, 0644, 0600, 0755, 0666, 02750};
    struct stat before, after;
    umask(022);
    put("fresh", "x");
    cr_assert(stat("fresh", &after) == 0 && (after.st_mode & 07777) == 0644);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
        put("file", "x");
        if (geteuid() == 0)
            cr_assert_eq(chown("file", 1234, 4321), 0);
        cr_assert_eq(chmod("file", modes[i]), 0);
        cr_assert_eq(stat("file", &before), 0);
        put("file", "y");
        cr_assert_eq(stat("file", &after), 0);
        cr_assert_neq(before.st_ino, after.st_ino);
        cr_assert_eq(before.st_mode, after.st_mode, "%o became %o", before.st_mode, after.st_mode);
        cr_assert_eq(before.st_uid, after.st_uid);
        cr_assert_eq(before.st_gid, after.st_gid);
    }
}

/* As today's names were: FILE.tmp.PID. */
Test(result, links_planted_under_names_that_can_be_guessed_are_not_followed) {
    put("victim", "precious");
    char *planted = ht_format("target.tmp.%ld", (long)getpid());
    cr_assert_eq(symlink("victim", planted), 0);
    put("target", "text");
    expect("victim", "precious");
    expect("target", "text");
    struct stat info;
    cr_assert(lstat("target", &info) == 0 && S_ISREG(info.st_mode));
    free(planted);
}

Test(result, names_may_be_as_long_as_the_system_allows) {
    char name[256];
    memset(name, 'n', 255);
    name[255] = 0;
    put(name, "a");
    put(name, "b");
    expect(name, "b");
    cr_assert_eq(entries("."), 1);
}

Test(result, devices_and_pipes_are_written_to_as_they_are) {
    struct stat before, after;
    cr_assert_eq(stat("/dev/null", &before), 0);
    put("/dev/null", "text");
    cr_assert(stat("/dev/null", &after) == 0 && after.st_rdev == before.st_rdev &&
              S_ISCHR(after.st_mode));
    ht_error error = {0};
    cr_assert_eq(ht_result_write("/dev/full", "text", 4, &error), HT_ERROR_IO);
    cr_assert(strstr(error.message, "No space left"), "%s", error.message);
    cr_assert_eq(ht_result_write(".", "text", 4, &error), HT_ERROR_IO);
    cr_assert_eq(ht_result_write("absent/", "text", 4, &error), HT_ERROR_IO);
}

Test(result, of_several_files_all_change_or_none) {
    put("first", "1");
    put("second", "2");
    ht_file_content files[] = {{"first", "one", 3}, {"second", "two", 3}, {"no/folder", "x", 1}};
    ht_error error = {0};
    cr_assert_eq(ht_results_write_over(files, 3, &error), HT_ERROR_IO);
    cr_assert_str_eq(error.file, "no/folder");
    expect("first", "1");
    expect("second", "2");
    cr_assert_eq(ht_results_write_over(files, 2, &error), HT_OK);
    expect("first", "one");
    expect("second", "two");
    cr_assert_eq(entries("."), 2);
}

static pid_t dead_process(void) {
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

Test(result, what_a_killed_writer_left_goes_with_the_next_writing) {
    char *dead = ht_format(".hiptemper-%d-0123", (int)dead_process());
    char *alive = ht_format(".hiptemper-%d-0123", (int)getppid());
    char *link = ht_format(".hiptemper-%d-4567", (int)dead_process());
    put(dead, "x");
    put(alive, "x");
    cr_assert_eq(symlink("elsewhere", link), 0);
    put("a.txt", "y");
    struct stat info;
    cr_expect_not(ht_file_exists(dead));
    cr_expect(ht_file_exists(alive));
    cr_expect_eq(lstat(link, &info), 0, "a link is none of ours");
    free(dead);
    free(alive);
    free(link);
}
