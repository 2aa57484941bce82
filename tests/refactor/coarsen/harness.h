/* Runs coarsen-x alone over a source text, and compares kernels before and after by running them.
 */
#ifndef HT_TESTS_COARSEN_HARNESS_H
#define HT_TESTS_COARSEN_HARNESS_H

#include "refactor/plan.h"

typedef struct outcome {
    char *kernel;
    bool applied;
    char *note;       /* why outputs are computed one after the other; NULL: side by side */
    char *reason;     /* of a refusal; NULL when applied */
    int line, column; /* of the reason */
} outcome;

typedef struct outcomes {
    outcome *items;
    size_t count;
    char *text; /* the whole source with the rewritten kernels */
} outcomes;

/* `name` is for messages; the text is written to a file in `folder` first. */
outcomes coarsen_text(const char *folder, const char *name, const char *text);
void outcomes_free(outcomes *of);
const outcome *outcomes_find(const outcomes *of, const char *kernel);

/* Compiles both texts as plain C++ against shim/, runs every run_KERNEL of `of` with factors 1, 2,
 * 4, 8 and many sizes, and compares all output bytes. NULL when equal; else what differs (free()).
 */
char *compare_runs(const char *folder, const char *original, const outcomes *of);

#endif
