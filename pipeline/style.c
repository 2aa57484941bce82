#include "pipeline/style.h"

#include "base/text.h"
#include "pipeline/ablation.h"

#include <string.h>

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
