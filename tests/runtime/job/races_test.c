/* Races that are kept: as they were run, one of a kind, merged, pruned, and not used when
 * damaged. */
#include "tests/runtime/job/database_folder.h"

#include "runtime/protocol/protocol.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/merge.h"
#include "runtime/store/races.h"
#include "runtime/store/races_schema.h"

#include "base/memory.h"
#include "base/warning.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static unsigned warnings;

static void note_warning(const char *message) {
    warnings += strstr(message, "of table races") != NULL;
}

static void make_folder(void) {
    database_folder_make("tuning.db");
    ht_warning_sink = note_warning;
    warnings = 0;
}

TestSuite(races, .init = make_folder, .fini = database_folder_remove, .timeout = 60);

enum { ENTRANTS = 3, ROUNDS = 4 };

static const ht_database_key key = {"source", "conv", "template", "n=1",  "host",
                                    "clang",  "1",    "prelude",  "plain"};

/* A race of which one has fallen out; its samples are no decimals of a few digits. */
typedef struct sample {
    double of[2][ROUNDS];
    ht_race_entrant entrants[ENTRANTS];
    ht_race race;
} sample;

static void sample_make(sample *out, double scale) {
    for (int i = 0; i < ROUNDS; ++i) {
        out->of[0][i] = scale * (i + 1) / 3.0;
        out->of[1][i] = scale * (i + 2) / 7.0;
    }
    out->entrants[0] = (ht_race_entrant){.config = "original", .samples = out->of[0]};
    out->entrants[1] = (ht_race_entrant){
        .config = "A=1", .status = HT_ERROR_CRASH, .reason = (char *)"crash: SIGSEGV"};
    out->entrants[2] = (ht_race_entrant){.config = "A=2", .samples = out->of[1]};
    out->race = (ht_race){.step = 2,
                          .stage = "choice",
                          .seed = UINT64_MAX,
                          .entrants = out->entrants,
                          .count = ENTRANTS,
                          .rounds = ROUNDS};
}

static void put(const sample *of) {
    ht_database *database = database_open();
    ht_error error = {0};
    cr_assert_eq(ht_races_put(database, &key, &of->race, &error), HT_OK, "%s", error.message);
    ht_database_close(database);
}

/* Looks for a race of these names; compares it with `wanted`, NULL: there is none. */
static void expect(const ht_race *named, const sample *wanted) {
    ht_race_entrant entrants[ENTRANTS] = {0};
    ht_race race = *named;
    bool found = false;
    ht_error error = {0};
    ht_database *database = database_open();
    race.entrants = entrants;
    for (size_t i = 0; i < race.count; ++i)
        entrants[i].config = named->entrants[i].config;
    cr_assert_eq(ht_races_get(database, &key, 400, &race, &found, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(found, wanted != NULL);
    for (size_t i = 0; found && i < race.count; ++i) {
        const ht_race_entrant *is = &entrants[i], *was = &wanted->entrants[i];
        cr_expect_eq(race.rounds, wanted->race.rounds);
        cr_expect_eq(is->status, was->status);
        if (was->samples)
            cr_expect_arr_eq(is->samples, was->samples, ROUNDS * sizeof(double), "to the bit");
        else
            cr_expect_str_eq(is->reason, was->reason);
    }
    ht_race_results_free(&race);
    ht_database_close(database);
}

static void run_sql(const char *sql) {
    sqlite3 *sqlite = NULL;
    char *words = NULL;
    cr_assert_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(sqlite, sql, NULL, NULL, &words), SQLITE_OK, "%s", words);
    sqlite3_close(sqlite);
}

/* Changes a column of all races, with the checksums that they would have been written with. */
static void change_whole(ht_database *database, const char *column, const char *value) {
    static const char sum[] = "UPDATE races SET checksum = ht_checksum('races', " HT_RACES_VALUES(
        "jobs.", "races.") ") FROM jobs WHERE jobs.id = job_id";
    sqlite3 *sqlite = ht_database_handle(database);
    char *sql = sqlite3_mprintf("UPDATE races SET %s = %Q", column, value);
    cr_assert_eq(sqlite3_exec(sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(sqlite, sum, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
}

static ht_database_counts counts_of(const char *file) {
    ht_database_counts counts;
    ht_error error = {0};
    cr_assert_eq(ht_database_count(file, &counts, &error), HT_OK, "%s", error.message);
    return counts;
}

Test(races, a_race_is_read_as_it_was_run_and_found_by_all_that_names_it) {
    sample one, other;
    sample_make(&one, 1);
    put(&one);
    expect(&one.race, &one);
    sample_make(&other, 2);
    other.race.step = 3;
    expect(&other.race, NULL);
    other.race.step = 2;
    other.race.stage = "confirmation";
    expect(&other.race, NULL);
    other.race.stage = "choice";
    other.race.seed = 1;
    expect(&other.race, NULL);
    other.race.seed = UINT64_MAX;
    other.entrants[2].config = "A=3";
    expect(&other.race, NULL);
    other.entrants[2].config = "A=2";
    other.race.count = 2;
    expect(&other.race, NULL);
}

/* A step that was interrupted is done again: what the loop went on with is the later one. */
Test(races, a_race_that_is_run_again_replaces_the_first) {
    sample one, again;
    sample_make(&one, 1);
    sample_make(&again, 2);
    put(&one);
    put(&again);
    expect(&one.race, &again);
    cr_expect_eq(counts_of(path).races, 1);
}

Test(races, a_changed_row_is_reported_and_not_used) {
    static const char *const changes[] = {"results = replace(results, '0.33', '0.34')",
                                          "seed = 1",
                                          "step = 5",
                                          "created = 'then'",
                                          "stage = 'confirmation'",
                                          "entrants = replace(entrants, 'A=2', 'A=3')",
                                          "checksum = 1"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        sample one;
        sample_make(&one, 1);
        put(&one);
        char *sql = ht_format("UPDATE races SET %s", changes[i]);
        run_sql(sql);
        warnings = 0;
        expect(&one.race, NULL);
        cr_expect_eq(counts_of(path).damaged, 1, "%s", sql);
        cr_expect_geq(warnings, 1, "%s", sql);
        cr_assert_eq(ht_database_prune(path, 90, NULL), HT_OK);
        cr_expect_eq(counts_of(path).races, 0, "%s", sql);
        free(sql);
    }
}

/* Rows with a right checksum may still be of a program with another idea of them. */
Test(races, results_that_are_none_are_not_used) {
    static const char *const results[] = {
        "not JSON",
        "[]",
        "[[1, 2], [1, 2], [1]]",
        "[[1], [1], [1], [1]]",
        "[[0], [1], [1]]",
        "[[1], [-1], [1]]",
        "[[1], [\"1\"], [1]]",
        "[[], [], []]",
        "[[1], {\"status\": \"ok\", \"reason\": \"\"}, [1]]",
        "[[1], {\"status\": \"crash\"}, [1]]",
        "[[1], {\"status\": \"odd\", \"reason\": \"\"}, [1]]",
        "[[1], 1, [1]]",
    };
    sample one;
    sample_make(&one, 1);
    for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
        ht_database *database = NULL;
        put(&one);
        database = database_open();
        ht_race_entrant entrants[ENTRANTS] = {
            {.config = "original"}, {.config = "A=1"}, {.config = "A=2"}};
        ht_race race = one.race;
        bool found = true;
        race.entrants = entrants;
        change_whole(database, "results", results[i]);
        cr_assert_eq(ht_races_get(database, &key, 400, &race, &found, NULL), HT_OK);
        cr_expect_not(found, "%s", results[i]);
        ht_race_results_free(&race);
        ht_database_close(database);
    }
    cr_expect_eq(warnings, 0, "the rows are whole");
    ht_database *database = database_open();
    bool found = true;
    put(&one);
    ht_race race = one.race;
    ht_race_entrant entrants[ENTRANTS] = {
        {.config = "original"}, {.config = "A=1"}, {.config = "A=2"}};
    race.entrants = entrants;
    cr_assert_eq(ht_races_get(database, &key, ROUNDS - 1, &race, &found, NULL), HT_OK);
    cr_expect_not(found, "more rounds than there is room for");
    ht_race_results_free(&race);
    ht_database_close(database);
}

/* The younger of two, whichever comes first. */
Test(races, a_merge_has_each_race_once_and_the_younger) {
    sample one, other;
    char *first = ht_format("%s/first.db", folder), *second = ht_format("%s/second.db", folder);
    char *out = ht_format("%s/out.db", folder), *back = ht_format("%s/back.db", folder);
    char *own = path;
    sample_make(&one, 1);
    sample_make(&other, 2);
    path = first;
    put(&one);
    other.race.step = 7;
    put(&other);
    other.race.step = 2;
    path = second;
    put(&other);
    ht_database *database = database_open();
    change_whole(database, "created", "9999-01-01T00:00:00Z");
    ht_database_close(database);
    const char *const files[] = {first, second, first};
    cr_assert_eq(ht_database_merge(out, files, 2, NULL), HT_OK);
    cr_assert_eq(ht_database_merge(back, files + 1, 2, NULL), HT_OK);
    for (int i = 0; i < 2; ++i) {
        path = i ? back : out;
        cr_expect_eq(counts_of(path).races, 2);
        cr_expect_eq(counts_of(path).damaged, 0);
        expect(&one.race, &other);
    }
    path = own;
    free(back);
    free(out);
    free(second);
    free(first);
}

Test(races, prune_removes_the_races_of_old_jobs) {
    sample one;
    sample_make(&one, 1);
    put(&one);
    cr_assert_eq(ht_database_prune(path, -1, NULL), HT_OK);
    cr_expect_eq(counts_of(path).races, 0);
    cr_expect_eq(counts_of(path).jobs, 0);
}

/* A file of schema 3 is the same without the table. */
Test(races, an_older_file_gets_the_table_and_keeps_what_it_has) {
    sample one;
    sample_make(&one, 1);
    double samples[] = {0.5};
    const ht_evaluation evaluation = {.config = (char *)"A=1",
                                      .cost = 0.5,
                                      .samples = samples,
                                      .sample_count = 1,
                                      .resources = ht_resources_unknown()};
    ht_database *database = database_open();
    cr_assert_eq(ht_database_put(database, &key, &evaluation, NULL), HT_OK);
    ht_database_close(database);
    run_sql("DROP TABLE races; PRAGMA user_version = 3");
    cr_expect_eq(counts_of(path).races, 0, "a copy is brought up to date, to be read");
    expect(&one.race, NULL);
    put(&one);
    expect(&one.race, &one);
    ht_database_counts counts = counts_of(path);
    cr_expect_eq(counts.evaluations, 1);
    cr_expect_eq(counts.damaged, 0);
}
