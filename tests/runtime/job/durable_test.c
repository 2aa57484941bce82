/* The content of the database when things go wrong: full disks, older files, reduced measurements,
 * deaths. */
#include "tests/runtime/job/database_folder.h"

#include "runtime/protocol/protocol.h"
#include "runtime/store/database_schema.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_folder(void) {
    database_folder_make("tuning.db");
}

TestSuite(durable, .init = make_folder, .fini = database_folder_remove, .timeout = 60);

static const ht_database_key KEY = {.source_hash = "source",
                                    .template_name = "conv",
                                    .template_hash = "template",
                                    .problem = "N=1",
                                    .device = "host",
                                    .compiler = "clang",
                                    .method = "1",
                                    .settings = "prelude",
                                    .checking = "plain"};

static ht_status put(ht_database *database, const char *config, double cost, bool reduced,
                     ht_error *error) {
    double samples[] = {cost, cost, cost};
    ht_evaluation evaluation = {.config = (char *)config,
                                .cost = cost,
                                .samples = samples,
                                .sample_count = 3,
                                .resources = ht_resources_unknown(),
                                .reduced = reduced,
                                .conditions = (char *)"{\"cache\":\"hot\"}"};
    return ht_database_put(database, &KEY, &evaluation, error);
}

static ht_evaluation get(ht_database *database, const char *config, bool *out_found) {
    ht_evaluation evaluation;
    cr_assert_eq(ht_database_get(database, &KEY, config, out_found, &evaluation, NULL), HT_OK);
    return evaluation;
}

static void expect_cost(ht_database *database, const char *config, double cost, bool reduced) {
    bool found = false;
    ht_evaluation got = get(database, config, &found);
    cr_assert(found, "%s", config);
    cr_expect_eq(got.cost, cost, "%s: %g, not %g", config, got.cost, cost);
    cr_expect_eq(got.reduced, reduced);
    ht_evaluation_free(&got);
}

Test(durable, reduced_measurements_never_replace_full_ones) {
    ht_database *database = database_open();
    cr_assert_eq(put(database, "A=1", 3, true, NULL), HT_OK);
    expect_cost(database, "A=1", 3, true);
    cr_assert_eq(put(database, "A=1", 4, true, NULL), HT_OK);
    expect_cost(database, "A=1", 4, true);
    cr_assert_eq(put(database, "A=1", 2, false, NULL), HT_OK);
    expect_cost(database, "A=1", 2, false);
    cr_assert_eq(put(database, "A=1", 1, true, NULL), HT_OK);
    expect_cost(database, "A=1", 2, false);
    cr_assert_eq(put(database, "A=1", 5, false, NULL), HT_OK);
    expect_cost(database, "A=1", 5, false);
    bool found = false;
    ht_evaluation got = get(database, "A=1", &found);
    cr_expect_str_eq(got.conditions, "{\"cache\":\"hot\"}");
    ht_evaluation_free(&got);
    ht_database_close(database);
}

Test(durable, two_deaths_condemn_over_all_runs_until_forgiven) {
    ht_database *database = database_open();
    bool found = true;
    unsigned deaths = 0;
    cr_assert_eq(put(database, "A=1", 2, false, NULL), HT_OK);
    cr_assert_eq(ht_database_add_death(database, &KEY, "A=1", HT_ERROR_CRASH, "crash: SIGSEGV",
                                       &deaths, NULL),
                 HT_OK);
    cr_expect_eq(deaths, 1);
    ht_evaluation got = get(database, "A=1", &found);
    cr_expect_eq(got.status, HT_OK, "one death proves nothing");
    cr_expect_eq(got.deaths, 1);
    ht_evaluation_free(&got);
    ht_database_close(database);

    database = database_open();
    cr_assert_eq(ht_database_add_death(database, &KEY, "A=1", HT_ERROR_TIMEOUT, "timeout: 3 s",
                                       &deaths, NULL),
                 HT_OK);
    cr_expect_eq(deaths, 2);
    got = get(database, "A=1", &found);
    cr_assert(found);
    cr_expect_eq(got.status, HT_ERROR_TIMEOUT);
    cr_expect_str_eq(got.reason, "timeout: 3 s");
    cr_expect_eq(got.deaths, 2);
    cr_expect(got.condemned);
    ht_evaluation_free(&got);
    got = get(database, "A=2", &found);
    cr_expect_not(found);
    ht_evaluation_free(&got);

    cr_assert_eq(ht_database_forgive(database, &KEY, "A=1", NULL), HT_OK);
    expect_cost(database, "A=1", 2, false);
    ht_database_close(database);
}

Test(durable, the_condemned_are_no_seeds) {
    ht_database *database = database_open();
    unsigned deaths = 0;
    cr_assert_eq(put(database, "A=1", 1, false, NULL), HT_OK);
    cr_assert_eq(put(database, "A=2", 2, false, NULL), HT_OK);
    for (int i = 0; i < 2; ++i)
        cr_assert_eq(
            ht_database_add_death(database, &KEY, "A=1", HT_ERROR_CRASH, "crash", &deaths, NULL),
            HT_OK);
    ht_database_key other = KEY;
    other.problem = "N=2";
    char **configs = NULL;
    size_t count = 0;
    cr_assert_eq(ht_database_nearest(database, &other, 5, &configs, &count, NULL), HT_OK);
    cr_assert_eq(count, 1);
    cr_expect_str_eq(configs[0], "A=2");
    free(configs[0]);
    free(configs);
    ht_database_close(database);
}

static void run_sql(const char *sql) {
    sqlite3 *sqlite = NULL;
    cr_assert_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    char *words = NULL;
    cr_assert_eq(sqlite3_exec(sqlite, sql, NULL, NULL, &words), SQLITE_OK, "%s", words);
    sqlite3_close(sqlite);
}

/* Schema 1 as it was. */
static const char SCHEMA_1[] =
    "CREATE TABLE jobs (id INTEGER PRIMARY KEY, source_hash TEXT NOT NULL,"
    " template_name TEXT NOT NULL, template_hash TEXT NOT NULL, problem TEXT NOT NULL,"
    " device TEXT NOT NULL, compiler TEXT NOT NULL, method TEXT NOT NULL,"
    " created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"
    " UNIQUE (source_hash, template_name, template_hash, problem, device, compiler, method));"
    "CREATE TABLE evaluations (id INTEGER PRIMARY KEY,"
    " job_id INTEGER NOT NULL REFERENCES jobs (id), config TEXT NOT NULL, status TEXT NOT NULL,"
    " reason TEXT, median_ms REAL, samples TEXT NOT NULL, compile_seconds REAL NOT NULL,"
    " vgprs INTEGER, agprs INTEGER, sgprs INTEGER, vgpr_spills INTEGER, sgpr_spills INTEGER,"
    " lds INTEGER, scratch INTEGER, max_block INTEGER, wavefront INTEGER,"
    " waves_per_simd INTEGER, max_waves_per_simd INTEGER,"
    " created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"
    " UNIQUE (job_id, config));"
    "CREATE INDEX jobs_by_template ON jobs (template_hash, device);"
    "PRAGMA application_id = 0x48745475; PRAGMA user_version = 1;"
    "INSERT INTO jobs VALUES (7, 'source', 'conv', 'template', 'N=1', 'host', 'clang', '1', "
    "'then');"
    "INSERT INTO evaluations (job_id, config, status, median_ms, samples, compile_seconds)"
    " VALUES (7, 'A=1', 'ok', 0.5, '[0.5]', 0.1), (7, 'A=2', 'ok', 0.7, '[0.7]', 0.1);";

Test(durable, an_older_file_is_brought_up_to_date_and_loses_nothing) {
    run_sql(SCHEMA_1);
    ht_database *database = database_open();
    ht_database_key old = KEY;
    old.settings = old.checking = NULL;
    bool found = false;
    ht_evaluation got;
    cr_assert_eq(ht_database_get(database, &old, "A=2", &found, &got, NULL), HT_OK);
    cr_assert(found);
    cr_expect_eq(got.cost, 0.7);
    ht_evaluation_free(&got);
    got = get(database, "A=2", &found);
    cr_expect_not(found, "what else it depended on is not known");
    ht_evaluation_free(&got);

    ht_database_key other = KEY;
    other.problem = "N=2";
    char **configs = NULL;
    size_t count = 0;
    cr_assert_eq(ht_database_nearest(database, &other, 5, &configs, &count, NULL), HT_OK);
    cr_assert_eq(count, 1);
    cr_expect_str_eq(configs[0], "A=1");
    free(configs[0]);
    free(configs);
    cr_assert_eq(put(database, "A=1", 2, false, NULL), HT_OK);
    expect_cost(database, "A=1", 2, false);
    ht_database_close(database);
    ht_database_close(database_open());
}

Test(durable, an_older_file_that_cannot_be_changed_stays_as_it_was) {
    run_sql(SCHEMA_1);
    /* A table of the name that the upgrade wants: it fails in the middle, and is undone. */
    run_sql("CREATE TABLE deaths (mine TEXT)");
    ht_database *database = NULL;
    ht_error error = {0};
    cr_expect_eq(ht_database_open(path, &database, &error), HT_ERROR_IO);
    cr_expect_not_null(strstr(error.message, "brought up to date"), "%s", error.message);
    run_sql("DROP TABLE deaths");
    database = database_open();
    ht_database_close(database);
}

/* Returns how many evaluations a writer commits before files may grow no more. */
static int write_until_full(int out) {
    enum { BYTES = 256 << 10 };
    ht_database *database = NULL;
    ht_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {BYTES, BYTES};
    if (ht_database_open(path, &database, &error) != HT_OK || setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    for (int i = 0; i < 100000; ++i) {
        char config[32];
        snprintf(config, sizeof config, "I=%d", i);
        if (put(database, config, 1 + i, false, &error) != HT_OK)
            return strstr(error.message, "tuning database: cannot be written") == NULL ? 2 : 0;
        if (write(out, &i, sizeof i) != sizeof i)
            return 3;
    }
    return 4;
}

Test(durable, a_full_disk_is_an_error_and_costs_nothing_that_was_committed) {
    int pipes[2];
    cr_assert_eq(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(write_until_full(pipes[1]));
    close(pipes[1]);
    int last = -1, got = 0, status = 0;
    while (read(pipes[0], &got, sizeof got) == sizeof got)
        last = got;
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
    cr_assert_gt(last, 10);
    ht_database *database = database_open();
    for (int i = 0; i <= last; ++i) {
        char config[32];
        snprintf(config, sizeof config, "I=%d", i);
        expect_cost(database, config, 1 + i, false);
    }
    cr_expect_eq(put(database, "later", 1, false, NULL), HT_OK, "there is room again");
    ht_database_close(database);
}
