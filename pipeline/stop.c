#include "pipeline/stop.h"

#include "base/clock.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

volatile int ht_interrupted, ht_stopped;
static double stop; /* clock; 0: never */

static void on_stop(int signal) {
    (void)signal;
    ht_stopped = 1;
}

void ht_stop_at(double seconds) {
    static timer_t timer;
    static bool made;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_stop;
    action.sa_flags = SA_RESTART;
    if (!made && seconds > 0)
        made = sigaction(SIGUSR2, &action, NULL) == 0 &&
               timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    stop = seconds;
    double left = seconds > 0 ? fmax(seconds - ht_clock_seconds(), 1e-3) : 0;
    const struct itimerspec when = {.it_value = {(time_t)left, (long)((left - floor(left)) * 1e9)}};
    if (made)
        timer_settime(timer, 0, &(struct itimerspec){0}, NULL);
    ht_stopped = ht_interrupted;
    if (made && left > 0)
        timer_settime(timer, 0, &when, NULL);
}

double ht_stop_left(void) {
    return stop > 0 ? fmax(stop - ht_clock_seconds(), 0) : INFINITY;
}
