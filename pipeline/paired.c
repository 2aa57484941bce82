#include "pipeline/paired.h"

#include <string.h>

ht_status ht_paired_grave(ht_status status, const ht_error *own, ht_error *error) {
    if (status != HT_ERROR_INTERRUPTED && status != HT_ERROR_MISSING && status != HT_ERROR_DEVICE)
        return HT_OK;
    if (error)
        *error = *own;
    return status;
}

ht_gain_interval ht_gain_of(const ht_pair_times *times) {
    if (!times->known)
        return (ht_gain_interval){0};
    return (ht_gain_interval){times->speedup, times->speedup_lo, times->speedup_hi};
}

ht_pair_times ht_paired_times(const ht_final *final, const ht_timing *baseline) {
    if (final->status != HT_OK || !final->verified)
        return (ht_pair_times){0};
    return (ht_pair_times){.known = true,
                           .original = *baseline,
                           .tuned = final->timing,
                           .speedup = final->speedup,
                           .speedup_lo = final->speedup_lo,
                           .speedup_hi = final->speedup_hi};
}

ht_status ht_paired_final(const ht_session *session, const ht_binding *binding,
                          const ht_config *config, bool kept, double seconds,
                          ht_timing *out_baseline, ht_final *out_final, ht_error *error) {
    ht_job *job = NULL;
    ht_job_options options = {.seed = session->options.seed,
                              .compile_workers = (unsigned)session->options.compile_workers,
                              .gate = session->gate,
                              .cold_cache = strcmp(session->options.cache, "cold") == 0,
                              .interrupted = &ht_stopped};
    if (kept) {
        options.database = session->database;
        options.recording = session->recording;
        options.step = session->step;
        options.fresh = session->options.fresh;
    }
    ht_status status = ht_job_start(binding, &session->device, &options, &job, error);
    if (status == HT_OK)
        status = ht_job_finals(job, config, 1, seconds, out_baseline, out_final, error);
    ht_job_free(job);
    return status;
}

ht_status ht_paired_time(const ht_session *session, const ht_binding *binding,
                         const ht_config *winner, ht_pair_times *out_times, ht_error *error) {
    ht_error own = {0};
    ht_timing before;
    ht_final final;
    *out_times = (ht_pair_times){0};
    ht_status status = ht_paired_final(session, binding, winner, true, session->options.final_time,
                                       &before, &final, &own);
    if (status == HT_OK)
        *out_times = ht_paired_times(&final, &before);
    return ht_paired_grave(status, &own, error);
}
