#include "runtime/verify/verify_template.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void ht_verify_tolerate(ht_template *template, bool exact) {
    ht_text text = {0};
    template->exact = exact;
    ht_template_print(template, &text);
    for (const char *at = template->unit, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        end += *end == '\n';
        bool annotation = strncmp(at, "#pragma tune ", 13) == 0;
        ht_text_append_n(&text, annotation ? "\n" : at, annotation ? 1 : (size_t)(end - at));
    }
    free(template->unit);
    template->unit = ht_text_take(&text);
}

static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

ht_template *ht_verify_keep_order(const ht_template *template, const char *list) {
    ht_template *copy = ht_template_copy(template);
    for (size_t i = 0; i < copy->param_count; ++i) {
        ht_param *param = &copy->params[i];
        if (!is_listed(list, param->name))
            continue;
        ht_param_value first = param->values[0];
        param->values[0] = param->values[param->default_index];
        param->values[param->default_index] = first;
        param->default_index = 0;
        while (param->value_count > 1)
            free(param->values[--param->value_count].text);
    }
    return copy;
}

static bool is_float_output(const ht_arg *arg) {
    return (arg->role == HT_ARG_OUT || arg->role == HT_ARG_INOUT) &&
           ht_text_begins(arg->type, "float");
}

ht_template *ht_verify_any_order(const ht_template *template) {
    ht_template *copy = ht_template_copy(template);
    bool floats = false;
    for (size_t i = 0; i < copy->arg_count; ++i)
        floats = floats || is_float_output(&copy->args[i]);
    if (floats && copy->tolerance == HT_TOLERANCE_DEFAULT)
        copy->tolerance = HT_TOLERANCE_SUMS;
    return copy;
}

void ht_verify_reorder(const ht_template *template, const ht_template *ordered, ht_config *config) {
    for (size_t i = 0; i < template->param_count && i < config->count; ++i)
        if (ordered->params[i].value_count < template->params[i].value_count)
            config->choice[i] = (uint16_t)template->params[i].default_index;
}
