/* Nights of jobs, in the tuning database's file: for each kernel and problem what became of it, and
 * the files that were written. docs/database.md documents the tables. */
#ifndef HT_RUNTIME_STORE_NIGHTS_H
#define HT_RUNTIME_STORE_NIGHTS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ht_nights ht_nights;

/* A kernel with a problem on a device, in one night. Strings are owned where it was read, borrowed
 * where it is put; none is NULL. */
typedef struct ht_night_result {
    int64_t night;
    double when;    /* seconds since 1970; not read by ht_nights_put */
    int64_t number; /* among kernels of its name in its file */
    char *job;      /* its file's absolute path */
    char *kernel, *problem, *device, *file;
    char *source_key; /* of all that the results of its source depend on */
    char *kernel_key; /* of all that its own depends on; "": not known */
    char *document;   /* JSON */
} ht_night_result;

typedef struct ht_night_results {
    ht_night_result *items;
    size_t count;
} ht_night_results;

/* Opens the file as ht_database_open does, and makes the tables when they are missing. */
ht_status ht_nights_open(const char *path, ht_nights **out_nights, ht_error *error);
/* The same for reading alone: nothing in the file is changed. A file without nights is
 * HT_ERROR_INPUT. */
ht_status ht_nights_read(const char *path, ht_nights **out_nights, ht_error *error);
void ht_nights_close(ht_nights *nights);

/* A night has the same in whatever database. */
typedef struct ht_night_name {
    const char *began; /* as ht_clock_utc writes it; NULL: now */
    const char *host;  /* NULL: said by the document at its end */
} ht_night_name;

/* Commits that a night begins; *out_night is its number, larger than all before. A night of this
 * job and name that is there already is joined: processes that share one, or go on with it. */
ht_status ht_nights_begin(ht_nights *nights, const char *job, const ht_night_name *name,
                          int64_t *out_night, ht_error *error);
/* Returns the number of a night that has begun; 0: there is none. */
int64_t ht_nights_named(ht_nights *nights, const char *job, const ht_night_name *name);
/* Commits its end, with a document (JSON) about it. */
ht_status ht_nights_end(ht_nights *nights, int64_t night, const char *document, ht_error *error);
/* Commits a result. */
ht_status ht_nights_put(ht_nights *nights, const ht_night_result *result, ht_error *error);

/* Finds results that fit those members of `like` that are not NULL (`job`, `kernel`, `problem`,
 * `device`, `file`, `source_key`, `kernel_key`), of nights before `like->night` unless that is 0:
 * of each kernel, problem, device, file and number the latest, in the order of their making. A
 * damaged row is reported and left out. */
ht_status ht_nights_find(ht_nights *nights, const ht_night_result *like,
                         ht_night_results *out_results, ht_error *error);
void ht_night_results_free(ht_night_results *results);
/* Returns the latest night before `night` (0: of all), finished or not; 0: there is none. */
int64_t ht_nights_last(ht_nights *nights, int64_t before);

/* Returns the latest night whose document has this "tag"; 0 without one. */
int64_t ht_nights_tagged(ht_nights *nights, const char *tag);

/* Files that were written for a source, to be put back. */
ht_status ht_nights_put_file(ht_nights *nights, const char *source_key, const char *name,
                             const char *content, ht_error *error);
/* Calls for each file kept for a source. */
ht_status ht_nights_files(ht_nights *nights, const char *source_key,
                          ht_status (*each)(void *context, const char *name, const char *content,
                                            ht_error *error),
                          void *context, ht_error *error);
/* The same for files of any source whose names end with this, those of the source that has the
 * latest result first. */
ht_status ht_nights_files_named(ht_nights *nights, const char *ending,
                                ht_status (*each)(void *context, const char *name,
                                                  const char *content, ht_error *error),
                                void *context, ht_error *error);

#endif
