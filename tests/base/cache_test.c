/* The folder of parsed headers: whose it is, and how much stays in it. */
#include "base/cache.h"

#include "tests/test_folder.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

static char *home, *own;

static void make_home(void) {
    home = test_folder_make();
    own = ht_format("%s/.cache/hiptemper/parsed", home);
    setenv("HOME", home, 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HIPTEMPER_CACHE");
}

static void remove_home(void) {
    ht_dir_remove(home);
    free(home);
    free(own);
}

TestSuite(cache, .init = make_home, .fini = remove_home, .timeout = 30);

static char *put(const char *folder, const char *name, int days) {
    char *path = ht_path_join(folder, name);
    struct timespec times[2] = {{.tv_sec = time(NULL) - (time_t)days * 24 * 3600}};
    times[1] = times[0];
    cr_assert_eq(ht_file_write(path, "x", 1, NULL), HT_OK);
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

Test(cache, without_a_name_it_is_the_users_own_and_nobody_elses) {
    struct stat state;
    cr_assert_not_null(ht_cache_folder());
    cr_expect_str_eq(ht_cache_folder(), own);
    cr_assert_eq(stat(own, &state), 0);
    cr_expect_eq(state.st_mode & 0777, 0700);
}

Test(cache, xdg_cache_home_is_asked_first) {
    char *other = ht_path_join(home, "other"), *expected = ht_format("%s/hiptemper/parsed", other);
    setenv("XDG_CACHE_HOME", other, 1);
    cr_assert_not_null(ht_cache_folder());
    cr_expect_str_eq(ht_cache_folder(), expected);
    free(expected);
    free(other);
}

Test(cache, an_empty_name_keeps_nothing) {
    setenv("HIPTEMPER_CACHE", "", 1);
    cr_expect_null(ht_cache_folder());
    cr_expect_not(ht_file_exists(own));
}

Test(cache, one_that_others_may_write_to_is_not_used) {
    cr_assert_eq(ht_dir_make(own, NULL), HT_OK);
    cr_assert_eq(chmod(own, 0777), 0);
    cr_expect_null(ht_cache_folder());
}

Test(cache, without_a_home_nothing_is_kept) {
    setenv("HOME", "/dev/null", 1);
    cr_expect_null(ht_cache_folder());
}

Test(cache, what_is_old_leaves_the_users_own_folder) {
    ht_error error;
    cr_assert(ht_cache_make(own, &error));
    char *deep = ht_path_join(own, "host-0");
    cr_assert_eq(ht_dir_make(deep, NULL), HT_OK);
    char *inner = put(deep, "x.pch", 31);
    struct timespec times[2] = {{.tv_sec = time(NULL) - 31L * 24 * 3600}};
    times[1] = times[0];
    cr_assert_eq(utimensat(AT_FDCWD, deep, times, 0), 0);
    char *old = put(own, "hip-0.pch", 31), *young = put(own, "hip-1.pch", 29);
    cr_assert_not_null(ht_cache_folder());
    cr_expect_not(ht_file_exists(old));
    cr_expect_not(ht_file_exists(inner));
    cr_expect_not(ht_dir_exists(deep));
    cr_expect(ht_file_exists(young));
    free(young);
    free(old);
    free(inner);
    free(deep);
}

Test(cache, what_is_old_stays_in_a_folder_that_was_named) {
    char *old = put(home, "hip-0.pch", 31);
    setenv("HIPTEMPER_CACHE", home, 1);
    cr_assert_not_null(ht_cache_folder());
    cr_expect(ht_file_exists(old));
    free(old);
}

Test(cache, the_oldest_makes_room_with_what_belongs_to_it) {
    char *paths[] = {put(home, "a.pch", 2), put(home, "b.pch", 3), put(home, "b.pch.inputs", 0),
                     put(home, "c.pch", 1), put(home, "d.txt", 9)};
    enum { COUNT = sizeof paths / sizeof *paths };
    ht_cache_make_room(home, ".pch", 4);
    for (size_t i = 0; i < COUNT; ++i)
        cr_expect(ht_file_exists(paths[i]), "%s", paths[i]);
    ht_cache_make_room(home, ".pch", 3);
    for (size_t i = 0; i < COUNT; ++i) {
        bool gone = strstr(paths[i], "b.pch") != NULL;
        cr_expect_eq(ht_file_exists(paths[i]), !gone, "%s", paths[i]);
        free(paths[i]);
    }
}
