#include "pipeline/written_time.h"

#include "base/memory.h"
#include "pipeline/paired.h"
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
    ht_launch_list_free(made->baseline_launches, made->baseline_launch_count);
    made->baseline_launches =
        ht_launch_list_copy(made->reference_launches, made->reference_launch_count);
    made->baseline_launch_count = made->reference_launch_count;
    made->exact = tuned->exact;
    made->tolerance = tuned->tolerance;
    ht_status status = ht_contest_print(made, out, NULL);
    ht_template_free(made, 1);
    return status;
}

/* Finds the instance of the kernel that the launch takes for the problem: the only legal
 * configuration. Returns false if there is none. */
static bool instance_find(const ht_binding *binding, ht_config *out) {
    const ht_template *template = binding->template;
    *out = ht_config_default(template);
    memset(out->choice, 0, template->param_count * sizeof *out->choice);
    for (;;) {
        bool legal = false;
        if (ht_binding_legal(binding, out, &legal, NULL, NULL) == HT_OK && legal)
            return true;
        size_t i = 0;
        while (i < template->param_count &&
               (size_t)++out->choice[i] == template->params[i].value_count)
            out->choice[i++] = 0;
        if (i == template->param_count)
            return false;
    }
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
    const ht_binding binding = {contest, problem, &session->device.fields};
    ht_config config;
    ht_timing original;
    ht_final final;
    /* nothing is kept in the database: a file is timed when it is made */
    bool good = instance_find(&binding, &config) &&
                ht_paired_final(session, &binding, &config, false, seconds, &original, &final,
                                NULL) == HT_OK;
    if (good)
        *out_times = ht_paired_times(&final, &original);
    bool wrong = good && (final.status == HT_ERROR_MISMATCH || final.status == HT_ERROR_CRASH);
    char *reason = wrong ? ht_strdup(final.reason) : NULL;
    ht_template_free(contest, 1);
    return reason;
}
