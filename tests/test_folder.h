/* A test's own folder. */
#ifndef HT_TESTS_TEST_FOLDER_H
#define HT_TESTS_TEST_FOLDER_H

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes a folder for the running test, which is to remove it; free(). Its name is the same in each
 * run, since names are in the texts that compilers get, and what was compiled before is kept. Where
 * there is such a folder, of the same test in another build, it has another name. */
static inline char *test_folder_make(void) {
    static unsigned made;
    const char *root = getenv("TMPDIR");
    char *folder =
        ht_format("%s/hiptemper-test-%ld-%s.%s-%u", root && *root ? root : "/tmp", (long)getuid(),
                  criterion_current_suite->name, criterion_current_test->name, made++);
    if (mkdir(folder, 0700) != 0) {
        free(folder);
        ht_error error;
        cr_assert_eq(ht_dir_temporary("test", &folder, &error), HT_OK, "%s", error.message);
    }
    return folder;
}

#endif
