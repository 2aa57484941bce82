/* How ht_file_write and ht_result_write replace a file's content. */
#ifndef HT_BASE_FILE_WRITE_H
#define HT_BASE_FILE_WRITE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Writes a fresh file of an unpredictable name (O_EXCL, O_NOFOLLOW) into the target's folder and
 * renames it. A symbolic link stays, and what it names is replaced. The mode of a file that is
 * replaced stays, its owner and group where the system permits; other names of it (hard links) keep
 * the old content. Devices and pipes are written to as they are. `synced`: file and folder are on
 * the disk before this returns. When it fails, the old content is still there. */
ht_status ht_file_replace(const char *path, const void *data, size_t length, bool synced,
                          ht_error *error);

typedef struct ht_file_content {
    const char *path; /* each at most once, by whatever name */
    const void *data;
    size_t length;
} ht_file_content;

/* The same of regular files that belong together, synced: when one cannot be written, none is
 * changed. */
ht_status ht_files_replace(const ht_file_content *files, size_t count, ht_error *error);

/* The file that `path` leads to through symbolic links, which need not exist; NULL and errno when
 * they go round in circles. free(). */
char *ht_path_target(const char *path);

#endif
