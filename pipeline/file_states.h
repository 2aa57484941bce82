/* The states of files during one run: each is looked at once, however many results depend on it. */
#ifndef HT_PIPELINE_FILE_STATES_H
#define HT_PIPELINE_FILE_STATES_H

#include "refactor/source/names.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_file_states ht_file_states;

ht_file_states *ht_file_states_new(void);
void ht_file_states_free(ht_file_states *states);

/* Returns text that changes with the file's content: its hash, or of a file below /usr the size and
 * the time of its last change; "-" for what is no file. Borrowed until `states` is freed. */
const char *ht_file_state(ht_file_states *states, const char *path);
/* Returns true for two names of one file. */
bool ht_file_states_same(ht_file_states *states, const char *a, const char *b);
/* Returns true if the file was changed at this time (seconds since 1970) or later. */
bool ht_file_states_since(ht_file_states *states, const char *path, double when);

/* Adds the places at which a compiler looks for the files that `path` includes before it finds
 * them, or without finding them: in the file's folder, in those of -I, -iquote and -isystem, and in
 * the system's. A file that appears at one of them changes what is read. Includes whose names are
 * macros are not seen. */
void ht_file_states_absent(ht_file_states *states, const char *path, const char *const *arguments,
                           size_t argument_count, ht_names *out_absent);

#endif
