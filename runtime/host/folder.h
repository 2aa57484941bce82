/* Where a process's compiles work. */
#ifndef HT_RUNTIME_HOST_FOLDER_H
#define HT_RUNTIME_HOST_FOLDER_H

#include "base/error.h"
#include "base/hash.h"

/* This process's private folder under $TMPDIR or /tmp, with the device-side prelude in
 * FOLDER/prelude. Made at first use, removed at exit; those of processes that were killed are
 * removed when the next one is made. */
ht_status ht_host_folder(const char **out_path, ht_error *error);

/* A file that is embedded in the program. */
typedef struct ht_embedded_file {
    const char *path, *data;
    const unsigned long *size;
} ht_embedded_file;
/* Writes the files below a folder. */
ht_status ht_embedded_unpack(const ht_embedded_file *files, size_t count, const char *folder,
                             ht_error *error);
/* Hash of their names and contents. */
void ht_embedded_hash(const ht_embedded_file *files, size_t count, char out_hex[HT_HASH_SIZE]);

/* Puts that prelude into ROOT/prelude. */
ht_status ht_host_prelude_unpack(const char *root, ht_error *error);
/* Hash of that prelude. */
void ht_host_prelude_hash(char out_hex[HT_HASH_SIZE]);

#endif
