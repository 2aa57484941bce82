/* All that a tuning database holds, read row by row for reports: nights of jobs with their results,
 * and the evaluations of each search. docs/database.md documents the tables. */
#ifndef HT_RUNTIME_STORE_ARCHIVE_H
#define HT_RUNTIME_STORE_ARCHIVE_H

#include "runtime/store/nights.h"

#include <stdbool.h>

typedef struct ht_archive ht_archive;

/* In the structs below strings are borrowed until the callback returns, and none is NULL. */

typedef struct ht_archive_night {
    int64_t number;
    const char *job;      /* its file's absolute path */
    const char *began;    /* UTC, ISO 8601 */
    const char *ended;    /* ""; it was killed, or is under way */
    const char *document; /* JSON: the report; "{}" until it ended */
} ht_archive_night;

/* A search: what the evaluations of one kernel, problem, device and method belong to. */
typedef struct ht_archive_job {
    int64_t id;
    const char *kernel, *code; /* the template's name and hash */
    const char *problem, *device, *compiler, *method, *settings, *checking;
} ht_archive_job;

typedef struct ht_archive_evaluation {
    int64_t job;        /* its search's id */
    const char *config; /* "BLOCK=32 TILED=true"; "original": of the original kernel */
    const char *status; /* "ok", "compile", ... */
    const char *reason; /* "" when ok */
    double ms;          /* median; 0 unless ok */
    int64_t when;       /* seconds since 1970; 0: not known */
} ht_archive_evaluation;

/* Opens a tuning database, with nights or without, for reading alone: nothing in the file is
 * changed. A file that is missing or no such database is HT_ERROR_INPUT. A damaged row is an
 * ht_warning, once, and is left out. */
ht_status ht_archive_open(const char *path, ht_archive **out_archive, ht_error *error);
void ht_archive_close(ht_archive *archive);

/* Calls for each night, in their order. */
ht_status ht_archive_nights(ht_archive *archive,
                            void (*each)(void *context, const ht_archive_night *night),
                            void *context, ht_error *error);
/* Calls for each result of all nights, in the order of their making. */
ht_status ht_archive_results(ht_archive *archive,
                             void (*each)(void *context, const ht_night_result *result),
                             void *context, ht_error *error);
/* Calls for each file that was written for a source, by name. */
ht_status ht_archive_files(ht_archive *archive, const char *source_key,
                           void (*each)(void *context, const char *name, const char *content),
                           void *context, ht_error *error);
/* Calls for each search that has evaluations, in the order of their beginning. */
ht_status ht_archive_jobs(ht_archive *archive,
                          void (*each)(void *context, const ht_archive_job *job), void *context,
                          ht_error *error);
/* Calls for each evaluation of all searches: by and large in the order of their making, those of
 * searches that went on at the same time among each other. A condemned configuration has the status
 * and evidence of its last death. */
ht_status ht_archive_evaluations(ht_archive *archive,
                                 void (*each)(void *context, const ht_archive_evaluation *of),
                                 void *context, ht_error *error);
/* The samples of one evaluation, in milliseconds; free(). Of none *out_count is 0. */
ht_status ht_archive_samples(ht_archive *archive, int64_t job, const char *config,
                             double **out_samples, size_t *out_count, ht_error *error);

#endif
