/* A night's report as the database keeps it, and the commit that it was of. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_BRIEF_H
#define HT_PIPELINE_NIGHTLY_NIGHT_BRIEF_H

#include <jansson.h>

/* Returns the report with its kernels' verdicts alone: samples and times are in rows of their own
 * (docs/database.md). Of kernels that were kept there are the names alone. New reference. */
json_t *ht_night_brief(const json_t *document);

/* Returns the commit that is checked out where `path` is, as 40 digits; NULL if it is in no
 * repository of git's, or git is not installed. free(). */
char *ht_night_commit(const char *path);

#endif
