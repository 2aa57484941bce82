/* Live progress: one redrawn line on a terminal, plain lines at most every two seconds elsewhere.
 */
#ifndef HT_PIPELINE_PROGRESS_H
#define HT_PIPELINE_PROGRESS_H

#include "search/strategy.h"

#include <stdio.h>

typedef struct ht_progress ht_progress;

/* `total`: how many pairs there will be; 0: it is not known, and no number is shown. The stream is
 * borrowed; NULL: nothing is printed. */
ht_progress *ht_progress_new(FILE *stream, size_t total);
void ht_progress_free(ht_progress *progress);

/* A pair begins; `label` names it: "conv2d (small)". Copied. */
void ht_progress_begin(ht_progress *progress, const char *label);
/* Names the work besides the search: "measuring the original". */
void ht_progress_phase(ht_progress *progress, const char *phase);
/* The same for one that takes seconds: it is shown however short ago the last line was. */
void ht_progress_long_phase(ht_progress *progress, const char *phase);
/* Evaluations planned and the original's time, to which the best is compared. */
void ht_progress_plan(ht_progress *progress, uint64_t evaluations, double original_ms);
/* Of type ht_search_options.on_event; context is the ht_progress. */
void ht_progress_event(void *context, const ht_search_event *event);
/* Clears the line, so that the report can be printed. */
void ht_progress_pause(ht_progress *progress);

#endif
