/* A profile next to the kernels that were found, for people. */
#ifndef HT_CLI_REPORTS_PROFILE_REPORT_H
#define HT_CLI_REPORTS_PROFILE_REPORT_H

#include "pipeline/profile.h"
#include "pipeline/survey.h"

#include <stdio.h>

/* Prints which of the profile's kernels are not "tuned", or whatever is done: as they take little
 * of the time, or as no source has them, of which `has` is asked. */
void ht_profile_report(const ht_profile *profile, const char *done,
                       bool (*has)(const void *context, const ht_profile_kernel *kernel),
                       const void *context, FILE *out);
/* Returns true if an entry of the survey is the kernel; for `has`. */
bool ht_profile_in_survey(const void *survey, const ht_profile_kernel *kernel);

#endif
