/* Whether what goes on is to end: somebody asked for it, or its time is over. */
#ifndef HT_PIPELINE_STOP_H
#define HT_PIPELINE_STOP_H

/* Set by the first Ctrl-C, SIGTERM or SIGHUP (cli/interrupt.c). */
extern volatile int ht_interrupted;
/* Set with it, and when a time is over (--max-time): what goes on ends, and keeps what it has. */
extern volatile int ht_stopped;
/* Sets when, on ht_clock_seconds; takes an earlier stop back. 0: never. */
void ht_stop_at(double seconds);
/* Returns the seconds until then, at least 0; INFINITY: never. */
double ht_stop_left(void);

#endif
