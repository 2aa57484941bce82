#include "refactor/kernel/expression.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/syntax.h"
#include "refactor/kernel/syntax_value.h"
#include "templates/expr/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 40, LENGTH_MAX = 4000 };

typedef struct writing {
    ht_word_of *word;
    const void *context;
    ht_text *out;
} writing;

static bool write_expression(const writing *in, const ht_syntax *node, int depth);

const char *ht_argument_name(const ht_model *model, size_t index) {
    const ht_problem_entry *entry = model->entry;
    if (index >= model->parameters.count || !model->parameters.items[index].is_integer)
        return NULL;
    if (!entry)
        return model->parameters.items[index].name[0] ? model->parameters.items[index].name : NULL;
    for (size_t i = 0; i < entry->arg_count; ++i) {
        if (!ht_arg_is_passed(&entry->args[i]))
            continue;
        if (index-- == 0)
            return entry->args[i].role == HT_ARG_SCALAR && entry->args[i].value_count == 1
                       ? entry->args[i].name
                       : NULL;
    }
    return NULL;
}

static bool write_variable(const writing *in, const ht_syntax_variable *variable, int depth) {
    const ht_model *model = variable->tree->model;
    const ht_parameter *parameter = variable->parameter;
    if (parameter) {
        const char *name = ht_argument_name(model, (size_t)(parameter - model->parameters.items));
        if (!parameter->is_integer || parameter->is_assigned || !name)
            return false;
        ht_text_append(in->out, name);
        return true;
    }
    const ht_syntax *value = ht_syntax_fixed(variable);
    return value && write_expression(in, value, depth + 1);
}

/* Returns the structure's argument of the index-th parameter; NULL: there is none. */
static const ht_arg *structure_of(const ht_problem_entry *entry, size_t index) {
    for (size_t i = 0; i < entry->arg_count; ++i)
        if (ht_arg_is_passed(&entry->args[i]) && index-- == 0)
            return entry->args[i].is_struct ? &entry->args[i] : NULL;
    return NULL;
}

/* Writes p.n of a structure that is an argument, which no thread changes. */
static bool write_field(const ht_syntax *node, ht_text *out) {
    const ht_parameter *parameter;
    const ht_problem_entry *entry = node->tree->model->entry;
    char *path = ht_syntax_field(node, &parameter), *name = NULL;
    const ht_arg *field = NULL, *structure = NULL;
    if (path && entry)
        structure = structure_of(entry, (size_t)(parameter - node->tree->model->parameters.items));
    if (structure)
        name = ht_format("%s.%s", structure->name, path);
    for (size_t i = 0; name && i < entry->arg_count; ++i)
        if (strcmp(entry->args[i].name, name) == 0)
            field = &entry->args[i];
    bool known = field && field->role == HT_ARG_SCALAR && field->value_count == 1 &&
                 ht_type_integral(field->type);
    if (known)
        ht_text_append(out, name);
    free(name);
    free(path);
    return known;
}

/* Writes "BEGIN a BETWEEN b)". */
static bool write_both(const writing *in, const ht_syntax *left, const ht_syntax *right,
                       const char *begin, const char *between, int depth) {
    ht_text_append(in->out, begin);
    if (!write_expression(in, left, depth + 1))
        return false;
    ht_text_append(in->out, between);
    if (!write_expression(in, right, depth + 1))
        return false;
    ht_text_append(in->out, ")");
    return true;
}

/* Writes an expression that is no constant. */
static bool write_parts(const writing *in, const ht_syntax *node, int depth) {
    const ht_syntax *left, *right;
    int op;
    if (node->type != HT_TYPE_INTEGER && node->type != HT_TYPE_BOOL)
        return false;
    if (node->kind == HT_SYNTAX_MEMBER)
        return write_field(node, in->out);
    if (ht_syntax_named(node))
        return write_variable(in, ht_syntax_named(node), depth);
    if (ht_syntax_binary(node, &op, &left, &right)) {
        char between[8];
        snprintf(between, sizeof between, " %s ", ht_operator_text(op) ? ht_operator_text(op) : "");
        return op >= HT_BINARY_MUL && op <= HT_BINARY_SHR &&
               write_both(in, left, right, "(", between, depth);
    }
    bool least = ht_syntax_calls(node, "min");
    return (least || ht_syntax_calls(node, "max")) && node->op == 2 &&
           write_both(in, node->children[0], node->children[1], least ? "min(" : "max(", ", ",
                      depth);
}

static bool write_expression(const writing *in, const ht_syntax *expression, int depth) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    int64_t value;
    if (depth > DEPTH_MAX || in->out->length > LENGTH_MAX)
        return false;
    ht_word word = in->word ? in->word(node, in->context, in->out) : HT_WORD_NONE;
    if (word == HT_WORD_WRITTEN || word == HT_WORD_UNKNOWN)
        return word == HT_WORD_WRITTEN;
    if (word == HT_WORD_PARTS || !ht_syntax_constant(expression, &value))
        return write_parts(in, node, depth);
    ht_text_printf(in->out, value < 0 ? "(%lld)" : "%lld", (long long)value);
    return true;
}

char *ht_syntax_expression_with(const ht_syntax *node, ht_word_of *word, const void *context) {
    ht_text text = {0};
    const writing in = {word, context, &text};
    if (write_expression(&in, node, 0))
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

char *ht_syntax_expression(const ht_syntax *node) {
    return ht_syntax_expression_with(node, NULL, NULL);
}
