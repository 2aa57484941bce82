/* Reads host integer expressions as trees that remember where each constant was written. */
#include "refactor/launch/symbol.h"
#include "base/memory.h"
#include "refactor/launch/asked.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/real.h"
#include "refactor/launch/returned.h"
#include "refactor/launch/settled.h"
#include "refactor/launch/updated.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable_reach.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET = 4000 };

typedef ht_symbol_frame frame;

static ht_symbol *read(const frame *in, CXCursor expression);

ht_symbol *ht_symbol_new(ht_symbol_kind kind) {
    ht_symbol *symbol = ht_alloc(1, sizeof *symbol);
    symbol->kind = kind;
    symbol->declaration = clang_getNullCursor();
    symbol->base = clang_getNullCursor();
    symbol->written = clang_getNullCursor();
    return symbol;
}

ht_symbol *ht_symbol_one(void) {
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_CONSTANT);
    symbol->value = 1;
    return symbol;
}

void ht_symbol_free(ht_symbol *symbol) {
    if (!symbol)
        return;
    for (int i = 0; i < 3; ++i)
        ht_symbol_free(symbol->arguments[i]);
    ht_symbol_free(symbol->value_of);
    free(symbol->name);
    free(symbol);
}

static ht_symbol *unknown(CXCursor cursor) {
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_UNKNOWN);
    symbol->name = ht_cursor_name(cursor);
    symbol->written = cursor;
    symbol->line = ht_ast_line(cursor);
    return symbol;
}

static void set_place(const frame *in, ht_symbol *symbol, CXCursor cursor) {
    symbol->has_place = !in->outer && ht_source_anywhere(in->source, cursor, &symbol->place);
    symbol->line = ht_ast_line(cursor);
}

static ht_symbol *constant(const frame *in, CXCursor cursor, int64_t value,
                           ht_constant_origin origin, char *name) {
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_CONSTANT);
    symbol->value = value;
    symbol->origin = origin;
    symbol->name = name;
    set_place(in, symbol, cursor);
    return symbol;
}

/* Returns the name of the object-like macro that wrote the whole expression; NULL: there is none.
 * free(). */
static char *whole_macro(const frame *in, CXCursor cursor) {
    ht_range place;
    size_t file = ht_source_file_of(in->source, cursor);
    if (file == SIZE_MAX || !ht_source_place_in(in->source, file, cursor, &place))
        return NULL;
    const ht_tokens *tokens = ht_source_tokens(in->source, file);
    size_t index = ht_tokens_at(tokens, place.begin);
    if (tokens->items[index].kind != HT_TOKEN_NAME || tokens->items[index].end != place.end)
        return NULL;
    char *name = ht_tokens_text(tokens, index);
    const ht_macro *macro = ht_source_macro(in->source, name, file, place.begin);
    if (macro && !macro->function_like)
        return name;
    free(name);
    return NULL;
}

static ht_symbol *read_literal(const frame *in, CXCursor cursor) {
    int64_t value = 0;
    if (clang_getCursorKind(cursor) == CXCursor_FloatingLiteral) {
        CXEvalResult result = clang_Cursor_Evaluate(cursor);
        double real = result && clang_EvalResult_getKind(result) == CXEval_Float
                          ? clang_EvalResult_getAsDouble(result)
                          : 0.5;
        if (result)
            clang_EvalResult_dispose(result);
        value = real > -1e9 && real < 1e9 ? (int64_t)real : 0;
        if ((double)value != real)
            return unknown(cursor);
    } else if (!ht_ast_constant(cursor, &value))
        return unknown(cursor);
    ht_symbol *symbol = constant(in, cursor, value, HT_ORIGIN_LITERAL, NULL);
    if (symbol->has_place) {
        size_t file = ht_source_at(in->source, symbol->place.begin);
        size_t base = in->source->files[file].base;
        const ht_tokens *tokens = ht_source_tokens(in->source, file);
        size_t index = ht_tokens_at(tokens, symbol->place.begin - base);
        symbol->has_place = tokens->items[index].kind == HT_TOKEN_NUMBER &&
                            tokens->items[index].end == symbol->place.end - base;
    }
    return symbol;
}

static CXCursor bound_argument(const frame *in, CXCursor parameter) {
    int count = clang_Cursor_getNumArguments(in->call);
    ht_cursors list = ht_ast_children(in->function);
    int index = 0;
    CXCursor found = clang_getNullCursor();
    for (size_t i = 0; i < list.count; ++i) {
        if (clang_getCursorKind(list.items[i]) != CXCursor_ParmDecl)
            continue;
        if (clang_equalCursors(list.items[i], parameter) && index < count)
            found = clang_Cursor_getArgument(in->call, (unsigned)index);
        ++index;
    }
    free(list.items);
    return found;
}

static bool is_of_called(const frame *in, CXCursor variable) {
    return in->outer &&
           clang_equalCursors(clang_getCanonicalCursor(clang_getCursorSemanticParent(variable)),
                              clang_getCanonicalCursor(in->function));
}

/* Returns the frame of a variable's initialiser: the function that is walked, or the code around
 * its call. */
static frame scope_of(const frame *in, CXCursor variable) {
    const frame around = {.source = in->source, .budget = in->budget};
    frame scope = is_of_called(in, variable) ? *in : around;
    scope.depth = in->depth + 1;
    return scope;
}

static ht_symbol *reaching_value(const frame *scope, CXCursor use, CXCursor variable);

static ht_symbol *value_before(const frame *scope, CXCursor variable, CXCursor use, int part) {
    (void)part;
    return scope->depth < HT_SYMBOL_DEPTH_MAX ? reaching_value(scope, use, variable) : NULL;
}

/* Returns the value that a variable which changes has at its use; NULL: it is not known. */
static ht_symbol *reaching_value(const frame *scope, CXCursor use, CXCursor variable) {
    ht_reach_kind kind;
    CXCursor value;
    if (!ht_variable_reach(variable, use, -1, &kind, &value) || clang_Cursor_isNull(value))
        return NULL;
    ht_symbol *symbol = kind == HT_REACH_UPDATE
                            ? ht_symbol_updated(scope, variable, value, -1, value_before)
                            : read(scope, value);
    if (ht_symbol_is_settled(symbol, clang_getCursorSemanticParent(variable), value))
        return symbol;
    ht_symbol_free(symbol);
    return NULL;
}

static bool is_local_constant(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    int64_t value;
    CXCursor named = clang_getCursorReferenced(cursor);
    bool *found = context;
    *found = *found || (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
                        clang_getCursorKind(named) == CXCursor_VarDecl && ht_ast_is_local(named) &&
                        ht_ast_constant(cursor, &value));
    return !*found;
}

/* Reads the initializer of a constant that is computed from others of the program's sizes, as in
 * `const int blocks = (n + 255) / 256;`: by itself it would be a size that hangs on none of them.
 * NULL: it is not so computed. */
static ht_symbol *read_computed(const frame *in, CXCursor declaration) {
    bool computed = false;
    CXCursor initializer = ht_ast_initializer(declaration);
    if (clang_Cursor_isNull(initializer) || !ht_ast_is_local(declaration))
        return NULL;
    ht_ast_walk(initializer, is_local_constant, &computed);
    if (!computed)
        return NULL;
    frame scope = scope_of(in, declaration);
    ht_symbol *value = read(&scope, initializer);
    int64_t number;
    if (ht_symbol_value(value, &number))
        return value;
    ht_symbol_free(value);
    return NULL;
}

/* Reads the value that a variable has at the cursor; NULL: it is not known. */
static ht_symbol *read_value(const frame *in, CXCursor cursor, CXCursor declaration) {
    CXCursor initializer = ht_ast_initializer(declaration);
    frame scope = scope_of(in, declaration);
    if (clang_getCursorKind(declaration) == CXCursor_VarDecl && ht_variable_writes(declaration) > 0)
        return reaching_value(&scope, cursor, declaration);
    return clang_Cursor_isNull(initializer) ? NULL : read(&scope, initializer);
}

static ht_symbol *read_variable(const frame *in, CXCursor cursor, CXCursor declaration) {
    int64_t value;
    if (clang_getCursorKind(declaration) == CXCursor_ParmDecl && in->outer) {
        CXCursor argument = bound_argument(in, declaration);
        if (clang_Cursor_isNull(argument))
            return unknown(cursor);
        frame outer = *in->outer;
        outer.depth = in->depth + 1;
        return read(&outer, argument);
    }
    char *name = ht_cursor_name(declaration);
    bool fixed = ht_ast_constant(cursor, &value);
    ht_symbol *computed = fixed ? read_computed(in, declaration) : NULL;
    bool named = fixed && !computed;
    ht_symbol *symbol = named ? constant(in, cursor, value, HT_ORIGIN_VARIABLE, name)
                              : ht_symbol_new(HT_SYMBOL_VARIABLE);
    symbol->declaration = declaration;
    symbol->of_called = is_of_called(in, declaration);
    if (named)
        return symbol;
    symbol->name = name;
    set_place(in, symbol, cursor);
    symbol->value_of = computed ? computed : read_value(in, cursor, declaration);
    return symbol;
}

ht_symbol *ht_symbol_part(CXCursor variable, CXCursor field, const char *member) {
    bool whole = clang_Cursor_isNull(field);
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_VARIABLE);
    char *base = ht_cursor_name(variable);
    symbol->name = ht_format("%s.%s", base, member);
    free(base);
    symbol->declaration = whole ? variable : field;
    symbol->base = whole ? field : variable;
    return symbol;
}

/* Reads a number that members and subscripts lead to. */
static ht_symbol *read_led_to(const frame *in, CXCursor cursor) {
    ht_symbol *symbol = in->outer ? NULL : ht_symbol_led_to(cursor);
    if (!symbol)
        return unknown(cursor);
    set_place(in, symbol, cursor);
    return symbol;
}

/* Reads shape.width of a structure, which is a variable of its own. */
static ht_symbol *read_field(const frame *in, CXCursor cursor, CXCursor variable) {
    CXCursor field = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(field) != CXCursor_FieldDecl)
        return unknown(cursor);
    char *member = ht_cursor_name(cursor);
    ht_symbol *symbol = ht_symbol_part(variable, field, member);
    free(member);
    set_place(in, symbol, cursor);
    return symbol;
}

/* Reads block.x of a dim3 variable. */
static ht_symbol *read_dimension(const frame *in, CXCursor cursor, CXCursor variable, int axis) {
    const char letter[2] = {(char)('x' + axis), 0};
    ht_symbol *axes[3] = {NULL}, *symbol = ht_symbol_part(variable, clang_getNullCursor(), letter);
    size_t written;
    CXCursor inner;
    set_place(in, symbol, cursor);
    frame deeper = *in;
    ++deeper.depth;
    if (in->depth < HT_SYMBOL_DEPTH_MAX &&
        ht_symbol_read3_in(&deeper, ht_ast_child(cursor, 0), axes, &written, &inner)) {
        symbol->value_of = axes[axis];
        axes[axis] = NULL;
        if (!symbol->value_of) {
            symbol->value_of = ht_symbol_one();
        }
    }
    for (int i = 0; i < 3; ++i)
        ht_symbol_free(axes[i]);
    if (!symbol->value_of || !ht_dim3_changes(variable, ht_ast_child(cursor, 0)))
        return symbol;
    ht_symbol *value = symbol->value_of; /* only here: the name has other values elsewhere */
    symbol->value_of = NULL;
    ht_symbol_free(symbol);
    value->has_place = false;
    return value;
}

/* Returns the value that an element of an array has at its use; null cursor: it is not known. */
static CXCursor element_value(CXCursor variable, CXCursor use, int64_t index) {
    ht_reach_kind kind;
    CXCursor value = clang_getNullCursor(), found = value;
    if (index < 0 || clang_getCursorKind(variable) != CXCursor_VarDecl ||
        !ht_variable_only_elements(variable))
        return found;
    if (ht_variable_writes(variable) == 0) {
        kind = HT_REACH_INITIAL;
        value = clang_Cursor_getVarDeclInitializer(variable);
    } else if (!ht_variable_reach(variable, use, index, &kind, &value) || kind == HT_REACH_WHOLE ||
               kind == HT_REACH_UPDATE)
        return found;
    if (kind == HT_REACH_PART || clang_getCursorKind(value) != CXCursor_InitListExpr)
        return kind == HT_REACH_PART ? value : found;
    ht_cursors elements = ht_ast_children(value);
    if ((size_t)index < elements.count)
        found = elements.items[index];
    free(elements.items);
    return found;
}

/* Reads size[1] of an array: what was assigned to the element, or its value in the list. */
static ht_symbol *read_element(const frame *in, CXCursor cursor) {
    ht_cursors parts = ht_ast_children(cursor);
    int64_t index = -1;
    CXCursor variable = clang_getNullCursor();
    if (parts.count == 2 && ht_ast_constant(parts.items[1], &index))
        variable = ht_ast_variable(parts.items[0]);
    free(parts.items);
    CXCursor element = element_value(variable, cursor, index);
    if (clang_Cursor_isNull(element))
        return read_led_to(in, cursor);
    frame scope = scope_of(in, variable);
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_VARIABLE), *value = read(&scope, element);
    char *base = ht_cursor_name(variable);
    symbol->name = ht_format("%s[%lld]", base, (long long)index);
    free(base);
    symbol->declaration = variable;
    symbol->value_of = value;
    set_place(in, symbol, cursor);
    return symbol;
}

/* Reads a field of the object whose method this is. */
static ht_symbol *read_own_field(const frame *in, CXCursor cursor) {
    CXCursor field = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(field) != CXCursor_FieldDecl)
        return unknown(cursor);
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_VARIABLE);
    symbol->name = ht_cursor_name(cursor);
    symbol->declaration = field;
    set_place(in, symbol, cursor);
    return symbol;
}

/* Reads grid_for(n).x or dim3(blocks).y: a part of a value without a name. */
static ht_symbol *read_part(const frame *in, CXCursor cursor, CXCursor object) {
    ht_symbol *axes[3] = {NULL}, *symbol = NULL;
    int axis = ht_cursor_axis(cursor);
    size_t written;
    CXCursor inner;
    frame deeper = *in;
    ++deeper.depth;
    if (axis >= 0 && ht_cursor_is_dim3(object) && in->depth < HT_SYMBOL_DEPTH_MAX &&
        ht_symbol_read3_in(&deeper, object, axes, &written, &inner)) {
        symbol = axes[axis] ? axes[axis] : ht_symbol_one();
        symbol->has_place = false;
        axes[axis] = NULL;
    }
    for (int i = 0; i < 3; ++i)
        ht_symbol_free(axes[i]);
    return symbol ? symbol : read_led_to(in, cursor);
}

static ht_symbol *read_member(const frame *in, CXCursor cursor) {
    CXCursor object = ht_ast_strip(ht_ast_child(cursor, 0), true);
    if (!in->outer &&
        (clang_Cursor_isNull(object) || clang_getCursorKind(object) == CXCursor_CXXThisExpr))
        return read_own_field(in, cursor);
    CXCursor variable = ht_ast_variable(object);
    if (clang_Cursor_isNull(variable))
        return read_part(in, cursor, object);
    int axis = ht_cursor_axis(cursor);
    if (ht_cursor_is_dim3(variable) && axis >= 0 &&
        clang_getCursorKind(variable) == CXCursor_VarDecl)
        return read_dimension(in, cursor, variable, axis);
    return in->outer ? unknown(cursor) : read_field(in, cursor, variable);
}

static ht_symbol *call_with(const char *name, ht_symbol *a, ht_symbol *b) {
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_CALL);
    symbol->name = ht_strdup(name);
    symbol->arguments[0] = a;
    symbol->arguments[1] = b;
    return symbol;
}

/* Reads a real number that is whole: an integer, or the product of such, (double)n * c. */
static ht_symbol *read_whole(const frame *in, CXCursor cursor) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    frame deeper = *in;
    ++deeper.depth;
    cursor = ht_real_strip(cursor);
    if (in->depth > HT_SYMBOL_DEPTH_MAX || !ht_real_is(cursor) ||
        !ht_ast_binary(cursor, &kind, &left, &right) || kind != CXBinaryOperator_Mul)
        return read(in, cursor);
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_BINARY);
    snprintf(symbol->op, sizeof symbol->op, "*");
    symbol->arguments[0] = read_whole(&deeper, left);
    symbol->arguments[1] = read_whole(&deeper, right);
    symbol->bits = 64;
    symbol->line = ht_ast_line(cursor);
    return symbol;
}

static ht_symbol *read_call(const frame *in, CXCursor call) {
    char *name = ht_cursor_name(call);
    bool ceiling = strcmp(name, "ceil") == 0 || strcmp(name, "ceilf") == 0;
    bool pair = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
    int count = clang_Cursor_getNumArguments(call);
    ht_symbol *symbol = NULL;
    if (ceiling && count == 1) {
        CXCursor quotient = ht_real_strip(clang_Cursor_getArgument(call, 0)), left, right;
        enum CXBinaryOperatorKind kind;
        if (ht_ast_binary(quotient, &kind, &left, &right) && kind == CXBinaryOperator_Div &&
            ht_real_is(quotient))
            symbol = call_with("ceil_div", read_whole(in, left), read(in, ht_real_strip(right)));
        if (symbol)
            symbol->is_float =
                clang_getCanonicalType(clang_getCursorType(quotient)).kind == CXType_Float;
    } else if (pair && count == 2)
        symbol = call_with(name, read(in, clang_Cursor_getArgument(call, 0)),
                           read(in, clang_Cursor_getArgument(call, 1)));
    free(name);
    if (symbol) {
        set_place(in, symbol, call);
        return symbol;
    }
    symbol = ht_symbol_called(in, call);
    ht_symbol *asked =
        in->outer || (symbol && !ht_symbol_is_open(symbol)) ? NULL : ht_symbol_asked(call);
    if (asked) {
        ht_symbol_free(symbol);
        symbol = asked;
    }
    if (!symbol)
        return read_led_to(in, call);
    set_place(in, symbol, call);
    return symbol;
}

/* Returns true for ceil(x) * n, a real number that is whole. */
static bool is_whole_product(enum CXBinaryOperatorKind kind, CXCursor left, CXCursor right) {
    left = ht_real_strip(left);
    bool call = clang_getCursorKind(left) == CXCursor_CallExpr &&
                (ht_cursor_named(left, "ceil") || ht_cursor_named(left, "ceilf"));
    return call && kind == CXBinaryOperator_Mul && !ht_real_is(ht_real_strip(right));
}

static ht_symbol *read_operator(const frame *in, CXCursor cursor) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    ht_symbol *symbol;
    if (ht_ast_unary(cursor, &unary, &left)) {
        const char *op = unary == CXUnaryOperator_Minus  ? "-"
                         : unary == CXUnaryOperator_Not  ? "~"
                         : unary == CXUnaryOperator_LNot ? "!"
                         : unary == CXUnaryOperator_Plus ? "+"
                                                         : NULL;
        if (!op)
            return unknown(cursor);
        symbol = ht_symbol_new(HT_SYMBOL_UNARY);
        snprintf(symbol->op, sizeof symbol->op, "%s", op);
        symbol->arguments[0] = read(in, left);
    } else {
        const char *op =
            ht_ast_binary(cursor, &kind, &left, &right) ? ht_operator_text(kind) : NULL;
        bool real = op && ht_real_is(cursor);
        if (!op || (real && !is_whole_product(kind, left, right)))
            return unknown(cursor);
        symbol = ht_symbol_new(HT_SYMBOL_BINARY);
        snprintf(symbol->op, sizeof symbol->op, "%s", op);
        symbol->arguments[0] = read(in, real ? ht_real_strip(left) : left);
        symbol->arguments[1] = read(in, real ? ht_real_strip(right) : right);
    }
    set_place(in, symbol, cursor);
    return symbol;
}

static ht_symbol *read_choice(const frame *in, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    ht_symbol *symbol = NULL;
    if (list.count == 3) {
        symbol = ht_symbol_new(HT_SYMBOL_CHOICE);
        for (int i = 0; i < 3; ++i)
            symbol->arguments[i] = read(in, list.items[i]);
        set_place(in, symbol, cursor);
    }
    free(list.items);
    return symbol ? symbol : unknown(cursor);
}

/* Sets the width in which the host's compiler computes the expression. */
static void set_type(ht_symbol *symbol, CXCursor cursor) {
    CXType type = ht_type_referred(clang_getCanonicalType(clang_getCursorType(cursor)));
    type = clang_getCanonicalType(type);
    if (symbol->bits || !ht_type_is_integer(type))
        return;
    long long size = clang_Type_getSizeOf(type);
    symbol->bits = size > 0 ? (unsigned)size * 8 : 0;
    symbol->is_unsigned = type.kind >= CXType_Bool && type.kind <= CXType_UInt128;
}

/* Returns the cast to an integer around a real number, in parentheses or not; null: there is none.
 */
static CXCursor integer_cast(CXCursor expression) {
    for (int depth = 0; depth < 8; ++depth) {
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
            kind == CXCursor_CXXFunctionalCastExpr)
            return ht_type_is_integer(clang_getCursorType(expression)) ? expression
                                                                       : clang_getNullCursor();
        if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr)
            break;
        expression = ht_ast_child(expression, 0);
    }
    return clang_getNullCursor();
}

static ht_symbol *read_stripped(const frame *in, CXCursor cursor);

static ht_symbol *read(const frame *in, CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    ht_symbol *symbol = read_stripped(in, cursor);
    CXCursor cast = ht_real_is(cursor) ? integer_cast(expression) : clang_getNullCursor();
    if (symbol->kind == HT_SYMBOL_CALL && !clang_Cursor_isNull(cast))
        set_place(in, symbol, cast); /* what replaces it is computed with integers */
    set_type(symbol, cursor);
    return symbol;
}

static ht_symbol *read_stripped(const frame *in, CXCursor cursor) {
    int64_t value;
    if (in->depth > HT_SYMBOL_DEPTH_MAX || --*in->budget < 0)
        return unknown(cursor);
    char *macro = in->outer ? NULL : whole_macro(in, cursor);
    if (macro && ht_ast_constant(cursor, &value))
        return constant(in, cursor, value, HT_ORIGIN_MACRO, macro);
    free(macro);
    frame deeper = *in;
    ++deeper.depth;
    CXCursor declaration = ht_ast_variable(cursor);
    if (!clang_Cursor_isNull(declaration))
        return read_variable(&deeper, cursor, declaration);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
        return read_literal(in, cursor);
    case CXCursor_BinaryOperator:
    case CXCursor_UnaryOperator:
        return read_operator(&deeper, cursor);
    case CXCursor_ConditionalOperator:
        return read_choice(&deeper, cursor);
    case CXCursor_MemberRefExpr:
        return read_member(&deeper, cursor);
    case CXCursor_ArraySubscriptExpr:
        return read_element(&deeper, cursor);
    case CXCursor_CallExpr: {
        CXCursor left, right;
        enum CXBinaryOperatorKind kind;
        return ht_ast_binary(cursor, &kind, &left, &right) ? read_operator(&deeper, cursor)
                                                           : read_call(&deeper, cursor);
    }
    default:
        if (ht_ast_constant(cursor, &value)) {
            ht_symbol *symbol = constant(in, cursor, value, HT_ORIGIN_LITERAL, NULL);
            symbol->has_place = false;
            return symbol;
        }
        return unknown(cursor);
    }
}

ht_symbol *ht_symbol_read_in(const ht_symbol_frame *in, CXCursor expression) {
    return read(in, expression);
}

ht_symbol *ht_symbol_read(const ht_source *source, CXCursor expression) {
    int budget = BUDGET;
    frame in = {.source = source, .budget = &budget};
    return read(&in, expression);
}

bool ht_symbol_read3(const ht_source *source, CXCursor expression, ht_symbol *out_axes[3],
                     size_t *out_written, CXCursor *out_variable) {
    int budget = BUDGET;
    frame in = {.source = source, .budget = &budget};
    return ht_symbol_read3_in(&in, expression, out_axes, out_written, out_variable);
}
