/* The emulated device's clock. It counts the work of launches and copies in CPU time, as it would
 * pass on cores that do nothing else: what another program takes from the machine meanwhile is not
 * in it. */
#ifndef HT_RUNTIME_HOST_CLOCK_H
#define HT_RUNTIME_HOST_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CPU time of the calling thread. */
uint64_t ht_host_thread_time(void);

/* Nanoseconds of a clock that runs on while other threads have the core; to read it takes a
 * thirtieth of the time. */
uint64_t ht_host_wall_time(void);

/* The device was busy this many nanoseconds longer. */
void ht_host_clock_advance(uint64_t nanoseconds);

#endif
