/* Wall-clock time for budgets and limits: seconds on the monotonic clock. And dates, as files have
 * them. */
#ifndef HT_BASE_CLOCK_H
#define HT_BASE_CLOCK_H

#include <stdbool.h>
#include <time.h>

double ht_clock_seconds(void);

/* Writes "2026-11-27T00:15:40Z", which is how SQLite writes it, too; false, and "", for a time that
 * has no such text. */
enum { HT_CLOCK_UTC_SIZE = 32 };
bool ht_clock_utc(time_t seconds, char out_text[HT_CLOCK_UTC_SIZE]);

#endif
