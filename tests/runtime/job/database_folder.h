/* A database of its own for each test, in a folder that goes with it. */
#ifndef HT_TEST_DATABASE_FOLDER_H
#define HT_TEST_DATABASE_FOLDER_H

#include "runtime/store/database.h"

extern char *folder, *path; /* owned; a test may put another path there */

/* `name`: of the database in the folder. */
void database_folder_make(const char *name);
void database_folder_remove(void);
ht_database *database_open(void);

#endif
