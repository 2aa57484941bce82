#include "cli/commands/optimize_model.h"

#include "base/memory.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/model_report.h"
#include "cli/reports/rank_report.h"
#include "pipeline/outputs.h"

#include <stdlib.h>

/* Makes the best choice the entry's, as if it had been measured, but for times. */
static void take(ht_entry *entry, const ht_model_devices *devices, const ht_model_result *chosen) {
    ht_pair_result *result = &entry->result;
    if (chosen->count == 0) {
        result->verdict = HT_VERDICT_KEPT;
        result->reason = ht_strdup(chosen->reason);
        return;
    }
    const ht_model_choice *best = &chosen->choices[0];
    result->verdict = HT_VERDICT_IMPROVED;
    result->verified = result->has_config = true;
    result->config = best->config;
    entry->predicted =
        ht_format("%.2fx predicted, not measured, for %s on %s", best->speedup,
                  *entry->fields ? entry->fields : "the only size", devices->gpu->board);
}

static ht_status choose(const ht_optimize_model_request *request, ht_entry *entry,
                        ht_model_result *out_result, ht_error *error) {
    ht_status status = ht_entry_problem_check(entry, request->session, error);
    if (status != HT_OK || !entry->template)
        return status;
    const ht_model_request asked = {.devices = request->devices,
                                    .options = &request->session->options,
                                    .choices = HT_MODEL_CHOICES};
    status = ht_model_tune(&asked, entry->template, entry->instance, out_result, error);
    if (status == HT_OK)
        take(entry, request->devices, out_result);
    return status;
}

/* Chooses for all entries; those of one source follow each other, and are written after the last.
 */
static ht_status choose_all(const ht_optimize_model_request *request, ht_outputs *outputs,
                            ht_model_result *results, ht_error *error) {
    ht_entries *entries = &request->survey->entries;
    ht_status status = HT_OK;
    for (size_t i = 0; i < entries->count && status == HT_OK; ++i) {
        ht_entry *entry = &entries->items[i];
        if (entry->template && !entry->settled)
            status = choose(request, entry, &results[i], error);
        bool last = i + 1 == entries->count || entries->items[i + 1].source != entry->source;
        if (status == HT_OK && last)
            ht_outputs_write_source(outputs, entry->source);
    }
    return status == HT_OK ? ht_outputs_write(outputs, error) : status;
}

static bool was_asked(const ht_model_result *result) {
    return result->search.result.trial_count || result->reason || result->count;
}

static json_t *report(const ht_optimize_model_request *request, const ht_model_result *results,
                      FILE *out) {
    const ht_entries *entries = &request->survey->entries;
    json_t *kernels = json_array();
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        char *const files[HT_MODEL_CHOICES] = {entry->tuned_file};
        bool withheld = entry->result.verdict == HT_VERDICT_WITHHELD ||
                        entry->result.verdict == HT_VERDICT_NOT_RUN;
        if (was_asked(&results[i]))
            ht_model_result_print(entry, &results[i], files, out);
        if (withheld || !was_asked(&results[i]))
            ht_entry_report(entry, &request->devices->target, out);
        json_t *row = ht_model_result_json(entry, &results[i], files);
        json_object_set_new(row, "verdict", json_string(ht_verdict_name(entry->result.verdict)));
        json_object_set_new(row, "file", ht_report_json_text(entry->file));
        json_object_set_new(row, "line", json_integer(entry->line));
        json_object_set_new(row, "patch_file", ht_report_json_text(entry->patch_file));
        json_object_set_new(row, "patch_folder", ht_report_json_text(entry->patch_folder));
        json_object_set_new(row, "template_file", ht_report_json_text(entry->template_file));
        if (withheld || !was_asked(&results[i]))
            json_object_set_new(row, "reason", ht_report_json_text(entry->result.reason));
        json_array_append_new(kernels, row);
    }
    ht_outputs_report(entries, request->folder, false, out);
    return kernels;
}

int ht_optimize_model(const ht_optimize_model_request *request) {
    const ht_model_devices *devices = request->devices;
    size_t count = request->survey->entries.count;
    ht_model_result *results = ht_alloc(count + 1, sizeof *results);
    FILE *out = ht_report_stream(request->json);
    ht_outputs outputs;
    ht_error error = {0};
    fprintf(out, "Choosing for %s by a model: predicted, not measured\n\n", devices->gpu->board);
    ht_outputs_open(request->survey, request->session, request->compiler, request->folder,
                    &outputs);
    ht_status status = choose_all(request, &outputs, results, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    json_t *document = ht_report_json_new("hiptemper-optimize-model", 1);
    json_object_set_new(document, "device", json_string(devices->target.name));
    json_object_set_new(document, "compiler", json_string(devices->target.compiler));
    json_object_set_new(document, "model", ht_model_json(devices->gpu));
    json_object_set_new(document, "kernels", report(request, results, out));
    json_object_set_new(document, "errors", ht_survey_errors_json(request->survey));
    code = ht_outputs_json(request->folder, "optimize.json", request->json, document, code);
    ht_outputs_close(&outputs);
    for (size_t i = 0; i < count; ++i)
        ht_model_result_free(&results[i]);
    free(results);
    int result = ht_survey_exit_code(request->survey);
    return result ? result : code;
}
