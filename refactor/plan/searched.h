/* Advice from transformations to the search about their parameters. Each transformation advises on
 * its own parameters; ranks order the advice of several. */
#ifndef HT_REFACTOR_PLAN_SEARCHED_H
#define HT_REFACTOR_PLAN_SEARCHED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_WISHED_VALUES = 3, HT_WISHES = 7, HT_FIRST_STEPS = 3, HT_DROPS = 4, HT_EXPORTS = 4 };

/* A wish for values of the parameters whose names begin with a prefix. The values are in order of
 * preference; the first one that a parameter has is taken. */
typedef struct ht_wish {
    const char *prefix;
    int64_t values[HT_WISHED_VALUES]; /* 0: the list ends here */
    bool of_others; /* the parameters are another transformation's, which exports the prefix */
} ht_wish;

/* Values to try first, all wishes together. The parameters of the first wish must exist; the others
 * need not. If all wishes together are not legal, the last ones are dropped. */
typedef struct ht_first_step {
    int rank; /* 0: there is no step */
    ht_wish wishes[HT_WISHES];
} ht_first_step;

/* Parameters to drop when a space is too large. */
typedef struct ht_drop {
    int rank;           /* the lowest is dropped first; 0: none is dropped */
    const char *prefix; /* NULL: all */
} ht_drop;

typedef struct ht_searched {
    bool is_hint; /* a hint to the compiler or the device: no reason for a template by itself */
    bool idle_emulated; /* its parameters do nothing when the host runs the kernel, and are then all
                           dropped (`drops`) */
    bool is_foundation; /* makes constants of sizes: it is set first, and other steps keep it */
    const char *exports[HT_EXPORTS]; /* prefixes of parameters for which others may have wishes */
    ht_drop drops[HT_DROPS];
    ht_first_step steps[HT_FIRST_STEPS];
} ht_searched;

#endif
