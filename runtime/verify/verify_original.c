#include "runtime/verify/verify_original.h"

#include "base/text.h"

#include <string.h>

enum { RUNS = 16 }; /* of an original that is asked whether it varies */

bool ht_verify_original_fault(ht_status status) {
    return status == HT_ERROR_CRASH || status == HT_ERROR_TIMEOUT || status == HT_ERROR_LAUNCH ||
           status == HT_ERROR_MISMATCH || status == HT_ERROR_INPUT ||
           status == HT_ERROR_UNSUPPORTED || status == HT_ERROR_COMPILE;
}

bool ht_verify_of_size(const char *finding) {
    static const char *const kinds[] = {"outside", "bounds", "memory", "fault",
                                        "input",   "stack",  NULL};
    return finding && ht_text_is_one(finding, kinds);
}

ht_status ht_verify_original_shows(ht_job *job, const ht_programs *original, const char *finding,
                                   bool ended, bool *out_does, ht_error *error) {
    const ht_check_settings all = {.all_blocks = true, .ended = ended};
    ht_check_result result;
    ht_status status = ht_programs_run(job, original, 0, &all, &result, error);
    const char *own = status == HT_OK ? ht_check_finding_kind(&result) : NULL;
    *out_does = own && strcmp(own, finding) == 0;
    ht_check_result_free(&result);
    return status;
}

ht_status ht_verify_original_varies(ht_job *job, const ht_programs *original,
                                    const ht_check_settings *settings, bool *out_does,
                                    ht_error *error) {
    ht_status status = HT_OK;
    *out_does = false;
    for (size_t i = 0; i < RUNS && status == HT_OK && !*out_does; ++i) {
        ht_check_result result;
        status = ht_programs_run(job, original, 0, settings, &result, error);
        *out_does = status == HT_OK && result.status == HT_ERROR_MISMATCH;
        ht_check_result_free(&result);
    }
    return status;
}
