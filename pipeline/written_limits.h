/* Sizes past a device's limits in the check of a written file: no run at small sizes gets there. */
#ifndef HT_PIPELINE_WRITTEN_LIMITS_H
#define HT_PIPELINE_WRITTEN_LIMITS_H

#include "pipeline/written_check.h"
#include "refactor/rewrite/written.h"

/* Looks at sizes from the tuned one up, one field at a time, at which the tuned blocks are more
 * than a device launches and the original's are not. The file's launch must be one that a device
 * takes there, with the original's block (ht_written_past_difference). Returns why it is not, in
 * words, with the sizes; NULL: it is; free(). */
char *ht_written_limits_fault(const ht_written_launch *launch, const ht_template *tuned,
                              const ht_written_subject *subject, const ht_device_fields *device);

#endif
