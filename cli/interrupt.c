#include "cli/command.h"

#include <signal.h>
#include <string.h>

volatile int ht_interrupted;

/* SA_RESETHAND puts the default action back, so that the second signal kills. */
static void on_signal(int signal) {
    (void)signal;
    ht_interrupted = 1;
}

void ht_interrupt_install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is an error with words */
}
