/* How a file declares functions of the device. */
#ifndef HT_REFACTOR_SOURCE_DEVICE_STYLE_H
#define HT_REFACTOR_SOURCE_DEVICE_STYLE_H

#include "refactor/source/source.h"

/* Returns the words ahead of a small function's type, "static __device__ __forceinline__ ": those
 * of the main file's own functions of the device, where it has one, with `inline` where the file
 * is a header; free(). */
char *ht_device_words(const ht_source *source);

#endif
