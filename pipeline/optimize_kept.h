/* Sources whose results an earlier run of `optimize` has kept: times, verdicts and written files,
 * for some days (pipeline/timed.h). They belong to the database that has the measurements: with
 * another one, all is found anew. */
#ifndef HT_PIPELINE_OPTIMIZE_KEPT_H
#define HT_PIPELINE_OPTIMIZE_KEPT_H

#include "pipeline/outputs.h"

typedef struct ht_optimize_kept ht_optimize_kept;

/* NULL: nothing is kept, as ht_kept_open says, or without a database, with a recording, or with a
 * model of the user's own. All are borrowed. */
ht_optimize_kept *ht_optimize_kept_open(const ht_session *session,
                                        const ht_survey_options *options);
void ht_optimize_kept_free(ht_optimize_kept *kept);

/* Of type ht_survey_options.known; its outputs are in their places then. */
json_t *ht_optimize_kept_find(void *kept, const ht_survey *survey, size_t source);
/* Keeps a source, once its files are written. `rows`: an array of {"row", "text"}, the entries'
 * reports. Nothing is kept where an entry is not settled. */
void ht_optimize_kept_put(ht_optimize_kept *kept, const ht_outputs *outputs, size_t source,
                          json_t *rows);

#endif
