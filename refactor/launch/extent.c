#include "refactor/launch/extent.h"
#include "refactor/launch/returned.h"
#include "refactor/launch/settled.h"
#include "refactor/launch/symbol.h"
#include "refactor/launch/updated.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable_reach.h"

#include <stdlib.h>
#include <string.h>

bool ht_cursor_is_dim3(CXCursor cursor) {
    CXString spelling = clang_getTypeSpelling(clang_getCanonicalType(clang_getCursorType(cursor)));
    const char *text = clang_getCString(spelling);
    bool found = text && strstr(text, "dim3") != NULL;
    clang_disposeString(spelling);
    return found;
}

/* Reads the arguments of dim3(...) or dim3{...}, or of the conversion from an integer. */
static void read_parts(const ht_symbol_frame *in, CXCursor cursor, ht_symbol *out_axes[3],
                       size_t *out_written) {
    ht_cursors list = ht_ast_children(cursor);
    size_t count = 0;
    for (size_t i = 0; i < list.count; ++i) {
        if (!clang_isExpression(clang_getCursorKind(list.items[i])))
            continue;
        if (count == 3)
            break;
        out_axes[count++] = ht_symbol_read_in(in, list.items[i]);
    }
    free(list.items);
    *out_written = count;
}

static CXCursor only_expression(CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    CXCursor found = clang_getNullCursor();
    size_t count = 0;
    for (size_t i = 0; i < list.count; ++i)
        if (clang_isExpression(clang_getCursorKind(list.items[i]))) {
            found = list.items[i];
            ++count;
        }
    free(list.items);
    return count == 1 ? found : clang_getNullCursor();
}

bool ht_dim3_changes(CXCursor variable, CXCursor use) {
    CXCursor fields[3];
    return ht_variable_writes(variable) > 0 && !ht_variable_fields(variable, use, fields);
}

static ht_symbol *axis_before(const ht_symbol_frame *in, CXCursor variable, CXCursor use, int axis);

/* Reads one axis of a dim3 variable that is set again and again, as it is at `use`. */
static bool read_reaching(const ht_symbol_frame *in, CXCursor use, CXCursor variable, int axis,
                          ht_symbol **out_axis) {
    ht_reach_kind kind;
    CXCursor value, inner;
    ht_symbol *axes[3] = {NULL};
    size_t written;
    bool good =
        ht_variable_reach(variable, use, axis, &kind, &value) && !clang_Cursor_isNull(value);
    if (good && kind == HT_REACH_PART)
        *out_axis = ht_symbol_read_in(in, value);
    else if (good && kind == HT_REACH_UPDATE) {
        *out_axis = ht_symbol_updated(in, variable, value, axis, axis_before);
        good = *out_axis != NULL;
    } else if (good && (good = ht_symbol_read3_in(in, value, axes, &written, &inner))) {
        *out_axis = axes[axis];
        axes[axis] = NULL;
    }
    for (int i = 0; i < 3; ++i)
        ht_symbol_free(axes[i]);
    /* where the variable is set once, its name stands for the value */
    return good &&
           (!ht_dim3_changes(variable, use) ||
            ht_symbol_is_settled(*out_axis, clang_getCursorSemanticParent(variable), value));
}

/* Returns an axis as it is at `use`; NULL: it is not known. */
static ht_symbol *axis_before(const ht_symbol_frame *in, CXCursor variable, CXCursor use,
                              int axis) {
    ht_symbol *value = NULL;
    ht_symbol_frame deeper = *in;
    ++deeper.depth;
    if (in->depth < HT_SYMBOL_DEPTH_MAX && read_reaching(&deeper, use, variable, axis, &value))
        return value ? value : ht_symbol_one();
    ht_symbol_free(value);
    return NULL;
}

/* Reads a dim3 variable: its initialiser, or, axis by axis, the assignments that reach the use. */
static bool read_variable(const ht_symbol_frame *in, CXCursor use, CXCursor variable,
                          ht_symbol *out_axes[3], size_t *out_written) {
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable), inner;
    if (in->depth > HT_SYMBOL_DEPTH_MAX)
        return false;
    bool good = true;
    ht_symbol_frame deeper = *in;
    ++deeper.depth;
    if (ht_variable_writes(variable) == 0)
        return !clang_Cursor_isNull(initializer) &&
               ht_symbol_read3_in(&deeper, initializer, out_axes, out_written, &inner);
    for (int axis = 0; axis < 3 && good; ++axis) {
        good = read_reaching(&deeper, use, variable, axis, &out_axes[axis]);
        *out_written = out_axes[axis] ? (size_t)axis + 1 : *out_written;
    }
    return good;
}

/* Reads n <= 65535 ? dim3(128) : block, in which each axis is a choice. */
static bool read_choice(const ht_symbol_frame *in, CXCursor cursor, ht_symbol *out_axes[3],
                        size_t *out_written) {
    ht_cursors parts = ht_ast_children(cursor);
    ht_symbol *other[3] = {NULL};
    size_t written = 0;
    CXCursor inner;
    bool good = parts.count == 3 && in->depth < HT_SYMBOL_DEPTH_MAX &&
                ht_symbol_read3_in(in, parts.items[1], out_axes, out_written, &inner) &&
                ht_symbol_read3_in(in, parts.items[2], other, &written, &inner);
    for (int axis = 0; axis < 3 && good; ++axis) {
        int64_t a, b;
        if (!out_axes[axis] && !other[axis])
            continue;
        out_axes[axis] = out_axes[axis] ? out_axes[axis] : ht_symbol_one();
        other[axis] = other[axis] ? other[axis] : ht_symbol_one();
        if (ht_symbol_value(out_axes[axis], &a) && ht_symbol_value(other[axis], &b) && a == b)
            continue;
        ht_symbol *choice = ht_symbol_new(HT_SYMBOL_CHOICE);
        choice->line = ht_ast_line(cursor);
        choice->arguments[0] = ht_symbol_read_in(in, parts.items[0]);
        choice->arguments[1] = out_axes[axis];
        choice->arguments[2] = other[axis];
        out_axes[axis] = choice;
        other[axis] = NULL;
    }
    *out_written = *out_written > written ? *out_written : written;
    for (int axis = 0; axis < 3; ++axis)
        ht_symbol_free(other[axis]);
    free(parts.items);
    return good;
}

bool ht_symbol_read3_in(const ht_symbol_frame *frame, CXCursor expression, ht_symbol *out_axes[3],
                        size_t *out_written, CXCursor *out_variable) {
    ht_symbol_frame in = *frame, called;
    *out_variable = clang_getNullCursor();
    *out_written = 0;
    CXCursor cursor = expression;
    for (int i = 0; i < 32; ++i) {
        cursor = ht_ast_strip(cursor, true);
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (!ht_cursor_is_dim3(cursor)) {
            ++in.depth;
            out_axes[0] = ht_symbol_read_in(&in, cursor);
            *out_written = 1;
            return true;
        }
        if (kind == CXCursor_DeclRefExpr) {
            CXCursor variable = ht_ast_variable(cursor);
            if (clang_Cursor_isNull(variable) || clang_getCursorKind(variable) != CXCursor_VarDecl)
                return false;
            *out_variable = variable;
            return read_variable(&in, cursor, variable, out_axes, out_written);
        }
        if (kind == CXCursor_ConditionalOperator) {
            ++in.depth;
            return read_choice(&in, cursor, out_axes, out_written);
        }
        CXCursor inner = only_expression(cursor);
        if (!clang_Cursor_isNull(inner) && ht_cursor_is_dim3(inner)) { /* a copy or a cast */
            cursor = inner;
            continue;
        }
        if (kind == CXCursor_CallExpr && !ht_cursor_named(cursor, "dim3")) {
            CXCursor value = ht_symbol_returned(&in, cursor, &called);
            if (clang_Cursor_isNull(value) || in.depth > HT_SYMBOL_DEPTH_MAX)
                return false;
            CXCursor local;
            return ht_symbol_read3_in(&called, value, out_axes, out_written, &local);
        }
        if (kind == CXCursor_CallExpr || kind == CXCursor_InitListExpr ||
            kind == CXCursor_CXXFunctionalCastExpr || kind == CXCursor_CStyleCastExpr ||
            kind == CXCursor_UnexposedExpr) {
            ++in.depth;
            read_parts(&in, cursor, out_axes, out_written);
            return true;
        }
        return false;
    }
    return false;
}

/* Returns the field of a dim3. */
static CXCursor field_of(CXCursor variable, const char *name) {
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    ht_cursors list = ht_ast_children(clang_getTypeDeclaration(type));
    CXCursor found = clang_getNullCursor();
    for (size_t i = 0; i < list.count; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_FieldDecl &&
            ht_cursor_named(list.items[i], name))
            found = list.items[i];
    free(list.items);
    return found;
}

bool ht_symbol_parts3(CXCursor expression, ht_symbol *out_axes[3], CXCursor *out_variable) {
    CXCursor cursor = ht_ast_strip(expression, true);
    for (int i = 0; i < 32 && clang_getCursorKind(cursor) != CXCursor_DeclRefExpr; ++i) {
        CXCursor inner =
            ht_cursor_is_dim3(cursor) ? only_expression(cursor) : clang_getNullCursor();
        if (clang_Cursor_isNull(inner) || !ht_cursor_is_dim3(inner))
            return false;
        cursor = ht_ast_strip(inner, true); /* a copy */
    }
    CXCursor variable = ht_ast_variable(cursor);
    bool given = clang_getCursorKind(variable) == CXCursor_ParmDecl;
    if (!ht_cursor_is_dim3(cursor) || (!given && clang_getCursorKind(variable) != CXCursor_VarDecl))
        return false;
    for (int axis = 0; axis < 3; ++axis) {
        const char letter[2] = {(char)('x' + axis), 0};
        CXCursor field = given ? field_of(variable, letter) : clang_getNullCursor();
        ht_symbol_free(out_axes[axis]);
        out_axes[axis] = ht_symbol_part(variable, field, letter);
        out_axes[axis]->line = ht_ast_line(expression);
    }
    *out_variable = variable;
    return true;
}

bool ht_extent_is_call(CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    for (int i = 0; i < 32 && ht_cursor_is_dim3(cursor); ++i) {
        if (clang_getCursorKind(cursor) == CXCursor_CallExpr && !ht_cursor_named(cursor, "dim3"))
            return true;
        cursor = ht_ast_strip(only_expression(cursor), true);
        if (clang_Cursor_isNull(cursor))
            return false;
    }
    return false;
}

static bool compute(const char *text, int64_t a, int64_t b, int64_t *out) {
    int op = ht_operator_of(text);
    bool divides = op == HT_BINARY_DIV || op == HT_BINARY_REM;
    bool shifts = op == HT_BINARY_SHL || op == HT_BINARY_SHR;
    if ((divides && b <= 0) || (shifts && (a < 0 || a >= 1 << 30 || b < 0 || b >= 32)))
        return false;
    return op <= HT_BINARY_NE && ht_operator_compute(op, a, b, out);
}

bool ht_symbol_value(const ht_symbol *symbol, int64_t *out_value) {
    int64_t a = 0, b = 0;
    switch (symbol->kind) {
    case HT_SYMBOL_CONSTANT:
        *out_value = symbol->value;
        return true;
    case HT_SYMBOL_VARIABLE:
        return symbol->value_of && ht_symbol_value(symbol->value_of, out_value);
    case HT_SYMBOL_UNARY:
        if (!ht_symbol_value(symbol->arguments[0], &a) || a == INT64_MIN)
            return false;
        *out_value = symbol->op[0] == '-' ? -a : a;
        return symbol->op[0] == '-' || symbol->op[0] == '+';
    case HT_SYMBOL_BINARY:
        return ht_symbol_value(symbol->arguments[0], &a) &&
               ht_symbol_value(symbol->arguments[1], &b) && compute(symbol->op, a, b, out_value);
    case HT_SYMBOL_CHOICE:
        return ht_symbol_value(symbol->arguments[0], &a) &&
               ht_symbol_value(symbol->arguments[a ? 1 : 2], out_value);
    case HT_SYMBOL_CALL:
        if (!ht_symbol_value(symbol->arguments[0], &a) ||
            !ht_symbol_value(symbol->arguments[1], &b))
            return false;
        if (strcmp(symbol->name, "min") == 0)
            *out_value = a < b ? a : b;
        else if (strcmp(symbol->name, "max") == 0)
            *out_value = a > b ? a : b;
        else if (b > 0 && a <= INT64_MAX - b)
            *out_value = (a + b - 1) / b;
        else
            return false;
        return true;
    default:
        return false;
    }
}

bool ht_extent_is_one(const ht_symbol *extent) {
    int64_t value = 0;
    return !extent || (ht_symbol_value(extent, &value) && value == 1);
}
