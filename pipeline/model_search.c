#include "pipeline/model_search.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>

/* Lists what is tried right after the default: what is in use, and what the session names; free().
 */
static ht_config *first_make(const ht_session *session, const ht_binding *target,
                             const ht_pair_result *result, size_t *out_count) {
    ht_config *first = ht_alloc(session->first_count + 1, sizeof *first);
    size_t count = 0;
    if (session->defended &&
        session->defended(session->decided_context, target, result, &first[count]))
        ++count;
    for (size_t i = 0; i < session->first_count; ++i)
        first[count++] = session->first[i];
    *out_count = count;
    return first;
}

static void won(const ht_model_choice *choice, double original_seconds, const ht_config *standard,
                ht_pair_result *result) {
    result->has_config = result->verified = result->times.known = true;
    result->config = choice->config;
    result->times.original = (ht_timing){.median_ms = 1e3 * original_seconds};
    result->times.tuned = (ht_timing){.median_ms = 1e3 * choice->time.seconds};
    result->times.speedup = result->times.speedup_lo = result->times.speedup_hi = choice->speedup;
    result->finalists.items[0] = (ht_candidate){.config = *standard, .is_default = true};
    result->finalists.items[1] = (ht_candidate){.config = choice->config,
                                                .final = {.status = HT_OK,
                                                          .verified = true,
                                                          .speedup = choice->speedup,
                                                          .speedup_lo = choice->speedup,
                                                          .speedup_hi = choice->speedup,
                                                          .over_best = 1}};
    result->finalists.count = 2;
    result->finalists.first = 1;
    result->verdict = HT_VERDICT_IMPROVED;
}

/* Moves what a search by the model found into the result of a pair. */
static void take(ht_model_result *found, const ht_template *template, ht_pair_result *result) {
    const ht_config standard = ht_config_default(template);
    result->space = found->space;
    result->search = found->search;
    result->reference = found->reference;
    found->space = (ht_pair_space){0};
    found->search = (ht_pair_search){0};
    if (found->count) {
        won(&found->choices[0], found->original.seconds, &standard, result);
        return;
    }
    result->verdict = HT_VERDICT_KEPT;
    result->reason = found->reason;
    found->reason = NULL;
}

ht_status ht_model_search_run(ht_session *session, const ht_template *template,
                              const ht_problem *problem, ht_pair_result *out_result,
                              ht_error *error) {
    const ht_model_devices *devices = session->model;
    const ht_binding target = {template, problem, &devices->target.fields};
    double begun = ht_clock_seconds();
    ht_model_request request = {.devices = devices,
                                .options = &session->options,
                                .choices = 1,
                                .obstacle = session->obstacle,
                                .obstacle_context = session->decided_context,
                                .known = session->known,
                                .known_count = session->known_count,
                                .memory = session->predicted,
                                .progress = session->progress};
    ht_model_result found;
    ht_error own = {0};
    *out_result = (ht_pair_result){.verdict = HT_VERDICT_FAILED};
    ht_config *first = first_make(session, &target, out_result, &request.first_count);
    request.first = first;
    ht_status status = ht_model_tune(&request, template, problem, &found, &own);
    if (status == HT_OK && !found.original_known)
        status = ht_error_set(&own, HT_ERROR_UNSUPPORTED, "%s",
                              found.reason ? found.reason
                                           : "the original's own launch cannot be predicted");
    take(&found, template, out_result);
    ht_model_result_free(&found);
    free(first);
    out_result->seconds = ht_clock_seconds() - begun;
    if (status != HT_OK)
        ht_pair_result_fail(out_result, status, &own);
    if (status != HT_ERROR_MISSING && status != HT_ERROR_DEVICE)
        return HT_OK;
    if (error)
        *error = own;
    return status;
}
