#include "pipeline/entry.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/reports/entry_report.h"
#include "pipeline/style.h"
#include "pipeline/written_choice.h"

#include <stdlib.h>

json_t *ht_interval_json(bool valid, double lo, double hi) {
    return valid ? json_pack("[f, f]", lo, hi) : json_null();
}

static json_t *number_json(bool valid, double value) {
    return valid ? json_real(value) : json_null();
}

json_t *ht_config_json(const ht_template *template, const ht_config *config) {
    json_t *object = json_object();
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        const ht_param_value *value = &param->values[config->choice[i]];
        json_t *json = NULL;
        if (param->kind == HT_PARAM_INTEGER)
            json = json_integer(value->number);
        else if (param->kind == HT_PARAM_BOOLEAN)
            json = json_boolean(value->number);
        else
            json = ht_report_json_text(value->text);
        json_object_set_new(object, param->name, json);
    }
    return object;
}

static const char *timing_name(const ht_device *device) {
    return device->emulated ? "host emulation" : "device";
}

static json_t *device_json(const ht_device *device) {
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:b}", "name", device->name, "provider",
                     device->provider, "description", ht_report_json_text(device->description),
                     "arch", device->arch, "compiler", device->compiler, "emulated",
                     device->emulated);
}

void ht_session_json(json_t *document, const ht_session *session) {
    const ht_tuning_options *options = &session->options;
    json_object_set_new(document, "device", device_json(&session->device));
    json_object_set_new(document, "emulated", json_boolean(session->device.emulated));
    json_object_set_new(document, "timing", json_string(timing_name(&session->device)));
    json_object_set_new(document, "cache", json_string(options->cache));
    json_object_set_new(document, "seed", json_integer((json_int_t)options->seed));
    json_object_set_new(document, "budget",
                        json_pack("{s:I, s:o}", "max_evals", (json_int_t)options->max_evals,
                                  "max_seconds",
                                  number_json(options->max_time > 0, options->max_time)));
    json_object_set_new(document, "min_speedup", json_real(options->min_speedup));
    json_object_set_new(document, "final_time", json_real(options->final_time));
    json_object_set_new(document, "seconds", json_real(ht_clock_seconds() - session->start));
    json_object_set_new(document, "interrupted", json_boolean(ht_interrupted != 0));
}

static json_t *rejections_json(const ht_pair_result *result, bool examples) {
    json_t *object = json_object();
    for (size_t i = 0; i < result->rejections.count; ++i) {
        const ht_rejection *rejection = &result->rejections.items[i];
        json_object_set_new(object, ht_status_name(rejection->status),
                            examples ? ht_report_json_text(rejection->example)
                                     : json_integer((json_int_t)rejection->count));
    }
    return object;
}

/* Adds the kernels that stood for the original. */
static void kernels_add(json_t *object, const ht_template *template) {
    char *base =
        template ? ht_template_set_words(template, ht_template_baseline_set(template)) : NULL;
    char *wanted = !template ? NULL
                   : template->reference_kind == HT_REFERENCE_BUILTIN
                       ? ht_strdup(template->reference_name)
                       : ht_template_set_words(template, ht_template_reference_set(template));
    json_object_set_new(object, "baseline_kernel", ht_report_json_text(base));
    json_object_set_new(object, "reference_kernel", ht_report_json_text(wanted));
    free(base);
    free(wanted);
}

static json_t *earlier_json(const ht_pair_earlier *earlier) {
    json_t *list = json_array();
    for (size_t i = 0; i < earlier->count; ++i) {
        const ht_pair_earlier_run *run = &earlier->runs[i];
        json_array_append_new(list, json_pack("{s:o, s:I, s:f}", "run",
                                              ht_report_json_text(run->name), "outcomes",
                                              (json_int_t)run->outcomes, "weight", run->weight));
    }
    return list;
}

static void search_members(json_t *object, const ht_pair_result *result) {
    json_object_set_new(object, "reference", ht_report_json_text(result->reference));
    json_object_set_new(object, "original_finding", ht_report_json_text(result->original_finding));
    json_object_set_new(object, "space", json_integer((json_int_t)result->space.size));
    json_object_set_new(object, "idle", ht_report_json_text(result->space.idle));
    json_object_set_new(object, "left_out", ht_report_json_text(result->space.left_out));
    json_object_set_new(
        object, "strategy",
        ht_report_json_text(*result->search.strategy ? result->search.strategy : NULL));
    json_object_set_new(object, "facts", json_boolean(result->search.facts));
    json_object_set_new(object, "evaluated",
                        json_integer((json_int_t)result->search.result.trial_count));
    json_object_set_new(object, "exhausted", json_boolean(result->search.result.exhausted));
    json_object_set_new(object, "compiled", json_integer((json_int_t)result->counts.compiled));
    json_object_set_new(object, "run", json_integer((json_int_t)result->counts.run));
    json_object_set_new(object, "reused", json_integer((json_int_t)result->counts.reused));
    json_object_set_new(object, "dropped", json_integer((json_int_t)result->counts.dropped));
    json_object_set_new(object, "seeds_from_database",
                        json_integer((json_int_t)result->seeds.from_database));
    json_object_set_new(object, "seeds_from_predictor",
                        json_integer((json_int_t)result->seeds.from_predictor));
    json_object_set_new(object, "seeds_from_times",
                        json_integer((json_int_t)result->seeds.from_times));
    json_object_set_new(object, "predictor_refused", ht_report_json_text(result->seeds.refused));
    json_object_set_new(object, "sources", earlier_json(&result->earlier));
    json_object_set_new(object, "sources_likely",
                        number_json(result->earlier.count > 0, result->earlier.likely));
    json_object_set_new(object, "sources_unused", ht_report_json_text(result->earlier.unused.data));
    json_object_set_new(object, "rejected", rejections_json(result, false));
    json_object_set_new(object, "rejected_examples", rejections_json(result, true));
    json_object_set_new(object, "seconds", json_real(result->seconds));
}

static void timing_members(json_t *object, const ht_pair_result *result) {
    bool known = result->times.known;
    json_object_set_new(object, "original_ms",
                        number_json(known, result->times.original.median_ms));
    json_object_set_new(
        object, "original_ci",
        ht_interval_json(known, result->times.original.lo_ms, result->times.original.hi_ms));
    json_object_set_new(object, "tuned_ms", number_json(known, result->times.tuned.median_ms));
    json_object_set_new(
        object, "tuned_ci",
        ht_interval_json(known, result->times.tuned.lo_ms, result->times.tuned.hi_ms));
    json_object_set_new(object, "speedup", number_json(known, result->times.speedup));
    json_object_set_new(
        object, "speedup_ci",
        ht_interval_json(known, result->times.speedup_lo, result->times.speedup_hi));
}

static json_t *confirmation_json(const ht_confirmation *made) {
    if (!made->made)
        return json_null();
    return json_pack("{s:f, s:o, s:I}", "speedup", made->speedup, "speedup_ci",
                     ht_interval_json(true, made->speedup_lo, made->speedup_hi), "rounds",
                     (json_int_t)made->timing.samples);
}

static json_t *ablation_json(const ht_entry *entry) {
    json_t *rows = json_array();
    for (size_t i = 0; i < entry->result.ablation.count; ++i) {
        const ht_ablation_row *row = &entry->result.ablation.rows[i];
        json_t *object = json_pack("{s:s, s:b, s:I, s:I}", "transformation", row->transformation,
                                   "used", row->used, "seen", (json_int_t)row->seen, "measured",
                                   (json_int_t)row->measured);
        json_object_set_new(object, "ms", number_json(row->found, row->cost));
        json_object_set_new(object, "ratio", number_json(row->found, row->ratio));
        json_object_set_new(object, "config",
                            row->found ? ht_config_json(entry->template, &row->config)
                                       : json_null());
        json_array_append_new(rows, object);
    }
    return rows;
}

/* The finalist that is not plain and faster than what stays; null: there is none. */
static json_t *freer_json(const ht_entry *entry) {
    const ht_candidate *freer = ht_pair_result_freer(&entry->result);
    if (!freer)
        return json_null();
    char *forms = ht_style_forms(entry->template, &freer->config);
    json_t *object =
        json_pack("{s:o, s:f, s:o, s:o}", "config", ht_config_json(entry->template, &freer->config),
                  "speedup", freer->final.speedup, "speedup_ci",
                  ht_interval_json(true, freer->final.speedup_lo, freer->final.speedup_hi), "form",
                  ht_report_json_text(forms));
    free(forms);
    return object;
}

/* The fastest plain finalist where the winner is not plain; null: there is none. */
static json_t *plain_json(const ht_entry *entry) {
    const ht_candidate *plain = ht_pair_result_plain(&entry->result);
    char *forms = plain ? ht_style_forms(entry->template, &entry->result.config) : NULL;
    if (!forms)
        return json_null();
    free(forms);
    return json_pack("{s:o, s:f, s:o}", "config", ht_config_json(entry->template, &plain->config),
                     "speedup", plain->final.speedup, "speedup_ci",
                     ht_interval_json(true, plain->final.speedup_lo, plain->final.speedup_hi));
}

json_t *ht_entry_json(const ht_entry *entry, const ht_device *device) {
    const ht_pair_result *result = &entry->result;
    if (entry->earlier) {
        json_t *row = json_deep_copy(json_object_get(entry->earlier, "row"));
        json_object_set(row, "earlier", json_object_get(entry->earlier, "when"));
        return row;
    }
    json_t *object = json_pack("{s:o, s:o, s:i}", "name", ht_report_json_text(entry->name), "file",
                               ht_report_json_text(entry->file), "line", entry->line);
    json_object_set_new(object, "problem", ht_report_json_text(entry->problem));
    json_object_set_new(object, "problem_fields", ht_report_json_text(entry->fields));
    json_object_set_new(object, "problem_origin", ht_report_json_text(entry->problem_origin));
    json_object_set_new(object, "device", json_string(device->name));
    json_object_set_new(object, "emulated", json_boolean(device->emulated));
    json_object_set_new(object, "timing", json_string(timing_name(device)));
    json_object_set_new(object, "status", json_string(ht_verdict_name(result->verdict)));
    json_object_set_new(object, "earlier", json_null());
    json_object_set_new(object, "verified", json_boolean(result->verified));
    json_object_set_new(object, "reason", ht_report_json_text(result->reason));
    json_object_set_new(object, "reason_line",
                        entry->reason_line ? json_integer(entry->reason_line) : json_null());
    json_object_set_new(object, "doubt", ht_report_json_text(entry->doubt));
    timing_members(object, result);
    json_object_set_new(object, "config",
                        result->has_config ? ht_config_json(entry->template, &result->config)
                                           : json_object());
    json_object_set_new(object, "confirmation", confirmation_json(&result->times.confirmation));
    bool improved = result->verdict == HT_VERDICT_IMPROVED;
    const ht_candidate *rival = ht_pair_result_rival(result);
    json_object_set_new(object, "choice",
                        improved ? json_string(rival ? "unclear" : "clear") : json_null());
    json_object_set_new(object, "rival",
                        rival ? ht_config_json(entry->template, &rival->config) : json_null());
    json_object_set_new(object, "freer", freer_json(entry));
    json_object_set_new(object, "plain", plain_json(entry));
    kernels_add(object, entry->template);
    search_members(object, result);
    json_object_set_new(object, "ablation", ablation_json(entry));
    json_object_set_new(object, "elsewhere",
                        entry->elsewhere.count ? ht_elsewhere_json(&entry->elsewhere)
                                               : json_null());
    json_object_set_new(object, "dispatch_refused", ht_report_json_text(entry->elsewhere.refused));
    json_t *transformations = json_array();
    for (size_t i = 0; i < entry->transformation_count; ++i)
        json_array_append_new(transformations, json_string(entry->transformations[i]));
    json_object_set_new(object, "transformations", transformations);
    const ht_candidate *source = ht_written_current(entry);
    json_object_set_new(object, "template_speedup",
                        number_json(source != NULL, source ? source->final.speedup : 0));
    json_object_set_new(object, "written",
                        entry->written_checked ? ht_written_proof_json(&entry->written)
                                               : json_null());
    json_object_set_new(object, "tuned_file", ht_report_json_text(entry->tuned_file));
    json_object_set_new(object, "patch_file", ht_report_json_text(entry->patch_file));
    json_object_set_new(object, "patch_folder", ht_report_json_text(entry->patch_folder));
    json_object_set_new(object, "template_file", ht_report_json_text(entry->template_file));
    json_object_set_new(object, "launcher_file", ht_report_json_text(entry->launcher_file));
    json_object_set_new(object, "skeleton_file", ht_report_json_text(entry->skeleton_file));
    json_object_set_new(object, "problem_file", ht_report_json_text(entry->problem_file));
    return object;
}
