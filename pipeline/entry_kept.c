#include "pipeline/entry_kept.h"

#include "base/memory.h"
#include "pipeline/report.h"
#include "pipeline/timed.h"

#include <stddef.h>
#include <string.h>

static char *text_copy(const json_t *row, const char *key) {
    const char *text = json_string_value(json_object_get(row, key));
    return text ? ht_strdup(text) : NULL;
}

static double number_at(const json_t *array, size_t index) {
    return json_number_value(json_array_get(array, index));
}

static ht_timing timing_of(const json_t *row, const char *median, const char *interval) {
    const json_t *ends = json_object_get(row, interval);
    return (ht_timing){.median_ms = json_number_value(json_object_get(row, median)),
                       .lo_ms = number_at(ends, 0),
                       .hi_ms = number_at(ends, 1)};
}

static void times_take(const json_t *row, ht_pair_times *out) {
    const json_t *interval = json_object_get(row, "speedup_ci");
    out->known = json_is_number(json_object_get(row, "speedup"));
    out->original = timing_of(row, "original_ms", "original_ci");
    out->tuned = timing_of(row, "tuned_ms", "tuned_ci");
    out->speedup = json_number_value(json_object_get(row, "speedup"));
    out->speedup_lo = number_at(interval, 0);
    out->speedup_hi = number_at(interval, 1);
}

static void written_take(const json_t *row, ht_entry *entry) {
    const json_t *written = json_object_get(row, "written");
    entry->written_checked = json_is_object(written);
    entry->written = (ht_written_proof){
        .unproven = text_copy(written, "not_proven"),
        .missing = text_copy(written, "missing"),
        .launches = (size_t)json_integer_value(json_object_get(written, "launches")),
        .sizes = (size_t)json_integer_value(json_object_get(written, "sizes")),
        .bitwise = json_is_true(json_object_get(written, "bitwise")),
        .times = {.known = json_is_true(json_object_get(written, "timed"))}};
}

static void files_take(const json_t *row, ht_entry *entry) {
    entry->tuned_file = text_copy(row, "tuned_file");
    entry->patch_file = text_copy(row, "patch_file");
    entry->patch_folder = text_copy(row, "patch_folder");
    entry->template_file = text_copy(row, "template_file");
    entry->launcher_file = text_copy(row, "launcher_file");
    entry->skeleton_file = text_copy(row, "skeleton_file");
    entry->problem_file = text_copy(row, "problem_file");
}

void ht_entry_files_drop(ht_entry *entry) {
    char **const files[] = {&entry->tuned_file,    &entry->patch_file,    &entry->patch_folder,
                            &entry->template_file, &entry->launcher_file, &entry->skeleton_file,
                            &entry->problem_file};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        free(*files[i]);
        *files[i] = NULL;
    }
    ht_written_proof_free(&entry->written);
    entry->written = (ht_written_proof){0};
    entry->written_checked = false;
}

void ht_entry_files_take(const json_t *row, ht_entry *entry) {
    written_take(row, entry);
    files_take(row, entry);
}

void ht_entry_take(const json_t *row, ht_entry *entry) {
    entry->reason_line = (int)json_integer_value(json_object_get(row, "reason_line"));
    entry->result.verdict = ht_verdict_find(ht_report_text_of(row, "status"));
    entry->result.verified = json_is_true(json_object_get(row, "verified"));
    entry->result.reason = text_copy(row, "reason");
    times_take(row, &entry->result.times);
}

static void entry_unpack(ht_entries *entries, size_t source, const json_t *kept) {
    const json_t *row = json_object_get(kept, "row");
    ht_entry *entry =
        ht_entries_add(entries, ht_report_text_of(row, "name"), ht_report_text_of(row, "file"),
                       (int)json_integer_value(json_object_get(row, "line")));
    entry->source = source;
    entry->earlier = kept;
    entry->problem = text_copy(row, "problem");
    entry->problem_origin = json_string_value(json_object_get(row, "problem_origin"));
    ht_entry_take(row, entry);
    ht_entry_files_take(row, entry);
}

size_t ht_entries_unpack(ht_entries *entries, size_t source, const json_t *document) {
    size_t index;
    json_t *kept;
    json_array_foreach(json_object_get(document, "rows"), index, kept)
        entry_unpack(entries, source, kept);
    return json_array_size(json_object_get(document, "rows"));
}

bool ht_entry_is_settled(const ht_entry *entry) {
    const ht_pair_result *result = &entry->result;
    if (result->interrupted || result->bad_input || entry->written.stopped)
        return false;
    switch (result->verdict) {
    case HT_VERDICT_IMPROVED:
    case HT_VERDICT_KEPT:
    case HT_VERDICT_UNCLEAR:
    case HT_VERDICT_REFUSED:
    case HT_VERDICT_NEEDS_PROBLEM:
    case HT_VERDICT_WITHHELD: /* another run writes the same text, and checks it in the same way */
        return true;
    case HT_VERDICT_FAILED:
        return ht_timed_is(result->reason) && !strstr(result->reason, "--max-time");
    default:
        return false;
    }
}

bool ht_entry_is_timed(const ht_entry *entry) {
    return entry->result.times.known || ht_timed_is(entry->result.reason);
}
