/* The tuning database: every evaluation, in SQLite (WAL). docs/database.md documents the schema. */
#ifndef HT_RUNTIME_STORE_DATABASE_H
#define HT_RUNTIME_STORE_DATABASE_H

#include "runtime/provider/provider.h"
#include "search/evaluator.h"

typedef struct ht_database ht_database;

/* Everything a result depends on. All strings borrowed. */
typedef struct ht_database_key {
    const char *source_hash; /* of the kernel's source */
    const char *template_name;
    const char *template_hash; /* of unit and annotations */
    const char *problem;       /* ht_problem_string */
    const char *device;        /* ht_device.name and description */
    const char *compiler;      /* ht_device.compiler */
    const char *method;        /* version and settings of measuring that change results */
    const char *settings;      /* of the provider: prelude, flags, environment; NULL is "" */
    const char *checking;      /* how results were found right; NULL is "" */
} ht_database_key;

typedef struct ht_evaluation {
    char *config; /* ht_config_string; owned */
    ht_status status;
    char *reason;    /* owned; NULL when ok */
    double cost;     /* median ms when ok */
    double *samples; /* ms, all of them; owned */
    size_t sample_count;
    double compile_seconds;
    ht_resources resources;
    bool reduced;     /* measured under reduced conditions (dropped early, say): good enough to rank
                         it, never to replace a full measurement */
    char *conditions; /* what the samples were taken under, a JSON object; owned; NULL: nothing to
                         tell */
    unsigned deaths;  /* workers that died of it; filled by ht_database_get */
    bool condemned;   /* by its deaths alone: no evaluation says so; filled by ht_database_get */
} ht_evaluation;

enum { HT_DEATHS_CONDEMN = 2 }; /* after this many a configuration is not run again unless asked */

/* Opens or creates (folders too). A file of an older schema is brought up to date, in one
 * transaction. An unreadable, damaged, locked, newer or foreign file is an error with the
 * remedy, and is left as it is. A single damaged row is an ht_warning, once, and counts as not
 * there. */
ht_status ht_database_open(const char *path, ht_database **out_database, ht_error *error);
void ht_database_close(ht_database *database);

/* Commits one evaluation; the same key and configuration replaces the older one, unless this one is
 * reduced and that one is not. */
ht_status ht_database_put(ht_database *database, const ht_database_key *key,
                          const ht_evaluation *evaluation, ht_error *error);
/* *out_found false when there is none. Free with ht_evaluation_free. A condemned configuration is
 * found with the status and reason of its last death, whatever was measured before. */
ht_status ht_database_get(ht_database *database, const ht_database_key *key, const char *config,
                          bool *out_found, ht_evaluation *out_evaluation, ht_error *error);
/* Commits that a worker died of this configuration, with its evidence ("crash: SIGSEGV: ..."). The
 * count outlives the tuner: *out_count is that of all runs. */
ht_status ht_database_add_death(ht_database *database, const ht_database_key *key,
                                const char *config, ht_status how, const char *evidence,
                                unsigned *out_count, ht_error *error);
/* The configuration is to be run again: its deaths no longer count. */
ht_status ht_database_forgive(ht_database *database, const ht_database_key *key, const char *config,
                              ht_error *error);
void ht_evaluation_free(ht_evaluation *evaluation);

/* Best configurations of the same template and device on other problems, nearest first (distance:
 * the sum over shared fields of |log2 a - log2 b|). Strings as ht_config_string; free each, then
 * the array. At most `want`. Those alone that were there when the key's own job began, so that a
 * search that is done again begins as it did. */
ht_status ht_database_nearest(ht_database *database, const ht_database_key *key, size_t want,
                              char ***out_configs, size_t *out_count, ht_error *error);

#endif
