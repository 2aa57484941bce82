/* A made-up kernel for loops: what steps come to is written down, not measured. */
#ifndef HT_TESTS_LOOP_WORLD_H
#define HT_TESTS_LOOP_WORLD_H

#include "loop/loop.h"

enum { WORLD_STEPS = 64 };

typedef struct world {
    uint64_t seed;
    /* the moment of the kill: calls of hands until one fails; 0: none does */
    unsigned calls_left;
    bool slower;         /* all that is found is slower at sizes that were not tuned for */
    bool fails_after;    /* the kill comes once the call has done its work */
    ht_loop_hands under; /* what `keep` is passed on to; {0}: nowhere */
    uint64_t performed;  /* steps that were begun */
    ht_choice choices[WORLD_STEPS]; /* of each, without its reason */
} world;

/* A loop over it: 12 rounds of 40 configurations. Free with ht_loop_free. */
void world_loop(world *world, ht_loop *out_loop);
/* The original: revision 0. */
ht_revision world_original(void);
/* The history as text: all that is kept of it; free(). */
char *world_text(const ht_history *history);

#endif
