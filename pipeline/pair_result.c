#include "pipeline/pair_result.h"

#include "base/memory.h"
#include "pipeline/stop.h"
#include "pipeline/timed.h"

#include <stdlib.h>

void ht_pair_result_fail(ht_pair_result *result, ht_status status, const ht_error *error) {
    const unsigned long tried = (unsigned long)result->search.result.trial_count;
    bool lined = status == HT_ERROR_INPUT && error->file[0] && error->line > 0;
    bool placed = status == HT_ERROR_IO && error->file[0];
    free(result->reason);
    result->verdict = status == HT_ERROR_UNSUPPORTED ? HT_VERDICT_REFUSED : HT_VERDICT_FAILED;
    if (status == HT_ERROR_INTERRUPTED) {
        result->verdict = HT_VERDICT_NOT_RUN;
        result->interrupted = ht_interrupted;
        result->reason =
            ht_interrupted
                ? ht_format("interrupted after %lu configurations, before the final check", tried)
                : ht_format("not measured to the end: the time limit (--max-time) was reached "
                            "after %lu configurations, before the final check",
                            tried);
        return;
    }
    if (status == HT_ERROR_TIMEOUT && ht_timed_is_command(error->message))
        result->verdict = HT_VERDICT_NOT_RUN;
    result->bad_input = status == HT_ERROR_INPUT;
    result->io_failed = status == HT_ERROR_IO;
    result->reason = lined    ? ht_format("%s:%d: %s", error->file, error->line, error->message)
                     : placed ? ht_format("%s: %s", error->file, error->message)
                              : ht_strdup(error->message);
}

const ht_candidate *ht_pair_result_stays(const ht_pair_result *result) {
    for (size_t i = 0; i < result->finalists.count; ++i)
        if (ht_config_equal(&result->finalists.items[i].config, &result->config))
            return &result->finalists.items[i];
    return NULL;
}

void ht_pair_result_take(ht_pair_result *result, const ht_candidate *candidate) {
    result->times.known = true;
    result->verified = true;
    result->has_config = true;
    result->config = candidate->config;
    result->times.tuned = candidate->final.timing;
    result->times.speedup = candidate->final.speedup;
    result->times.speedup_lo = candidate->final.speedup_lo;
    result->times.speedup_hi = candidate->final.speedup_hi;
}

/* Returns the finalist that may not win, if it ran and is right; NULL: there is none. */
static const ht_candidate *aside_of(const ht_pair_result *result) {
    const ht_candidate *aside = result->finalists.first > 1 ? &result->finalists.items[1] : NULL;
    return aside && result->times.known && aside->final.status == HT_OK && aside->final.verified
               ? aside
               : NULL;
}

const ht_candidate *ht_pair_result_freer(const ht_pair_result *result) {
    const ht_candidate *freer = result->finalists.plain_aside ? NULL : aside_of(result);
    bool improved = result->verdict == HT_VERDICT_IMPROVED;
    double stays = improved ? result->times.speedup : 1;
    return freer && freer->final.speedup > stays ? freer : NULL;
}

const ht_candidate *ht_pair_result_plain(const ht_pair_result *result) {
    const ht_candidate *plain = result->finalists.plain_aside ? aside_of(result) : NULL;
    return plain && plain->final.speedup_lo > 1 && result->verdict == HT_VERDICT_IMPROVED ? plain
                                                                                          : NULL;
}

/* Returns true if one of the finalists may be as fast as what stays: as a file, once that was
 * timed. */
static bool may_be_as_fast(const ht_candidate *candidate, const ht_candidate *stays) {
    if (stays && stays->written.known && candidate->written.known)
        return candidate->written.speedup_hi >= stays->written.speedup_lo;
    if (stays && stays->written.known && stays->final.over_best_lo > 1)
        return false; /* it won by its file, of which the other has none */
    return candidate->final.over_best_lo <= 1;
}

const ht_candidate *ht_pair_result_rival(const ht_pair_result *result) {
    const ht_candidate *rival = NULL;
    const ht_candidate *stays = ht_pair_result_stays(result);
    if (result->verdict != HT_VERDICT_IMPROVED)
        return NULL;
    for (size_t i = 0; i < result->finalists.count; ++i) {
        const ht_candidate *candidate = &result->finalists.items[i];
        const ht_final *final = &candidate->final;
        if ((i > 0 && i < result->finalists.first) || final->status != HT_OK ||
            candidate == stays || !may_be_as_fast(candidate, stays))
            continue;
        if (!rival || final->over_best < rival->final.over_best)
            rival = candidate;
    }
    return rival;
}

static void earlier_free(ht_pair_earlier *earlier) {
    for (size_t i = 0; i < earlier->count; ++i)
        free(earlier->runs[i].name);
    ht_text_free(&earlier->unused);
    *earlier = (ht_pair_earlier){0};
}

void ht_pair_result_free(ht_pair_result *result) {
    free(result->reason);
    free(result->original_finding);
    free(result->space.left_out);
    free(result->space.idle);
    ht_ablation_free(&result->ablation);
    free(result->seeds.refused);
    earlier_free(&result->earlier);
    for (size_t i = 0; i < result->rejections.count; ++i)
        free(result->rejections.items[i].example);
    free(result->rejections.items);
    ht_search_result_free(&result->search.result);
    *result = (ht_pair_result){0};
}
