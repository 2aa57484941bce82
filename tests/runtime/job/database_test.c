#include "tests/runtime/job/database_folder.h"

#include "runtime/store/database_best.h"
#include "runtime/store/database_earlier.h"
#include "runtime/store/database_schema.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_folder(void) {
    database_folder_make("sub/tuning.db");
}

TestSuite(database, .init = make_folder, .fini = database_folder_remove, .timeout = 60);

static const ht_database_key KEY = {
    "source",   "conv",     "template",  "N=1 C=64", "host: two cores",
    "clang 19", "method 1", "prelude 1", "plain"};

static void put(ht_database *database, const ht_database_key *key, const char *config,
                double median) {
    double samples[] = {median, median * 1.0000001, 1.0 / 3};
    ht_evaluation evaluation = {.config = (char *)config,
                                .cost = median,
                                .samples = samples,
                                .sample_count = 3,
                                .compile_seconds = 0.25,
                                .resources = {.vgprs = 32, .agprs = -1, .lds = 0}};
    ht_error error = {0};
    cr_assert_eq(ht_database_put(database, key, &evaluation, &error), HT_OK, "%s", error.message);
}

static bool knows(ht_database *database, const ht_database_key *key, const char *config) {
    bool found = false;
    ht_evaluation evaluation;
    ht_error error = {0};
    cr_assert_eq(ht_database_get(database, key, config, &found, &evaluation, &error), HT_OK, "%s",
                 error.message);
    if (found)
        ht_evaluation_free(&evaluation);
    return found;
}

/* "host:wave32" begins like "host", and is another device; "amd:1" is one of "amd". */
Test(database, the_best_are_those_of_the_device_that_is_named) {
    static const struct {
        const char *device, *config;
    } rows[] = {{"host: two cores", "A=1"},
                {"host:wave32: two cores", "A=2"},
                {"amd: MI210", "A=3"},
                {"amd:1: MI210", "A=4"},
                {"amdx: MI210", "A=5"}};
    static const struct {
        const char *device;
        size_t count;
    } choices[] = {{"host", 1}, {"host:wave32", 1}, {"amd", 2}, {"amd:1", 1}, {"hos", 0}};
    ht_database *database = database_open();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        ht_database_key key = KEY;
        key.device = rows[i].device;
        put(database, &key, rows[i].config, 0.1);
    }
    ht_database_close(database);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
        const ht_database_best_choice choice = {
            .kernel = "conv", .device = choices[i].device, .least = 1, .within = 10, .most = 10};
        ht_database_best best;
        cr_assert_eq(ht_database_read_best(path, &choice, &best, NULL), HT_OK);
        cr_expect_eq(best.count, choices[i].count, "%s: %zu", choices[i].device, best.count);
        ht_database_best_free(&best);
    }
}

Test(database, gives_back_what_was_put) {
    ht_database *database = database_open();
    put(database, &KEY, "A=1", 0.1);
    bool found = false;
    ht_evaluation got;
    cr_assert_eq(ht_database_get(database, &KEY, "A=1", &found, &got, NULL), HT_OK);
    cr_assert(found);
    cr_assert_str_eq(got.config, "A=1");
    cr_assert_eq(got.status, HT_OK);
    cr_assert_null(got.reason);
    cr_assert_eq(got.cost, 0.1);
    cr_assert_eq(got.sample_count, 3);
    cr_assert_eq(got.samples[1], 0.1 * 1.0000001, "bit for bit");
    cr_assert_eq(got.samples[2], 1.0 / 3);
    cr_assert_eq(got.resources.vgprs, 32);
    cr_assert_eq(got.resources.agprs, -1);
    cr_assert_eq(got.resources.lds, 0);
    ht_evaluation_free(&got);
    cr_assert_not(knows(database, &KEY, "A=2"));

    /* Once more: the newer replaces the older. */
    ht_evaluation failure = {.config = (char *)"A=1",
                             .status = HT_ERROR_CRASH,
                             .reason = (char *)"crash: SIGSEGV \xff '\""};
    cr_assert_eq(ht_database_put(database, &KEY, &failure, NULL), HT_OK);
    cr_assert_eq(ht_database_get(database, &KEY, "A=1", &found, &got, NULL), HT_OK);
    cr_assert(found);
    cr_assert_eq(got.status, HT_ERROR_CRASH);
    cr_assert_str_eq(got.reason, failure.reason);
    cr_assert_eq(got.sample_count, 0);
    ht_evaluation_free(&got);
    ht_database_close(database);
}

Test(database, every_part_of_the_key_counts) {
    ht_database *database = database_open();
    put(database, &KEY, "A=1", 0.1);
    const char **parts[9];
    ht_database_key other = KEY;
    parts[0] = &other.source_hash;
    parts[1] = &other.template_name;
    parts[2] = &other.template_hash;
    parts[3] = &other.problem;
    parts[4] = &other.device;
    parts[5] = &other.compiler;
    parts[6] = &other.method;
    parts[7] = &other.settings;
    parts[8] = &other.checking;
    for (size_t i = 0; i < 9; ++i) {
        const char *kept = *parts[i];
        *parts[i] = "another";
        cr_assert_not(knows(database, &other, "A=1"), "part %zu", i);
        *parts[i] = kept;
    }
    cr_assert(knows(database, &other, "A=1"));
    ht_database_close(database);
}

Test(database, nearest_problems_come_first) {
    ht_database *database = database_open();
    ht_database_key key = KEY;
    key.problem = "C=64 H=56 pad=1";
    put(database, &key, "A=own", 0.001); /* the same problem is not a neighbour */
    key.problem = "C=128 H=56 pad=1";    /* distance 1 */
    put(database, &key, "A=2", 0.3);
    put(database, &key, "A=1", 0.2);
    put(database, &key, "original", 0.1);
    key.problem = "C=256 H=14 pad=1"; /* 4 */
    put(database, &key, "A=4", 0.2);
    key.problem = "H=28 C=64 pad=0 more=7"; /* 2, fields in another order */
    put(database, &key, "A=3", 0.2);
    key.problem = "C=64 H=57 pad=1"; /* very near, but it failed */
    ht_evaluation failure = {.config = (char *)"A=9", .status = HT_ERROR_CRASH};
    cr_assert_eq(ht_database_put(database, &key, &failure, NULL), HT_OK);
    key.device = "another device";
    put(database, &key, "A=8", 0.01);

    key = KEY;
    key.problem = "C=64 H=56 pad=1";
    key.compiler = "a newer compiler"; /* seeds are worth having across compilers */
    char **configs = NULL;
    size_t count = 0;
    cr_assert_eq(ht_database_nearest(database, &key, 10, &configs, &count, NULL), HT_OK);
    cr_assert_eq(count, 3);
    const char *order[] = {"A=1", "A=3", "A=4"};
    for (size_t i = 0; i < count; ++i) {
        cr_assert_str_eq(configs[i], order[i]);
        free(configs[i]);
    }
    free(configs);
    cr_assert_eq(ht_database_nearest(database, &key, 1, &configs, &count, NULL), HT_OK);
    cr_assert_eq(count, 1);
    free(configs[0]);
    free(configs);
    ht_database_close(database);
}

static void put_three(ht_database *database, const ht_database_key *key, double median) {
    put(database, key, "A=1", median);
    put(database, key, "A=2", 2 * median);
    put(database, key, "A=3", 3 * median);
    put(database, key, "original", median);
}

/* Another problem twice as large and the same problem on another device are as far; the own job,
 * other templates and what has too few successes are no earlier runs. */
Test(database, earlier_runs_are_those_of_the_template_elsewhere) {
    ht_database *database = database_open();
    ht_database_key key = KEY;
    key.problem = "N=8 C=64";
    put_three(database, &key, 0.8);
    key.problem = "N=2 C=64";
    put_three(database, &key, 0.2);
    put(database, &key, "A=4", 0.3);
    ht_evaluation failure = {.config = (char *)"A=9", .status = HT_ERROR_COMPILE};
    cr_assert_eq(ht_database_put(database, &key, &failure, NULL), HT_OK);
    key.compiler = "clang 20"; /* a second job of this device and problem, with less in it */
    put_three(database, &key, 0.4);
    key = KEY;
    key.device = "amd: MI210";
    put_three(database, &key, 0.01);
    key.problem = "N=3 C=64";
    put(database, &key, "A=1", 0.1);
    put(database, &key, "A=2", 0.1);
    key = KEY;
    key.problem = "N=16 C=64";
    key.template_hash = "another";
    put_three(database, &key, 0.1);
    put_three(database, &KEY, 0.1);
    ht_database_close(database);

    static const struct {
        const char *device, *problem;
        size_t count;
    } expected[] = {{"host: two cores", "N=2 C=64", 5},
                    {"amd: MI210", "N=1 C=64", 3},
                    {"host: two cores", "N=8 C=64", 3}};
    ht_database_earlier earlier;
    cr_assert_eq(ht_database_earlier_read(path, &KEY, 8, &earlier, NULL), HT_OK);
    cr_assert_eq(earlier.count, 3, "%zu", earlier.count);
    for (size_t i = 0; i < 3; ++i) {
        const ht_database_earlier_run *run = &earlier.runs[i];
        cr_expect_str_eq(run->device, expected[i].device);
        cr_expect_str_eq(run->problem, expected[i].problem);
        cr_assert_eq(run->count, expected[i].count);
        cr_expect_str_eq(run->rows[1].config, "A=2");
        cr_expect_float_eq(run->rows[1].cost, 2 * run->rows[0].cost, 1e-12);
    }
    cr_expect(isinf(earlier.runs[0].rows[4].cost));
    ht_database_earlier_free(&earlier);
    cr_assert_eq(ht_database_earlier_read(path, &KEY, 1, &earlier, NULL), HT_OK);
    cr_expect_eq(earlier.count, 1);
    ht_database_earlier_free(&earlier);
    ht_error error = {0};
    cr_expect_eq(ht_database_earlier_read("/nowhere/none.db", &KEY, 1, &earlier, &error),
                 HT_ERROR_INPUT);
}

/* A search that is done again begins with what it began with: not with what its own winner did at
 * other sizes after it, as an interrupted run leaves it. */
Test(database, what_came_after_the_job_gives_it_no_seeds) {
    ht_database *database = database_open();
    ht_database_key before = KEY, after = KEY;
    before.problem = "N=2 C=64";
    after.problem = "N=4 C=64";
    put(database, &before, "A=1", 0.2);
    put(database, &KEY, "original", 0.3);
    put(database, &after, "A=2", 0.1); /* within the same second */
    char **configs = NULL;
    size_t count = 0;
    cr_assert_eq(ht_database_nearest(database, &KEY, 5, &configs, &count, NULL), HT_OK);
    cr_assert_eq(count, 1);
    cr_expect_str_eq(configs[0], "A=1");
    free(configs[0]);
    free(configs);
    before.problem = "N=3 C=64"; /* of which nothing was measured */
    cr_assert_eq(ht_database_nearest(database, &before, 5, &configs, &count, NULL), HT_OK);
    cr_expect_eq(count, 2);
    for (size_t i = 0; i < count; ++i)
        free(configs[i]);
    free(configs);
    ht_database_close(database);
}

/* A search that is done again expects what it expected when it began. */
Test(database, what_came_after_the_job_is_no_earlier_run) {
    ht_database *database = database_open();
    ht_database_key before = KEY, after = KEY, fresh = KEY;
    ht_database_earlier earlier;
    before.problem = "N=2 C=64";
    after.problem = "N=4 C=64";
    fresh.compiler = "clang 20";
    put_three(database, &before, 0.2);
    put_three(database, &KEY, 0.1);
    usleep(1100000); /* times are kept in seconds */
    put_three(database, &after, 0.4);
    put(database, &before, "A=4", 0.3);
    ht_database_close(database);
    cr_assert_eq(ht_database_earlier_read(path, &KEY, 8, &earlier, NULL), HT_OK);
    cr_assert_eq(earlier.count, 1);
    cr_expect_eq(earlier.runs[0].count, 3);
    ht_database_earlier_free(&earlier);
    cr_assert_eq(ht_database_earlier_read(path, &fresh, 8, &earlier, NULL), HT_OK);
    cr_assert_eq(earlier.count, 2);
    cr_expect_eq(earlier.runs[0].count, 4);
    ht_database_earlier_free(&earlier);
}

Test(database, distance_is_symmetric_and_zero_for_equal_fields) {
    const char *texts[] = {"N=1 C=64 pad=0", "N=16 C=3 pad=1", "C=100", "", "pad=7,N=2"};
    for (size_t i = 0; i < 5; ++i) {
        cr_assert_eq(ht_problem_distance(texts[i], texts[i]), 0);
        for (size_t j = 0; j < 5; ++j)
            cr_assert_float_eq(ht_problem_distance(texts[i], texts[j]),
                               ht_problem_distance(texts[j], texts[i]), 1e-12);
    }
    cr_assert_float_eq(ht_problem_distance("N=1 C=64", "C=16 N=2 K=9"), 3, 1e-12);
}

static ht_database *open_in_child(void) {
    ht_database *database = NULL;
    ht_error error = {0};
    if (ht_database_open(path, &database, &error) == HT_OK)
        return database;
    fprintf(stderr, "%s\n", error.message);
    _exit(1);
}

Test(database, two_processes_write_at_once) {
    enum { WRITERS = 4, EACH = 40 };
    pid_t children[WRITERS];
    for (int w = 0; w < WRITERS; ++w) {
        children[w] = fork();
        if (children[w] == 0) {
            ht_database *database = open_in_child();
            for (int i = 0; i < EACH; ++i) {
                char config[32];
                snprintf(config, sizeof config, "W=%d I=%d", w, i);
                put(database, &KEY, config, 1 + i);
            }
            ht_database_close(database);
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; ++w) {
        int status = 0;
        waitpid(children[w], &status, 0);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "writer %d failed", w);
    }
    ht_database *database = database_open();
    for (int w = 0; w < WRITERS; ++w)
        for (int i = 0; i < EACH; ++i) {
            char config[32];
            snprintf(config, sizeof config, "W=%d I=%d", w, i);
            cr_assert(knows(database, &KEY, config), "%s", config);
        }
    ht_database_close(database);
}

/* Jobs that start at once may all find no file. Each round is another try of a rare order of steps,
 * so there are as many as some seconds allow: a sanitized program on a busy machine makes few. */
Test(database, processes_create_a_file_at_once) {
    enum { ROUNDS = 150, OPENERS = 6, MOST_US = 1500 };
    const double most_seconds = 6;
    const double start = ht_clock_seconds();
    for (int round = 0; round < ROUNDS && ht_clock_seconds() - start < most_seconds; ++round) {
        char name[32];
        snprintf(name, sizeof name, "%d.db", round);
        free(path);
        path = ht_path_join(folder, name);
        for (int i = 0; i < OPENERS; ++i)
            if (fork() == 0) {
                usleep((useconds_t)((i * 7919 + round * 131) % MOST_US));
                ht_database_close(open_in_child());
                _exit(0);
            }
        for (int i = 0; i < OPENERS; ++i) {
            int status = 0;
            wait(&status);
            cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "round %d", round);
        }
    }
}

Test(database, a_killed_writer_loses_nothing_committed) {
    int pipes[2];
    cr_assert_eq(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        ht_database *database = open_in_child();
        for (int i = 0;; ++i) {
            char config[32];
            snprintf(config, sizeof config, "I=%d", i);
            put(database, &KEY, config, 1);
            if (write(pipes[1], &i, sizeof i) != sizeof i) /* committed: report it */
                _exit(1);
        }
    }
    close(pipes[1]);
    int last = -1, got = 0;
    while (last < 60 && read(pipes[0], &got, sizeof got) == sizeof got)
        last = got;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    while (read(pipes[0], &got, sizeof got) == sizeof got)
        last = got;
    close(pipes[0]);
    cr_assert_geq(last, 60);
    ht_database *database = database_open();
    for (int i = 0; i <= last; ++i) {
        char config[32];
        snprintf(config, sizeof config, "I=%d", i);
        cr_assert(knows(database, &KEY, config), "%s was told to be committed", config);
    }
    put(database, &KEY, "after", 1);
    ht_database_close(database);
}

static void expect_refused(ht_status status, const char *words) {
    ht_database *database = NULL;
    ht_error error = {0};
    ht_status got = ht_database_open(path, &database, &error);
    cr_expect_eq(got, status, "%s: %s", ht_status_name(got), error.message);
    cr_expect_null(database);
    cr_expect_str_eq(error.file, path);
    cr_expect_not_null(strstr(error.message, words), "'%s' lacks '%s'", error.message, words);
}

static void run_sql(const char *sql) {
    sqlite3 *sqlite = NULL;
    cr_assert_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    char *words = NULL;
    cr_assert_eq(sqlite3_exec(sqlite, sql, NULL, NULL, &words), SQLITE_OK, "%s", words);
    sqlite3_close(sqlite);
}

Test(database, files_of_others_are_refused_and_left_alone) {
    ht_database_close(database_open());
    cr_assert_eq(unlink(path), 0);
    const char text[] = "This is the only copy of my thesis. It is not a database at all.\n";
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    expect_refused(HT_ERROR_IO, "not an SQLite database");
    char *data = NULL;
    cr_assert_eq(ht_file_read(path, 0, &data, NULL, NULL), HT_OK);
    cr_assert_str_eq(data, text);
    free(data);
    unlink(path);

    run_sql("CREATE TABLE recipes (name TEXT)");
    expect_refused(HT_ERROR_INPUT, "belongs to another program");
}

Test(database, newer_schemas_are_refused) {
    ht_database_close(database_open());
    run_sql("PRAGMA user_version = 99");
    expect_refused(HT_ERROR_INPUT, "schema 99");
}

Test(database, damaged_files_are_errors) {
    ht_database *database = database_open();
    for (int i = 0; i < 50; ++i) {
        char config[32];
        snprintf(config, sizeof config, "I=%d", i);
        put(database, &KEY, config, 1);
    }
    ht_database_close(database);
    char *data = NULL;
    size_t length = 0;
    cr_assert_eq(ht_file_read(path, 0, &data, &length, NULL), HT_OK);
    memset(data + 100, 0x5a, length - 100); /* a good header, then noise */
    cr_assert_eq(ht_file_write(path, data, length, NULL), HT_OK);
    free(data);
    expect_refused(HT_ERROR_IO, "move it away");
}

Test(database, a_path_that_cannot_be_is_an_error) {
    free(path);
    path = ht_strdup("/proc/nothing/tuning.db");
    ht_database *database = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_database_open(path, &database, &error), HT_ERROR_IO);
    cr_assert_neq(error.message[0], '\0');
    free(path);
    path = ht_strdup(folder); /* a folder is not a file */
    expect_refused(HT_ERROR_IO, "writable");
}

Test(database, a_lasting_lock_is_an_error_with_its_cause) {
    ht_database *database = database_open();
    sqlite3 *other = NULL;
    cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    ht_evaluation evaluation = {.config = (char *)"A=1", .status = HT_ERROR_CRASH};
    ht_error error = {0};
    cr_assert_eq(ht_database_put(database, &KEY, &evaluation, &error), HT_ERROR_IO);
    cr_assert_not_null(strstr(error.message, "locked by another process"), "%s", error.message);
    sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(other);
    cr_assert_eq(ht_database_put(database, &KEY, &evaluation, &error), HT_OK, "%s", error.message);
    ht_database_close(database);
}

Test(database, documented_queries_work) {
    ht_database *database = database_open();
    put(database, &KEY, "A=1", 0.1);
    ht_database_close(database);
    /* Every ```sql block of the manual. */
    char *text = NULL;
    cr_assert_eq(ht_file_read(HT_SOURCE_DIR "/docs/database.md", 0, &text, NULL, NULL), HT_OK);
    int queries = 0;
    for (char *at = text; (at = strstr(at, "```sql\n")) != NULL;) {
        at += strlen("```sql\n");
        char *end = strstr(at, "```");
        cr_assert_not_null(end);
        *end = '\0';
        run_sql(at);
        ++queries;
        at = end + 1;
    }
    cr_assert_geq(queries, 4);
    free(text);
}
