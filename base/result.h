/* Results: the files that a command hands to its user. Every one is written here, so that none ever
 * replaces what the user gave. */
#ifndef HT_BASE_RESULT_H
#define HT_BASE_RESULT_H

#include "base/file_write.h"

/* Says that this process read `path` as an input; what does not exist is ignored. For the main
 * thread. */
void ht_input_add(const char *path);

/* The path of the file of this name (no folder) next to one of the inputs, the first that has one;
 * NULL when none has; free(). Links are not followed: a foreign source could name a file of the
 * user's by one. */
char *ht_input_beside(const char *name);

/* HT_ERROR_INPUT when a result at `path` would replace an input, by whatever name: device and inode
 * are compared. */
ht_status ht_result_check(const char *path, ht_error *error);

/* As ht_file_replace, synced. Refuses what ht_result_check does. Folders on the way must
 * exist. */
ht_status ht_result_write(const char *path, const void *data, size_t length, ht_error *error);

/* The same for inputs that the user asked to have rewritten (--in-place): all or none. */
ht_status ht_results_write_over(const ht_file_content *files, size_t count, ht_error *error);

#endif
