/* The gain of configurations whose source is not plain (style.h) over the plain ones. */
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

#endif
