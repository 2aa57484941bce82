/* A profile next to the kernels that were found, for people. */
#ifndef HT_CLI_REPORTS_PROFILE_REPORT_H
#define HT_CLI_REPORTS_PROFILE_REPORT_H

#include "pipeline/profile.h"
#include "pipeline/survey.h"

#include <stdio.h>

/* Prints which of the profile's kernels are not tuned: as they take little of the time, or as no
 * source has them. */
void ht_profile_report(const ht_profile *profile, const ht_survey *survey, FILE *out);

#endif
