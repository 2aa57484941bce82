/* How long it takes to merge tuning databases, and to look something up in a large one
 * (docs/db.md).
 *
 *     merge_databases [DATABASES] [EVALUATIONS]
 *
 * Makes DATABASES of EVALUATIONS each, of ten kernels, a tenth of which all have;
 * merges them, and looks up configurations at random. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "runtime/store/database.h"
#include "runtime/store/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

static ht_status fill(const char *path, size_t number, size_t count, ht_error *error) {
    ht_database *database;
    ht_status status = ht_database_open(path, &database, error);
    if (status != HT_OK)
        return status;
    double samples[SAMPLES];
    ht_random random;
    ht_random_seed(&random, number);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        char config[64];
        const ht_database_key key = key_of(i % KERNELS);
        config_of(number, i / KERNELS, config);
        for (size_t j = 0; j < SAMPLES; ++j)
            samples[j] = 1 + ht_random_unit(&random);
        const ht_evaluation evaluation = {
            .config = config, .cost = samples[0], .samples = samples, .sample_count = SAMPLES};
        status = ht_database_put(database, &key, &evaluation, error);
    }
    ht_database_close(database);
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

static ht_status run(const char *folder, size_t databases, size_t count, ht_error *error) {
    char **paths = ht_alloc(databases + 1, sizeof *paths);
    ht_status status = HT_OK;
    double begun = ht_clock_seconds();
    for (size_t i = 0; i < databases && status == HT_OK; ++i) {
        paths[i] = ht_format("%s/%zu.sqlite", folder, i);
        status = fill(paths[i], i, count, error);
    }
    double made = ht_clock_seconds();
    char *out = ht_format("%s/out.sqlite", folder);
    if (status == HT_OK)
        status = ht_database_merge(out, (const char *const *)paths, databases, error);
    double merged = ht_clock_seconds();
    ht_database_counts counts = {0};
    if (status == HT_OK)
        status = ht_database_count(out, &counts, error);
    if (status == HT_OK) {
        printf("%zu databases of %zu evaluations, made in %.1f s\n"
               "merged in %.1f s: %" PRId64 " evaluations, %" PRId64 " damaged\n",
               databases, count, made - begun, merged - made, counts.evaluations, counts.damaged);
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
    char *folder;
    ht_error error = {0};
    ht_status status = ht_dir_temporary("merge", &folder, &error);
    if (status == HT_OK) {
        status = run(folder, databases, count, &error);
        ht_dir_remove(folder);
        free(folder);
    }
    if (status != HT_OK)
        fprintf(stderr, "merge_databases: %s\n", error.message);
    return status == HT_OK ? 0 : 1;
}
