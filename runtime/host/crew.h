/* The OS threads that run a launch's blocks. They are kept between launches, wait without using the
 * processor after a moment, and are never waited for unless they took part: on a busy machine a
 * launch is not held up by a thread that has not been scheduled yet. (OpenMP's teams meet at the
 * end of every region and spin; on two busy cores that cost a factor of 2 to 4 at the median of 2
 * ms launches.) */
#ifndef HT_RUNTIME_HOST_CREW_H
#define HT_RUNTIME_HOST_CREW_H

/* Cores that this process may use. */
unsigned ht_crew_cores(void);

/* How many threads there are to work: $OMP_NUM_THREADS, else one a core. */
unsigned ht_crew_size(void);

/* Calls work(argument) on this thread, and at the same time on up to `threads` - 1 others that find
 * the time. Returns when all calls have; `work` must share out what there is to do by itself. */
void ht_crew_run(void (*work)(void *argument), void *argument, unsigned threads);

#endif
