/* hiptemper run: a winner of earlier nights is replaced by what is faster next to it alone. */
#include "tests/cli/night_support.h"

#include "base/memory.h"
#include "runtime/store/database_rows.h"
#include "runtime/store/database_schema.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static void prepare(void) {
    workplace_make();
    night_tree_write("n, 1", "");
}

TestSuite(night_incumbent, .init = prepare, .fini = workplace_remove, .timeout = 200);

/* Has the database say that a configuration was a hundred times as slow. */
static void slow_down(const char *config) {
    sqlite3 *database;
    ht_database_damage damage = {0};
    char *path = ht_format("%s/n.sqlite", workplace());
    char *words = sqlite3_mprintf("UPDATE evaluations SET median_ms = 100 * median_ms, samples = "
                                  "(SELECT json_group_array(100 * value) FROM json_each(samples)) "
                                  "WHERE config = %Q",
                                  config);
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(ht_database_rows_install(database, &damage), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, words, NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_changes(database), 1, "%s", words);
    cr_assert_eq(sqlite3_exec(database,
                              "UPDATE evaluations SET checksum = "
                              "(SELECT " HT_DATABASE_EVALUATION_SUM_JOINED
                              " FROM jobs WHERE jobs.id = evaluations.job_id)",
                              NULL, NULL, NULL),
                 SQLITE_OK, "%s", sqlite3_errmsg(database));
    sqlite3_close(database);
    sqlite3_free(words);
    free(path);
}

/* It would be replaced by one that is faster by 90 %, next to it. */
Test(night_incumbent, an_incumbent_is_a_finalist_though_the_search_thinks_nothing_of_it) {
    static const char least[] = "\"least_effect\": 0.9, ";
    night_job_write("[\"tree\"]", 60, 10, least);
    ran_night night = night_run("run n.json --json", 0);
    cr_assert_str_eq(night_text(night_row(&night, 0), "status"), "improved");
    char *config = ht_strdup(night_text(night_row(&night, 0), "config"));
    night_free(&night);
    slow_down(config);
    night_job_write("[\"tree\"]", 60, 15, least);
    night = night_run_again("run n.json --json");
    cr_expect(strstr(night.progress, "its search goes on"), "%s", night.progress);
    cr_expect_str_eq(night_text(night_row(&night, 0), "config"), config);
    night_free(&night);
    free(config);
}
