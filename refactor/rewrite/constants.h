/* Names for values that a tuned configuration brings into a source. A value that a kernel and its
 * launches have more than once becomes a constant above the kernel, declared as the file declares
 * its own; one that occurs once stays a number. */
#ifndef HT_REFACTOR_REWRITE_CONSTANTS_H
#define HT_REFACTOR_REWRITE_CONSTANTS_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/render.h"
#include "refactor/source/names.h"
#include "refactor/source/source.h"

/* A kernel that is rewritten, and what is declared for it. */
typedef struct ht_constants {
    const ht_model *model;
    const ht_plan *plan;
    const ht_grid *grid;
    ht_values values;
    size_t place;       /* of the declarations, the begin of a line */
    char *declarations; /* lines; "" without any; owned */
} ht_constants;

/* Replaces all marks (plan/value_marks.h) of the replacements by names or numbers, and sets the
 * declarations of the kernels, to which the replacements' owners are indices. `all`: the
 * names of the file's kernels; where it has several, a name says whose constant it is. */
void ht_constants_settle(const ht_source *source, ht_replacement *items, size_t count,
                         ht_constants *kernels, size_t kernel_count, const ht_names *all);

#endif
