#include "base/clock.h"

double ht_clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool ht_clock_utc(time_t seconds, char out_text[HT_CLOCK_UTC_SIZE]) {
    struct tm parts;
    *out_text = '\0';
    return gmtime_r(&seconds, &parts) != NULL &&
           strftime(out_text, HT_CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0;
}
