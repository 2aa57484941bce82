/* A process next to this one that ends all that this one leaves when it is killed.
 *
 * A fork asks for a signal at its parent's death (PR_SET_PDEATHSIG), but only once it runs. One
 * that is stopped before, as by SIGSTOP, and whose parent is then killed, would stay for ever: it
 * takes no signal but SIGKILL, and nobody is left to send it. */
#ifndef HT_BASE_KEEPER_H
#define HT_BASE_KEEPER_H

/* From here on, all processes that this one has forked, and that have not started another program,
 * are killed as soon as this one has ended without ht_keeper_stop. Call it once, before there are
 * threads. Where no process can be made, there is no keeper. */
void ht_keeper_start(void);

/* Ends the keeper; what else was forked goes on. */
void ht_keeper_stop(void);

#endif
