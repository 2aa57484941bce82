/* Ctrl-C and its like end the program within two seconds, whatever it and its children do. */
#ifndef HT_CLI_INTERRUPT_H
#define HT_CLI_INTERRUPT_H

/* To be called first in main. When SIGINT, SIGTERM or SIGHUP did not end a command in time
 * (ht_interrupt_install in below), it starts this program again in its own place: then this
 * kills what it had started, removes its temporary folders, and ends with HT_EXIT_INTERRUPTED.
 * Else it does nothing. */
void ht_interrupt_leave(int argc, char **argv);

/* The first Ctrl-C (or SIGTERM, SIGHUP) sets ht_interrupted, and what does not end by itself then
 * is ended after a while; the second ends it at once. */
void ht_interrupt_install(void);

#endif
