/* Wall-clock time for budgets and limits: seconds on the monotonic clock. */
#ifndef HT_BASE_CLOCK_H
#define HT_BASE_CLOCK_H

double ht_clock_seconds(void);

#endif
