#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <ctype.h>
#include <string.h>

static size_t past_blank(const char *text, size_t at, size_t end) {
    while (at < end) {
        if (isspace((unsigned char)text[at])) {
            ++at;
        } else if (text[at] == '/' && text[at + 1] == '/') {
            while (at < end && text[at] != '\n')
                ++at;
        } else if (text[at] == '/' && text[at + 1] == '*') {
            const char *close = strstr(text + at + 2, "*/");
            at = close ? (size_t)(close - text) + 2 : end;
        } else
            break;
    }
    return at;
}

size_t ht_statement_end(const ht_coarsen *c, const ht_syntax *node) {
    switch (node->kind) {
    case HT_SYNTAX_COMPOUND:
        return node->range.end;
    case HT_SYNTAX_IF:
        return ht_statement_end(c, node->children[2] ? node->children[2] : node->children[1]);
    case HT_SYNTAX_FOR:
    case HT_SYNTAX_WHILE:
    case HT_SYNTAX_SWITCH:
    case HT_SYNTAX_CASE:
        return ht_statement_end(c, node->children[node->count - 1]);
    default:
        break;
    }
    const char *text = c->model->text;
    if (node->range.end > 0 && text[node->range.end - 1] == ';')
        return node->range.end;
    size_t at = past_blank(text, node->range.end, c->model->definition.body_range.end);
    return at < c->model->definition.body_range.end && text[at] == ';' ? at + 1 : node->range.end;
}

/* Includes a comment after the statement on the same line. */
size_t ht_statement_tail(const ht_coarsen *c, const ht_syntax *node) {
    const char *text = c->model->text;
    size_t end = ht_statement_end(c, node), at = end;
    while (text[at] == ' ' || text[at] == '\t')
        ++at;
    if (text[at] == '/' && text[at + 1] == '/') {
        while (text[at] && text[at] != '\n')
            ++at;
        return at;
    }
    if (text[at] == '/' && text[at + 1] == '*') {
        const char *close = strstr(text + at, "*/");
        const char *line = strchr(text + at, '\n');
        if (close && line && close < line)
            return (size_t)(close - text) + 2;
    }
    return end;
}

const ht_syntax *ht_statement_of(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_VARIABLE ? node->parent : node;
}

size_t ht_statement_lead(const ht_coarsen *c, const ht_syntax *node) {
    node = ht_statement_of(node);
    const ht_syntax *parent = node->parent;
    if (!parent || parent->kind != HT_SYNTAX_COMPOUND)
        return node->range.begin;
    for (size_t i = 1; i < parent->count; ++i)
        if (parent->children[i] == node)
            return ht_statement_tail(c, parent->children[i - 1]);
    return parent->range.begin + 1;
}

int ht_statement_entered(const ht_coarsen *c, const ht_syntax *node) {
    int count = 0;
    const char *text = c->model->text;
    for (const ht_syntax *up = node->parent; up; up = up->parent)
        count += c->marks[up->index].entered &&
                 memchr(text + up->range.begin, '\n', node->range.begin - up->range.begin) != NULL;
    return count;
}

bool ht_declaration_is_whole(const ht_coarsen *c, const ht_syntax *item) {
    ht_syntax_list variables;
    size_t count = ht_syntax_variables(item, &variables);
    if (item->kind == HT_SYNTAX_VARIABLE && item->parent->count > 1)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (!c->marks[variables[i]->index].apart || c->values[variables[i]->variable].array)
            return false;
    return true;
}
