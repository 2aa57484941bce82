#include "pipeline/entry.h"

#include "base/clock.h"
#include "base/memory.h"
#include "pipeline/infer_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ht_entry *ht_entries_add(ht_entries *entries, const char *name, const char *file, int line) {
    HT_GROW(entries->items, entries->count);
    ht_entry *entry = &entries->items[entries->count++];
    *entry = (ht_entry){
        .name = ht_strdup(name), .file = ht_strdup(file), .line = line, .fields = ht_strdup("")};
    return entry;
}

void ht_entries_free(ht_entries *entries) {
    for (size_t i = 0; i < entries->count; ++i) {
        ht_entry *entry = &entries->items[i];
        char *owned[] = {entry->name,          entry->file,          entry->problem,
                         entry->fields,        entry->tuned_file,    entry->patch_file,
                         entry->patch_folder,  entry->template_file, entry->skeleton_file,
                         entry->launcher_file, entry->problem_file,  entry->predicted};
        for (size_t j = 0; j < sizeof owned / sizeof *owned; ++j)
            free(owned[j]);
        ht_elsewhere_free(&entry->elsewhere);
        ht_written_proof_free(&entry->written);
        ht_pair_result_free(&entry->result);
    }
    free(entries->items);
    *entries = (ht_entries){0};
}

char *ht_entry_label(const ht_entry *entry) {
    return entry->problem && *entry->problem ? ht_format("%s (%s)", entry->name, entry->problem)
                                             : ht_strdup(entry->name);
}

ht_status ht_entry_problem_check(ht_entry *entry, const ht_session *session, ht_error *error) {
    char *reason = NULL;
    bool inferred = entry->problem_origin && strcmp(entry->problem_origin, "inferred") == 0;
    if (!inferred || strcmp(session->options.check, "none") == 0)
        return HT_OK;
    ht_progress_phase(session->progress, "checking the inferred problem");
    ht_error own = {0};
    ht_status status =
        ht_inferred_check(entry->template, (ht_problem *)(size_t)entry->instance, &reason, &own);
    if (reason) {
        entry->result.verdict = HT_VERDICT_NEEDS_PROBLEM;
        entry->result.reason = ht_format("the problem that was inferred does not hold: %s", reason);
        entry->template = NULL;
        entry->problem_origin = "missing";
    }
    free(reason);
    if (status == HT_ERROR_MISSING || status == HT_ERROR_DEVICE) {
        if (error)
            *error = own;
        return status;
    }
    return HT_OK; /* tuning reports whatever else it is */
}

static bool is_won(const ht_entry *entry) {
    return entry->result.verdict == HT_VERDICT_IMPROVED && !entry->annotated && !entry->earlier;
}

/* Returns the time until which results may be checked and written, by the clock: they are worth a
 * few seconds more. */
static double settled_by(const ht_session *session) {
    double limit = session->options.max_time;
    double by = limit > 0 ? session->start + limit + fmax(0.05 * limit, 10) : 0;
    return session->end_by > 0 && by > session->end_by ? session->end_by : by;
}

/* Returns true for the last entry of a source. */
static bool is_last(const ht_entries *entries, size_t index) {
    const ht_entry *items = entries->items;
    return index + 1 == entries->count || items[index + 1].source != items[index].source;
}

/* Settles a source after its last entry: its files are written, and the time that checking them
 * took is known for the sources to come. */
static void source_settle(const ht_entries *entries, size_t last, ht_session *session) {
    const ht_entry *items = entries->items;
    size_t source = items[last].source, won = 0;
    double begun = ht_clock_seconds();
    if (!session->settle)
        return;
    for (size_t i = 0; i <= last; ++i)
        won += items[i].source == source && is_won(&items[i]);
    if (won)
        ht_progress_long_phase(session->progress, "verifying the tuned source");
    ht_stop_at(settled_by(session));
    session->settle(session->settle_context, source);
    ht_progress_pause(session->progress);
    if (won)
        session->check_seconds =
            fmax((ht_clock_seconds() - begun) / (double)won, session->check_seconds / 2);
    session->reserve = 0;
}

/* Returns true if it is to be tuned. */
static bool is_open(const ht_entry *entry) {
    return entry->template && !entry->settled;
}

/* Times a winner at other sizes, if that was asked for. */
static ht_status elsewhere_time(ht_entry *entry, const ht_session *session, ht_error *error) {
    const double least = session->options.elsewhere;
    if (!is_won(entry) || least <= 0 || session->model || ht_stopped)
        return HT_OK;
    ht_progress_phase(session->progress, "timing other sizes");
    ht_elsewhere_free(&entry->elsewhere);
    return ht_elsewhere_time(session, entry->template, &entry->result.config, entry->instance,
                             least, &entry->elsewhere, error);
}

/* Reports entries of which no more is to come: a source's, after its files were checked and timed.
 * Returns the number of those that are reported now. */
static size_t sources_report(const ht_entries *entries, size_t from, size_t to,
                             const ht_session *session, FILE *out) {
    for (size_t i = from; i < to; ++i)
        session->report(&entries->items[i], &session->device, out);
    fflush(out);
    return to;
}

ht_status ht_entries_tune(ht_entries *entries, ht_session *session, FILE *out, ht_error *error) {
    session->pairs_left = 0;
    for (size_t i = 0; i < entries->count; ++i)
        session->pairs_left += is_open(&entries->items[i]);
    session->progress = ht_progress_new(out, session->pairs_left);
    size_t reported = 0;
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < entries->count; ++i) {
        ht_entry *entry = &entries->items[i];
        if (session->options.max_time > 0 && !ht_stopped)
            ht_stop_at(session->start + session->options.max_time - session->reserve / 2);
        if (is_open(entry)) {
            char *label = ht_entry_label(entry);
            ht_progress_begin(session->progress, label);
            free(label);
            session->prepare_begun = ht_clock_seconds();
            status = ht_entry_problem_check(entry, session, error);
            if (status == HT_OK && entry->template)
                status =
                    ht_tuning_run(session, entry->template, entry->instance, &entry->result, error);
            else if (session->pairs_left)
                --session->pairs_left;
            if (status == HT_OK)
                status = elsewhere_time(entry, session, error);
            ht_progress_pause(session->progress);
            if (is_won(entry))
                session->reserve += entry->result.check_seconds;
        }
        if (status == HT_OK && is_last(entries, i))
            source_settle(entries, i, session);
        if (status != HT_OK || !session->settle || is_last(entries, i))
            reported = sources_report(entries, reported, i + (status == HT_OK), session, out);
    }
    ht_stop_at(0); /* what was found is written all the same */
    ht_progress_free(session->progress);
    session->progress = NULL;
    return status;
}

int ht_entries_exit_code(const ht_entries *entries) {
    bool failed = false, bad_input = false;
    if (ht_interrupted)
        return HT_EXIT_INTERRUPTED;
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_pair_result *result = &entries->items[i].result;
        failed |= result->verdict == HT_VERDICT_FAILED || result->verdict == HT_VERDICT_WITHHELD;
        bad_input |= result->bad_input;
    }
    return bad_input ? HT_EXIT_INPUT : failed ? HT_EXIT_FAILED : HT_EXIT_OK;
}
