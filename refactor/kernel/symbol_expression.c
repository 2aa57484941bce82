#include "refactor/kernel/symbol_expression.h"

#include "refactor/kernel/expression.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/symbol.h"
#include "refactor/source/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct translation {
    const ht_model *model;
    const ht_launch_site *site; /* may be NULL */
    ht_text *missing;
    ht_text *own; /* names of variables whose values are the problem's; may be NULL */
    int depth;
} translation;

static bool write_symbol(translation *in, const ht_symbol *symbol, ht_text *out);

const ht_host_value *ht_symbol_host_value(const ht_model *model, const char *name) {
    const ht_problem_entry *entry = model->entry;
    for (size_t i = 0; entry && i < entry->host_count; ++i)
        if (strcmp(entry->host[i].name, name) == 0)
            return &entry->host[i];
    const char *dot = strrchr(name, '.');
    return dot ? ht_symbol_host_value(model, dot + 1) : NULL; /* of a field, by its own name */
}

static bool is_field(const ht_model *model, const char *name) {
    const ht_problem_entry *entry = model->entry;
    for (size_t i = 0; entry && i < entry->spec.field_count; ++i)
        if (strcmp(entry->spec.fields[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the kernel's argument for which the launch passes the same variable, or the same field of
 * the same variable; NULL: there is none. */
static const char *passed_as(const translation *in, const ht_symbol *symbol) {
    for (size_t i = 0; in->site && i < in->site->argument_count; ++i) {
        CXCursor argument = ht_ast_strip(in->site->arguments[i], true);
        bool same;
        if (clang_Cursor_isNull(symbol->base))
            same = clang_equalCursors(ht_ast_variable(argument), symbol->declaration);
        else
            same = clang_getCursorKind(argument) == CXCursor_MemberRefExpr &&
                   clang_equalCursors(clang_getCursorReferenced(argument), symbol->declaration) &&
                   clang_equalCursors(ht_ast_variable(ht_ast_child(argument, 0)), symbol->base);
        if (same)
            return ht_argument_name(in->model, i);
    }
    return NULL;
}

static void note_own(translation *in, const char *name) {
    if (in->own)
        ht_text_printf(in->own, "%s\n", name);
}

static void note_missing(translation *in, const char *name, int line) {
    if (!in->missing)
        return;
    if (in->missing->length)
        ht_text_append(in->missing, "; ");
    ht_text_printf(in->missing, "the value of '%s' (line %d) in the launch", name, line);
}

/* Notes an unknown value: by its name, or, if it has none, as the author wrote it. Text that a
 * macro makes is not quoted. */
static void note_unknown(translation *in, const ht_symbol *symbol) {
    char *quoted = ht_source_quote(in->model->facts->source, symbol->written);
    if (symbol->name && symbol->name[0])
        note_missing(in, symbol->name, symbol->line);
    else if (in->missing)
        ht_text_printf(in->missing, "%sthe value of %s (line %d) in the launch",
                       in->missing->length ? "; " : "", quoted ? quoted : "what a macro computes",
                       symbol->line);
    free(quoted);
}

/* Writes the symbol and returns true, or leaves `out` and `missing` as they were. */
static bool attempt(translation *in, const ht_symbol *symbol, ht_text *out) {
    size_t length = out->length, missing = in->missing ? in->missing->length : 0;
    if (write_symbol(in, symbol, out))
        return true;
    out->data[out->length = length] = 0;
    if (in->missing && in->missing->data)
        in->missing->data[in->missing->length = missing] = 0;
    return false;
}

/* Tries in this order: the scalar argument that the same variable is passed for; the value of a
 * variable of a called function, which has its name for itself; the variable's initialiser; the
 * problem file's host values; a problem field of the same name, for a local; constants; a problem
 * field of the same name, for anything else. */
static bool write_named(translation *in, const ht_symbol *symbol, ht_text *out) {
    bool dimension = strchr(symbol->name, '.') && clang_Cursor_isNull(symbol->base);
    const char *argument = dimension ? NULL : passed_as(in, symbol);
    if (argument) {
        ht_text_append(out, argument);
        return true;
    }
    int64_t value;
    if (symbol->of_called && symbol->kind == HT_SYMBOL_CONSTANT) {
        ht_text_printf(out, "%lld", (long long)symbol->value);
        return true;
    }
    if (symbol->value_of && (symbol->of_called || !ht_symbol_value(symbol->value_of, &value)) &&
        attempt(in, symbol->value_of, out))
        return true;
    const ht_host_value *host = ht_symbol_host_value(in->model, symbol->name);
    if (host) {
        char *text = ht_expr_string(host->expr);
        ht_text_printf(out, "(%s)", text);
        free(text);
        note_own(in, symbol->name);
        return true;
    }
    const char *dot = strrchr(symbol->name, '.');
    const char *last = dot && !dimension ? dot + 1 : symbol->name;
    bool field = is_field(in->model, last);
    if (!(field && ht_ast_is_local(symbol->declaration))) {
        if (symbol->kind == HT_SYMBOL_CONSTANT) {
            ht_text_printf(out, "%lld", (long long)symbol->value);
            return true;
        }
        if (symbol->value_of &&
            (field ? attempt(in, symbol->value_of, out) : write_symbol(in, symbol->value_of, out)))
            return true;
        if (symbol->value_of && !field)
            return false;
    }
    if (!field) {
        note_missing(in, symbol->name, symbol->line);
        return false;
    }
    ht_text_printf(out, "problem.%s", last);
    note_own(in, symbol->name);
    return true;
}

static bool write_list(translation *in, const ht_symbol *symbol, const char *open,
                       const char *separator, ht_text *out) {
    ht_text_append(out, open);
    if (!write_symbol(in, symbol->arguments[0], out))
        return false;
    ht_text_append(out, separator);
    if (!write_symbol(in, symbol->arguments[1], out))
        return false;
    ht_text_append(out, ")");
    return true;
}

static bool write_symbol(translation *in, const ht_symbol *symbol, ht_text *out) {
    char separator[8];
    if (!out->data)
        ht_text_append(out, "");
    if (++in->depth > 4000)
        return false;
    switch (symbol->kind) {
    case HT_SYMBOL_CONSTANT:
        if (symbol->origin == HT_ORIGIN_VARIABLE && symbol->name)
            return write_named(in, symbol, out);
        ht_text_printf(out, symbol->value < 0 ? "(%lld)" : "%lld", (long long)symbol->value);
        return true;
    case HT_SYMBOL_VARIABLE:
        return write_named(in, symbol, out);
    case HT_SYMBOL_UNARY:
        ht_text_printf(out, "(%s", symbol->op);
        if (!write_symbol(in, symbol->arguments[0], out))
            return false;
        ht_text_append(out, ")");
        return true;
    case HT_SYMBOL_BINARY:
        snprintf(separator, sizeof separator, " %s ", symbol->op);
        return write_list(in, symbol, "(", separator, out);
    case HT_SYMBOL_CHOICE:
        ht_text_append(out, "(");
        if (!write_symbol(in, symbol->arguments[0], out))
            return false;
        ht_text_append(out, " ? ");
        if (!write_symbol(in, symbol->arguments[1], out))
            return false;
        ht_text_append(out, " : ");
        if (!write_symbol(in, symbol->arguments[2], out))
            return false;
        ht_text_append(out, ")");
        return true;
    case HT_SYMBOL_CALL:
        ht_text_append(out, symbol->name);
        return write_list(in, symbol, "(", ", ", out);
    default:
        note_unknown(in, symbol);
        return false;
    }
}

char *ht_symbol_expression_own(const ht_model *model, const ht_launch_site *site,
                               const ht_symbol *symbol, ht_text *missing, ht_text *own) {
    translation in = {model, site, missing, own, 0};
    ht_text text = {0};
    if (write_symbol(&in, symbol, &text))
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

char *ht_symbol_expression(const ht_model *model, const ht_launch_site *site,
                           const ht_symbol *symbol, ht_text *missing) {
    return ht_symbol_expression_own(model, site, symbol, missing, NULL);
}

char *ht_symbol_launched(const ht_model *model, const ht_launch_site *site, const char *name) {
    for (size_t i = 0; i < model->parameters.count && i < site->argument_count; ++i) {
        const ht_parameter *parameter = &model->parameters.items[i];
        if (strcmp(parameter->name, name) != 0 || !parameter->is_integer ||
            parameter->is_assigned ||
            clang_Type_getSizeOf(clang_getCursorType(parameter->cursor)) < (long long)sizeof(int))
            continue;
        ht_symbol *symbol = ht_symbol_read(model->facts->source, site->arguments[i]);
        char *text = ht_symbol_expression(model, site, symbol, NULL);
        ht_symbol_free(symbol);
        return text;
    }
    return NULL;
}

bool ht_symbol_number(const ht_model *model, const ht_launch_site *site, const ht_symbol *symbol,
                      int64_t *out_value) {
    translation in = {model, site, NULL, NULL, 0};
    if (!ht_symbol_value(symbol, out_value))
        return false;
    if (symbol->of_called)
        return !symbol->value_of || ht_symbol_number(model, site, symbol->value_of, out_value);
    if (symbol->kind == HT_SYMBOL_VARIABLE ||
        (symbol->kind == HT_SYMBOL_CONSTANT && symbol->origin == HT_ORIGIN_VARIABLE))
        return !ht_symbol_host_value(model, symbol->name) && !passed_as(&in, symbol) &&
               !(is_field(model, symbol->name) && ht_ast_is_local(symbol->declaration));
    return true;
}
