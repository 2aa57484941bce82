#include "pipeline/tuned_comment.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/comment.h"

#include <stdlib.h>

char *ht_gain_words(const ht_gain *gain) {
    return ht_format("%.2fx [%.2f, %.2f] for %s%s%s", gain->speedup, gain->lo, gain->hi,
                     *gain->fields ? gain->fields : "the only size",
                     gain->emulated ? ", measured in host emulation, not on a GPU" : " on ",
                     gain->emulated ? "" : gain->device);
}

char *ht_tuned_comment(const ht_template *template, const ht_config *config, const char *gain) {
    ht_text text = {0};
    ht_text_append(&text, HT_COMMENT_FRONT " " HT_VERSION ":");
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (config->choice[i] != param->default_index)
            ht_text_printf(&text, " %s=%s", param->name, param->values[config->choice[i]].text);
    }
    if (gain)
        ht_text_printf(&text, "; %s", gain);
    return ht_text_take(&text);
}
