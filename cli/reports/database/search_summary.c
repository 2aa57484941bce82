#include "cli/reports/database/search_summary.h"

#include "base/memory.h"
#include "pipeline/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *ms_json(double ms) {
    return ms > 0 ? json_real(ms) : json_null();
}

/* ---- best so far */

typedef struct step {
    size_t evaluation;
    double seconds, ms;
} step;

static json_t *step_json(const step *of) {
    return json_pack("[I, f, f]", (json_int_t)of->evaluation, of->seconds, of->ms);
}

/* Returns [[evaluation, seconds, ms], ...]: where the best time became better, and the end. */
static json_t *best_so_far(const ht_search_trials *trials) {
    step *steps = NULL;
    step now = {0};
    size_t count = 0;
    json_t *out = json_array();
    for (size_t i = 0; i < trials->count; ++i) {
        const ht_trial *trial = &trials->items[i];
        int64_t gap = i > 0 ? trial->when - trials->items[i - 1].when : 0;
        now.evaluation = i + 1;
        now.seconds += gap <= HT_SUMMARY_PAUSE ? (double)gap : 0;
        if (trial->ms <= 0 || (count > 0 && trial->ms >= now.ms))
            continue;
        now.ms = trial->ms;
        HT_GROW(steps, count);
        steps[count++] = now;
    }
    size_t every = (count + HT_SUMMARY_STEPS - 1) / HT_SUMMARY_STEPS;
    for (size_t i = 0; i < count; ++i)
        if (i % every == 0 || i + 1 == count)
            json_array_append_new(out, step_json(&steps[i]));
    if (count > 0 && steps[count - 1].evaluation < now.evaluation)
        json_array_append_new(out, step_json(&now));
    free(steps);
    return out;
}

/* ---- effects of parameters */

/* The trials that ran and have one value. */
typedef struct value_effect {
    size_t count, seen; /* seen: on the walk by time */
    double best, median;
    double log_sum;
} value_effect;

static int fastest_first(const void *a, const void *b) {
    const ht_trial *first = a, *second = b;
    return first->ms < second->ms ? -1 : first->ms > second->ms;
}

/* Returns the trials that ran, the fastest first; free(). */
static ht_trial *ran_sorted(const ht_search_trials *trials, size_t *out_count) {
    ht_trial *ran = ht_alloc(trials->count + 1, sizeof *ran);
    size_t count = 0;
    for (size_t i = 0; i < trials->count; ++i)
        if (trials->items[i].ms > 0)
            ran[count++] = trials->items[i];
    if (count > 0)
        qsort(ran, count, sizeof *ran, fastest_first);
    *out_count = count;
    return ran;
}

/* Takes the next trial, in the order of time, that has this value. */
static void effect_take(value_effect *effect, double ms) {
    size_t number = effect->seen++;
    if (number == 0)
        effect->best = ms;
    if (number == (effect->count - 1) / 2 || number == effect->count / 2)
        effect->median += effect->count % 2 ? ms : ms / 2;
}

/* Returns which part of the variance of log(ms) goes with the value: 0 to 1. */
static double explained(const value_effect *effects, size_t count, const double sums[3]) {
    double mean = sums[1] / sums[0], total = sums[2] - sums[0] * mean * mean, between = 0;
    for (size_t i = 0; i < count; ++i)
        if (effects[i].count > 0) {
            double apart = effects[i].log_sum / (double)effects[i].count - mean;
            between += (double)effects[i].count * apart * apart;
        }
    return total > 1e-12 ? fmin(fmax(between / total, 0), 1) : 0;
}

/* Fills the effects of a parameter's values; returns what it explains. */
static double effects_find(const ht_search_trials *trials, size_t parameter, const ht_trial *ran,
                           size_t count, value_effect effects[HT_TRIAL_VALUES]) {
    double sums[3] = {0}; /* number, sum and sum of squares of log(ms) */
    memset(effects, 0, HT_TRIAL_VALUES * sizeof *effects);
    for (size_t i = 0; i < count; ++i) {
        size_t value = ht_search_trials_value(trials, &ran[i], parameter);
        if (value == HT_TRIAL_NO_VALUE)
            continue;
        double log_ms = log(ran[i].ms);
        ++effects[value].count;
        effects[value].log_sum += log_ms;
        sums[0] += 1;
        sums[1] += log_ms;
        sums[2] += log_ms * log_ms;
    }
    for (size_t i = 0; i < count; ++i) {
        size_t value = ht_search_trials_value(trials, &ran[i], parameter);
        if (value != HT_TRIAL_NO_VALUE)
            effect_take(&effects[value], ran[i].ms);
    }
    return sums[0] > 0 ? explained(effects, trials->parameters[parameter].value_count, sums) : 0;
}

/* A parameter's values by number where they are numbers, else as they were met. */
typedef struct value_order {
    size_t index;
    double number;
} value_order;

static int by_number(const void *a, const void *b) {
    const value_order *first = a, *second = b;
    if (first->number < second->number || first->number > second->number)
        return first->number < second->number ? -1 : 1;
    return first->index < second->index ? -1 : 1;
}

static size_t values_sort(const ht_trial_parameter *parameter, value_order order[HT_TRIAL_VALUES]) {
    bool numbers = true;
    for (size_t i = 0; i < parameter->value_count; ++i) {
        char *end;
        order[i] = (value_order){i, strtod(parameter->values[i], &end)};
        numbers = numbers && end != parameter->values[i] && *end == 0 && isfinite(order[i].number);
    }
    if (numbers && parameter->value_count > 0)
        qsort(order, parameter->value_count, sizeof *order, by_number);
    return parameter->value_count;
}

static json_t *effect_json(const ht_trial_parameter *parameter,
                           const value_effect effects[HT_TRIAL_VALUES], double part) {
    value_order order[HT_TRIAL_VALUES];
    size_t count = values_sort(parameter, order);
    json_t *values = json_array();
    for (size_t i = 0; i < count; ++i) {
        const value_effect *effect = &effects[order[i].index];
        json_array_append_new(
            values, json_pack("{s:o, s:I, s:o, s:o}", "value",
                              ht_report_json_text(parameter->values[order[i].index]), "count",
                              (json_int_t)effect->count, "best_ms", ms_json(effect->best),
                              "median_ms", ms_json(effect->median)));
    }
    return json_pack("{s:o, s:f, s:b, s:o}", "parameter", ht_report_json_text(parameter->name),
                     "explains", part, "more_values", parameter->many, "values", values);
}

/* Puts the effect among the others, that of the largest part first. */
static void effect_insert(json_t *effects, json_t *effect) {
    double part = json_real_value(json_object_get(effect, "explains"));
    size_t at = 0;
    while (at < json_array_size(effects) &&
           json_real_value(json_object_get(json_array_get(effects, at), "explains")) >= part)
        ++at;
    json_array_insert_new(effects, at, effect);
}

/* Returns the effects of the parameters that have several values. */
static json_t *effects_json(const ht_search_trials *trials) {
    size_t count;
    ht_trial *ran = ran_sorted(trials, &count);
    value_effect effects[HT_TRIAL_VALUES];
    json_t *out = json_array();
    for (size_t i = 0; i < trials->parameter_count && count > 0; ++i) {
        if (trials->parameters[i].value_count < 2)
            continue;
        double part = effects_find(trials, i, ran, count, effects);
        effect_insert(out, effect_json(&trials->parameters[i], effects, part));
    }
    free(ran);
    return out;
}

/* ---- rejections */

static int most_first(const void *a, const void *b) {
    const ht_trial_rejection *first = a, *second = b;
    if (first->count != second->count)
        return first->count > second->count ? -1 : 1;
    int order = strcmp(first->status, second->status);
    return order ? order : strcmp(first->reason, second->reason);
}

static json_t *rejected_json(ht_search_trials *trials) {
    json_t *out = json_array();
    if (trials->rejection_count > 0)
        qsort(trials->rejections, trials->rejection_count, sizeof *trials->rejections, most_first);
    for (size_t i = 0; i < trials->rejection_count; ++i) {
        const ht_trial_rejection *rejection = &trials->rejections[i];
        json_array_append_new(out, json_pack("{s:o, s:o, s:I, s:o, s:o}", "status",
                                             ht_report_json_text(rejection->status), "reason",
                                             ht_report_json_text(rejection->reason), "count",
                                             (json_int_t)rejection->count, "example",
                                             ht_report_json_text(rejection->example), "config",
                                             ht_report_json_text(rejection->config)));
    }
    return out;
}

json_t *ht_search_summary(ht_search_trials *trials) {
    ht_search_trials_sort(trials);
    json_t *summary = json_object();
    json_object_set_new(summary, "evaluations", json_integer((json_int_t)trials->count));
    json_object_set_new(summary, "rejections", json_integer((json_int_t)trials->rejected));
    json_object_set_new(summary, "original_ms", ms_json(trials->original_ms));
    json_object_set_new(summary, "best_ms", ms_json(trials->best_ms));
    json_object_set_new(summary, "best", ht_report_json_text(trials->best));
    json_object_set_new(summary, "best_so_far", best_so_far(trials));
    json_object_set_new(summary, "effects", effects_json(trials));
    json_object_set_new(summary, "rejected", rejected_json(trials));
    json_object_set_new(summary, "rejected_others",
                        json_integer((json_int_t)trials->rejections_left_out));
    return summary;
}
