/* Shared objects that clang and the linker have made, kept from run to run in the folder that
 * $HIPTEMPER_OBJECTS names: by the whole text of a unit and all that decides what is made of it.
 * The test suites set it. */
#ifndef HT_RUNTIME_HOST_KEPT_OBJECT_H
#define HT_RUNTIME_HOST_KEPT_OBJECT_H

#include "base/hash.h"
#include "base/text.h"

#include <stdbool.h>

/* One compile's place among the kept objects. */
typedef struct ht_kept_object {
    const char *folder; /* NULL: nothing is kept; borrowed */
    char key[HT_HASH_SIZE];
} ht_kept_object;

/* Takes the object to `path`, and appends to `log` what clang said when it made it. False: there is
 * none, or a file that clang had read then is another one now. */
bool ht_kept_object_take(const ht_kept_object *object, const char *path, ht_text *log);

/* Keeps the object at `path`, with what clang said of it. `list` is the file of what it read, as
 * -MD writes it; those in the `own_count` folders of `own` are part of the key, so that they are
 * not looked at again. Failing to keep is no failure. */
void ht_kept_object_put(const ht_kept_object *object, const char *path, const char *list,
                        const char *const *own, size_t own_count, const char *said);

#endif
