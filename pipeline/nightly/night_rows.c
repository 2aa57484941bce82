#include "pipeline/nightly/night_internal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "pipeline/nightly/night_join.h"
#include "pipeline/nightly/night_verdict.h"
#include "pipeline/outputs.h"
#include "pipeline/timed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void ht_night_note(ht_night *night, int code) {
    night->code = ht_night_graver(night->code, code);
}

/* ---- what is kept */

/* Returns true if there is no result for a reason that the next night may not have: a lack of time,
 * or a check that failed itself, on a full disk, say. */
static bool is_not_run(const ht_entry *entry) {
    const ht_pair_result *result = &entry->result;
    return entry->written.stopped || result->interrupted ||
           (result->verdict == HT_VERDICT_FAILED && ht_timed_is(result->reason)) ||
           result->verdict == HT_VERDICT_NOT_RUN || result->verdict == HT_VERDICT_NONE;
}

/* Sets what another text or name of the file changes in the row of an earlier night. */
static void places_set(json_t *row, const ht_entry *entry) {
    const struct {
        const char *name, *text;
    } places[] = {{"file", entry->file},
                  {"tuned_file", entry->tuned_file},
                  {"patch_file", entry->patch_file},
                  {"patch_folder", entry->patch_folder},
                  {"template_file", entry->template_file},
                  {"launcher_file", entry->launcher_file}};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
        json_object_set_new(row, places[i].name, ht_report_json_text(places[i].text));
    json_object_set_new(row, "line", json_integer(entry->line));
}

static json_t *entry_document(const ht_night *night, size_t index, json_t *parts, const char *key,
                              const json_t *before) {
    const ht_entry *entry = &night->survey->entries.items[index];
    const ht_pair_result *result = &entry->result;
    bool searched = result->search.result.trial_count > 0;
    json_t *document =
        night->documents[index] ? json_incref(night->documents[index]) : json_object();
    if (entry->settled) {
        places_set(json_object_get(document, "entry"), entry);
        return document;
    }
    json_object_set_new(document, "entry",
                        night->options->row(entry, &night->turn->device->session.device));
    json_object_set_new(document, "evaluations",
                        json_integer((json_int_t)result->search.result.trial_count));
    json_object_set_new(document, "exhausted",
                        json_boolean(!searched || result->search.result.exhausted));
    json_object_set_new(document, "night", json_integer((json_int_t)night->number));
    bool unchanged = strcmp(ht_report_text_of(before, "kernel_key"), key) == 0;
    const json_t *history = unchanged ? json_object_get(before, "history") : NULL;
    if (json_object_get(document, "watch"))
        json_object_set_new(document, "timed", json_integer((json_int_t)time(NULL)));
    json_object_set_new(document, "history",
                        ht_night_history(history, json_object_get(document, "watch")));
    json_object_set_new(document, "kernel_key", json_string(key));
    if (parts)
        json_object_set(document, "parts", parts);
    if (result->has_config && entry->template) {
        char *config = ht_config_string(entry->template, &result->config);
        json_object_set_new(document, "config", json_string(config));
        free(config);
    }
    return document;
}

/* Sets the verdict against an earlier document (NULL: none). */
static void verdict_set(ht_night *night, const char *key, json_t *row, const json_t *now,
                        const json_t *then) {
    const json_t *watch = json_object_get(now, "watch"), *before = json_object_get(then, "watch");
    bool unchanged = strcmp(ht_report_text_of(then, "kernel_key"), key) == 0;
    if (!watch) { /* there was no time left for it, or it is not one that is timed */
        bool tuned = *ht_report_text_of(now, "config") != 0;
        json_object_set_new(row, "verdict",
                            tuned ? json_string(before ? "unclear" : "new") : json_null());
        return;
    }
    const ht_night_verdicts made = ht_night_judge(watch, before, json_object_get(then, "history"),
                                                  unchanged, night->job->least_effect);
    ht_night_verdicts_put(&made, row);
    if (strcmp(made.change_word, "slower") == 0 || strcmp(made.original_word, "slower") == 0)
        ht_night_note(night, HT_EXIT_FAILED);
}

/* Sets the verdict against the baseline, or else against an earlier night's document. */
static void verdict_choose(ht_night *night, const ht_night_result *result, json_t *row,
                           const json_t *now, const json_t *before, bool kept) {
    if (ht_night_has_baseline(night)) {
        json_t *then = ht_night_baseline(night, result);
        verdict_set(night, result->kernel_key, row, now, then);
        json_decref(then);
    } else if (kept) {
        json_object_set_new(row, "verdict",
                            json_object_get(now, "watch") ? json_string("same") : json_null());
    } else {
        verdict_set(night, result->kernel_key, row, now, before);
    }
}

/* Sets which program's launches a kernel is tuned for, and its share of their time. */
static void program_set(const ht_night *night, const ht_night_turn *turn, const char *kernel,
                        json_t *row) {
    const ht_night_program *program = ht_night_program_of(night, turn->source);
    const ht_capture_row *of =
        program && *kernel ? ht_capture_row_find(&program->whole.captured, kernel) : NULL;
    if (program)
        json_object_set_new(row, "program", ht_report_json_text(program->name));
    if (of)
        json_object_set_new(row, "share",
                            json_real(ht_capture_share(&program->whole.captured, of)));
}

static json_t *row_new(const ht_night *night, const ht_night_turn *turn, const char *kernel,
                       const char *problem, const json_t *entry) {
    json_t *row =
        json_pack("{s:o, s:o, s:s, s:o, s:o}", "kernel", ht_report_json_text(kernel), "problem",
                  ht_report_json_text(problem), "device", turn->device->session.device.name, "file",
                  ht_report_json_text(night->sources.items[turn->source].path), "source_key",
                  json_string(turn->look.key));
    static const char *const members[] = {"status",     "line",     "reason",         "speedup",
                                          "speedup_ci", "tuned_ms", "original_ms",    "tuned_file",
                                          "patch_file", "verified", "problem_fields", NULL};
    ht_report_json_copy(row, entry, members);
    program_set(night, turn, kernel, row);
    return row;
}

static void document_members(json_t *row, const json_t *document, bool kept) {
    static const char *const members[] = {"config", "evaluations", "night", "timed",
                                          "watch",  "parts",       NULL};
    ht_report_json_copy(row, document, members);
    json_object_set_new(row, "kept", json_boolean(kept));
}

static void not_run_row(ht_night *night, const ht_night_turn *turn, const char *kernel,
                        const char *problem, const char *reason) {
    json_t *row = row_new(night, turn, kernel, problem, NULL);
    json_object_set_new(row, "status", json_string("not-run"));
    json_object_set_new(row, "verdict", json_string("not-run"));
    json_object_set_new(row, "reason", ht_report_json_text(reason));
    json_object_set_new(row, "kept", json_false());
    json_array_append_new(night->rows, row);
}

static void failure_note(ht_night *night, const ht_entry *entry) {
    if (entry->result.bad_input)
        ht_night_note(night, HT_EXIT_INPUT);
    else if (entry->result.verdict == HT_VERDICT_FAILED ||
             entry->result.verdict == HT_VERDICT_WITHHELD)
        ht_night_note(night, HT_EXIT_FAILED);
}

static ht_status entry_keep(ht_night *night, size_t index, ht_error *error) {
    const ht_entry *entry = &night->survey->entries.items[index];
    const char *problem = entry->problem ? entry->problem : "";
    const ht_night_turn *turn = night->turn;
    char key[HT_HASH_SIZE];
    if (is_not_run(entry)) {
        if (entry->result.verdict == HT_VERDICT_WITHHELD) /* a full disk, say */
            ht_night_note(night, HT_EXIT_FAILED);
        const char *reason = entry->result.reason;
        char *words = ht_text_replaced(reason ? reason : "interrupted", "(--max-time)", "(budget)");
        not_run_row(night, turn, entry->name, problem, words);
        free(words);
        return HT_OK;
    }
    int64_t number = ht_night_number_of(&night->survey->entries, index);
    json_t *parts = ht_night_entry_key(night, entry, key);
    json_t *before = ht_night_earlier(night, entry, number, key);
    json_t *document = entry_document(night, index, parts, key, before);
    json_t *row = row_new(night, turn, entry->name, problem, json_object_get(document, "entry"));
    json_object_set_new(row, "line", json_integer(entry->line));
    json_object_set_new(row, "kernel_key", json_string(key));
    document_members(row, document, entry->settled);
    failure_note(night, entry);
    char *text = json_dumps(document, JSON_COMPACT);
    const ht_night_result result = {.night = night->number,
                                    .number = number,
                                    .job = night->name,
                                    .kernel = entry->name,
                                    .problem = (char *)problem,
                                    .device = (char *)turn->device->session.device.name,
                                    .file = night->sources.items[turn->source].path,
                                    .source_key = (char *)turn->look.key,
                                    .kernel_key = key,
                                    .document = text};
    verdict_choose(night, &result, row, document, before, entry->settled);
    ht_status status = ht_nights_put(night->nights, &result, error);
    json_array_append_new(night->rows, row);
    free(text);
    json_decref(before);
    json_decref(document);
    json_decref(parts);
    return status;
}

/* Keeps a file below the job's folder; one that is not there, or elsewhere, is not kept. */
static ht_status file_keep(const ht_night *night, const char *path, ht_error *error) {
    size_t folder = strlen(night->job->out);
    char *text = NULL;
    bool inside = path && strncmp(path, night->job->out, folder) == 0;
    ht_status status = HT_OK;
    if (inside && ht_file_read_text(path, "a result", &text, NULL) == HT_OK)
        status = ht_nights_put_file(night->nights, night->turn->look.key,
                                    path + folder + strspn(path + folder, "/"), text, error);
    free(text);
    return status;
}

static ht_status files_keep(ht_night *night, ht_error *error) {
    const ht_entries *entries = &night->survey->entries;
    const ht_substitutes *copies = &night->outputs->copies;
    ht_status status = HT_OK;
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        const char *const own[] = {entry->tuned_file,    entry->patch_file,    entry->template_file,
                                   entry->launcher_file, entry->skeleton_file, entry->problem_file};
        for (size_t j = 0; j < sizeof own / sizeof *own && status == HT_OK; ++j)
            status = file_keep(night, own[j], error);
    }
    for (size_t i = 0; i < copies->count && status == HT_OK; ++i) /* of launches elsewhere, too */
        status = file_keep(night, copies->items[i].copy, error);
    return status;
}

double ht_night_need(const ht_night *night) {
    const ht_session *session = &night->turn->device->session;
    return night->reading + session->prepare_seconds + session->finals_seconds +
           session->check_seconds + session->decided_seconds;
}

/* Keeps what is known of the source itself. */
static ht_status memory_keep(ht_night *night, bool measured, ht_error *error) {
    const ht_night_turn *turn = night->turn;
    const ht_session *session = &turn->device->session;
    double spent = ht_clock_seconds() - session->start;
    double need = measured ? ht_night_need(night) : fmax(1.5 * spent, night->need_seen);
    json_t *memory = json_pack("{s:b, s:I, s:f, s:I, s:O}", "measured", measured, "attempts",
                               measured ? (json_int_t)0 : (json_int_t)turn->attempts + 1, "need",
                               need, "tried", (json_int_t)time(NULL), "parts", turn->look.parts);
    ht_night_text_set(memory, &turn->look, &night->sources.items[turn->source]);
    ht_night_copies_set(night, memory);
    char *text = json_dumps(memory, JSON_COMPACT);
    const ht_night_result result = {.night = night->number,
                                    .job = night->name,
                                    .kernel = "",
                                    .problem = "",
                                    .device = (char *)session->device.name,
                                    .file = night->sources.items[turn->source].path,
                                    .source_key = (char *)turn->look.key,
                                    .kernel_key = "",
                                    .document = text};
    ht_status status = ht_nights_put(night->nights, &result, error);
    free(text);
    json_decref(night->turn->memory);
    night->turn->memory = memory;
    return status;
}

ht_status ht_night_keep(ht_night *night, ht_error *error) {
    const ht_survey *survey = night->survey;
    const ht_analysis *analysis = &survey->analyses[night->turn->source];
    bool measured = analysis->error.status == HT_OK && analysis->refactor && !ht_interrupted;
    ht_status status = HT_OK;
    for (size_t i = 0; i < survey->entries.count && status == HT_OK; ++i) {
        measured = measured && !is_not_run(&survey->entries.items[i]);
        status = entry_keep(night, i, error);
    }
    night->any = night->any || measured;
    if (status == HT_OK && measured)
        status = files_keep(night, error);
    return status == HT_OK && !ht_interrupted ? memory_keep(night, measured, error) : status;
}

/* ---- rows of what had no turn */

void ht_night_add_kept(ht_night *night, const ht_night_turn *turn) {
    for (size_t i = 0; i < turn->known.count; ++i) {
        const ht_night_result *result = &turn->known.items[i];
        if (!*result->kernel)
            continue;
        json_t *document = json_loads(result->document, 0, NULL);
        json_t *row = row_new(night, turn, result->kernel, result->problem,
                              json_object_get(document, "entry"));
        document_members(row, document, true);
        json_object_set_new(row, "kernel_key", json_string(result->kernel_key));
        verdict_choose(night, result, row, document, NULL, true);
        json_array_append_new(night->rows, row);
        json_decref(document);
    }
}

void ht_night_add_not_run(ht_night *night, const ht_night_turn *turn, const char *reason) {
    bool any = false;
    for (size_t i = 0; i < turn->known.count; ++i) {
        const ht_night_result *result = &turn->known.items[i];
        if (!*result->kernel)
            continue;
        not_run_row(night, turn, result->kernel, result->problem, reason);
        any = true;
    }
    if (!any)
        not_run_row(night, turn, "", "", reason);
}

void ht_night_row_not_run(ht_night *night, const char *file, const char *device,
                          const char *reason) {
    json_array_append_new(night->rows,
                          json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:o, s:b}", "kernel", "",
                                    "problem", "", "device", device, "file",
                                    ht_report_json_text(file), "status", "not-run", "verdict",
                                    "not-run", "reason", ht_report_json_text(reason), "kept", 0));
}

/* Returns true if a result is of a device or a source that another process looks after. */
static bool is_of_others(const ht_night *night, const ht_night_result *result) {
    const char *device = night->options->device;
    if (device && strcmp(device, result->device) != 0)
        return true;
    bool there = false;
    for (size_t i = 0; i < night->job->program_count; ++i) {
        bool had = ht_night_program_had(&night->programs[i], result->file);
        if (had && !night->programs[i].own)
            return true;
        there = there || had;
    }
    for (size_t i = 0; i < night->sources.count; ++i) {
        bool same = strcmp(night->sources.items[i].path, result->file) == 0;
        if (same && !ht_night_is_own(night, i))
            return true;
        there = there || same;
    }
    return !there && night->options->shard > 0; /* the first shard reports files that are gone */
}

/* Returns true if a kernel is in the report, under its name and file. */
static bool is_there(const ht_night *night, const ht_night_result *result) {
    size_t index;
    json_t *row;
    json_array_foreach(night->rows, index, row) {
        bool file = strcmp(ht_report_text_of(row, "file"), result->file) == 0;
        const char *kernel = ht_report_text_of(row, "kernel");
        bool same = strcmp(kernel, result->kernel) == 0 &&
                    strcmp(ht_report_text_of(row, "problem"), result->problem) == 0;
        bool key = *result->kernel_key &&
                   strcmp(ht_report_text_of(row, "kernel_key"), result->kernel_key) == 0;
        /* of a file that had no turn nobody knows what is in it */
        if (key || (file && (same || !*kernel)))
            return true;
    }
    return false;
}

ht_status ht_night_add_gone(ht_night *night, ht_error *error) {
    ht_night_result like = {.job = night->name};
    ht_night_results results;
    ht_status status = ht_nights_find(night->nights, &like, &results, error);
    for (size_t i = 0; i < results.count && status == HT_OK; ++i) {
        ht_night_result *result = &results.items[i];
        json_t *document = json_loads(result->document, 0, NULL);
        bool was = json_is_true(json_object_get(document, "gone"));
        json_decref(document);
        if (!*result->kernel || was || is_of_others(night, result) || is_there(night, result))
            continue;
        json_array_append_new(night->rows,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "kernel",
                                        result->kernel, "problem", result->problem, "device",
                                        result->device, "file", result->file, "status", "gone",
                                        "verdict", "gone", "kernel_key", result->kernel_key, "kept",
                                        false));
        ht_night_result gone = *result;
        gone.night = night->number;
        gone.document = "{\"gone\": true}";
        gone.source_key = "";
        gone.kernel_key = "";
        status = ht_nights_put(night->nights, &gone, error);
    }
    ht_night_results_free(&results);
    return status;
}
