/* Whether sources that mislead cost a search anything. */
#ifndef HT_BENCHMARKS_SEARCH_SETTINGS_MISLED_H
#define HT_BENCHMARKS_SEARCH_SETTINGS_MISLED_H

#include "benchmarks/search_settings/runs.h"

/* Runs each search alone and with each kind of source that misleads, with the same seeds, and
 * prints as Markdown by how much the latter are better, with 95 % intervals over the pairs.
 * `trial` has seeds, searches and settings; it searches 100 evaluations. */
void misled_print(const trial *trial);

#endif
