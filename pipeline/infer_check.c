#include "pipeline/infer_check.h"

#include "base/memory.h"
#include "pipeline/stop.h"
#include "runtime/job/check.h"
#include "runtime/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

/* Returns true for findings that a wrong size or role brings about. */
static bool is_of_problem(const ht_check_result *result) {
    static const char *const kinds[] = {"outside", "input", "unwritten", "bounds",
                                        "memory",  "fault", "stack"};
    const char *kind =
        json_string_value(json_object_get(json_object_get(result->details, "finding"), "kind"));
    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; ++i)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return !kind && (result->status == HT_ERROR_CRASH || result->status == HT_ERROR_TIMEOUT ||
                     result->status == HT_ERROR_LAUNCH);
}

/* Returns true for an end of the original itself when it is started on too little memory. */
static bool is_of_original(ht_status status) {
    return status == HT_ERROR_CRASH || status == HT_ERROR_TIMEOUT || status == HT_ERROR_LAUNCH ||
           status == HT_ERROR_MISMATCH || status == HT_ERROR_INPUT;
}

ht_status ht_inferred_check(const ht_template *template, const ht_problem *problem,
                            char **out_reason, ht_error *error) {
    ht_device device;
    ht_job *job = NULL;
    ht_error own = {0};
    *out_reason = NULL;
    if (template->reference_kind != HT_REFERENCE_KERNEL)
        return HT_OK;
    ht_status status = ht_device_find("host", &device, error);
    if (status != HT_OK || !ht_check_possible(&device))
        return status;
    const ht_binding binding = {template, problem, &device.fields};
    const ht_job_options options = {
        .seed = 1, .compile_workers = 1, .only_check = true, .interrupted = &ht_stopped};
    const ht_check_settings settings = {.accesses = HT_CHECK_TUNING_ACCESSES};
    status = ht_job_start(&binding, &device, &options, &job, &own);
    if (status == HT_ERROR_CRASH && ht_sandbox_blamed(own.message)) {
        /* No problem makes it a kernel to run. */
    } else if (is_of_original(status)) {
        *out_reason = ht_strdup(own.message);
        status = HT_OK;
    } else if (status == HT_OK) {
        ht_check_result result;
        status = ht_job_check_original(job, &settings, &result, &own);
        if (status == HT_OK && ht_sandbox_blamed(result.reason))
            status = ht_error_set(&own, HT_ERROR_CRASH, "%s", result.reason);
        else if (status == HT_OK && is_of_problem(&result))
            *out_reason = ht_strdup(result.reason);
        ht_check_result_free(&result);
    }
    if (status != HT_OK && error)
        *error = own;
    ht_job_free(job);
    return status;
}
