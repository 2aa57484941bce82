/* Remarks of the pass about a kernel, like a compiler's optimisation remarks. */
#ifndef HT_REFACTOR_PLAN_REMARK_H
#define HT_REFACTOR_PLAN_REMARK_H

#include <stdbool.h>

typedef enum ht_remark_kind {
    HT_REMARK_APPLIED,
    HT_REMARK_MISSED,
    HT_REMARK_NOTE,
    HT_REMARK_DOUBT /* a patch of the kernel is probably not wanted */
} ht_remark_kind;

/* Like a compiler's optimisation remark. */
typedef struct ht_remark {
    ht_remark_kind kind;
    const char *transformation; /* "block-size"; may be NULL */
    char *file;
    int line, column;
    char *message;
    bool left_out; /* the transformation is left out as a whole, for its cost or in favour of others
                    */
} ht_remark;

#endif
