/* Memory that a forked process shares, so that what it holds outlives whatever ends that one. */
#ifndef HT_RUNTIME_EMULATE_SHARED_H
#define HT_RUNTIME_EMULATE_SHARED_H

#include <stddef.h>

/* Zeroed; NULL where the machine has no memory for it. */
void *ht_shared_new(size_t size);
void ht_shared_free(void *memory, size_t size); /* NULL is ignored */

#endif
