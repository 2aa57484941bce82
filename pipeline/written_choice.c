#include "pipeline/written_choice.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* As many times must the template of another be faster than a file: less is not worth to write and
 * to check one more. */
static const double worth_trying = 1.05;

static ht_candidate *current_of(ht_pair_result *result) {
    const ht_candidate *stays = ht_pair_result_stays(result);
    size_t index = stays ? (size_t)(stays - result->finalists.items) : 0;
    return stays && index >= result->finalists.first ? &result->finalists.items[index] : NULL;
}

/* Returns the finalist whose file is the fastest; NULL: none was timed. */
static const ht_candidate *fastest_of(const ht_pair_result *result) {
    const ht_candidate *fastest = NULL;
    for (size_t i = result->finalists.first; i < result->finalists.count; ++i) {
        const ht_candidate *candidate = &result->finalists.items[i];
        if (candidate->written.known && candidate->final.status == HT_OK &&
            (!fastest || candidate->written.speedup > fastest->written.speedup))
            fastest = candidate;
    }
    return fastest;
}

/* Returns the fastest finalist by the template that is not the current one and has no file yet;
 * NULL: there is none that is clearly faster than the original. */
static const ht_candidate *next_of(const ht_pair_result *result, const ht_candidate *current) {
    const ht_candidate *next = NULL;
    for (size_t i = result->finalists.first; i < result->finalists.count; ++i) {
        const ht_candidate *candidate = &result->finalists.items[i];
        const ht_final *final = &candidate->final;
        if (candidate != current && final->status == HT_OK && final->verified &&
            !candidate->written.known && ht_final_compare(final) == HT_COMPARISON_FASTER &&
            (!next || final->speedup > next->final.speedup))
            next = candidate;
    }
    return next;
}

static void template_take(ht_pair_result *result, const ht_candidate *candidate) {
    if (result->finalists.original.samples)
        result->times.original = result->finalists.original;
    ht_pair_result_take(result, candidate);
}

/* Takes the times of a finalist's file. */
static void written_take(ht_pair_result *result, const ht_candidate *candidate) {
    const ht_confirmation confirmation = result->times.confirmation;
    result->config = candidate->config;
    result->times = candidate->written;
    result->times.confirmation = confirmation;
}

/* Gives the original back where no file is clearly faster. */
static void original_keep(ht_entry *entry, const ht_candidate *fastest, double min_speedup) {
    ht_pair_result *result = &entry->result;
    const ht_pair_times *written = &fastest->written;
    const ht_candidate *standard = &result->finalists.items[0];
    char *config = ht_config_brief(entry->template, &fastest->config);
    bool clear = written->speedup_hi < 1 || written->speedup_lo > 1;
    char least[64] = "";
    if (written->speedup_lo > 1)
        snprintf(least, sizeof least, " by enough (--min-speedup %g)", min_speedup);
    result->verdict = clear ? HT_VERDICT_KEPT : HT_VERDICT_UNCLEAR;
    free(result->reason);
    result->reason = ht_format("no tuned source is clearly faster%s; the best, with %s, gives "
                               "%.3fx [%.3f, %.3f], although its template gives %.3fx",
                               least, config, written->speedup, written->speedup_lo,
                               written->speedup_hi, fastest->final.speedup);
    template_take(result, standard);
    result->verified = standard->final.status == HT_OK && standard->final.verified;
    ht_written_proof_free(&entry->written);
    entry->written_checked = false;
    free(config);
}

bool ht_written_choose(ht_entry *entry, double min_speedup, bool other) {
    ht_pair_result *result = &entry->result;
    ht_candidate *current = current_of(result);
    if (current)
        current->proven = true;
    if (current && !current->written.known)
        current->written = entry->written.times;
    const ht_candidate *fastest = fastest_of(result);
    if (!current || !fastest)
        return false;
    if (!current->written.known) { /* its template says less than the file of another */
        current->final.status = HT_ERROR_TIMEOUT;
        snprintf(current->final.reason, sizeof current->final.reason, "its file was not timed");
        written_take(result, fastest);
        return true;
    }
    const ht_candidate *next = other ? next_of(result, current) : NULL;
    if (next && next->final.speedup > worth_trying * fastest->written.speedup) {
        template_take(result, next);
        return true;
    }
    bool changed = fastest != current || result->times.speedup != fastest->written.speedup;
    written_take(result, fastest);
    if (fastest->written.speedup_lo > 1 && fastest->written.speedup >= min_speedup)
        return changed;
    original_keep(entry, fastest, min_speedup);
    return true;
}

bool ht_written_retreat(ht_entry *entry, const char *fault, bool other) {
    ht_pair_result *result = &entry->result;
    ht_candidate *current = current_of(result);
    if (!current)
        return false;
    const ht_candidate before = *current;
    current->written = (ht_pair_times){0};
    current->final.status = HT_ERROR_INTERNAL;
    snprintf(current->final.reason, sizeof current->final.reason, "%s", fault);
    const ht_candidate *fastest = fastest_of(result);
    const ht_candidate *next = fastest || !other ? NULL : next_of(result, current);
    if (fastest)
        written_take(result, fastest);
    else if (next)
        template_take(result, next);
    else
        *current = before;
    return fastest || next;
}

bool ht_written_is_proven(const ht_entry *entry) {
    const ht_candidate *stays = ht_pair_result_stays(&entry->result);
    return stays && stays->proven;
}

const ht_candidate *ht_written_current(const ht_entry *entry) {
    const ht_candidate *stays = ht_pair_result_stays(&entry->result);
    return stays && stays->written.known ? stays : NULL;
}

char *ht_written_difference_words(const ht_entry *entry) {
    const ht_candidate *candidate = ht_written_current(entry);
    if (!candidate)
        return NULL;
    const ht_pair_times *written = &candidate->written;
    double promised = candidate->final.speedup;
    bool same = promised >= written->speedup_lo / worth_trying &&
                promised <= written->speedup_hi * worth_trying;
    return same ? NULL : ht_format("the file's kernel is timed; its template gave %.2fx", promised);
}
