/* The libraries that an image is linked with. */
#ifndef HT_RUNTIME_HOST_LIBRARIES_H
#define HT_RUNTIME_HOST_LIBRARIES_H

#include "runtime/host/object.h"

enum { HT_LIBRARIES_MAX = 4 };

/* Fills `out` with the linker's arguments for the libraries in which this process finds what the
 * object leaves undefined, and returns their number; all, if it does not find something. The linker
 * would drop the others, after it has read them: with those that nothing needs, linking a small
 * image takes four times as long. */
size_t ht_libraries_needed(const ht_object *object, bool checked,
                           const char *out[HT_LIBRARIES_MAX]);

#endif
