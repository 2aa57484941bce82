#include "tests/runtime/job/database_folder.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <stdlib.h>

char *folder, *path;

void database_folder_make(const char *name) {
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    path = ht_path_join(folder, name);
}

void database_folder_remove(void) {
    ht_dir_remove(folder);
    free(folder);
    free(path);
}

ht_database *database_open(void) {
    ht_database *database = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_database_open(path, &database, &error), HT_OK, "%s", error.message);
    return database;
}
