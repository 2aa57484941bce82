/* A loop's history as a series of patches: a patch for each revision that was kept. */
#ifndef HT_LOOP_SERIES_H
#define HT_LOOP_SERIES_H

#include "loop/revision.h"

/* Writes NNNN-ACTION.patch for each kept revision that has a source, each on top of the one before
 * it, the file `series` with their names in order, and the last source under its own name.
 * `path` is the original's file, which must still be what the loop began with, else
 * HT_ERROR_INPUT. *out_folder: from where they are applied; free(); *out_count: patches written.
 * A best revision without a source has its template written instead. */
ht_status ht_series_write(const ht_history *history, const char *path, const char *folder,
                          char **out_folder, size_t *out_count, ht_error *error);

#endif
