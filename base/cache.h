/* Results of compilers, kept between runs: parsed headers, and objects. */
#ifndef HT_BASE_CACHE_H
#define HT_BASE_CACHE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the user's own folder `name` for what can be made again: hiptemper/NAME in
 * $XDG_CACHE_HOME, else in ~/.cache; free(). NULL: there is no home. It is not made. */
char *ht_cache_path(const char *name);
/* Makes the folder, and those above it for this user alone. Returns true if it is the user's, and
 * nobody else may write to it. */
bool ht_cache_make(const char *path, ht_error *error);

/* The folder that $HIPTEMPER_CACHE names, made if it is missing; where it is unset, `parsed` of the
 * user's own folders. Borrowed, and the same at every call. NULL where the variable is empty, where
 * the folder cannot be made, or where it is another user's or may be written by others: what lies
 * in it is trusted as the compiler's own output is. */
const char *ht_cache_folder(void);
/* Makes room in a folder for a file that ends in `suffix`: once there are `most`, the oldest goes,
 * with those whose names begin with its whole name. A reader of it makes it again. */
void ht_cache_make_room(const char *folder, const char *suffix, size_t most);

/* The folder that $HIPTEMPER_OBJECTS names, in which the compilers of untrusted sources write, too;
 * NULL where it is unset. */
const char *ht_cache_objects(void);

#endif
