#include "pipeline/nightly/night_internal.h"

#include "pipeline/nightly/night_verdict.h"
#include "runtime/measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double watch_seconds = 1;

static size_t entry_find(const ht_night *night, const ht_pair_result *result) {
    const ht_entries *entries = &night->survey->entries;
    for (size_t i = 0; i < entries->count; ++i)
        if (&entries->items[i].result == result)
            return i;
    return entries->count;
}

/* Returns the document of the entry in an earlier night, new reference; NULL: it is new. */
static json_t *earlier(const ht_night *night, size_t index, char out_key[HT_HASH_SIZE]) {
    const ht_entries *entries = &night->survey->entries;
    const ht_entry *entry = &entries->items[index];
    json_decref(ht_night_entry_key(night, entry, out_key));
    return ht_night_earlier(night, entry, ht_night_number_of(entries, index), out_key);
}

bool ht_night_defended(void *context, const ht_binding *binding, const ht_pair_result *result,
                       ht_config *out_config) {
    const ht_night *night = context;
    size_t index = entry_find(night, result);
    char key[HT_HASH_SIZE];
    if (index == night->survey->entries.count)
        return false;
    json_t *before = earlier(night, index, key);
    const char *config = ht_report_text_of(before, "config");
    bool legal = false;
    bool is = *config && ht_config_parse(binding->template, config, out_config, NULL) == HT_OK &&
              ht_binding_legal(binding, out_config, &legal, NULL, NULL) == HT_OK && legal;
    json_decref(before);
    return is;
}

/* Returns true if a finalist with this configuration was found right this night. */
static bool is_verified(const ht_pair_result *result, const ht_config *config) {
    for (size_t i = 0; i < result->finalists.count; ++i) {
        const ht_candidate *candidate = &result->finalists.items[i];
        if (ht_config_equal(&candidate->config, config) && candidate->final.status == HT_OK &&
            candidate->final.verified)
            return true;
    }
    return false;
}

/* Keeps the incumbent unless the winner, or the original where there is none, is faster by the
 * margin in rounds that chose neither. Returns the number of the configuration that stays. */
static size_t incumbent_defend(const ht_night *night, const ht_watch *watch,
                               const ht_config *incumbent, ht_pair_result *result) {
    double margin = 1 + night->job->least_effect;
    ht_interval gain =
        ht_stats_paired_ratio(watch->configs[1], watch->configs[0], watch->rounds, 0.95);
    if (watch->rounds < 8 || gain.lo >= margin)
        return 0;
    ht_interval speedup =
        ht_stats_paired_ratio(watch->original, watch->configs[1], watch->rounds, 0.95);
    bool won = result->verdict == HT_VERDICT_IMPROVED; /* else the original is the rival */
    if (speedup.lo <= 1 ||
        (!won && speedup.median < night->turn->device->session.options.min_speedup))
        return 0;
    if (!won) {
        free(result->reason);
        result->reason = NULL;
        result->verdict = HT_VERDICT_IMPROVED;
    }
    ht_interval time = ht_stats_median_interval(watch->configs[1], watch->rounds);
    ht_interval original = ht_stats_median_interval(watch->original, watch->rounds);
    result->config = *incumbent;
    result->times.confirmation.made = false; /* it was of another one */
    result->times.speedup = speedup.median;
    result->times.speedup_lo = speedup.lo;
    result->times.speedup_hi = speedup.hi;
    result->times.tuned = (ht_timing){time.median, time.lo, time.hi, watch->rounds};
    result->times.original = (ht_timing){original.median, original.lo, original.hi, watch->rounds};
    return 1;
}

/* Returns true if the verdict would be that something changed. */
static bool moved(const ht_night *night, const json_t *watch, const json_t *before,
                  const char *key) {
    bool unchanged = strcmp(ht_report_text_of(before, "kernel_key"), key) == 0;
    const ht_night_verdicts made =
        ht_night_judge(watch, json_object_get(before, "watch"), json_object_get(before, "history"),
                       unchanged, night->job->least_effect);
    return ht_night_moved(&made);
}

/* The configurations that a watch times: the winner, and the one that it would take the place of.
 */
typedef struct rivals {
    ht_config configs[HT_WATCH_CONFIGS];
    char *texts[HT_WATCH_CONFIGS];
    size_t count, stays; /* the number of the one that is in use from now on */
} rivals;

static void rival_add(rivals *rivals, const ht_template *template, const ht_config *config) {
    rivals->configs[rivals->count] = *config;
    rivals->texts[rivals->count++] = ht_config_string(template, config);
}

static void rivals_free(rivals *rivals) {
    for (size_t i = 0; i < rivals->count; ++i)
        free(rivals->texts[i]);
}

static json_t *watch_json(const ht_watch *watch, const rivals *rivals) {
    json_t *made = ht_night_watch_json(watch, rivals->stays, rivals->texts[rivals->stays]);
    if (rivals->count == 2 && rivals->stays == 0)
        ht_night_watch_replace(made, watch, 1, rivals->texts[1]);
    return made;
}

/* Times once more, in new processes, what seems to have changed: a change must show twice. Takes
 * `first`; returns the one that is nearer to what was. */
static json_t *timed_again(const ht_night *night, ht_job *job, const rivals *rivals,
                           const json_t *before, json_t *first) {
    ht_watch watch;
    const json_t *then = json_object_get(before, "watch");
    ht_job *calibration = ht_calibration_job(night->turn->device->calibration);
    if (ht_job_watch(job, calibration, rivals->configs, rivals->count,
                     fmin(watch_seconds, night->job->final_seconds), true, &watch, NULL) != HT_OK)
        return first;
    return ht_night_nearer(first, watch_json(&watch, rivals), then);
}

static void rivals_find(const ht_binding *binding, const ht_pair_result *result,
                        const json_t *before, rivals *out) {
    const char *text = ht_report_text_of(before, "config");
    ht_config in_use;
    *out = (rivals){0};
    rival_add(out, binding->template, &result->config);
    if (*text && ht_config_parse(binding->template, text, &in_use, NULL) == HT_OK &&
        !ht_config_equal(&in_use, &result->config) && is_verified(result, &in_use))
        rival_add(out, binding->template, &in_use);
}

void ht_night_decided(void *context, ht_job *job, const ht_binding *binding,
                      ht_pair_result *result) {
    ht_night *night = context;
    ht_calibration *calibration = night->turn->device->calibration;
    size_t index = entry_find(night, result);
    char key[HT_HASH_SIZE];
    rivals rivals;
    ht_watch watch;
    if (!calibration || !result->has_config || index == night->survey->entries.count)
        return;
    json_t *before = earlier(night, index, key);
    rivals_find(binding, result, before, &rivals);
    ht_status status =
        ht_job_watch(job, ht_calibration_job(calibration), rivals.configs, rivals.count,
                     fmin(watch_seconds, night->job->final_seconds), false, &watch, NULL);
    if (status == HT_OK && rivals.count == 2)
        rivals.stays = incumbent_defend(night, &watch, &rivals.configs[1], result);
    json_t *timed = status == HT_OK ? watch_json(&watch, &rivals) : NULL;
    if (timed && moved(night, timed, before, key))
        timed = timed_again(night, job, &rivals, before, timed);
    if (timed)
        night->documents[index] = json_pack("{s:o}", "watch", timed);
    rivals_free(&rivals);
    json_decref(before);
}
