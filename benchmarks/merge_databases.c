/* How long it takes to merge tuning databases, and to look something up in a large one
 * (docs/db.md).
 *
 *     merge_databases [DATABASES] [EVALUATIONS] [FOLDER]
 *
 * Makes DATABASES (10) of EVALUATIONS (100,000) each, of ten kernels, a tenth of which all have;
 * merges them, and looks up configurations at random. In FOLDER they stay, and are used again. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "runtime/store/database.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"
#include "runtime/store/merge.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { KERNELS = 10, SAMPLES = 12, LOOKS = 10000 };

static ht_database_key key_of(size_t kernel) {
    static char names[KERNELS][16];
    snprintf(names[kernel], sizeof names[kernel], "kernel%zu", kernel);
    return (ht_database_key){names[kernel], names[kernel], "template",  "n=1",  "host",
                             "clang 19",    "method 1",    "prelude 1", "plain"};
}

/* Returns the name of evaluation `index` of a database. */
static void config_of(size_t database, size_t index, char out[64]) {
    size_t of = index % 10 == 0 ? 0 : database + 1; /* which all have */
    snprintf(out, 64, "BLOCK_X=%zu TILE_X=%zu UNROLL=%zu", index, of, index % 7);
}

static const char created[] = "2026-01-01T00:00:00Z";

/* Binds a text, where the statement has such a parameter. */
static void bind(sqlite3_stmt *statement, const char *name, const char *text) {
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index > 0)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

static bool run_statement(sqlite3_stmt *statement) {
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done;
}

/* Puts evaluation `index` of a database as a run does, but for its transaction. */
static bool put(sqlite3_stmt *statement, ht_random *random, size_t database, size_t index) {
    char config[64], samples[SAMPLES * 24] = "[";
    const ht_database_key key = key_of(index % KERNELS);
    double first = 0;
    size_t length = 1;
    config_of(database, index / KERNELS, config);
    for (size_t i = 0; i < SAMPLES; ++i) {
        double sample = 1 + ht_random_unit(random);
        first = i ? first : sample;
        length += (size_t)snprintf(samples + length, sizeof samples - length, "%s%.17g",
                                   i ? "," : "", sample);
    }
    snprintf(samples + length, sizeof samples - length, "]");
    ht_database_bind_key(statement, &key);
    bind(statement, ":created", created);
    bind(statement, ":config", config);
    bind(statement, ":status", "ok");
    bind(statement, ":samples", samples);
    sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":median_ms"), first);
    sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":compile_seconds"), 0);
    sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":reduced"), 0);
    return run_statement(statement);
}

static bool rows_put(sqlite3 *sqlite, size_t number, size_t count) {
    sqlite3_stmt *job = NULL, *row = NULL;
    bool done = sqlite3_prepare_v2(sqlite, HT_DATABASE_PUT_JOB, -1, &job, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(sqlite, HT_DATABASE_PUT, -1, &row, NULL) == SQLITE_OK;
    ht_random random;
    ht_random_seed(&random, number);
    for (size_t i = 0; i < KERNELS && done; ++i) {
        const ht_database_key key = key_of(i);
        ht_database_bind_key(job, &key);
        bind(job, ":created", created);
        done = run_statement(job);
    }
    for (size_t i = 0; i < count && done; ++i)
        done = put(row, &random, number, i);
    sqlite3_finalize(job);
    sqlite3_finalize(row);
    return done;
}

/* Makes a database, in one transaction: that is not what is measured. */
static ht_status fill(const char *path, size_t number, size_t count, ht_error *error) {
    ht_database_damage damage = {.path = path};
    sqlite3 *sqlite = NULL;
    ht_status status = ht_database_file_open(&damage, &sqlite, error);
    if (status != HT_OK)
        return status;
    bool done = sqlite3_exec(sqlite, "PRAGMA cache_size = -262144; BEGIN", 0, 0, 0) == SQLITE_OK &&
                rows_put(sqlite, number, count) &&
                sqlite3_exec(sqlite, "COMMIT", 0, 0, 0) == SQLITE_OK;
    if (!done)
        status = ht_database_fail(sqlite, path, "cannot be filled", error);
    sqlite3_close(sqlite);
    ht_database_damage_free(&damage);
    return status;
}

/* Prints how long the first look into the file takes, and one of many. */
static ht_status look_up(const char *path, size_t databases, size_t count, ht_error *error) {
    ht_database *database;
    double begun = ht_clock_seconds();
    ht_status status = ht_database_open(path, &database, error);
    if (status != HT_OK)
        return status;
    double opened = ht_clock_seconds();
    size_t there = 0;
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < LOOKS && status == HT_OK; ++i) {
        char config[64];
        const ht_database_key key = key_of(ht_random_below(&random, KERNELS));
        config_of(ht_random_below(&random, databases), ht_random_below(&random, count / KERNELS),
                  config);
        bool found = false;
        ht_evaluation evaluation;
        status = ht_database_get(database, &key, config, &found, &evaluation, error);
        there += found;
        if (status == HT_OK && found)
            ht_evaluation_free(&evaluation);
    }
    printf("opened in %.2f s; a look takes %.4f ms; %zu of %d are there\n", opened - begun,
           (ht_clock_seconds() - opened) * 1e3 / LOOKS, there, LOOKS);
    ht_database_close(database);
    return status;
}

static double cpu_seconds(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* Makes the databases that are not there. */
static ht_status fill_all(char **paths, const char *folder, size_t databases, size_t count,
                          ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < databases && status == HT_OK; ++i) {
        paths[i] = ht_format("%s/%zu.sqlite", folder, i);
        if (!ht_file_exists(paths[i]))
            status = fill(paths[i], i, count, error);
    }
    return status;
}

static ht_status run(const char *folder, size_t databases, size_t count, ht_error *error) {
    char **paths = ht_alloc(databases + 1, sizeof *paths);
    char *out = ht_format("%s/out.sqlite", folder);
    ht_status status = fill_all(paths, folder, databases, count, error);
    double begun = ht_clock_seconds(), begun_cpu = cpu_seconds();
    unlink(out);
    if (status == HT_OK)
        status = ht_database_merge(out, (const char *const *)paths, databases, error);
    double merged = ht_clock_seconds(), merged_cpu = cpu_seconds();
    ht_database_counts counts = {0};
    if (status == HT_OK)
        status = ht_database_count(out, &counts, error);
    if (status == HT_OK) {
        printf("%zu databases of %zu evaluations merged in %.1f s, %.1f s of CPU: %" PRId64
               " evaluations, %" PRId64 " damaged\n",
               databases, count, merged - begun, merged_cpu - begun_cpu, counts.evaluations,
               counts.damaged);
        status = look_up(out, databases, count, error);
    }
    for (size_t i = 0; i < databases; ++i)
        free(paths[i]);
    free(paths);
    free(out);
    return status;
}

int main(int argc, char **argv) {
    size_t databases = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
    size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
    char *own = NULL;
    ht_error error = {0};
    ht_status status =
        argc > 3 ? ht_dir_make(argv[3], &error) : ht_dir_temporary("merge", &own, &error);
    if (status == HT_OK)
        status = run(own ? own : argv[3], databases, count, &error);
    if (own)
        ht_dir_remove(own);
    free(own);
    if (status != HT_OK)
        fprintf(stderr, "merge_databases: %s\n", error.message);
    return status == HT_OK ? 0 : 1;
}
