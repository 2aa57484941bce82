/* Integer expressions of the kernel as template expressions. */
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/geometry.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 40, LENGTH_MAX = 4000 };

static bool write_expression(const ht_model *model, CXCursor expression, int depth, ht_text *out);

static bool is_written(enum CXBinaryOperatorKind kind) {
    return kind >= CXBinaryOperator_Mul && kind <= CXBinaryOperator_Shr;
}

const char *ht_argument_name(const ht_model *model, size_t index) {
    const ht_problem_entry *entry = model->entry;
    if (index >= model->parameter_count || !model->parameters[index].is_integer)
        return NULL;
    if (!entry)
        return model->parameters[index].name[0] ? model->parameters[index].name : NULL;
    for (size_t i = 0; i < entry->arg_count; ++i) {
        if (entry->args[i].role == HT_ARG_CONSTANT)
            continue;
        if (index-- == 0)
            return entry->args[i].role == HT_ARG_SCALAR && entry->args[i].value_count == 1
                       ? entry->args[i].name
                       : NULL;
    }
    return NULL;
}

static bool write_variable(const ht_model *model, CXCursor variable, int depth, ht_text *out) {
    const ht_parameter *parameter = ht_model_parameter(model, variable);
    if (parameter) {
        const char *name = ht_argument_name(model, (size_t)(parameter - model->parameters));
        if (!parameter->is_integer || parameter->is_assigned || !name)
            return false;
        ht_text_append(out, name);
        return true;
    }
    const ht_local *local = ht_model_local(model, variable);
    return local && local->writes == 0 && !clang_Cursor_isNull(local->initializer) &&
           write_expression(model, local->initializer, depth + 1, out);
}

static bool write_call(const ht_model *model, CXCursor call, int depth, ht_text *out) {
    bool least = ht_cursor_named(call, "min");
    if ((!least && !ht_cursor_named(call, "max")) || clang_Cursor_getNumArguments(call) != 2)
        return false;
    ht_text_append(out, least ? "min(" : "max(");
    if (!write_expression(model, clang_Cursor_getArgument(call, 0), depth + 1, out))
        return false;
    ht_text_append(out, ", ");
    if (!write_expression(model, clang_Cursor_getArgument(call, 1), depth + 1, out))
        return false;
    ht_text_append(out, ")");
    return true;
}

static bool write_expression(const ht_model *model, CXCursor expression, int depth, ht_text *out) {
    int64_t value;
    if (depth > DEPTH_MAX || out->length > LENGTH_MAX)
        return false;
    if (ht_model_constant(model, expression, &value)) {
        ht_text_printf(out, value < 0 ? "(%lld)" : "%lld", (long long)value);
        return true;
    }
    CXCursor cursor = ht_ast_strip(expression, true), left, right;
    if (!ht_type_is_integer(clang_getCursorType(cursor)))
        return false;
    CXCursor variable = ht_ast_variable(cursor);
    if (!clang_Cursor_isNull(variable))
        return write_variable(model, variable, depth, out);
    enum CXBinaryOperatorKind kind;
    if (ht_ast_binary(cursor, &kind, &left, &right)) {
        if (!is_written(kind))
            return false;
        ht_text_append(out, "(");
        if (!write_expression(model, left, depth + 1, out))
            return false;
        ht_text_printf(out, " %s ", ht_ast_operator(kind));
        if (!write_expression(model, right, depth + 1, out))
            return false;
        ht_text_append(out, ")");
        return true;
    }
    return clang_getCursorKind(cursor) == CXCursor_CallExpr &&
           write_call(model, cursor, depth, out);
}

char *ht_ast_expression(const ht_model *model, CXCursor expression) {
    ht_text text = {0};
    if (write_expression(model, expression, 0, &text))
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}
