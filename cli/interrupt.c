#include "cli/interrupt.h"

#include "base/clock.h"
#include "base/process.h"
#include "base/scratch.h"
#include "cli/command.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Two seconds are promised; these leave a busy machine some. */
enum { ORDERLY_MS = 1200, GENTLE_MS = 150, ALL_MS = 700, STEP_US = 2000 };

#define LEAVE "--leave-at-once"

/* Replaces this process's image, whatever it is in (a parser, a matrix product, a lock), by one
 * that only tidies up: no other thread goes on, and nothing half done is written down. The number,
 * and so the children and the temporary folders, stay the same. */
static void leave(void) {
    char *arguments[] = {(char *)"hiptemper", (char *)LEAVE, NULL};
    execve("/proc/self/exe", arguments, environ);
    _exit(HT_EXIT_INTERRUPTED);
}

static void on_time(int signal) {
    (void)signal;
    leave();
}

/* Handles a signal, by calls that a handler may make: setitimer is a plain system call. */
static void on_signal(int signal) {
    (void)signal;
    if (ht_interrupted)
        leave();
    ht_interrupted = ht_stopped = 1;
    const struct itimerval limit = {
        .it_value = {ORDERLY_MS / 1000, (suseconds_t)(ORDERLY_MS % 1000 * 1000)}};
    setitimer(ITIMER_REAL, &limit, NULL);
}

void ht_interrupt_install(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_time;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = on_signal;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        /* nohup's wish counts. */
        if (numbers[i] != SIGHUP ||
            (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
            sigaction(numbers[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is an error with words */
}

/* Ends the children. A worker's guard (runtime/process/guard.h) ends with all that is below it when
 * it is asked to; processes that others leave become ours. */
static void end_children(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    double begin = ht_clock_seconds(), end = begin + ALL_MS * 1e-3;
    ht_process_signal_children(SIGTERM);
    while (ht_clock_seconds() < end) {
        pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended < 0)
            return;
        if (ended > 0)
            continue;
        if (ht_clock_seconds() > begin + GENTLE_MS * 1e-3)
            ht_process_signal_children(SIGKILL);
        usleep(STEP_US);
    }
}

void ht_interrupt_leave(int argc, char **argv) {
    if (argc != 2 || strcmp(argv[1], LEAVE) != 0)
        return;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    end_children();
    const char *root = getenv("TMPDIR");
    ht_scratch_sweep_of(root && *root ? root : "/tmp", getpid());
    fprintf(stderr, "hiptemper: interrupted; what was measured is kept\n");
    _exit(HT_EXIT_INTERRUPTED);
}
