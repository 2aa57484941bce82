/* Memory between pages that nobody may touch. */
#ifndef HT_RUNTIME_HOST_FENCE_H
#define HT_RUNTIME_HOST_FENCE_H

#include <stddef.h>

enum { HT_FENCE_ALIGNMENT = 256 }; /* bytes: hipMalloc's */

/* Gives `size` > 0 bytes that end, to HT_FENCE_ALIGNMENT, where a fence begins: an access past
 * either end faults instead of changing the heap of the process. Each fence is as wide as the
 * memory, within 1 to 16 MiB. NULL: there is no memory. The contents are not defined. */
void *ht_fence_alloc(size_t size);
/* Takes what ht_fence_alloc gave, or NULL. */
void ht_fence_free(void *memory);

#endif
