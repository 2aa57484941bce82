/* How much memory this machine has, and how much of it a process may take. */
#ifndef HT_BASE_MACHINE_MEMORY_H
#define HT_BASE_MACHINE_MEMORY_H

#include <stdint.h>

/* Returns the bytes of memory that processes here may use at most: the machine's, or the limit of
 * the control group; UINT64_MAX if neither is known. */
uint64_t ht_machine_memory(void);

/* Returns the bytes of it that are free now, as the system estimates what new programs get without
 * swapping (MemAvailable); UINT64_MAX if that is not known. */
uint64_t ht_machine_memory_free(void);

/* Returns the bytes that one process which runs kernels may have resident: three quarters of what
 * is free now, but at least 1 GiB; UINT64_MAX if that is not known. */
uint64_t ht_machine_memory_usable(void);

#endif
