#include "pipeline/style.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/ablation.h"
#include "refactor/transformations/transformations.h"

#include <stdlib.h>
#include <string.h>

static const double worth_of_size = 1.1;

ht_status ht_style_read(const char *word, bool *out_any, ht_error *error) {
    *out_any = strcmp(word, "any") == 0;
    if (*out_any || strcmp(word, "plain") == 0)
        return HT_OK;
    return ht_error_set(error, HT_ERROR_INPUT, "option --style: '%s' is neither plain nor any",
                        word);
}

char *ht_style_forms(const ht_template *template, const ht_config *config) {
    ht_text text = {0};
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (param->form && config->choice[i] != param->default_index)
            ht_text_printf(&text, "%s%s (%s)", text.length ? ", " : "", param->form, param->name);
    }
    return text.length ? ht_text_take(&text) : NULL;
}

ht_template *ht_style_plain(const ht_template *template) {
    bool fixed[HT_PARAM_MAX] = {false}, any = false;
    for (size_t i = 0; i < template->param_count && i < HT_PARAM_MAX; ++i) {
        fixed[i] = template->params[i].form != NULL;
        any = any || fixed[i];
    }
    return any ? ht_template_fix(template, fixed) : NULL;
}

bool ht_style_is_for_size(const ht_template *template, const ht_config *config) {
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        const ht_searched *from = ht_searched_of(param->origin);
        if (from && from->is_foundation && config->choice[i] != param->default_index)
            return true;
    }
    return false;
}

size_t ht_style_best(const ht_template *template, const ht_search_result *result, size_t want,
                     size_t *out_indices) {
    size_t cheapest;
    if (!ht_search_result_best(result, 1, &cheapest) ||
        !ht_style_is_for_size(template, &result->trials[cheapest].config))
        return ht_search_result_best(result, want, out_indices);
    size_t *all = ht_alloc(result->trial_count + 1, sizeof *all);
    size_t count = ht_search_result_best(result, result->trial_count, all), general = 0, kept = 0;
    while (general < count && ht_style_is_for_size(template, &result->trials[all[general]].config))
        ++general;
    bool dear = general < count && result->trials[all[general]].outcome.cost <
                                       worth_of_size * result->trials[cheapest].outcome.cost;
    for (size_t i = 0; i < count && kept < want; ++i)
        if (!dear || !ht_style_is_for_size(template, &result->trials[all[i]].config))
            out_indices[kept++] = all[i];
    free(all);
    return kept;
}
