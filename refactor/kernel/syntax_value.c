#include "refactor/kernel/syntax_value.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/indexing.h"
#include "refactor/kernel/syntax_origin.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/source/place.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

bool ht_syntax_evaluate(const ht_syntax *node, int64_t *out_value) {
    CXEvalResult result = clang_Cursor_Evaluate(ht_syntax_cursor(node));
    bool known = result && clang_EvalResult_getKind(result) == CXEval_Int;
    if (known)
        *out_value = clang_EvalResult_getAsLongLong(result);
    if (result)
        clang_EvalResult_dispose(result);
    return known;
}

/* Returns true if it is a constant of value 0, 0.0f, ... */
static bool ht_syntax_is_zero(const ht_syntax *node) {
    node = ht_syntax_strip(node);
    if (node->kind != HT_SYNTAX_CONSTANT)
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(ht_syntax_cursor(node));
    CXEvalResultKind kind = result ? clang_EvalResult_getKind(result) : CXEval_UnExposed;
    bool zero = kind == CXEval_Int     ? clang_EvalResult_getAsLongLong(result) == 0
                : kind == CXEval_Float ? clang_EvalResult_getAsDouble(result) == 0
                                       : false;
    if (result)
        clang_EvalResult_dispose(result);
    return zero;
}

bool ht_syntax_is_zero_list(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_LIST &&
           (!node->count || (node->count == 1 && ht_syntax_is_zero(node->children[0])));
}

bool ht_syntax_constant(const ht_syntax *node, int64_t *out_value) {
    return ht_model_constant(node->tree->model, ht_syntax_cursor(node), out_value);
}

bool ht_syntax_is_literal(const ht_syntax *node) {
    enum CXCursorKind kind = clang_getCursorKind(ht_syntax_cursor(node));
    return node->kind == HT_SYNTAX_CONSTANT &&
           (kind == CXCursor_IntegerLiteral || kind == CXCursor_FloatingLiteral);
}

double ht_syntax_literal(const ht_syntax *node) {
    CXEvalResult result = clang_Cursor_Evaluate(ht_syntax_cursor(node));
    CXEvalResultKind kind = result ? clang_EvalResult_getKind(result) : CXEval_UnExposed;
    double value = kind == CXEval_Int     ? (double)clang_EvalResult_getAsLongLong(result)
                   : kind == CXEval_Float ? clang_EvalResult_getAsDouble(result)
                                          : 0;
    if (result)
        clang_EvalResult_dispose(result);
    return value;
}

const ht_macro *ht_syntax_macro(const ht_syntax *literal) {
    const ht_source *source = literal->tree->model->facts->source;
    CXSourceRange extent = clang_getCursorExtent(ht_syntax_cursor(literal));
    CXFile file;
    unsigned offset;
    clang_getSpellingLocation(clang_getRangeStart(extent), &file, NULL, NULL, &offset);
    size_t index = ht_source_file(source, file);
    for (size_t i = 0; i < source->macros.count; ++i)
        if (source->macros.items[i].file == index && offset >= source->macros.items[i].body.begin &&
            offset < source->macros.items[i].body.end)
            return &source->macros.items[i];
    return NULL;
}

bool ht_syntax_number(const ht_syntax *node, int64_t *out_value) {
    switch (clang_getCursorKind(ht_syntax_cursor(node))) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr:
        return node->is_whole && ht_syntax_evaluate(node, out_value);
    default:
        return false;
    }
}

/* ---- text ---- */

static bool main_range(const ht_syntax *node, ht_range *out_range) {
    const ht_source *source = node->tree->model->facts->source;
    CXCursor cursor = ht_syntax_cursor(node);
    return ht_source_place(source, cursor, out_range) && ht_source_file_of(source, cursor) == 0;
}

char *ht_syntax_main_text(const ht_syntax *node) {
    ht_range range;
    return main_range(node, &range) ? ht_model_text(node->tree->model, range) : NULL;
}

bool ht_syntax_is_same_text(const ht_syntax *a, const ht_syntax *b) {
    ht_range one, other;
    if (!main_range(a, &one) || !main_range(b, &other))
        return false;
    const ht_tokens *tokens = ht_source_tokens(a->tree->model->facts->source, 0);
    size_t i = ht_tokens_at(tokens, one.begin), k = ht_tokens_at(tokens, other.begin);
    for (;; ++i, ++k) {
        bool more = i < tokens->count && tokens->items[i].begin < one.end;
        if (more != (k < tokens->count && tokens->items[k].begin < other.end))
            return false;
        if (!more)
            return true;
        size_t length = tokens->items[i].end - tokens->items[i].begin;
        if (length != tokens->items[k].end - tokens->items[k].begin ||
            memcmp(tokens->text + tokens->items[i].begin, tokens->text + tokens->items[k].begin,
                   length) != 0)
            return false;
    }
}

char *ht_syntax_quote(const ht_syntax *node) {
    return ht_source_quote(node->tree->model->facts->source, ht_syntax_cursor(node));
}

char *ht_syntax_spelling(const ht_syntax *node) {
    CXCursor cursor = ht_syntax_cursor(node), inner = ht_ast_child(cursor, 0);
    char *name = ht_cursor_name(cursor);
    if (name[0] || clang_getCursorKind(inner) != CXCursor_OverloadedDeclRef ||
        clang_getNumOverloadedDecls(inner) != 1)
        return name;
    free(name);
    return ht_cursor_name(inner);
}

char *ht_syntax_field(const ht_syntax *node, const ht_parameter **out_parameter) {
    ht_text path = {0};
    for (node = ht_syntax_strip_whole(node); node->kind == HT_SYNTAX_MEMBER && !node->arrow;
         node = ht_syntax_strip_whole(node->children[0])) {
        char *name = ht_syntax_spelling(node);
        char *before = ht_text_take(&path);
        bool named = name[0] && !strchr(name, '('); /* vector types have parts without a name */
        ht_text_printf(&path, "%s%s%s", named ? name : "", named && before && before[0] ? "." : "",
                       before ? before : "");
        free(before);
        free(name);
        if (!node->count)
            break;
    }
    const ht_syntax_variable *variable = ht_syntax_named(node);
    const ht_parameter *parameter = variable ? variable->parameter : NULL;
    bool plain = parameter && !parameter->is_pointer && !parameter->is_assigned &&
                 !variable->changed && path.length > 0;
    *out_parameter = plain ? parameter : NULL;
    if (plain)
        return ht_text_take(&path);
    ht_text_free(&path);
    return NULL;
}

/* ---- what the model knows ---- */

bool ht_syntax_is_global(const ht_syntax *node, int axis) {
    CXCursor pitch;
    int found;
    return ht_index_global(node->tree->model, ht_ast_strip(ht_syntax_cursor(node), true), &found,
                           &pitch) &&
           found == axis;
}

size_t ht_syntax_index_variable(const ht_syntax_tree *tree, int axis) {
    CXCursor variable = tree->model->axes[axis].index_variable;
    return clang_Cursor_isNull(variable) ? SIZE_MAX : ht_syntax_variable_of(tree, variable);
}

ht_position ht_syntax_line(const ht_syntax_tree *tree, int line) {
    for (size_t i = 0; i < tree->count; ++i)
        if (tree->nodes[i] != tree->body && tree->nodes[i]->at.line == line)
            return tree->nodes[i]->at;
    return (ht_position){0};
}

bool ht_syntax_calls_reached(const ht_syntax *call) {
    return call->call->function != SIZE_MAX && call->call->function > 0;
}

/* ---- types ---- */

bool ht_syntax_is_real(const ht_syntax *node) {
    CXType type = clang_getCanonicalType(clang_getCursorType(ht_syntax_cursor(node)));
    return (type.kind >= CXType_Float && type.kind <= CXType_LongDouble) ||
           type.kind == CXType_Half;
}

bool ht_syntax_holds_pointers(const ht_syntax_variable *variable) {
    return ht_type_holds_pointers(
        clang_getCursorType(ht_syntax_declared(variable->tree, variable->index)));
}

static bool is_number(CXType type) {
    return (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) ||
           type.kind == CXType_Half || type.kind == CXType_Enum;
}

/* Returns the type of the parameter as which a child of a call is passed; invalid: the child is the
 * object of a method. */
static CXType passed_as(const ht_syntax *call, size_t child) {
    CXCursor cursor = ht_syntax_cursor(call);
    CXType callee = clang_getCursorType(clang_getCursorReferenced(cursor));
    int count = clang_Cursor_getNumArguments(cursor), known = clang_getNumArgTypes(callee);
    size_t objects = count >= 0 ? (size_t)call->op - (size_t)count : call->count;
    size_t index = child - objects;
    return child >= objects && (int)index < known ? clang_getArgType(callee, (unsigned)index)
                                                  : (CXType){.kind = CXType_Invalid};
}

bool ht_syntax_only_reads(const ht_syntax *node, size_t child) {
    CXCursor cursor = ht_syntax_cursor(node);
    CXType type =
        node->kind == HT_SYNTAX_CALL ? passed_as(node, child) : clang_getCursorType(cursor);
    if (type.kind == CXType_Invalid)
        return false;
    type = clang_getCanonicalType(type);
    bool made = node->kind != HT_SYNTAX_CAST ||
                clang_getCursorKind(cursor) == CXCursor_CXXFunctionalCastExpr;
    if (type.kind == CXType_Pointer || type.kind == CXType_LValueReference ||
        type.kind == CXType_RValueReference)
        return made && clang_isConstQualifiedType(clang_getPointeeType(type));
    return made && is_number(type);
}

size_t ht_syntax_size(const ht_syntax *node) {
    CXType type = clang_getCursorType(ht_syntax_cursor(node));
    if (type.kind == CXType_Invalid || type.kind == CXType_Unexposed ||
        clang_getCanonicalType(type).kind == CXType_FunctionProto)
        return 0; /* libclang crashes if asked for the size of a method */
    long long bytes = clang_Type_getSizeOf(type);
    return bytes > 0 ? (size_t)bytes : 0;
}

static CXType declared_type(const ht_syntax_variable *variable) {
    return clang_getCursorType(ht_syntax_declared(variable->tree, variable->index));
}

static CXType pointee(const ht_syntax_variable *pointer) {
    CXType type = clang_getCanonicalType(declared_type(pointer));
    return type.kind == CXType_Pointer ? clang_getPointeeType(type)
                                       : (CXType){.kind = CXType_Invalid};
}

char *ht_syntax_element(const ht_syntax_variable *variable) {
    CXType type = pointee(variable);
    if (type.kind == CXType_Invalid) {
        type = declared_type(variable);
        for (unsigned i = 0; i < variable->rank; ++i)
            type = clang_getArrayElementType(type);
    }
    return ht_type_text(type);
}

int64_t ht_syntax_extent(const ht_syntax_variable *array, unsigned dimension) {
    CXType type = declared_type(array);
    for (unsigned i = 0; i < dimension; ++i)
        type = clang_getArrayElementType(type);
    return clang_getCanonicalType(type).kind == CXType_ConstantArray ? clang_getArraySize(type)
                                                                     : -1;
}

bool ht_syntax_points_to_const(const ht_syntax_variable *pointer) {
    return clang_isConstQualifiedType(pointee(pointer)) != 0;
}

bool ht_syntax_is_restrict(const ht_syntax_variable *pointer) {
    return clang_isRestrictQualifiedType(declared_type(pointer)) != 0;
}

/* Returns the bytes of a template's argument, as launched; 0: the type is not one, or the argument
 * is not known. */
static size_t launched_size(const ht_syntax_tree *tree, CXType type) {
    static const char front[] = "const ";
    size_t size = 0;
    CXString spelling = clang_getTypeSpelling(type);
    const char *name = clang_getCString(spelling);
    name += strncmp(name, front, strlen(front)) == 0 ? strlen(front) : 0;
    const ht_kernel_facts *facts = tree->model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i)
        if (facts->template_parameters.items[i].argument &&
            strcmp(facts->template_parameters.items[i].name, name) == 0)
            size = ht_type_size(facts->template_parameters.items[i].argument);
    clang_disposeString(spelling);
    return size;
}

size_t ht_syntax_launched_size(const ht_syntax *node) {
    size_t size = ht_syntax_size(node);
    return size ? size : launched_size(node->tree, clang_getCursorType(ht_syntax_cursor(node)));
}

size_t ht_syntax_element_size(const ht_syntax_variable *array) {
    CXType type = clang_getCursorType(ht_syntax_declared(array->tree, array->index));
    while (type.kind != CXType_IncompleteArray &&
           clang_getArrayElementType(type).kind != CXType_Invalid)
        type = clang_getArrayElementType(type);
    long long known = clang_Type_getSizeOf(type);
    return known > 0 ? (size_t)known : launched_size(array->tree, type);
}

bool ht_syntax_value_place(const ht_syntax_variable *constant, ht_range *out_place) {
    CXCursor declaration = ht_syntax_declared(constant->tree, constant->index);
    CXCursor value = clang_getCursorKind(declaration) == CXCursor_VarDecl
                         ? clang_Cursor_getVarDeclInitializer(declaration)
                         : ht_ast_child(declaration, 0);
    return !clang_Cursor_isNull(value) &&
           ht_source_place(constant->tree->model->facts->source, value, out_place);
}

/* Returns NULL if no declaration can be written with the type. */
static char *type_text(CXType type, bool standard) {
    char *text = ht_type_text(type);
    if (*text && !strpbrk(text, "([&") && !strstr(text, "auto") && !strstr(text, "decltype") &&
        !strstr(text, "unnamed") && (standard || !strstr(text, "std::")))
        return text;
    free(text);
    return NULL;
}

char *ht_syntax_type(const ht_syntax *node) {
    return type_text(ht_type_unqualified(clang_getCursorType(ht_syntax_cursor(node))), false);
}

char *ht_syntax_variable_type(const ht_syntax_variable *variable, bool element) {
    CXType type = clang_getCursorType(ht_syntax_declared(variable->tree, variable->index));
    while (element && clang_getArrayElementType(type).kind != CXType_Invalid)
        type = clang_getArrayElementType(type);
    type = ht_type_unqualified(type);
    char *text = type_text(type, true);
    CXType plain = clang_getCanonicalType(type);
    if (text && strstr(text, "std::") && plain.kind >= CXType_Bool &&
        plain.kind <= CXType_LongDouble) { /* of `auto`: a name that the unit may not know */
        free(text);
        text = type_text(plain, true);
    }
    char *copy = text ? ht_format("%s%s", text, text[strlen(text) - 1] == '*' ? "" : " ") : NULL;
    free(text);
    return copy;
}

char *ht_syntax_canonical_type(const ht_syntax_variable *variable) {
    CXType type = clang_getCanonicalType(
        clang_getCursorType(ht_syntax_declared(variable->tree, variable->index)));
    CXString spelling = clang_getTypeSpelling(ht_type_unqualified(type));
    char *text = ht_format("%s ", clang_getCString(spelling));
    clang_disposeString(spelling);
    return text;
}

/* ---- what the model knows ---- */

ht_index_kind ht_syntax_builtin(const ht_syntax *node, bool resolve, int *out_axis) {
    return ht_index_plain(node->tree->model, ht_syntax_cursor(node), resolve, out_axis);
}

ht_index_kind ht_syntax_index(const ht_syntax *node, int *out_axis) {
    return ht_ast_index(node->tree->model, ht_syntax_cursor(node), out_axis);
}

bool ht_syntax_is_origin(const ht_syntax *node, int *out_axis) {
    return ht_index_origin(node->tree->model, ht_syntax_cursor(node), out_axis);
}

bool ht_syntax_total(const ht_syntax *node, int *out_axis) {
    return ht_index_total(node->tree->model, ht_syntax_cursor(node), out_axis);
}

bool ht_syntax_is_alias(const ht_syntax_variable *variable) {
    return ht_index_alias(variable->tree->model,
                          ht_syntax_declared(variable->tree, variable->index));
}

char *ht_syntax_qualified_name(const ht_syntax_variable *variable) {
    CXCursor declaration = ht_syntax_declared(variable->tree, variable->index);
    enum CXCursorKind scope = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    return scope == CXCursor_TranslationUnit || scope == CXCursor_Namespace
               ? ht_cursor_qualified_name(declaration)
               : NULL;
}

bool ht_syntax_in_macro(const ht_syntax *node) {
    return ht_ast_in_macro(node->tree->model, ht_syntax_cursor(node));
}

bool ht_pitch_place(const ht_model *model, size_t index, ht_range *out_place, ht_position *out_at) {
    const ht_source *source = model->facts->source;
    const ht_pitch *pitch = &model->facts->pitches.items[index];
    ht_range whole;
    *out_at = ht_syntax_place(ht_syntax_of(model), pitch->whole);
    /* a cursor from a macro's body has the place of the macro's name */
    return ht_source_place(source, pitch->constant, out_place) &&
           ht_source_place(source, pitch->whole, &whole) &&
           (out_place->begin != whole.begin || out_place->end != whole.end) &&
           out_place->begin >= model->definition.body_range.begin &&
           out_place->end <= model->definition.body_range.end;
}

bool ht_pitch_is_unsigned(const ht_model *model, size_t index) {
    CXCursor whole = ht_ast_strip(model->facts->pitches.items[index].whole, false);
    return clang_getCanonicalType(clang_getCursorType(whole)).kind == CXType_UInt;
}

bool ht_shares_elsewhere(const ht_model *model, ht_position *out_at) {
    bool shares = !clang_Cursor_isNull(model->facts->reached.sharing);
    if (shares)
        *out_at = ht_syntax_place(ht_syntax_of(model), model->facts->reached.sharing);
    return shares;
}

static const ht_syntax_variable *declared_by(const ht_syntax_tree *tree, CXCursor declaration) {
    size_t index = ht_syntax_variable_of(tree, declaration);
    return index == SIZE_MAX ? NULL : &tree->variables[index];
}

const ht_syntax_variable *ht_syntax_template_parameter(const ht_syntax_tree *tree, size_t index) {
    return declared_by(tree, tree->model->facts->template_parameters.items[index].cursor);
}

const ht_syntax_variable *ht_syntax_symbol_variable(const ht_syntax_tree *tree,
                                                    const ht_symbol *symbol) {
    return declared_by(tree, symbol->declaration);
}

ht_position ht_parameter_place(const ht_model *model, size_t index) {
    return ht_syntax_place(ht_syntax_of(model), model->parameters.items[index].cursor);
}

/* ---- functions that the kernel reaches ---- */

bool ht_reached_holds(const ht_model *model, size_t file, size_t offset) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->reached.count; ++i) {
        ht_range range;
        size_t of;
        if (ht_source_range(facts->source, facts->reached.functions[i], &of, &range) &&
            of == file && ht_range_holds(range, offset))
            return true;
    }
    return file == 0 && offset >= model->definition.range.begin &&
           offset < model->definition.range.end;
}

char *ht_reached_name(const ht_model *model, size_t index, size_t *out_offset) {
    CXCursor function = model->facts->reached.functions[index];
    *out_offset = ht_ast_offset(function);
    return ht_cursor_name(function);
}

bool ht_syntax_is_return(const ht_syntax *statement) {
    while (statement->kind == HT_SYNTAX_COMPOUND && statement->count == 1)
        statement = statement->children[0];
    return statement->kind == HT_SYNTAX_RETURN;
}
