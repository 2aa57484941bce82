/* Base: the properties that the rest relies on without looking. */
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/scratch.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Test(error, message_too_long_is_cut_and_says_so) {
    ht_error error;
    char *longer = ht_alloc(10000, 1);
    memset(longer, 'x', 9999);
    cr_assert_eq(ht_error_set(&error, HT_ERROR_INPUT, "%s", longer), HT_ERROR_INPUT);
    cr_assert_eq(strlen(error.message), sizeof error.message - 1);
    cr_assert_str_eq(error.message + strlen(error.message) - 3, "...");
    free(longer);
}

Test(error, prefix_keeps_the_message_and_never_overruns) {
    ht_error error;
    ht_error_set(&error, HT_ERROR_IO, "inner");
    ht_error_prefix(&error, "outer %d: ", 7);
    cr_assert_str_eq(error.message, "outer 7: inner");
    for (int i = 0; i < 2000; ++i)
        ht_error_prefix(&error, "again and ");
    cr_assert_lt(strlen(error.message), sizeof error.message);
}

Test(error, null_error_is_allowed) {
    cr_assert_eq(ht_error_set(NULL, HT_ERROR_IO, "x"), HT_ERROR_IO);
    ht_error_prefix(NULL, "x");
}

/* Sizes around what is read at once; and files that say no size, or less than they have. */
Test(file, is_read_whole_whatever_its_size) {
    static const size_t sizes[] = {0, 1, 4095, 4096, 65535, 65536, 65537, 200000};
    char *folder, *got;
    size_t length;
    cr_assert_eq(ht_dir_temporary("test file", &folder, NULL), HT_OK);
    char *path = ht_path_join(folder, "x"), *data = ht_alloc(200000, 1);
    for (size_t i = 0; i < 200000; ++i)
        data[i] = (char)('a' + i * i % 23);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        cr_assert_eq(ht_file_write(path, data, sizes[k], NULL), HT_OK);
        cr_assert_eq(ht_file_read(path, 200000, &got, &length, NULL), HT_OK);
        cr_expect_eq(length, sizes[k]);
        cr_expect(memcmp(got, data, sizes[k]) == 0 && got[sizes[k]] == 0, "%zu", sizes[k]);
        free(got);
        if (sizes[k] > 1) /* 0 would be no limit */
            cr_expect_eq(ht_file_read(path, sizes[k] - 1, &got, &length, NULL), HT_ERROR_IO);
    }
    cr_assert_eq(ht_file_read("/proc/self/status", 0, &got, &length, NULL), HT_OK);
    cr_expect(strncmp(got, "Name:", 5) == 0 && strlen(got) == length);
    free(got);
    ht_dir_remove(folder);
    free(data);
    free(path);
    free(folder);
}

Test(file, writing_replaces_whole_files_and_leaves_nothing_behind) {
    char *folder;
    ht_error error;
    cr_assert_eq(ht_dir_temporary("test file", &folder, &error), HT_OK);
    char *path = ht_path_join(folder, "a b.txt");
    cr_assert_eq(ht_file_write(path, "first", 5, &error), HT_OK);
    cr_assert_eq(ht_file_write(path, "second", 6, &error), HT_OK);
    char *data;
    size_t length;
    cr_assert_eq(ht_file_read(path, 0, &data, &length, &error), HT_OK);
    cr_assert_eq(length, 6);
    cr_assert_str_eq(data, "second");
    free(data);
    cr_assert_eq(ht_file_read(path, 3, &data, &length, &error), HT_ERROR_IO);
    cr_assert_eq(ht_file_read_text(path, "a poem", &data, &error), HT_OK);
    free(data);
    cr_assert_eq(ht_file_write(path, "sec\0nd", 6, &error), HT_OK);
    cr_assert_eq(ht_file_read_text(path, "a poem", &data, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "is this a poem?"), "%s", error.message);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "temporary files were left in the folder");
    free(path);
    free(folder);
}

/* Returns a process id that is free by now. */
static pid_t dead_process(void) {
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

Test(scratch, what_the_killed_leave_is_swept_and_what_lives_stays) {
    char *root;
    cr_assert_eq(ht_dir_temporary("test", &root, NULL), HT_OK);
    setenv("TMPDIR", root, 1);
    int pipes[2];
    cr_assert_eq(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        ht_scratch scratch;
        bool good = ht_scratch_make("job", &scratch, NULL) == HT_OK;
        if (write(pipes[1], scratch.path, strlen(scratch.path)) < 0 || !good)
            _exit(1);
        for (;;)
            pause();
    }
    char path[4097] = {0};
    cr_assert_gt(read(pipes[0], path, sizeof path - 1), 0);
    cr_expect_eq(ht_scratch_sweep(root), 0);
    cr_expect(ht_dir_exists(path), "its owner lives");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);

    /* Not ours to judge: another form of name, and a young folder without a lock. */
    char *other = ht_path_join(root, "hiptemper-notes");
    char *young = ht_format("%s/hiptemper-job-%d-abcdef", root, (int)dead_process());
    cr_assert_eq(ht_dir_make(other, NULL), HT_OK);
    cr_assert_eq(ht_dir_make(young, NULL), HT_OK);
    ht_scratch scratch;
    cr_assert_eq(ht_scratch_make("job", &scratch, NULL), HT_OK);
    cr_expect_not(ht_dir_exists(path), "making one sweeps");
    cr_expect(ht_dir_exists(scratch.path));
    cr_expect(ht_dir_exists(other));
    cr_expect(ht_dir_exists(young));
    struct timeval old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    cr_assert_eq(utimes(young, old), 0);
    cr_expect_eq(ht_scratch_sweep(root), 1);
    cr_expect_not(ht_dir_exists(young));
    ht_scratch_remove(&scratch);
    cr_expect_null(scratch.path);
    ht_dir_remove(root);
    free(other);
    free(young);
    free(root);
}

Test(file, a_folder_is_not_readable_as_a_file) {
    char *data;
    ht_error error;
    cr_assert_eq(ht_file_read("/tmp", 0, &data, NULL, &error), HT_ERROR_IO);
    cr_assert(error.message[0]);
}

Test(file, path_parts) {
    char *folder = ht_path_folder("/a/b");
    cr_assert_str_eq(folder, "/a");
    free(folder);
    folder = ht_path_folder("b");
    cr_assert_str_eq(folder, ".");
    free(folder);
    cr_assert_str_eq(ht_path_name("/a/b"), "b");
    char *joined = ht_path_join("a/", "b");
    cr_assert_str_eq(joined, "a/b");
    free(joined);
}

Test(file, a_path_is_below_the_folders_that_its_name_goes_through) {
    cr_assert(ht_path_is_below("/a/b", "/a"));
    cr_assert(ht_path_is_below("/a/b/c", "/a"));
    cr_assert(ht_path_is_below("/a", "/"));
    cr_assert_not(ht_path_is_below("/ab/c", "/a"));
    cr_assert_not(ht_path_is_below("/a", "/a"));
}

Test(file, files_that_are_old_are_removed_and_nothing_else) {
    char *folder;
    cr_assert_eq(ht_dir_temporary("old", &folder, NULL), HT_OK);
    static const char *const names[] = {"old", "young", ".hidden"};
    struct timespec week_ago[2] = {{.tv_sec = time(NULL) - 7 * 24 * 3600}, {0}};
    week_ago[1] = week_ago[0];
    for (size_t i = 0; i < 3; ++i) {
        char *path = ht_path_join(folder, names[i]);
        cr_assert_eq(ht_file_write(path, "x", 1, NULL), HT_OK);
        if (i != 1)
            cr_assert_eq(utimensat(AT_FDCWD, path, week_ago, 0), 0);
        free(path);
    }
    char *below = ht_path_join(folder, "below");
    cr_assert_eq(ht_dir_make(below, NULL), HT_OK);
    cr_assert_eq(utimensat(AT_FDCWD, below, week_ago, 0), 0);
    ht_dir_remove_old(folder, 6);
    for (size_t i = 0; i < 3; ++i) {
        char *path = ht_path_join(folder, names[i]);
        cr_assert_eq(ht_file_exists(path), i != 0, "%s", names[i]);
        free(path);
    }
    cr_assert(ht_dir_exists(below));
    ht_dir_remove(folder);
    free(below);
    free(folder);
}

Test(hash, separates_its_parts) {
    char a[HT_HASH_SIZE], b[HT_HASH_SIZE], c[HT_HASH_SIZE];
    ht_hash_strings(a, "ab", "c", NULL);
    ht_hash_strings(b, "a", "bc", NULL);
    ht_hash_strings(c, "ab", "c", NULL);
    cr_assert_str_neq(a, b);
    cr_assert_str_eq(a, c);
    cr_assert_eq(strlen(a), HT_HASH_SIZE - 1);
}

Test(random, streams_are_reproducible_and_differ) {
    ht_random a, b, c;
    ht_random_stream(&a, 1, 5);
    ht_random_stream(&b, 1, 5);
    ht_random_stream(&c, 1, 6);
    int same = 0;
    for (int i = 0; i < 100; ++i) {
        uint64_t x = ht_random_next(&a);
        cr_assert_eq(x, ht_random_next(&b));
        same += x == ht_random_next(&c);
    }
    cr_assert_eq(same, 0);
}

Test(random, below_is_uniform) {
    ht_random random;
    ht_random_seed(&random, 3);
    size_t counts[6] = {0};
    for (int i = 0; i < 60000; ++i)
        ++counts[ht_random_below(&random, 6)];
    double chi = 0;
    for (int i = 0; i < 6; ++i)
        chi += ((double)counts[i] - 10000) * ((double)counts[i] - 10000) / 10000;
    cr_assert_lt(chi, 20.5, "chi squared %g, 5 degrees of freedom", chi); /* p = .001 */
}

Test(memory, grow_keeps_the_elements) {
    int *array = NULL;
    for (size_t i = 0; i < 1000; ++i) {
        HT_GROW(array, i);
        array[i] = (int)i;
    }
    for (int i = 0; i < 1000; ++i)
        cr_assert_eq(array[i], i);
    free(array);
}

Test(text, printf_grows) {
    ht_text text = {0};
    for (int i = 0; i < 100; ++i)
        ht_text_printf(&text, "%d,", i);
    cr_assert_eq(text.length, 290);
    cr_assert_eq(strlen(text.data), 290);
    ht_text_free(&text);
    char *taken = ht_text_take(&text);
    cr_assert_str_eq(taken, "");
    free(taken);
}

Test(text, every_mark_is_replaced_and_what_replaces_it_is_left_alone) {
    static const char *const cases[][4] = {{"a $@ b $@", "$@", "x", "a x b x"},
                                           {"$@$@", "$@", "$@1", "$@1$@1"},
                                           {"nothing", "$@", "x", "nothing"},
                                           {"", "$@", "x", ""},
                                           {"$@", "$@", "", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = ht_text_replaced(cases[i][0], cases[i][1], cases[i][2]);
        cr_expect_str_eq(text, cases[i][3], "%s", cases[i][0]);
        free(text);
    }
}

Test(text, foreign_words_keep_no_control_characters) {
    static const char foreign[] = "a\x1b[2J\tb\n\x7f\xc3\xa9";
    char line[sizeof foreign], lines[sizeof foreign], plain[sizeof foreign];
    memcpy(line, foreign, sizeof foreign);
    memcpy(lines, foreign, sizeof foreign);
    memcpy(plain, foreign, sizeof foreign);
    ht_text_make_printable(line, "", false);
    ht_text_make_printable(lines, "\n\t", false);
    ht_text_make_printable(plain, "", true);
    cr_expect_str_eq(line, "a?[2J?b??\xc3\xa9");
    cr_expect_str_eq(lines, "a?[2J\tb\n?\xc3\xa9");
    cr_expect_str_eq(plain, "a?[2J?b????");
}

Test(text, a_long_text_loses_its_middle) {
    static const char *const cases[][2] = {
        {"/a/b", "/a/b"},
        {"/abcdefghij", "/abcdefghij"},
        {"/abcdefghijk", "/abc...hijk"},
        {"/folder/folder/name", "/fol...name"},
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9...\xc3\xa9\xc3\xa9"},
        {"a\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9z", "a\xc3\xa9...\xc3\xa9z"}};
    char out[12];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_text_shorten(cases[i][0], out, sizeof out);
        cr_expect_str_eq(out, cases[i][1]);
    }
    ht_text_shorten("abcdef", out, 4);
    cr_expect_str_eq(out, "abc", "there is no room for the mark");
}

Test(text, a_start_is_one_of_several_and_capitals_are_of_letters_alone) {
    static const char *const starts[] = {"__sync", "atomic", NULL};
    cr_expect(ht_text_starts("__syncthreads", starts));
    cr_expect(ht_text_starts("atomic", starts));
    cr_expect_not(ht_text_starts("atom", starts));
    cr_expect_not(ht_text_starts("", starts));
    char text[] = "in_3x";
    ht_text_upper(text);
    cr_expect_str_eq(text, "IN_3X");
}
