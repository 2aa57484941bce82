/* What a transformation says of its parameters to those who search them. Each says it for itself;
 * ranks order what several say. */
#ifndef HT_REFACTOR_PLAN_SEARCHED_H
#define HT_REFACTOR_PLAN_SEARCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_WISHED_VALUES = 3, HT_WISHES = 6, HT_FIRST_STEPS = 2, HT_DROPS = 4, HT_EXPORTS = 4 };

/* Parameters whose name begins so, and the values wished for, the dearest first; the first one that
 * a parameter has is taken. */
typedef struct ht_wish {
    const char *prefix;
    int64_t values[HT_WISHED_VALUES]; /* 0: no further one */
    bool of_others; /* parameters of whatever transformation exports the prefix, not one's own */
} ht_wish;

/* What a search should try first: the wishes together. What the first is about must be there, the
 * rest need not; where all of them together are not legal, the last ones are left out. */
typedef struct ht_first_step {
    int rank; /* 0: there is no step */
    ht_wish wishes[HT_WISHES];
} ht_first_step;

/* Parameters to give up when a space is too large. */
typedef struct ht_drop {
    int rank;           /* the lowest goes first; 0: nothing is given up */
    const char *prefix; /* NULL: all */
} ht_drop;

typedef struct ht_searched {
    bool is_hint;       /* to the compiler or the device: alone it makes no template */
    bool idle_emulated; /* its parameters, all given up together (`drops`), do nothing where the
                           host runs the kernel */
    bool is_foundation; /* sizes as constants: set first, and kept by the other steps */
    const char *exports[HT_EXPORTS]; /* prefixes of parameters that others may wish for */
    ht_drop drops[HT_DROPS];
    ht_first_step steps[HT_FIRST_STEPS];
} ht_searched;

/* Of the index-th transformation of the list, with its name; NULL: there are no more. */
const ht_searched *ht_searched_at(size_t index, const char **out_transformation);
/* Of the one that a parameter comes from; NULL: of none. */
const ht_searched *ht_searched_of(const char *transformation);
/* Returns true if the prefix is among the exports. */
bool ht_searched_exports(const ht_searched *searched, const char *prefix);

#endif
