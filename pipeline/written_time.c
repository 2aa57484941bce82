#include "pipeline/written_time.h"

#include "base/memory.h"
#include "pipeline/paired.h"
#include "pipeline/written_predict.h"
#include "templates/annotations/contest.h"
#include "templates/annotations/launches.h"

#include <math.h>
#include <string.h>

static const double stop_share = 0.25; /* of the time until the command ends, at most */
static const double least_seconds = 0.5;

/* Makes a template with the original as what speedups are relative to. */
static ht_status contest_make(const ht_template *written, const ht_template *tuned,
                              ht_template **out) {
    ht_template *made = ht_template_copy(written);
    ht_launch_list_replace(made->reference_launches, made->reference_launch_count,
                           &made->baseline_launches, &made->baseline_launch_count);
    made->exact = tuned->exact;
    made->tolerance = tuned->tolerance;
    ht_status status = ht_contest_print(made, out, NULL);
    ht_template_free(made, 1);
    return status;
}

char *ht_written_time(const ht_session *session, const ht_template *written,
                      const ht_template *tuned, const ht_problem *problem,
                      ht_pair_times *out_times) {
    double seconds = fmin(session->options.final_time, stop_share * ht_stop_left());
    *out_times = (ht_pair_times){0};
    if (ht_stopped || session->recording ||
        seconds < fmin(least_seconds, session->options.final_time))
        return NULL;
    ht_template *contest = NULL;
    if (contest_make(written, tuned, &contest) != HT_OK)
        return NULL;
    if (session->model) {
        ht_written_predict(session->model, session->predicted, contest, problem, out_times);
        ht_template_free(contest, 1);
        return NULL;
    }
    const ht_binding binding = {contest, problem, &session->device.fields};
    ht_config config;
    ht_timing original;
    ht_final final;
    /* nothing is kept in the database: a file is timed when it is made */
    bool good = ht_binding_first(&binding, &config) &&
                ht_paired_final(session, &binding, &config, false, seconds, &original, &final,
                                NULL) == HT_OK;
    if (good)
        *out_times = ht_paired_times(&final, &original);
    bool wrong = good && (final.status == HT_ERROR_MISMATCH || final.status == HT_ERROR_CRASH);
    char *reason = wrong ? ht_strdup(final.reason) : NULL;
    ht_template_free(contest, 1);
    return reason;
}
