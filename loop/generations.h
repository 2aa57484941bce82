/* The sources of a loop that were analysed: the original, and the last few that came of it. */
#ifndef HT_LOOP_GENERATIONS_H
#define HT_LOOP_GENERATIONS_H

#include "loop/generation.h"

enum { HT_GENERATIONS = 4 }; /* a step has three at a time: searched, written, best before */

typedef struct ht_generations {
    const ht_loop_origin *origin;
    ht_generation original;
    ht_generation others[HT_GENERATIONS];
    size_t count;
    uint64_t used[HT_GENERATIONS], clock; /* when each was asked for */
} ht_generations;

/* As ht_generation_original. Close in any case. */
ht_status ht_generations_open(const ht_loop_origin *origin, ht_generations *out_generations,
                              ht_error *error);
void ht_generations_close(ht_generations *generations);

/* Returns true if the text (NULL: the original's) is analysed. */
bool ht_generations_has(const ht_generations *generations, const char *text);
/* Returns the analysis of a text, as ht_generation_make, in the place of the one that was not asked
 * for longest. Borrowed: valid until HT_GENERATIONS others were asked for. */
ht_status ht_generations_get(ht_generations *generations, const char *text,
                             ht_generation **out_generation, ht_error *error);

#endif
