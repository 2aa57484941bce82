/* Parameters apart from parsing. */
#include "templates/annotations/param_parse.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_param_clear(ht_param *param) {
    for (size_t i = 0; i < param->value_count; ++i)
        free(param->values[i].text);
    free(param->values);
    free(param->name);
    free(param->origin);
    *param = (ht_param){0};
}

void ht_param_copy(const ht_param *param, ht_param *out_copy) {
    *out_copy = *param;
    out_copy->name = ht_strdup(param->name);
    out_copy->origin = param->origin ? ht_strdup(param->origin) : NULL;
    out_copy->values = ht_alloc(param->value_count, sizeof *param->values);
    for (size_t i = 0; i < param->value_count; ++i) {
        out_copy->values[i].number = param->values[i].number;
        out_copy->values[i].text = ht_strdup(param->values[i].text);
    }
}

bool ht_param_equal(const ht_param *a, const ht_param *b) {
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->binding != b->binding ||
        a->value_count != b->value_count || a->default_index != b->default_index ||
        !a->origin != !b->origin || (a->origin && strcmp(a->origin, b->origin) != 0))
        return false;
    for (size_t i = 0; i < a->value_count; ++i)
        if (a->values[i].number != b->values[i].number ||
            strcmp(a->values[i].text, b->values[i].text) != 0)
            return false;
    return true;
}

/* Returns how many values from `first` on go up by one each. */
static size_t run_length(const ht_param *param, size_t first) {
    size_t length = 1;
    while (first + length < param->value_count &&
           param->values[first + length - 1].number < INT64_MAX &&
           param->values[first + length].number == param->values[first + length - 1].number + 1)
        ++length;
    return length;
}

void ht_param_print(const ht_param *param, ht_text *out) {
    ht_text_printf(out, "%s : %s", param->name, param->kind == HT_PARAM_TYPE ? "type " : "");
    for (size_t i = 0; i < param->value_count;) {
        size_t run = param->kind == HT_PARAM_INTEGER ? run_length(param, i) : 1;
        ht_text_printf(out, "%s%s", i ? ", " : "", param->values[i].text);
        if (run > 2)
            ht_text_printf(out, "..%s", param->values[i + run - 1].text);
        i += run > 2 ? run : 1;
    }
    ht_text_printf(out, " = %s", param->values[param->default_index].text);
}

bool ht_param_is_from(const ht_param *param, const char *transformation) {
    return param->origin && (!transformation || strcmp(param->origin, transformation) == 0);
}

bool ht_config_equal(const ht_config *a, const ht_config *b) {
    return a->count == b->count && !memcmp(a->choice, b->choice, a->count * sizeof *a->choice);
}
