#include "refactor/transformations/coarsen/coarsen_state.h"
#include "base/memory.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/plan/plan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_coarsen_tree(ht_coarsen *c) {
    const ht_syntax_tree *tree = ht_syntax_of(c->model);
    ht_position at;
    const char *why = ht_syntax_unknown(tree, c->meets, &at);
    if (why) {
        ht_coarsen_refuse(c, at, "%s", why);
        return;
    }
    c->tree = tree;
    c->marks = ht_alloc(tree->count + 1, sizeof *c->marks);
    c->values = ht_alloc(tree->variable_count + 1, sizeof *c->values);
}

void ht_coarsen_free(ht_coarsen *c) {
    free(c->marks);
    free(c->values);
    free(c->apart_reason);
    free(c->names.apart);
    free(c->names.offset);
}

void ht_coarsen_refuse(ht_coarsen *c, ht_position place, const char *format, ...) {
    if (c->refused)
        return;
    c->refused = true;
    va_list arguments;
    va_start(arguments, format);
    char *message = ht_format_list(format, arguments);
    va_end(arguments);
    ht_plan_remark_place(c->plan, HT_REMARK_MISSED, place, "%s", message);
    free(message);
}

void ht_coarsen_set_reason(ht_coarsen *c, ht_position place, const char *format, ...) {
    if (c->apart_reason)
        return;
    va_list arguments;
    va_start(arguments, format);
    c->apart_reason = ht_format_list(format, arguments);
    va_end(arguments);
    c->apart_place = place;
}

bool ht_coarsen_has_directives(const ht_model *model) {
    const char *text = model->text;
    for (size_t at = model->definition.body_range.begin; at < model->definition.body_range.end;
         ++at) {
        if (text[at] != '#')
            continue;
        size_t line = ht_blank_begin(text, at);
        size_t word = at + 1 + strspn(text + at + 1, " \t");
        if (text[line - 1] == '\n' && isalpha((unsigned char)text[word]) &&
            strncmp(text + word, "pragma", 6) != 0)
            return true;
    }
    return false;
}
