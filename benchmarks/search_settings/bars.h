/* The means by which the search is judged, in one table. */
#ifndef HT_BENCHMARKS_SEARCH_SETTINGS_BARS_H
#define HT_BENCHMARKS_SEARCH_SETTINGS_BARS_H

#include "benchmarks/search_settings/runs.h"

/* Runs all of it, about seven times as long as one table of 200 evaluations, and prints Markdown.
 * `trial` has seeds, searches and settings. */
void bars_print(const trial *trial);

#endif
