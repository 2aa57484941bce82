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

ht_template *ht_verify_keep_order(const ht_template *template, const char *list) {
    ht_template *copy = ht_template_copy(template);
    for (size_t i = 0; i < copy->param_count; ++i) {
        size_t length = strlen(copy->params[i].name);
        for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
            if (strcspn(at, ",") == length && memcmp(at, copy->params[i].name, length) == 0 &&
                copy->params[i].default_index == 0)
                copy->params[i].value_count = 1;
    }
    return copy;
}
