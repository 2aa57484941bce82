/* The files that were read for a source's result: base/read_log.h notes them. */
#ifndef HT_PIPELINE_SURVEY_READS_H
#define HT_PIPELINE_SURVEY_READS_H

#include "pipeline/input.h"

#include <jansson.h>

/* Returns an array of the paths that were noted, with those that hold contents of the templates'
 * buffers: what runs reads them. null stands for a name that is no UTF-8. `refactor` may be NULL.
 * New reference. */
json_t *ht_survey_reads_json(const ht_refactor *refactor);
/* The same, with the source itself and the one that it is read through. */
json_t *ht_survey_reads(const ht_source *source, const ht_refactor *refactor);
/* Returns the names of all kernels. `refactor` may be NULL. New reference. */
json_t *ht_survey_names(const ht_refactor *refactor);

#endif
