#include "cli/reports/database/search_trials.h"

#include "base/memory.h"
#include "cli/reports/refactor_groups.h"

#include <stdlib.h>
#include <string.h>

enum { REJECTIONS_MAX = 40 };

/* ---- configurations */

/* A part of a text. */
typedef struct span {
    const char *begin;
    size_t length;
} span;

/* Takes "NAME=value" or "NAME=\"a value\"" off the front; false at the end and on nonsense. */
static bool pair_take(const char **at, span *out_name, span *out_value) {
    const char *name = *at + strspn(*at, " "), *equals = strchr(name, '=');
    if (!equals || equals == name)
        return false;
    bool quoted = equals[1] == '"';
    const char *value = equals + 1 + quoted, *end = strchr(value, quoted ? '"' : ' ');
    if (!end)
        end = value + strlen(value);
    *out_name = (span){name, (size_t)(equals - name)};
    *out_value = (span){value, (size_t)(end - value)};
    *at = *end ? end + 1 : end;
    return true;
}

static bool is_same(const char *text, span part) {
    return strncmp(text, part.begin, part.length) == 0 && text[part.length] == 0;
}

static void parameters_make(ht_search_trials *trials, const char *config) {
    span name, value;
    while (pair_take(&config, &name, &value)) {
        HT_GROW(trials->parameters, trials->parameter_count);
        trials->parameters[trials->parameter_count++] =
            (ht_trial_parameter){.name = ht_strndup(name.begin, name.length)};
    }
}

/* Finds a parameter; `guess` is where it usually is. */
static size_t parameter_find(const ht_search_trials *trials, span name, size_t guess) {
    if (guess < trials->parameter_count && is_same(trials->parameters[guess].name, name))
        return guess;
    for (size_t i = 0; i < trials->parameter_count; ++i)
        if (is_same(trials->parameters[i].name, name))
            return i;
    return trials->parameter_count;
}

static uint8_t value_find(ht_trial_parameter *parameter, span value) {
    for (size_t i = 0; i < parameter->value_count; ++i)
        if (is_same(parameter->values[i], value))
            return (uint8_t)i;
    if (parameter->value_count == HT_TRIAL_VALUES) {
        parameter->many = true;
        return HT_TRIAL_NO_VALUE;
    }
    parameter->values[parameter->value_count] = ht_strndup(value.begin, value.length);
    return (uint8_t)parameter->value_count++;
}

static uint8_t *row_add(ht_search_trials *trials) {
    size_t width = trials->parameter_count;
    if (width == 0)
        return NULL;
    trials->values = ht_grow(trials->values, trials->count, width);
    return memset(trials->values + trials->count * width, HT_TRIAL_NO_VALUE, width);
}

static void values_take(ht_search_trials *trials, const char *config) {
    span name, value;
    size_t guess = 0;
    uint8_t *row = row_add(trials);
    while (row && pair_take(&config, &name, &value)) {
        size_t parameter = parameter_find(trials, name, guess++);
        if (parameter < trials->parameter_count)
            row[parameter] = value_find(&trials->parameters[parameter], value);
    }
}

/* ---- outcomes */

static void rejection_add(ht_search_trials *trials, const ht_archive_evaluation *of) {
    char *reason = ht_reason_class(of->reason);
    ++trials->rejected;
    for (size_t i = 0; i < trials->rejection_count; ++i) {
        ht_trial_rejection *known = &trials->rejections[i];
        if (strcmp(known->status, of->status) == 0 && strcmp(known->reason, reason) == 0) {
            ++known->count;
            free(reason);
            return;
        }
    }
    if (trials->rejection_count == REJECTIONS_MAX) {
        ++trials->rejections_left_out;
        free(reason);
        return;
    }
    HT_GROW(trials->rejections, trials->rejection_count);
    trials->rejections[trials->rejection_count++] =
        (ht_trial_rejection){.status = ht_strdup(of->status),
                             .reason = reason,
                             .example = ht_strdup(of->reason),
                             .config = ht_strdup(of->config),
                             .count = 1};
}

static void best_note(ht_search_trials *trials, const ht_archive_evaluation *of) {
    if (trials->best && of->ms >= trials->best_ms)
        return;
    free(trials->best);
    trials->best = ht_strdup(of->config);
    trials->best_ms = of->ms;
}

void ht_search_trials_add(ht_search_trials *trials, const ht_archive_evaluation *of) {
    bool ok = strcmp(of->status, "ok") == 0 && of->ms > 0;
    if (strcmp(of->config, "original") == 0) { /* the original kernel's own time */
        trials->original_ms = ok ? of->ms : 0;
        return;
    }
    if (trials->count == 0)
        parameters_make(trials, of->config);
    values_take(trials, of->config);
    HT_GROW(trials->items, trials->count);
    trials->items[trials->count] =
        (ht_trial){.ms = ok ? of->ms : 0, .when = of->when, .number = (uint32_t)trials->count};
    ++trials->count;
    if (ok)
        best_note(trials, of);
    else
        rejection_add(trials, of);
}

static int earlier_first(const void *a, const void *b) {
    const ht_trial *first = a, *second = b;
    if (first->when != second->when)
        return first->when < second->when ? -1 : 1;
    return first->number < second->number ? -1 : first->number > second->number;
}

void ht_search_trials_sort(ht_search_trials *trials) {
    if (trials->count > 0)
        qsort(trials->items, trials->count, sizeof *trials->items, earlier_first);
}

size_t ht_search_trials_value(const ht_search_trials *trials, const ht_trial *trial,
                              size_t parameter) {
    return trials->values[trial->number * trials->parameter_count + parameter];
}

void ht_search_trials_free(ht_search_trials *trials) {
    for (size_t i = 0; i < trials->parameter_count; ++i) {
        for (size_t j = 0; j < trials->parameters[i].value_count; ++j)
            free(trials->parameters[i].values[j]);
        free(trials->parameters[i].name);
    }
    for (size_t i = 0; i < trials->rejection_count; ++i) {
        free(trials->rejections[i].status);
        free(trials->rejections[i].reason);
        free(trials->rejections[i].example);
        free(trials->rejections[i].config);
    }
    free(trials->parameters);
    free(trials->rejections);
    free(trials->values);
    free(trials->items);
    free(trials->best);
    *trials = (ht_search_trials){0};
}
