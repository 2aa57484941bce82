/* A limit on isl's work in the analysis of one kernel, counted in isl's own operations: unlike a
 * clock, such a count stops at the same place on every machine. A transformation that needs more
 * than its share is left out; a kernel whose analysis needs more in total is given up. Private to
 * refactor/. */
#ifndef HT_REFACTOR_KERNEL_EFFORT_H
#define HT_REFACTOR_KERNEL_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_EFFORT_PARTS_MAX = 32 };

typedef struct ht_effort {
    uint64_t most;  /* limit for a kernel */
    uint64_t spent; /* so far */
    uint64_t part;  /* left for the running transformation */
    bool ended;     /* a question of its went unanswered because operations ran out */
    bool left_out[HT_EFFORT_PARTS_MAX]; /* transformations, by their place in the list */
} ht_effort;

/* Starts a count. `most` 0: the default, HT_ANALYSIS_OPERATIONS. */
void ht_effort_init(ht_effort *effort, uint64_t most);
/* Begins a transformation's share. Returns false if it is left out since its share ran out in an
 * earlier plan. */
bool ht_effort_begin(ht_effort *effort, size_t transformation);
/* Ends a transformation's share. Returns true if the share ran out. Its result may be right, but
 * depends on where the limit lies, so it is left out from now on and the caller plans anew without
 * it. */
bool ht_effort_end(ht_effort *effort, size_t transformation);
/* Returns true if any transformation was left out. */
bool ht_effort_any_left_out(const ht_effort *effort);
/* Returns true if the kernel has used all its operations. */
bool ht_effort_spent(const ht_effort *effort);
/* Returns the operations that one transformation may use. */
uint64_t ht_effort_share(const ht_effort *effort);
/* Returns the operations that are left: for the running transformation and for the kernel,
 * whichever are fewer. */
uint64_t ht_effort_left(const ht_effort *effort);
/* Counts operations. `ended`: they ran out before an answer. */
void ht_effort_spend(ht_effort *effort, uint64_t operations, bool ended);

#endif
