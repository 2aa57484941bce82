/* Loops (docs/loop.md), in the tuning database's file: each with its revisions, one committed as
 * each step ends. docs/database.md documents the tables. */
#ifndef HT_RUNTIME_STORE_LOOPS_H
#define HT_RUNTIME_STORE_LOOPS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_loops ht_loops;

/* A loop over one kernel. Strings are owned where it was read, borrowed where it is put; none is
 * NULL. */
typedef struct ht_loop_row {
    int64_t id;
    char *key;      /* of all that the loop depends on */
    char *file;     /* of the source: its absolute path */
    char *kernel;   /* its qualified name */
    char *document; /* JSON: what the loop began with, and how it ended */
} ht_loop_row;

/* Opens the file as ht_database_open does, and makes the tables when they are missing. */
ht_status ht_loops_open(const char *path, ht_loops **out_loops, ht_error *error);
/* The same for reading alone: nothing in the file is changed. A file without loops is
 * HT_ERROR_INPUT. */
ht_status ht_loops_read(const char *path, ht_loops **out_loops, ht_error *error);
void ht_loops_close(ht_loops *loops);

/* Commits that a loop begins; sets the row's id. */
ht_status ht_loops_begin(ht_loops *loops, ht_loop_row *row, ht_error *error);
/* Commits the document of a loop that goes on, or has ended. */
ht_status ht_loops_update(ht_loops *loops, int64_t id, const char *document, ht_error *error);
/* Commits a revision; one of the same number is replaced. */
ht_status ht_loops_put(ht_loops *loops, int64_t id, uint64_t number, const char *document,
                       ht_error *error);

/* Finds the latest loop that fits those members of `like` that are not NULL (`key`, `file`,
 * `kernel`). *out_found false: there is none. Free with ht_loop_row_free. A damaged row is reported
 * and left out. */
ht_status ht_loops_find(ht_loops *loops, const ht_loop_row *like, bool *out_found,
                        ht_loop_row *out_row, ht_error *error);
void ht_loop_row_free(ht_loop_row *row);
/* Calls for each revision of a loop, in the order of their numbers, up to the first that is damaged
 * or missing: what came after it depends on it. */
ht_status ht_loops_revisions(ht_loops *loops, int64_t id,
                             ht_status (*each)(void *context, const char *document,
                                               ht_error *error),
                             void *context, ht_error *error);
/* Calls for each loop, the oldest first. */
ht_status ht_loops_each(ht_loops *loops,
                        ht_status (*each)(void *context, int64_t id, ht_error *error),
                        void *context, ht_error *error);

#endif
