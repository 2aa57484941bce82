/* How much of isl's work the analysis of one kernel may take, counted in isl's own operations: a
 * count ends at the same place on every machine, which no clock does. A transformation that needs
 * more than its share is left out; a kernel that needs more in all is given up. Private to
 * refactor/. */
#ifndef HT_REFACTOR_KERNEL_EFFORT_H
#define HT_REFACTOR_KERNEL_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_EFFORT_PARTS_MAX = 32 };

typedef struct ht_effort {
    uint64_t most;  /* of a kernel */
    uint64_t spent; /* so far */
    uint64_t part;  /* what the running transformation has left */
    bool ended;     /* something that it asked was not answered for want of operations */
    bool left_out[HT_EFFORT_PARTS_MAX]; /* transformations, by their place in the list */
} ht_effort;

/* `most` 0: the default, HT_ANALYSIS_OPERATIONS. */
void ht_effort_init(ht_effort *effort, uint64_t most);
/* A transformation begins. False: it is left out, having ended the plan before. */
bool ht_effort_begin(ht_effort *effort, size_t transformation);
/* It is done. True: its share was not enough. What it found with part of its questions unanswered
 * may hold, but hangs on where the limit lies: it is left out from now on, and the plan is to be
 * made anew without it. */
bool ht_effort_end(ht_effort *effort, size_t transformation);
/* Returns true if any was left out. */
bool ht_effort_any_left_out(const ht_effort *effort);
/* Returns true if the kernel has taken all that it may. */
bool ht_effort_spent(const ht_effort *effort);
/* What one transformation may take. */
uint64_t ht_effort_share(const ht_effort *effort);
/* What may be spent now. */
uint64_t ht_effort_left(const ht_effort *effort);
/* `ended`: the operations were not enough. */
void ht_effort_spend(ht_effort *effort, uint64_t operations, bool ended);

#endif
