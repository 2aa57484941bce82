/* Files and folders. Writing is atomic: a reader sees the old file or the new one, never a part. */
#ifndef HT_BASE_FILE_H
#define HT_BASE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a whole file, at most `max_bytes` (0: 64 MiB). `*out_data` gets a NUL after the last byte;
 * free() it. `out_length` may be NULL. Folders and unreadable files are HT_ERROR_IO with errno's
 * words. */
ht_status ht_file_read(const char *path, size_t max_bytes, char **out_data, size_t *out_length,
                       ht_error *error);
/* The same of a text: one that holds a NUL byte is HT_ERROR_INPUT; `what` ("HIP source") says what
 * it should have been. */
ht_status ht_file_read_text(const char *path, const char *what, char **out_text, ht_error *error);

/* For scratch files and caches: ht_file_replace, not synced. Files that a user keeps go through
 * ht_result_write. */
ht_status ht_file_write(const char *path, const void *data, size_t length, ht_error *error);

/* mkdir -p. */
ht_status ht_dir_make(const char *path, ht_error *error);

/* Removes a folder and what is in it; errors are ignored (used for our own temporary folders). */
void ht_dir_remove(const char *path);

/* Removes the files of a folder (no folders, no hidden files) that were last written more than
 * `days` ago; errors are ignored (used for what is kept to save time). */
void ht_dir_remove_old(const char *path, int days);
/* The same with folders, as old as their last change. */
void ht_dir_remove_old_all(const char *path, int days);

/* A fresh private folder under $TMPDIR or /tmp, named after this process; free() the path, remove
 * with ht_dir_remove. */
ht_status ht_dir_temporary(const char *stem, char **out_path, ht_error *error);

bool ht_file_exists(const char *path);
bool ht_dir_exists(const char *path);
/* Returns true for a folder of this user's that nobody else may write to. */
bool ht_dir_is_private(const char *path);
/* Returns true for two names of one file. */
bool ht_file_same(const char *a, const char *b);

/* "a/b" from "a" and "b"; `name` alone when it is absolute. free(). */
char *ht_path_join(const char *folder, const char *name);
/* The part after the last '/'. Borrowed. */
const char *ht_path_name(const char *path);
/* The part before the last '/', "." when there is none. free(). */
char *ht_path_folder(const char *path);
/* Returns true for a path in the folder or in one below it, by their names alone. */
bool ht_path_is_below(const char *path, const char *folder);

#endif
