/* Databases merged: the same in any order, in one step or several, however often. */
#include "tests/runtime/job/database_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "runtime/store/loops.h"
#include "runtime/store/merge.h"
#include "runtime/store/nights.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make_folder(void) {
    database_folder_make("merge.db");
}

TestSuite(database_merge, .init = make_folder, .fini = database_folder_remove, .timeout = 120);

static char *named(const char *name) {
    return ht_format("%s/%s.db", folder, name);
}

/* Has SQL done by the plain library: what a row was made by does not matter. */
static void execute(const char *name, const char *sql) {
    char *file = named(name);
    sqlite3 *sqlite = NULL;
    cr_assert_eq(sqlite3_open(file, &sqlite), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(sqlite, sql, NULL, NULL, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(sqlite));
    sqlite3_close(sqlite);
    free(file);
}

static void evaluation_put(ht_database *database, ht_random *random) {
    char *kernel = ht_format("k%d", (int)ht_random_below(random, 3));
    char *config = ht_format("A=%d", (int)ht_random_below(random, 6));
    const ht_database_key key = {kernel,     kernel,     "template",  "n=1",  "host",
                                 "clang 19", "method 1", "prelude 1", "plain"};
    double samples[] = {1 + ht_random_unit(random)};
    ht_evaluation evaluation = {.config = config,
                                .cost = samples[0],
                                .samples = samples,
                                .sample_count = 1,
                                .reduced = ht_random_below(random, 2) != 0,
                                .resources = {.vgprs = 32, .agprs = -1}};
    unsigned deaths;
    cr_assert_eq(ht_database_put(database, &key, &evaluation, NULL), HT_OK);
    if (ht_random_below(random, 4) == 0)
        cr_assert_eq(ht_database_add_death(database, &key, config, HT_ERROR_CRASH,
                                           ht_random_below(random, 2) ? "one" : "two", &deaths,
                                           NULL),
                     HT_OK);
    free(config);
    free(kernel);
}

static void night_put(ht_nights *nights, ht_random *random, int64_t night) {
    char *source = ht_format("s%d", (int)ht_random_below(random, 3));
    char *document = ht_format("{\"at\": %d}", (int)ht_random_below(random, 100));
    const ht_night_result result = {.night = night,
                                    .job = "j.json",
                                    .kernel = "k",
                                    .problem = "",
                                    .device = "host",
                                    .file = "k.hip",
                                    .source_key = source,
                                    .kernel_key = source,
                                    .document = document};
    cr_assert_eq(ht_nights_put(nights, &result, NULL), HT_OK);
    if (ht_random_below(random, 2))
        cr_assert_eq(ht_nights_put_file(nights, source,
                                        ht_random_below(random, 2) ? "a.hip" : "b.hip", document,
                                        NULL),
                     HT_OK);
    free(document);
    free(source);
}

/* Puts a loop of this key, whose documents begin with `what`. Returns its number. */
static int64_t loop_put(const char *name, const char *key, int revisions, const char *what) {
    char *file = named(name);
    ht_loops *loops = NULL;
    ht_loop_row row = {.key = (char *)(size_t)key,
                       .file = "/k.hip",
                       .kernel = "k",
                       .document = (char *)(size_t)what};
    cr_assert_eq(ht_loops_open(file, &loops, NULL), HT_OK);
    cr_assert_eq(ht_loops_begin(loops, &row, NULL), HT_OK);
    for (int i = 0; i < revisions; ++i) {
        char *document = ht_format("%s %d", what, i);
        cr_assert_eq(ht_loops_put(loops, row.id, (uint64_t)i, document, NULL), HT_OK);
        free(document);
    }
    ht_loops_close(loops);
    free(file);
    return row.id;
}

static void loops_put(const char *name, ht_random *random) {
    for (int i = 0; i < 2; ++i) {
        char *key = ht_format("key %d", (int)ht_random_below(random, 3));
        char *what = ht_format("what %d", (int)ht_random_below(random, 100));
        loop_put(name, key, (int)ht_random_below(random, 3), what);
        free(what);
        free(key);
    }
}

/* Makes a database at random; its rows are of several days, with right checksums. */
static void random_make(const char *name, ht_random *random) {
    char *file = named(name);
    ht_database *database = NULL;
    ht_nights *nights = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_database_open(file, &database, &error), HT_OK, "%s", error.message);
    for (int i = 0; i < 8; ++i)
        evaluation_put(database, random);
    ht_database_close(database);
    cr_assert_eq(ht_nights_open(file, &nights, &error), HT_OK, "%s", error.message);
    for (int i = 0; i < 2; ++i) {
        int64_t night;
        char *text = ht_format("{\"host\": \"h%d\"}", (int)ht_random_below(random, 2));
        cr_assert_eq(ht_nights_begin(nights, "j.json", &(ht_night_name){0}, &night, NULL), HT_OK);
        night_put(nights, random, night);
        if (ht_random_below(random, 3))
            cr_assert_eq(ht_nights_end(nights, night, text, NULL), HT_OK);
        free(text);
    }
    ht_nights_close(nights);
    char *sql = ht_format("UPDATE nights SET began = '2026-11-%02d' || id",
                          10 + (int)ht_random_below(random, 3));
    execute(name, sql);
    if (ht_random_below(random, 3))
        loops_put(name, random);
    free(sql);
    free(file);
}

static void merge(const char *out, const char *const *names, size_t count) {
    char *to = named(out);
    const char *files[8];
    ht_error error = {0};
    for (size_t i = 0; i < count; ++i)
        files[i] = named(names[i]);
    cr_assert_eq(ht_database_merge(to, files, count, &error), HT_OK, "%s", error.message);
    for (size_t i = 0; i < count; ++i)
        free((char *)files[i]);
    free(to);
}

/* Returns all that a database says, numbers of jobs left out; free(). */
static char *contents(const char *name) {
    static const char *const queries[] = {
        "SELECT jobs.*, '' FROM (SELECT template_name, source_hash, created, checksum FROM jobs"
        " ORDER BY template_name, source_hash) AS jobs",
        "SELECT template_name, config, status, samples, reduced, evaluations.created,"
        " evaluations.checksum FROM evaluations JOIN jobs ON jobs.id = job_id"
        " ORDER BY template_name, config",
        "SELECT template_name, config, count, status, evidence FROM deaths"
        " JOIN jobs ON jobs.id = job_id ORDER BY template_name, config",
        "SELECT id, job, began, ended IS NULL, document FROM nights ORDER BY id",
        "SELECT id, night, source_key, document, created FROM results ORDER BY id",
        "SELECT source_key, name, content, checksum FROM written ORDER BY source_key, name",
        "SELECT id, key, document, created, checksum FROM loops ORDER BY id",
        "SELECT loop, number, document, checksum FROM steps ORDER BY loop, number"};
    char *file = named(name);
    ht_text text = {0};
    sqlite3 *sqlite = NULL;
    cr_assert_eq(sqlite3_open(file, &sqlite), SQLITE_OK);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i) {
        sqlite3_stmt *rows = NULL;
        int found = sqlite3_prepare_v2(sqlite, queries[i], -1, &rows, NULL);
        if (found != SQLITE_OK && strstr(sqlite3_errmsg(sqlite), "no such table: "))
            continue; /* of loops */
        cr_assert_eq(found, SQLITE_OK, "%s", sqlite3_errmsg(sqlite));
        while (sqlite3_step(rows) == SQLITE_ROW) {
            for (int j = 0; j < sqlite3_column_count(rows); ++j) {
                const char *value = (const char *)sqlite3_column_text(rows, j);
                ht_text_printf(&text, "%s|", value ? value : "");
            }
            ht_text_append(&text, "\n");
        }
        sqlite3_finalize(rows);
        ht_text_append(&text, "--\n");
    }
    sqlite3_close(sqlite);
    free(file);
    return ht_text_take(&text);
}

static void expect_same(const char *a, const char *b, const char *law) {
    char *first = contents(a), *second = contents(b);
    cr_expect_str_eq(first, second, "%s:\n%s\n%s", law, first, second);
    free(first);
    free(second);
}

#define NAMES(...)                                                                                 \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

/* Checks the laws with three random databases; rows of one second decide by their contents. */
static void laws_check(uint64_t seed) {
    ht_random random;
    ht_random_seed(&random, seed);
    random_make("a", &random);
    random_make("b", &random);
    random_make("c", &random);
    merge("abc", NAMES("a", "b", "c"));
    merge("cba", NAMES("c", "b", "a"));
    expect_same("abc", "cba", "commutative");
    merge("ab", NAMES("a", "b"));
    merge("ab_c", NAMES("ab", "c"));
    expect_same("abc", "ab_c", "associative");
    merge("bc", NAMES("c", "b"));
    merge("a_bc", NAMES("bc", "a"));
    expect_same("abc", "a_bc", "associative");
    merge("again", NAMES("abc", "b", "abc", "a"));
    expect_same("abc", "again", "idempotent");
    merge("abc", NAMES("abc", "c"));
    expect_same("abc", "again", "idempotent in place");
}

Test(database_merge, is_commutative_associative_and_idempotent) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        laws_check(seed);
        static const char *const made[] = {"a",  "b",  "c",    "abc",  "cba",
                                           "ab", "bc", "ab_c", "a_bc", "again"};
        for (size_t i = 0; i < sizeof made / sizeof *made; ++i) {
            char *command = ht_format("rm -f %s/%s.db*", folder, made[i]);
            cr_assert_eq(system(command), 0);
            free(command);
        }
    }
}

Test(database_merge, a_merged_database_is_whole_and_has_all) {
    ht_random random;
    ht_random_seed(&random, 3);
    random_make("a", &random);
    random_make("b", &random);
    merge("ab", NAMES("a", "b"));
    char *file = named("ab");
    ht_database_counts counts;
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.damaged, 0);
    cr_expect_eq(counts.nights, 4);
    cr_expect_geq(counts.evaluations, 6);
    free(file);
}

/* A new output is made next to its place: what a killed merge left there is not taken for it. */
Test(database_merge, a_new_output_appears_when_it_is_whole_and_never_in_part) {
    ht_random random;
    ht_random_seed(&random, 3);
    random_make("a", &random);
    char *file = named("a"), *out = named("out"), *part = ht_format("%s.merging", out);
    const char *const broken[] = {file, folder};
    ht_database_counts before, counts;
    cr_assert_eq(ht_file_write(part, "half a file", 11, NULL), HT_OK);
    cr_expect_neq(ht_database_merge(out, broken, 2, NULL), HT_OK, "a folder is no database");
    cr_expect_not(ht_file_exists(out));
    cr_assert_eq(ht_database_count(file, &before, NULL), HT_OK);
    merge("out", NAMES("a"));
    cr_assert_eq(ht_database_count(out, &counts, NULL), HT_OK);
    cr_expect_eq(counts.evaluations, before.evaluations);
    cr_expect_not(ht_file_exists(part));
    free(part);
    free(out);
    free(file);
}

/* Processes that share a night have it as one, and of its documents the whole one. */
Test(database_merge, parts_of_one_night_are_one_night_with_the_longest_document) {
    static const char *const documents[] = {"{\"host\": \"h\", \"z\": 1}",
                                            "{\"host\": \"h\", \"a\": [1, 2, 3]}"};
    const ht_night_name name = {"2026-01-01T00:00:00Z", "h"};
    for (int i = 0; i < 2; ++i) {
        char *file = named(i ? "b" : "a");
        ht_nights *nights;
        int64_t night, again;
        cr_assert_eq(ht_nights_open(file, &nights, NULL), HT_OK);
        cr_assert_eq(ht_nights_begin(nights, "j.json", &name, &night, NULL), HT_OK);
        cr_assert_eq(ht_nights_begin(nights, "j.json", &name, &again, NULL), HT_OK);
        cr_expect_eq(again, night, "it is joined");
        cr_assert_eq(ht_nights_end(nights, night, documents[i], NULL), HT_OK);
        ht_nights_close(nights);
        free(file);
    }
    merge("ab", NAMES("a", "b"));
    merge("ba", NAMES("b", "a"));
    merge("ba", NAMES("a"));
    for (int i = 0; i < 2; ++i) {
        char *text = contents(i ? "ab" : "ba");
        cr_expect(strstr(text, "[1, 2, 3]") && !strstr(text, "\"z\""), "%s", text);
        free(text);
    }
}

Test(database_merge, damaged_rows_are_counted_left_out_of_a_merge_and_pruned) {
    ht_random random;
    ht_random_seed(&random, 3);
    random_make("a", &random);
    char *file = named("a"), *out = named("out");
    ht_database_counts before, counts;
    cr_assert_eq(ht_database_count(file, &before, NULL), HT_OK);
    execute("a", "UPDATE evaluations SET samples = '[9]' WHERE id = (SELECT min(id) FROM"
                 " evaluations)");
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.damaged, 1);
    merge("out", NAMES("a"));
    cr_assert_eq(ht_database_count(out, &counts, NULL), HT_OK);
    cr_expect_eq(counts.evaluations, before.evaluations - 1);
    cr_expect_eq(counts.damaged, 0);
    cr_assert_eq(ht_database_prune(file, 90, NULL), HT_OK);
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.evaluations, before.evaluations - 1);
    cr_expect_eq(counts.damaged, 0);
    free(out);
    free(file);
}

Test(database_merge, prune_removes_what_is_old_and_keeps_the_latest_results) {
    ht_random random;
    ht_random_seed(&random, 3);
    random_make("a", &random);
    char *file = named("a");
    ht_database_counts counts;
    ht_error error = {0};
    cr_assert_eq(ht_database_prune(file, 90, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_gt(counts.evaluations, 0);
    cr_expect_eq(counts.results, 2);
    cr_assert_eq(ht_database_prune(file, -1, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.evaluations, 0);
    cr_expect_eq(counts.jobs, 0);
    cr_expect_eq(counts.results, 1, "the latest of the only kernel");
    free(file);
}

/* They are reused when the kernel is timed again. */
Test(database_merge, prune_keeps_evaluations_of_the_latest_result_of_a_kernel) {
    ht_random random;
    ht_random_seed(&random, 3);
    random_make("a", &random);
    char *file = named("a");
    ht_nights *nights = NULL;
    ht_database_counts before, counts;
    cr_assert_eq(ht_nights_open(file, &nights, NULL), HT_OK);
    const ht_night_result result = {.night = 2,
                                    .job = "j.json",
                                    .kernel = "k0",
                                    .problem = "",
                                    .device = "host",
                                    .file = "k.hip",
                                    .source_key = "s",
                                    .kernel_key = "s",
                                    .document = "{\"parts\": {\"code\": \"template\"}}"};
    cr_assert_eq(ht_nights_put(nights, &result, NULL), HT_OK);
    ht_nights_close(nights);
    cr_assert_eq(ht_database_count(file, &before, NULL), HT_OK);
    cr_assert_eq(ht_database_prune(file, -1, NULL), HT_OK);
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.evaluations, before.evaluations);
    free(file);
}

/* ---- loops */

static ht_status revision_count(void *context, const char *document, ht_error *error) {
    (void)error;
    int *count = context;
    cr_expect(strstr(document, "longer"), "%s", document);
    ++*count;
    return HT_OK;
}

/* Returns the number of revisions that are read of the latest loop of a key; -1: it is not there.
 */
static int revisions_of(const char *name, const char *key, char **out_document) {
    char *file = named(name);
    ht_loops *loops = NULL;
    ht_loop_row row;
    const ht_loop_row like = {.key = (char *)(size_t)key};
    bool found;
    int count = 0;
    cr_assert_eq(ht_loops_read(file, &loops, NULL), HT_OK);
    cr_assert_eq(ht_loops_find(loops, &like, &found, &row, NULL), HT_OK);
    if (found)
        cr_assert_eq(ht_loops_revisions(loops, row.id, revision_count, &count, NULL), HT_OK);
    *out_document = found ? ht_strdup(row.document) : NULL;
    ht_loop_row_free(&row);
    ht_loops_close(loops);
    free(file);
    return found ? count : -1;
}

static void copy(const char *from, const char *to) {
    char *command = ht_format("cp %s/%s.db %s/%s.db", folder, from, folder, to);
    cr_assert_eq(system(command), 0);
    free(command);
}

/* A loop that went on in a copy of the file is one, with the longer history; a later loop of the
 * same key stays the latest, whatever numbers they had. */
Test(database_merge, one_loop_in_two_files_keeps_the_longer_history) {
    char *document;
    int64_t id = loop_put("a", "key", 1, "longer");
    copy("a", "b");
    char *file = named("b");
    ht_loops *loops = NULL;
    cr_assert_eq(ht_loops_open(file, &loops, NULL), HT_OK);
    cr_assert_eq(ht_loops_put(loops, id, 1, "longer 1", NULL), HT_OK);
    cr_assert_eq(ht_loops_update(loops, id, "the longer one", NULL), HT_OK);
    ht_loops_close(loops);
    merge("ab", NAMES("a", "b"));
    cr_expect_eq(revisions_of("ab", "key", &document), 2);
    cr_expect_str_eq(document, "the longer one");
    free(document);
    sleep(1);
    loop_put("c", "key", 3, "longer, and later");
    merge("ab", NAMES("c"));
    merge("ba", NAMES("c", "b", "a"));
    expect_same("ab", "ba", "order");
    cr_expect_eq(revisions_of("ab", "key", &document), 3);
    free(document);
    ht_database_counts counts;
    free(file);
    file = named("ab");
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.loops, 2);
    cr_expect_eq(counts.revisions, 5);
    cr_expect_eq(counts.damaged, 0);
    free(file);
}

/* Revisions after a damaged one depend on it. */
Test(database_merge, a_damaged_revision_ends_its_loop) {
    char *document, *file = named("a");
    ht_database_counts counts;
    loop_put("a", "key", 4, "longer");
    execute("a", "UPDATE steps SET document = 'longer?' WHERE number = 2");
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.damaged, 1);
    merge("out", NAMES("a"));
    cr_expect_eq(revisions_of("out", "key", &document), 2);
    free(document);
    free(file);
    file = named("out");
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.revisions, 2);
    cr_expect_eq(counts.damaged, 0);
    free(file);
}

Test(database_merge, prune_keeps_the_latest_loop_of_a_kernel) {
    char *document, *file = named("a");
    ht_database_counts counts;
    loop_put("a", "first", 2, "longer");
    loop_put("a", "second", 1, "longer");
    cr_assert_eq(ht_database_prune(file, 90, NULL), HT_OK);
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.loops, 2, "they are younger");
    cr_assert_eq(ht_database_prune(file, -1, NULL), HT_OK);
    cr_assert_eq(ht_database_count(file, &counts, NULL), HT_OK);
    cr_expect_eq(counts.loops, 1);
    cr_expect_eq(counts.revisions, 1);
    cr_expect_eq(revisions_of("a", "first", &document), -1);
    cr_expect_eq(revisions_of("a", "second", &document), 1);
    free(document);
    free(file);
}
