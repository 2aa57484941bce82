#include "loop/known.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A template that somebody proposed is of no file. */
static bool is_of_same_file(const ht_revision *a, const ht_revision *b) {
    bool proposed = a->action == HT_ACTION_TEMPLATE || b->action == HT_ACTION_TEMPLATE;
    return a->template_text && b->template_text && !proposed &&
           strcmp(a->base ? a->base : "", b->base ? b->base : "") == 0;
}

static bool row_read(const json_t *row, const ht_template *template, ht_trial *out_trial) {
    const char *config = json_string_value(json_array_get(row, 0));
    const json_t *cost = json_array_get(row, 1);
    *out_trial =
        (ht_trial){.outcome = {.status = json_is_number(cost) ? HT_OK : HT_ERROR_UNSUPPORTED,
                               .cost = json_number_value(cost),
                               .reused = true}};
    return config && ht_config_parse(template, config, &out_trial->config, NULL) == HT_OK;
}

void ht_known_list(const ht_history *history, const ht_revision *like, const ht_template *template,
                   const char *template_text, bool any, ht_known *out_known) {
    *out_known = (ht_known){0};
    for (size_t i = 1; i < history->count; ++i) {
        const ht_revision *item = &history->items[i];
        if (!is_of_same_file(item, like))
            continue;
        const size_t before = out_known->count;
        for (size_t k = 0; k < json_array_size(item->tried); ++k) {
            HT_GROW(out_known->trials, out_known->count);
            out_known->count += row_read(json_array_get(item->tried, k), template,
                                         &out_known->trials[out_known->count]);
        }
        if (item->any == any && strcmp(item->template_text, template_text) == 0)
            out_known->same += out_known->count - before;
    }
}

void ht_known_free(ht_known *known) {
    free(known->trials);
    *known = (ht_known){0};
}
