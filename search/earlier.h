/* Earlier runs of the same kernel on other devices and problems, as expectations of a search. Each
 * is a source: it says of a configuration how much slower than usual it was there, in standard
 * deviations of the logarithm of its times (softly clipped far above its best, as
 * search/objective.h does). A configuration that failed there counts as its slowest. Where a source
 * has no outcome, a Gaussian process over its outcomes estimates one, which falls back to 0, the
 * usual, where nothing near was tried.
 *
 * A search learns what each source is worth (search/trust.h). docs/search.md#sources */
#ifndef HT_SEARCH_EARLIER_H
#define HT_SEARCH_EARLIER_H

#include "templates/space/space.h"

#include <stdbool.h>
#include <stddef.h>

enum { HT_EARLIER_MAX = 8 };

/* One outcome of an earlier run; the configuration is of the space searched now, though it need not
 * be legal there. */
typedef struct ht_earlier_outcome {
    ht_config config;
    double cost; /* any unit; INFINITY: it failed */
} ht_earlier_outcome;

typedef struct ht_earlier ht_earlier;

/* The space must outlive the sources. */
ht_earlier *ht_earlier_create(const ht_space *space);
void ht_earlier_free(ht_earlier *sources);
/* Adds a source. Of a configuration that is there twice the first counts. Returns false, and adds
 * nothing, when there is too little to learn from (fewer than 3 successes, or all the same), when
 * 200 outcomes or more cannot be learnt from (an estimate from half of them orders the others with
 * a rank correlation of less than 0.5), or HT_EARLIER_MAX are there already. Once searches use the
 * sources, nothing may be added. */
bool ht_earlier_add(ht_earlier *sources, const ht_earlier_outcome *outcomes, size_t count);
size_t ht_earlier_count(const ht_earlier *sources);
/* Returns true if sources have a value for each configuration of the space. */
bool ht_earlier_is_tabled(const ht_space *space);

/* Writes what each source says of each of `count` configurations: count rows of ht_earlier_count
 * values. Any number of threads may ask at once. */
void ht_earlier_values(const ht_earlier *sources, const ht_config *configs, size_t count,
                       double *out_values);
/* Lists legal configurations that the weighted sum of the sources expects to be the fastest, best
 * first; at most `want`, all different. In a space of more than 32,768 configurations they are
 * among those that a source has tried. Returns how many. */
size_t ht_earlier_best(const ht_earlier *sources, const double *weights, size_t want,
                       ht_config *out_configs);

#endif
