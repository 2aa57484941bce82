#include "cli/reports/model_report.h"

#include "cli/reports/entry_report.h"
#include "cli/reports/rank_report.h"

#include <stdlib.h>

void ht_model_result_print(const ht_entry *entry, const ht_model_result *result,
                           char *const files[HT_MODEL_CHOICES], FILE *out) {
    static const char *const words[HT_MODEL_CHOICES] = {"best", "next best"};
    char *label = ht_entry_label(entry);
    fprintf(out, "%s: %zu configurations compiled", label, result->search.result.trial_count);
    if (result->space.size)
        fprintf(out, " of %llu legal", (unsigned long long)result->space.size);
    fprintf(out, ", %zu predicted\n", result->predicted);
    if (result->space.left_out)
        fprintf(out, "  kept at their defaults, as the space is too large: %s\n",
                result->space.left_out);
    if (result->reason)
        fprintf(out, "  nothing chosen: %s\n", result->reason);
    else
        fprintf(out, "  %s: %.4g ms, predicted, not measured (%s)\n",
                result->original_known ? "original" : "default", 1e3 * result->original.seconds,
                ht_gpu_term_words(result->original.bottleneck));
    for (size_t i = 0; i < result->count && i < HT_MODEL_CHOICES; ++i) {
        const ht_model_choice *choice = &result->choices[i];
        char *config = ht_config_brief(entry->template, &choice->config);
        fprintf(out, "  %s: %.4g ms, %.3gx, predicted, not measured (%s); verified on the host\n",
                words[i], 1e3 * choice->time.seconds, choice->speedup,
                ht_gpu_term_words(choice->time.bottleneck));
        fprintf(out, "    %s\n    %s\n", config, files[i] ? files[i] : "not written");
        free(config);
    }
    if (result->refused && result->count)
        fprintf(out, "  faster ones that were not verified: %zu; the first: %s\n", result->refused,
                result->first_why);
    fputc('\n', out);
    free(label);
}

json_t *ht_model_result_json(const ht_entry *entry, const ht_model_result *result,
                             char *const files[HT_MODEL_CHOICES]) {
    json_t *choices = json_array();
    bool known = !(result->original.seconds != result->original.seconds);
    for (size_t i = 0; i < result->count; ++i) {
        const ht_model_choice *choice = &result->choices[i];
        json_array_append_new(choices,
                              json_pack("{s:o, s:o, s:f, s:b, s:o}", "config",
                                        ht_config_json(entry->template, &choice->config),
                                        "predicted", ht_predicted_json(&choice->time, i + 1),
                                        "predicted_speedup", choice->speedup, "verified", true,
                                        "file", ht_report_json_text(files[i])));
    }
    return json_pack(
        "{s:s, s:o, s:s, s:o, s:i, s:i, s:o, s:b, s:o, s:i, s:o}", "kernel", entry->name, "problem",
        ht_report_json_text(entry->problem), "problem_fields", entry->fields, "legal",
        result->space.size ? json_integer((json_int_t)result->space.size) : json_null(), "compiled",
        (int)result->search.result.trial_count, "predicted", (int)result->predicted, "original",
        known ? ht_predicted_json(&result->original, 0) : json_null(), "original_is_default",
        known && !result->original_known, "choices", choices, "refused", (int)result->refused,
        "reason", ht_report_json_text(result->reason));
}
