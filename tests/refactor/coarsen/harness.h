/* Runs one transformation alone, or some, over a source text, and compares kernels before and after
 * by running them. */
#ifndef HT_TESTS_COARSEN_HARNESS_H
#define HT_TESTS_COARSEN_HARNESS_H

#include "refactor/plan/transform.h"

typedef struct outcome {
    char *kernel;
    bool applied;
    bool covers[3];   /* axes of the grid along which a thread computes several outputs */
    char *plain;      /* parameter: outputs along blockIdx itself; NULL: none */
    bool vectors;     /* it has VECTOR_OUTPUTS */
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
outcomes rewrite_list(const ht_transformation *const *transformations, const char *folder,
                      const char *name, const char *text); /* NULL ends */
outcomes rewrite_text(const ht_transformation *transformation, const char *folder, const char *name,
                      const char *text);
outcomes coarsen_text(const char *folder, const char *name, const char *text); /* coarsen-x */
/* The same, as an applied source: with numbers, one output after the other. */
outcomes coarsen_applied(const char *folder, const char *name, const char *text, unsigned factor,
                         bool strided);
void outcomes_free(outcomes *of);
const outcome *outcomes_find(const outcomes *of, const char *kernel);

/* A configuration: outputs of a thread along x, y and z. */
typedef struct variant {
    unsigned factor[3];
    bool strided, tiled;
    unsigned plain;  /* along blockIdx itself */
    unsigned vector; /* VECTOR_OUTPUTS; 0: 1 */
    bool apart;      /* one output after the other: without COARSEN_X_JAM */
    bool rows;       /* COARSEN_X_ROWS: with what outputs in one row have in common */
} variant;

/* As compare_runs, with these configurations. */
char *compare_variants(const char *folder, const char *original, const outcomes *of,
                       const variant *variants, size_t count);

/* Compiles both texts as plain C++ against shim/, runs every run_KERNEL of `of` with factors 1, 2,
 * 4, 8 and many sizes, and compares all output bytes. NULL when equal; else what differs (free()).
 */
char *compare_runs(const char *folder, const char *original, const outcomes *of);

#endif
