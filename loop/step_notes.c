#include "loop/step_notes.h"

#include "base/memory.h"
#include "base/text.h"
#include "loop/widen.h"
#include "pipeline/report.h"

#include <stdlib.h>

/* Returns the forms that the template has parameters for; NULL: there are none; free(). */
static char *forms_of(const ht_template *template) {
    ht_text text = {0};
    for (size_t i = 0; i < template->param_count; ++i)
        if (template->params[i].form)
            ht_text_printf(&text, "%s%s (%s)", text.length ? ", " : "", template->params[i].form,
                           template->params[i].name);
    return text.length ? ht_text_take(&text) : NULL;
}

static json_t *tried_json(const ht_search_result *search, const ht_template *template) {
    json_t *rows = json_array();
    for (size_t i = 0; i < search->trial_count; ++i) {
        const ht_trial *trial = &search->trials[i];
        char *config = ht_config_string(template, &trial->config);
        bool ran = trial->outcome.status == HT_OK;
        json_array_append_new(
            rows, json_pack("[s, o]", config, ran ? json_real(trial->outcome.cost) : json_null()));
        free(config);
    }
    return rows;
}

static json_t *rejections_json(const ht_rejection_list *rejections) {
    json_t *rows = json_array();
    for (size_t i = 0; i < rejections->count; ++i)
        json_array_append_new(rows, json_pack("{s:s, s:I, s:o}", "status",
                                              ht_status_name(rejections->items[i].status), "count",
                                              (json_int_t)rejections->items[i].count, "example",
                                              ht_report_json_text(rejections->items[i].example)));
    return rows;
}

/* The worth of each transformation, where the search has measured it. */
static json_t *worth_json(const ht_ablation *ablation) {
    json_t *rows = json_array();
    for (size_t i = 0; i < ablation->count; ++i) {
        const ht_ablation_row *row = &ablation->rows[i];
        if (row->used && row->found)
            json_array_append_new(rows, json_pack("{s:s, s:f}", "transformation",
                                                  row->transformation, "without", row->ratio));
    }
    return rows;
}

/* Transformations that were missed, and why. */
static json_t *missed_json(const ht_kernel *kernel) {
    json_t *rows = json_array();
    for (size_t i = 0; kernel && i < kernel->remark_count; ++i) {
        const ht_remark *remark = &kernel->remarks[i];
        if (remark->kind == HT_REMARK_MISSED && remark->transformation)
            json_array_append_new(rows, json_pack("{s:s, s:i, s:o}", "transformation",
                                                  remark->transformation, "line", remark->line,
                                                  "reason", ht_report_json_text(remark->message)));
    }
    return rows;
}

static json_t *profile_json(const ht_pair_result *result, const ht_kernel *kernel) {
    /* nothing that hangs on what the database had already: a step done again is the same */
    json_t *profile =
        json_pack("{s:I, s:s, s:s}", "space", (json_int_t)result->space.size, "strategy",
                  result->search.strategy, "reference", result->reference ? result->reference : "");
    json_object_set_new(profile, "rejected", rejections_json(&result->rejections));
    json_object_set_new(profile, "worth", worth_json(&result->ablation));
    json_object_set_new(profile, "missed", missed_json(kernel));
    return profile;
}

void ht_notes_take(const ht_pair_result *result, const ht_template *template,
                   const ht_kernel *kernel, ht_revision *revision) {
    revision->evaluations = result->search.result.trial_count;
    revision->tried = tried_json(&result->search.result, template);
    revision->exhausted = result->search.result.exhausted;
    revision->held_back = revision->any ? NULL : forms_of(template);
    revision->finding = result->reason ? ht_strdup(result->reason) : NULL;
    revision->profile = profile_json(result, kernel);
}

void ht_notes_winner_take(const ht_pair_result *result, const ht_template *template,
                          ht_revision *revision) {
    const ht_pair_times *times = &result->times;
    if (times->known) {
        revision->original_ms = times->original.median_ms;
        revision->best_ms = times->tuned.median_ms;
    }
    revision->speedup =
        result->verdict == HT_VERDICT_IMPROVED ? ht_gain_of(times) : (ht_gain_interval){0};
    if (result->has_config) {
        free(revision->config);
        free(revision->edges);
        revision->config = ht_config_string(template, &result->config);
        revision->edges = ht_widen_edges(template, &result->config);
    }
}
