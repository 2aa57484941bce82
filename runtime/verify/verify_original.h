/* Differences that may be the original's doing: asked before a template is blamed. Private to
 * runtime/verify/. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_ORIGINAL_H
#define HT_RUNTIME_VERIFY_VERIFY_ORIGINAL_H

#include "runtime/job/job_verify.h"

/* Returns true for failures that are the original's own, at a size. */
bool ht_verify_original_fault(ht_status status);
/* Returns true for kinds of findings that come of the size, not of how the kernel is written. */
bool ht_verify_of_size(const char *finding);
/* Finds out whether the original, compiled for checking mode, shows a finding of this kind with all
 * of its blocks looked at. `ended`: as in the settings. */
ht_status ht_verify_original_shows(ht_job *job, const ht_programs *original, const char *finding,
                                   bool ended, bool *out_does, ht_error *error);
/* Finds out whether the original's outputs differ from run to run, beyond the tolerance: runs it
 * some times more. One that has not differed in these may yet do so. */
ht_status ht_verify_original_varies(ht_job *job, const ht_programs *original,
                                    const ht_check_settings *settings, bool *out_does,
                                    ht_error *error);

#endif
