/* Plain configurations (style.h) and those that are not, next to each other: where only plain ones
 * may win, what a freer one would add; where any may, what is left with a plain one. */
#ifndef HT_PIPELINE_FREER_H
#define HT_PIPELINE_FREER_H

#include "pipeline/tuning.h"

/* The part of a pair's time for the search that this needs. */
extern const double ht_freer_share;

/* Searches all configurations, with a third of the evaluations, after `plain`, the search of the
 * plain ones. Returns true, and the fastest, if that is not plain and faster than all of these. An
 * error means that none was found. `deadline`: clock; 0: none. */
bool ht_freer_find(const ht_session *session, const ht_binding *binding, ht_job *job,
                   double deadline, const ht_search_result *plain, ht_config *out_config);
/* Returns true, and the fastest plain configuration that a search of all found, if the fastest of
 * all is not plain and this one is faster than the default. */
bool ht_plain_find(const ht_template *template, const ht_search_result *all, ht_config *out_config);

#endif
