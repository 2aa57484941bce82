/* Loops in the tuning database: what was kept of one is where it goes on after a kill. */
#ifndef HT_LOOP_KEEP_H
#define HT_LOOP_KEEP_H

#include "loop/loop.h"

/* A loop that is kept, as it was read. */
typedef struct ht_kept_loop {
    ht_history history;
    json_t *document; /* {"problem", "device", "emulated", "lessons", "ended", ...}; owned */
    char *kernel;     /* owned */
} ht_kept_loop;

typedef struct ht_keeping ht_keeping;

/* The name of a loop. Borrowed. */
typedef struct ht_loop_name {
    const char *key;    /* of all that it depends on; NULL: any (for reading) */
    const char *file;   /* of the source */
    const char *kernel; /* NULL: any (for reading) */
} ht_loop_name;

/* Fills history and lessons of `loop`: those of the latest loop of this key, else `original` as the
 * first revision (taken over) and what all loops of the database taught. `fresh`: begins a new one
 * in any case. `about`: what the document says besides; borrowed. */
ht_status ht_keeping_open(const char *database, const ht_loop_name *name, bool fresh,
                          ht_revision *original, const json_t *about, ht_loop *loop,
                          ht_keeping **out_keeping, ht_error *error);
/* Commits a revision. Of type ht_loop_hands.keep; the context is the ht_keeping. */
ht_status ht_keeping_put(void *context, const ht_revision *revision, ht_error *error);
/* Commits why the loop has ended. */
ht_status ht_keeping_end(ht_keeping *keeping, const char *ended, ht_error *error);
/* Returns how many of the history's revisions were there already. */
size_t ht_keeping_resumed(const ht_keeping *keeping);
void ht_keeping_close(ht_keeping *keeping);

/* Reads the latest loop of a file; HT_ERROR_INPUT: there is none. Free in any case. */
ht_status ht_kept_loop_read(const char *database, const ht_loop_name *name, ht_kept_loop *out_loop,
                            ht_error *error);
void ht_kept_loop_free(ht_kept_loop *loop);

#endif
