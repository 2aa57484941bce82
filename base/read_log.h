/* The files that this process read to come to a result, so that the result can be kept for as long
 * as none of them changes. */
#ifndef HT_BASE_READ_LOG_H
#define HT_BASE_READ_LOG_H

#include <stddef.h>

/* Says that this process read `path`, as it is named; NULL is ignored. For the main thread. */
void ht_read_log_add(const char *path);

/* Forgets all: another result begins. */
void ht_read_log_clear(void);

/* Each path once, in the order in which they were first read; borrowed until the next is added. */
const char *const *ht_read_log_paths(size_t *out_count);

#endif
