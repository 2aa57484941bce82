#include "pipeline/paired.h"

ht_status ht_paired_grave(ht_status status, const ht_error *own, ht_error *error) {
    if (status != HT_ERROR_INTERRUPTED && status != HT_ERROR_MISSING && status != HT_ERROR_DEVICE)
        return HT_OK;
    if (error)
        *error = *own;
    return status;
}

ht_status ht_paired_final(const ht_binding *binding, const ht_device *device,
                          const ht_job_options *options, const ht_config *config, double seconds,
                          ht_timing *out_baseline, ht_final *out_final, ht_error *error) {
    ht_job *job = NULL;
    ht_status status = ht_job_start(binding, device, options, &job, error);
    if (status == HT_OK)
        status = ht_job_finals(job, config, 1, seconds, out_baseline, out_final, error);
    ht_job_free(job);
    return status;
}

ht_status ht_paired_time(const ht_session *session, const ht_binding *binding,
                         const ht_config *winner, ht_gain_interval *out_speedup, ht_error *error) {
    ht_error own = {0};
    ht_timing before;
    ht_final final;
    const ht_job_options options = {.seed = session->options.seed,
                                    .compile_workers = (unsigned)session->options.compile_workers,
                                    .database = session->database,
                                    .recording = session->recording,
                                    .step = session->step,
                                    .fresh = session->options.fresh,
                                    .interrupted = &ht_stopped};
    *out_speedup = (ht_gain_interval){0};
    ht_status status = ht_paired_final(binding, &session->device, &options, winner,
                                       session->options.final_time, &before, &final, &own);
    if (status == HT_OK && final.status == HT_OK && final.verified)
        *out_speedup = (ht_gain_interval){final.speedup, final.speedup_lo, final.speedup_hi};
    return ht_paired_grave(status, &own, error);
}
