/* The database knows what it holds: rows that are not as they were written are not used. */
#include "tests/runtime/job/database_folder.h"

#include "runtime/protocol/protocol.h"
#include "runtime/store/database_best.h"
#include "runtime/store/database_export.h"
#include "runtime/store/database_schema.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/warning.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned warnings;
static char last_warning[1000];

static void note_warning(const char *message) {
    ++warnings;
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

static void make_folder(void) {
    database_folder_make("tuning.db");
    ht_warning_sink = note_warning;
    warnings = 0;
}

TestSuite(damage, .init = make_folder, .fini = database_folder_remove, .timeout = 60);

static ht_database_key key_of(const char *problem) {
    return (ht_database_key){"source", "conv", "template", problem, "host: two cores",
                             "clang",  "1",    "prelude",  "plain"};
}

static void put(ht_database *database, const char *problem, const char *config, double cost) {
    double samples[] = {cost, cost, cost};
    ht_evaluation evaluation = {.config = (char *)config,
                                .cost = cost,
                                .samples = samples,
                                .sample_count = 3,
                                .resources = ht_resources_unknown()};
    ht_database_key key = key_of(problem);
    cr_assert_eq(ht_database_put(database, &key, &evaluation, NULL), HT_OK);
}

/* Returns the cost of an evaluation; 0 when the database has none. */
static double cost_of(ht_database *database, const char *problem, const char *config) {
    bool found = false;
    ht_evaluation got;
    ht_error error = {0};
    ht_database_key key = key_of(problem);
    cr_assert_eq(ht_database_get(database, &key, config, &found, &got, &error), HT_OK, "%s",
                 error.message);
    double cost = found ? got.cost : 0;
    ht_evaluation_free(&got);
    return cost;
}

static void run_sql(const char *sql) {
    sqlite3 *sqlite = NULL;
    cr_assert_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    char *words = NULL;
    cr_assert_eq(sqlite3_exec(sqlite, sql, NULL, NULL, &words), SQLITE_OK, "%s", words);
    sqlite3_close(sqlite);
}

Test(damage, a_changed_row_is_not_used_reported_once_and_measured_again) {
    static const char *const changes[] = {
        "samples = replace(samples, '0.5', '0.4')",
        "median_ms = 0.4",
        "status = 'crash'",
        "config = 'A=2'",
        "reduced = 1",
        "conditions = '{}'",
        "compile_seconds = 1",
        "vgprs = 3",
        "created = 'then'",
        "reason = 'none'",
        "checksum = checksum + 1",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        unlink(path);
        ht_database *database = database_open();
        put(database, "n=1", "A=1", 0.5);
        ht_database_close(database);
        char *sql = ht_format("UPDATE evaluations SET %s", changes[i]);
        run_sql(sql);
        free(sql);
        warnings = 0;
        database = database_open();
        cr_expect_eq(cost_of(database, "n=1", "A=2"), 0, "%s", changes[i]);
        cr_expect_eq(cost_of(database, "n=1", "A=1"), 0, "%s", changes[i]);
        cr_expect_eq(cost_of(database, "n=1", "A=1"), 0, "%s", changes[i]);
        cr_expect_eq(warnings, 1, "%s: %u warnings", changes[i], warnings);
        cr_expect(strstr(last_warning, path) &&
                      strstr(last_warning, "row 1 of table evaluations") &&
                      strstr(last_warning, "DELETE FROM evaluations"),
                  "%s", last_warning);
        put(database, "n=1", "A=1", 0.7);
        cr_expect_eq(cost_of(database, "n=1", "A=1"), 0.7, "%s", changes[i]);
        ht_database_close(database);
    }
}

Test(damage, a_row_in_another_job_or_with_another_key_is_not_used) {
    ht_database *database = database_open();
    put(database, "n=1", "A=1", 0.5);
    put(database, "n=2", "A=2", 0.6);
    ht_database_close(database);
    run_sql("UPDATE evaluations SET job_id = 3 - job_id");
    database = database_open();
    cr_expect_eq(cost_of(database, "n=1", "A=2"), 0);
    cr_expect_eq(cost_of(database, "n=2", "A=1"), 0);
    ht_database_close(database);
    run_sql("UPDATE evaluations SET job_id = 3 - job_id;"
            "UPDATE jobs SET problem = 'n=3' WHERE problem = 'n=1'");
    database = database_open();
    cr_expect_eq(cost_of(database, "n=3", "A=1"), 0);
    cr_expect_eq(cost_of(database, "n=2", "A=2"), 0.6);
    ht_database_close(database);
}

Test(damage, changed_deaths_condemn_nobody) {
    ht_database *database = database_open();
    put(database, "n=1", "A=1", 0.5);
    ht_database_key key = key_of("n=1");
    unsigned count = 0;
    cr_assert_eq(
        ht_database_add_death(database, &key, "A=1", HT_ERROR_CRASH, "crash", &count, NULL), HT_OK);
    ht_database_close(database);
    run_sql("UPDATE deaths SET count = 5");
    database = database_open();
    cr_expect_eq(cost_of(database, "n=1", "A=1"), 0.5);
    cr_expect_eq(warnings, 1);
    cr_assert_eq(
        ht_database_add_death(database, &key, "A=1", HT_ERROR_CRASH, "crash", &count, NULL), HT_OK);
    cr_expect_eq(count, 1);
    ht_database_close(database);
}

static size_t seeds(const char *config) {
    ht_database *database = database_open();
    ht_database_key key = key_of("n=9");
    char **configs = NULL;
    size_t count = 0;
    cr_assert_eq(ht_database_nearest(database, &key, 5, &configs, &count, NULL), HT_OK);
    if (count)
        cr_expect_str_eq(configs[0], config);
    for (size_t i = 0; i < count; ++i)
        free(configs[i]);
    free(configs);
    ht_database_close(database);
    return count;
}

Test(damage, seeds_exports_and_training_leave_changed_rows_out) {
    ht_database *database = database_open();
    put(database, "n=1", "A=1", 0.5);
    put(database, "n=1", "A=2", 0.6);
    put(database, "n=1", "A=3", 0.7);
    ht_database_close(database);
    run_sql("UPDATE evaluations SET median_ms = 0.1 WHERE config = 'A=3';"
            "UPDATE evaluations SET samples = '[1]' WHERE config = 'A=1'");
    cr_expect_eq(seeds("A=2"), 1);

    ht_recording *recording = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_database_export(path, &(ht_database_choice){0}, &recording, &error), HT_OK,
                 "%s", error.message);
    cr_assert_eq(recording->record_count, 1);
    cr_expect_eq(recording->records[0].cost, 0.6);
    ht_recording_free(recording);

    ht_database_best best;
    ht_database_best_choice choice = {
        .kernel = "conv", .device = "host", .least = 1, .within = 10, .most = 10};
    cr_assert_eq(ht_database_read_best(path, &choice, &best, &error), HT_OK, "%s", error.message);
    cr_assert_eq(best.count, 1);
    cr_expect_str_eq(best.rows[0].config, "A=2");
    ht_database_best_free(&best);
}

/* Makes a database of schema 2, which has no checksums: they are made of what the rows hold when it
 * is opened. */
static void make_schema_2(void) {
    run_sql(HT_DATABASE_SCHEMA_2);
    run_sql("INSERT INTO jobs VALUES (7, 'source', 'conv', 'template', 'n=1', 'host: two cores',"
            " 'clang', '1', 'prelude', 'plain', 'then');"
            "INSERT INTO evaluations (job_id, config, status, median_ms, samples, compile_seconds)"
            " VALUES (7, 'A=1', 'ok', 0.5, '[0.5]', 0.1), (7, 'A=2', 'ok', 0.7, '[0.7]', 0.1);"
            "INSERT INTO deaths VALUES (7, 'A=2', 2, 'crash', 'crash: SIGSEGV')");
}

Test(damage, a_file_without_checksums_is_given_them_once) {
    make_schema_2();
    ht_recording *recording = NULL;
    ht_error error = {0};
    char *before = NULL, *after = NULL;
    size_t length = 0, length_after = 0;
    cr_assert_eq(ht_file_read(path, 0, &before, &length, NULL), HT_OK);
    cr_assert_eq(ht_database_export(path, &(ht_database_choice){0}, &recording, &error), HT_OK,
                 "%s", error.message);
    cr_expect_eq(recording->record_count, 2);
    ht_recording_free(recording);
    cr_assert_eq(ht_file_read(path, 0, &after, &length_after, NULL), HT_OK);
    cr_expect(length == length_after && memcmp(before, after, length) == 0, "it was only read");
    free(before);
    free(after);

    ht_database *database = database_open();
    cr_expect_eq(cost_of(database, "n=1", "A=1"), 0.5);
    cr_expect_eq(cost_of(database, "n=1", "A=2"), 0, "condemned");
    ht_database_close(database);
    cr_expect_eq(warnings, 0);
    run_sql("UPDATE evaluations SET median_ms = 0.4");
    database = database_open();
    cr_expect_eq(cost_of(database, "n=1", "A=1"), 0);
    ht_database_close(database);
}

Test(damage, a_version_that_is_not_that_of_the_tables_is_refused) {
    ht_database *database = database_open();
    put(database, "n=1", "A=1", 0.5);
    ht_database_close(database);
    for (int version = 1; version <= 2; ++version) {
        char *sql =
            ht_format("UPDATE evaluations SET median_ms = 0.4; PRAGMA user_version = %d", version);
        run_sql(sql);
        free(sql);
        ht_error error = {0};
        cr_expect_eq(ht_database_open(path, &database, &error), HT_ERROR_IO);
        cr_expect(strstr(error.message, "is damaged") && strstr(error.message, "move it away"),
                  "%s", error.message);
        ht_recording *recording = NULL;
        cr_expect_eq(ht_database_export(path, &(ht_database_choice){0}, &recording, &error),
                     HT_ERROR_IO);
    }
}

Test(damage, a_damaged_index_is_refused_with_the_command_that_mends_it) {
    ht_database *database = database_open();
    put(database, "n=1", "A=1", 0.5);
    ht_database_close(database);
    run_sql("CREATE TABLE other (a, b); CREATE INDEX other_a ON other (a);"
            "INSERT INTO other VALUES (1, 2); PRAGMA writable_schema = 1;"
            "UPDATE sqlite_schema SET sql = 'CREATE INDEX other_a ON other (b)'"
            " WHERE name = 'other_a'");
    ht_error error = {0};
    cr_expect_eq(ht_database_open(path, &database, &error), HT_ERROR_IO);
    cr_expect(strstr(error.message, "REINDEX"), "%s", error.message);
    run_sql("REINDEX");
    database = database_open();
    cr_expect_eq(cost_of(database, "n=1", "A=1"), 0.5);
    ht_database_close(database);
}

Test(damage, a_damaged_page_is_reported_on_one_line_with_what_to_do) {
    ht_database *database = database_open();
    put(database, "n=1", "A=1", 0.5);
    ht_database_close(database);
    sqlite3 *sqlite;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(sqlite,
                                    "SELECT rootpage, page_size FROM sqlite_schema,"
                                    " pragma_page_size WHERE name = 'evaluations'",
                                    -1, &statement, NULL),
                 SQLITE_OK);
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    long page = sqlite3_column_int(statement, 0), size = sqlite3_column_int(statement, 1);
    sqlite3_finalize(statement);
    sqlite3_close(sqlite);
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    fseek(file, (page - 1) * size + 8, SEEK_SET); /* where the first row lies */
    fputs("\x01\x02", file);
    fclose(file);
    ht_error error = {0};
    cr_expect_eq(ht_database_open(path, &database, &error), HT_ERROR_IO);
    cr_expect(strstr(error.message, "is damaged") && strstr(error.message, "move it away"), "%s",
              error.message);
    cr_expect_null(strchr(error.message, '\n'), "%s", error.message);
    cr_expect_null(strstr(error.message, "***"), "%s", error.message);
}
