/* Work that a night need not do again for a source that is as it was, though its search goes on:
 * its analysis is kept, and so are its files with the verdict of their check, as long as the same
 * configurations stay. */
#include "pipeline/nightly/night_internal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "pipeline/entry_kept.h"
#include "pipeline/file_states.h"
#include "pipeline/outputs.h"
#include "refactor/recall.h"

#include <stdlib.h>
#include <string.h>

static const char analysis_name[] = "analysis.json";

/* Finds the place of a source's analysis, of which there is one for a device; and the key that it
 * holds for: names of files are in templates, and comments. */
static void keys_make(const ht_night *night, char out_place[HT_HASH_SIZE],
                      char out_key[HT_HASH_SIZE]) {
    const ht_night_turn *turn = night->turn;
    const char *path = night->sources.items[turn->source].path;
    char *real = realpath(path, NULL);
    ht_hash_strings(out_place, "analysis", real ? real : path, turn->device->session.device.name,
                    NULL);
    ht_hash_strings(out_key, turn->look.key, turn->look.exact, path, NULL);
    free(real);
}

static ht_status kept_take(void *context, const char *name, const char *content, ht_error *error) {
    json_t **out = context;
    (void)error;
    if (strcmp(name, analysis_name) == 0)
        *out = json_loads(content, 0, NULL);
    return HT_OK;
}

/* Sets the files that were read, with their states, and the places where others would have been
 * found. False: one changed since it was looked at, or has a name that is no text. */
static bool reads_set(const ht_night *night, const ht_analysis *analysis, json_t *kept) {
    const ht_refactor_options *compiler = &night->survey_options->compiler;
    ht_file_states *states = ht_file_states_new();
    ht_names absent = {0};
    json_t *reads = json_array(), *places = json_array(), *item;
    bool good = true;
    size_t index;
    json_array_foreach(analysis->reads, index, item) {
        const char *path = json_string_value(item);
        good = good && path && !ht_file_states_since(states, path, night->looked);
        if (!good)
            break;
        json_array_append_new(reads, json_pack("[s, s]", path, ht_file_state(states, path)));
        ht_file_states_absent(states, path, compiler->arguments, compiler->argument_count, &absent);
    }
    for (size_t i = 0; i < absent.count; ++i)
        json_array_append_new(places, ht_report_json_text(absent.items[i]));
    json_object_set_new(kept, "reads", reads);
    json_object_set_new(kept, "absent", places);
    ht_names_free(&absent);
    ht_file_states_free(states);
    return good && json_array_size(reads) > 0;
}

/* Returns true if the files that were read are as they were, headers of the system too. */
static bool is_fresh(const json_t *kept) {
    ht_file_states *states = ht_file_states_new();
    const json_t *reads = json_object_get(kept, "reads");
    bool fresh = json_array_size(reads) > 0;
    size_t index;
    json_t *item;
    json_array_foreach(reads, index, item) {
        const char *path = json_string_value(json_array_get(item, 0));
        const char *state = json_string_value(json_array_get(item, 1));
        fresh = fresh && path && state && strcmp(ht_file_state(states, path), state) == 0;
    }
    json_array_foreach(json_object_get(kept, "absent"), index, item) fresh =
        fresh && json_is_string(item) &&
        strcmp(ht_file_state(states, json_string_value(item)), "-") == 0;
    ht_file_states_free(states);
    return fresh;
}

ht_refactor *ht_night_recall(void *context, const ht_survey *survey, size_t source) {
    ht_night *night = context;
    char place[HT_HASH_SIZE], key[HT_HASH_SIZE];
    json_t *kept = NULL;
    (void)survey;
    if (source != night->turn->source || !night->turn->whole)
        return NULL;
    keys_make(night, place, key);
    (void)ht_nights_files(night->nights, place, kept_take, &kept, NULL);
    bool fits = strcmp(ht_report_text_of(kept, "key"), key) == 0 && is_fresh(kept);
    ht_refactor *refactor = fits ? ht_refactor_recall(json_object_get(kept, "analysis")) : NULL;
    if (refactor)
        night->reread = json_number_value(json_object_get(kept, "seconds"));
    json_decref(kept);
    return refactor;
}

void ht_night_analysis_keep(ht_night *night) {
    const ht_analysis *analysis = &night->survey->analyses[night->turn->source];
    char place[HT_HASH_SIZE], key[HT_HASH_SIZE];
    if (!analysis->refactor || analysis->error.status != HT_OK || ht_stopped ||
        !night->turn->whole || ht_refactor_is_recalled(analysis->refactor))
        return;
    json_t *packed = ht_refactor_pack(analysis->refactor);
    if (!packed)
        return;
    keys_make(night, place, key);
    json_t *kept =
        json_pack("{s:s, s:f, s:o}", "key", key, "seconds", night->reading, "analysis", packed);
    char *text = reads_set(night, analysis, kept) ? json_dumps(kept, JSON_COMPACT) : NULL;
    ht_error error = {0};
    if (text && ht_nights_put_file(night->nights, place, analysis_name, text, &error) != HT_OK)
        ht_report_error(&error);
    free(text);
    json_decref(kept);
}

/* ---- files */

static bool is_rewritten(const ht_entry *entry) {
    return entry->result.verdict == HT_VERDICT_IMPROVED && !entry->annotated;
}

static bool needs_source(const ht_night *night) {
    bool any = false;
    for (size_t i = 0; i < night->survey->entries.count; ++i)
        any = any || is_rewritten(&night->survey->entries.items[i]);
    return any;
}

/* Returns the document that was kept of an entry with the same source; new reference. */
static json_t *document_of(const ht_night *night, size_t index) {
    const ht_entries *entries = &night->survey->entries;
    const ht_entry *entry = &entries->items[index];
    const ht_night_results *known = &night->turn->known;
    int64_t number = ht_night_number_of(entries, index);
    for (size_t i = 0; i < known->count; ++i) {
        const ht_night_result *result = &known->items[i];
        if (strcmp(result->kernel, entry->name) == 0 && result->number == number &&
            strcmp(result->problem, entry->problem ? entry->problem : "") == 0)
            return json_loads(result->document, 0, NULL);
    }
    return NULL;
}

/* Returns true if the copy that was checked has this configuration of the kernel, too. */
static bool is_same(const ht_entry *entry, const json_t *document) {
    const json_t *row = json_object_get(document, "entry");
    bool won = strcmp(ht_report_text_of(row, "status"), "improved") == 0;
    if (won != (entry->result.verdict == HT_VERDICT_IMPROVED))
        return false;
    if (!won)
        return true;
    char *config = ht_config_string(entry->template, &entry->result.config);
    bool same = strcmp(config, ht_report_text_of(document, "config")) == 0 &&
                *ht_report_text_of(row, "tuned_file") != 0 && entry->result.has_config &&
                (entry->annotated || json_is_object(json_object_get(row, "written")));
    free(config);
    return same;
}

static bool files_are_there(const ht_entries *entries) {
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        const char *const own[] = {entry->tuned_file, entry->template_file, entry->launcher_file};
        for (size_t j = 0; j < sizeof own / sizeof *own; ++j)
            if (own[j] && !ht_file_exists(own[j]))
                return false;
    }
    return true;
}

/* Takes the files of an earlier night, whose copy has the same configurations and was checked. */
static bool files_reuse(ht_night *night) {
    ht_entries *entries = &night->survey->entries;
    const json_t *memory = night->turn->memory;
    bool same = strcmp(ht_report_text_of(memory, "exact"), night->turn->look.exact) == 0 &&
                night->turn->known.count > 0;
    json_t **documents = ht_alloc(entries->count + 1, sizeof *documents);
    for (size_t i = 0; i < entries->count && same; ++i) {
        documents[i] = document_of(night, i);
        same = documents[i] && is_same(&entries->items[i], documents[i]);
    }
    same = same && ht_night_files_back(night, night->turn, true, NULL) == HT_OK;
    if (same) { /* nothing has names yet: the source was not written */
        for (size_t i = 0; i < entries->count; ++i)
            ht_entry_files_take(json_object_get(documents[i], "entry"), &entries->items[i]);
        same = files_are_there(entries);
        for (size_t i = 0; i < entries->count && !same; ++i)
            ht_entry_files_drop(&entries->items[i]);
    }
    for (size_t i = 0; i < entries->count; ++i)
        json_decref(documents[i]);
    free(documents);
    return same;
}

/* Ends kernels that cannot be written. */
static void writing_fail(const ht_night *night, const ht_error *error) {
    for (size_t i = 0; i < night->survey->entries.count; ++i) {
        ht_entry *entry = &night->survey->entries.items[i];
        if (!is_rewritten(entry))
            continue;
        entry->result.verdict = HT_VERDICT_FAILED;
        entry->result.verified = false;
        free(entry->result.reason);
        entry->result.reason = ht_format("its tuned source cannot be written: %s", error->message);
    }
}

void ht_night_source_write(ht_night *night, size_t source) {
    ht_outputs *outputs = night->outputs;
    const ht_analysis *analysis = &night->survey->analyses[source];
    bool recalled = analysis->refactor && ht_refactor_is_recalled(analysis->refactor);
    ht_error error = {0};
    night->reused = recalled && !outputs->done[source] && needs_source(night) && files_reuse(night);
    if (night->reused) {
        outputs->done[source] = true;
        return;
    }
    if (recalled && !outputs->done[source] && needs_source(night)) {
        double begun = ht_clock_seconds();
        if (ht_survey_reread(night->survey, source, night->survey_options, &error) != HT_OK)
            writing_fail(night, &error);
        ++night->analyses_made;
        night->reading += ht_clock_seconds() - begun;
    }
    ht_outputs_write_source(outputs, source);
}
