/* The identity of a file, for keys: results made by one compiler are not those of another. */
#ifndef HT_BASE_FINGERPRINT_H
#define HT_BASE_FINGERPRINT_H

#include "base/hash.h"
#include "base/text.h"

#include <stdbool.h>

/* Appends a line that distinguishes this file, links followed, from any other: its size and a hash
 * of its content. Of files above 16 MiB the hash is of a part, and the time of the last change is
 * added, so that a compiler's libraries cost milliseconds. A file that cannot be read is a line
 * too. */
void ht_fingerprint_file(const char *path, ht_text *out);
/* Hashes the whole content of a file; false where it cannot be read. */
bool ht_fingerprint_whole(const char *path, char out_hash[HT_HASH_SIZE]);
/* The same as ht_fingerprint_file of every file below a folder, in the order of their names; where
 * `skip` is a name of a folder in it (NULL: none) files have their names, sizes and times alone. */
void ht_fingerprint_folder(const char *path, const char *skip, ht_text *out);
/* A hash of the lines of every library in this process whose name holds one of `stems` (NULL ends).
 */
void ht_fingerprint_libraries(const char *const *stems, char out_hash[HT_HASH_SIZE]);

/* Returns "19.1.7" of the words "Debian clang version 19.1.7 (3~deb12u1)" in what clang says of
 * itself; free(). NULL: it says none, or nothing. */
char *ht_fingerprint_clang(const char *said);

#endif
