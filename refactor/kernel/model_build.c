#include "refactor/kernel/model_build.h"
#include "base/memory.h"
#include "refactor/kernel/branches.h"
#include "refactor/kernel/deduced.h"
#include "refactor/kernel/geometry.h"
#include "refactor/kernel/guards.h"
#include "refactor/kernel/indexing.h"
#include "refactor/kernel/pins.h"
#include "refactor/kernel/reach.h"
#include "refactor/kernel/runtime_block.h"
#include "refactor/kernel/specialised.h"
#include "refactor/kernel/supposed.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/waits.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/symbol.h"
#include "refactor/source/operators.h"

#include <stdlib.h>
#include <string.h>

static size_t models_built;

/* Removes leading qualifiers: "const float" becomes "float". */
static char *without_qualifiers(char *text) {
    static const char *const words[] = {"const ", "volatile "};
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < 2; ++i)
            if (strncmp(text, words[i], strlen(words[i])) == 0) {
                memmove(text, text + strlen(words[i]), strlen(text + strlen(words[i])) + 1);
                again = true;
            }
    }
    return text;
}

static void parameter_add(ht_model *model, CXCursor cursor) {
    CXType type = clang_getCursorType(cursor);
    CXType canonical = clang_getCanonicalType(type);
    ht_parameter parameter = {.name = ht_cursor_name(cursor),
                              .type = without_qualifiers(ht_type_text(type)),
                              .is_pointer = canonical.kind == CXType_Pointer,
                              .is_integer = ht_type_is_integer(type),
                              .cursor = cursor};
    if (parameter.is_pointer) {
        CXType pointee = clang_getPointeeType(type);
        if (pointee.kind == CXType_Invalid)
            pointee = clang_getPointeeType(canonical);
        parameter.is_const = clang_isConstQualifiedType(clang_getCanonicalType(pointee)) != 0;
        parameter.is_restrict = clang_isRestrictQualifiedType(type) != 0;
        parameter.pointee = without_qualifiers(ht_type_text(pointee));
        parameter.leads_further = ht_type_holds_pointers(pointee);
    } else
        parameter.leads_further = ht_type_holds_pointers(canonical);
    if (!parameter.is_pointer)
        parameter.is_const = clang_isConstQualifiedType(type) != 0;
    if (!ht_ast_range(model, cursor, &parameter.range))
        parameter.range = (ht_range){0};
    parameter.name_begin = ht_ast_offset(cursor);
    HT_GROW(model->parameters.items, model->parameters.count);
    model->parameters.items[model->parameters.count++] = parameter;
}

static void template_parameter_add(ht_model *model, CXCursor cursor, ht_template_kind kind) {
    ht_kernel_facts *facts = model->facts;
    HT_GROW(facts->template_parameters.items, facts->template_parameters.count);
    facts->template_parameters.items[facts->template_parameters.count++] =
        (ht_template_parameter){.name = ht_cursor_name(cursor), .kind = kind, .cursor = cursor};
}

static bool on_local(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    ht_model *model = context;
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl)
        return true;
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    ht_local local = {.name = ht_cursor_name(cursor),
                      .cursor = cursor,
                      .initializer = clang_Cursor_getVarDeclInitializer(cursor),
                      .is_shared = ht_ast_has(cursor, CXCursor_CUDASharedAttr),
                      .is_array = type.kind >= CXType_ConstantArray &&
                                  type.kind <= CXType_DependentSizedArray,
                      .first_write = SIZE_MAX};
    HT_GROW(model->locals.items, model->locals.count);
    model->locals.items[model->locals.count++] = local;
    return true;
}

/* Counts `int x = x;` as a write, so that nobody follows the initialiser in a circle. */
static void mark_circular(ht_model *model) {
    for (size_t i = 0; i < model->locals.count; ++i) {
        ht_local *local = &model->locals.items[i];
        if (clang_Cursor_isNull(local->initializer) ||
            !ht_ast_mentions(local->initializer, local->cursor))
            continue;
        ++local->writes;
        local->first_write = 0;
    }
}

/* ---- writes ---- */

/* Returns the variable at the root of an lvalue: of v, v.x and v[i], not of *v. */
static CXCursor root_variable(CXCursor expression) {
    for (;;) {
        expression = ht_ast_strip(expression, true);
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind == CXCursor_MemberRefExpr || kind == CXCursor_ArraySubscriptExpr) {
            CXCursor base = ht_ast_child(expression, 0);
            if (clang_Cursor_isNull(base))
                return base;
            CXType type = clang_getCanonicalType(clang_getCursorType(ht_ast_strip(base, true)));
            if (type.kind == CXType_Pointer)
                return clang_getNullCursor();
            expression = base;
        } else
            return ht_ast_variable(expression);
    }
}

/* Counts an access to a variable by the expression `at`. */
static void note(ht_model *model, CXCursor variable, bool write, CXCursor at) {
    for (size_t i = 0; i < model->locals.count; ++i) {
        ht_local *local = &model->locals.items[i];
        if (!clang_equalCursors(local->cursor, variable))
            continue;
        ++*(write ? &local->writes : &local->reads);
        if (write && ht_ast_begin(at) < local->first_write)
            local->first_write = ht_ast_begin(at);
    }
    for (size_t i = 0; write && i < model->parameters.count; ++i)
        if (clang_equalCursors(model->parameters.items[i].cursor, variable))
            model->parameters.items[i].is_assigned = true;
}

static bool is_update(enum CXUnaryOperatorKind kind) {
    return kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec ||
           kind == CXUnaryOperator_PreInc || kind == CXUnaryOperator_PreDec ||
           kind == CXUnaryOperator_AddrOf;
}

static bool is_mutable_reference(CXType type) {
    return (type.kind == CXType_LValueReference &&
            !clang_isConstQualifiedType(clang_getPointeeType(type))) ||
           type.kind == CXType_RValueReference;
}

static bool may_write(CXCursor function, unsigned index) {
    CXType type = clang_getCursorType(ht_ast_primary(function));
    int count = clang_getNumArgTypes(type);
    return count < 0 || ((int)index < count && is_mutable_reference(clang_getArgType(type, index)));
}

/* Returns true if an operator function only reads its operands: operator+ does; operator+=,
 * operator++ and operator= do not. */
static bool only_reads(const char *name) {
    if (strncmp(name, "operator", 8) != 0)
        return false;
    const char *op = name + 8;
    size_t length = strlen(op);
    bool compares = strcmp(op, "==") == 0 || strcmp(op, "!=") == 0 || strcmp(op, "<=") == 0 ||
                    strcmp(op, ">=") == 0;
    return compares || (length && op[length - 1] != '=' && strcmp(op, "++") != 0 &&
                        strcmp(op, "--") != 0 && strcmp(op, "()") != 0);
}

typedef struct candidates {
    unsigned index;
    bool found, writes;
} candidates;

static bool on_candidate(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    candidates *in = context;
    if (clang_getCursorKind(cursor) != CXCursor_OverloadedDeclRef)
        return true;
    char *name = ht_cursor_name(cursor);
    in->found = true;
    for (unsigned i = 0; !only_reads(name) && i < clang_getNumOverloadedDecls(cursor); ++i)
        in->writes = in->writes || may_write(clang_getOverloadedDecl(cursor, i), in->index);
    free(name);
    return true;
}

/* Returns true if this argument of a call may be bound to a reference through which it is
 * written. */
static bool argument_written(CXCursor call, unsigned index) {
    CXCursor function = clang_getCursorReferenced(call);
    if (!clang_Cursor_isNull(function) && !clang_isInvalid(clang_getCursorKind(function)))
        return may_write(function, index);
    candidates in = {index, false, false};
    ht_cursors list = ht_ast_children(call);
    for (size_t i = 0; i < list.count; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        if (kind == CXCursor_DeclRefExpr || kind == CXCursor_UnexposedExpr)
            ht_ast_walk(list.items[i], on_candidate, &in);
    }
    free(list.items);
    return !in.found || in.writes;
}

/* Notes arguments that may be bound to references: those passed without a conversion to a value. */
static void note_arguments(ht_model *model, CXCursor call) {
    int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count; ++i) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        if (clang_getCursorKind(argument) == CXCursor_DeclRefExpr &&
            argument_written(call, (unsigned)i))
            note(model, ht_ast_variable(argument), true, call);
    }
}

/* Notes the object of a method that may change it. */
static void note_object(ht_model *model, CXCursor call) {
    CXCursor method = clang_getCursorReferenced(call), callee = ht_ast_child(call, 0);
    if (clang_getCursorKind(method) != CXCursor_CXXMethod || clang_CXXMethod_isStatic(method) ||
        clang_CXXMethod_isConst(method) || clang_Cursor_isNull(callee))
        return;
    bool member = clang_getCursorKind(callee) == CXCursor_MemberRefExpr;
    CXCursor object = member                                   ? ht_ast_child(callee, 0)
                      : clang_Cursor_getNumArguments(call) > 0 ? clang_Cursor_getArgument(call, 0)
                                                               : clang_getNullCursor();
    if (!clang_Cursor_isNull(object))
        note(model, root_variable(object), true, call);
}

static bool on_use(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    ht_model *model = context;
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        if (ht_ast_binary(cursor, &binary, &left, &right) && ht_operator_assigns((int)binary))
            note(model, root_variable(left), true, cursor);
        break;
    case CXCursor_UnaryOperator:
        if (ht_ast_unary(cursor, &unary, &left) && is_update(unary))
            note(model, root_variable(left), true, cursor);
        break;
    case CXCursor_CallExpr:
        note_arguments(model, cursor);
        note_object(model, cursor);
        break;
    case CXCursor_VarDecl: {
        enum CXTypeKind kind = clang_getCursorType(cursor).kind;
        CXCursor initializer = clang_Cursor_getVarDeclInitializer(cursor);
        if ((kind == CXType_LValueReference || kind == CXType_RValueReference) &&
            !clang_Cursor_isNull(initializer))
            note(model, root_variable(initializer), true, cursor);
        break;
    }
    case CXCursor_DeclRefExpr:
        note(model, clang_getCursorReferenced(cursor), false, cursor);
        break;
    default:
        break;
    }
    return true;
}

/* ---- building ---- */

static void model_range(ht_model *model) {
    size_t file;
    CXCursor whole = model->definition.function;
    CXCursor parent = clang_getCursorLexicalParent(model->definition.function);
    ht_source_range(model->facts->source, whole, &file, &model->definition.range);
    ht_source_range(model->facts->source, model->definition.body, &file,
                    &model->definition.body_range);
    model->definition.file = file;
    unsigned line, name;
    clang_getExpansionLocation(clang_getCursorLocation(whole), NULL, &line, NULL, &name);
    model->definition.line = (int)line;
    model->definition.name_begin = name;
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    size_t first = ht_tokens_at(tokens, model->definition.range.begin);
    (void)parent;
    if (first >= 2 && ht_tokens_is(tokens, first - 2, "extern") &&
        ht_tokens_is(tokens, first - 1, "\"C\""))
        model->definition.range.begin = tokens->items[first - 2].begin;
}

static void model_children(ht_model *model) {
    ht_cursors list = ht_ast_children(model->definition.function);
    for (size_t i = 0; i < list.count; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        if (kind == CXCursor_ParmDecl)
            parameter_add(model, list.items[i]);
        else if (kind == CXCursor_CompoundStmt)
            model->definition.body = list.items[i];
        else if (kind == CXCursor_TemplateTypeParameter)
            template_parameter_add(model, list.items[i], HT_TEMPLATE_TYPE);
        else if (kind == CXCursor_NonTypeTemplateParameter)
            template_parameter_add(model, list.items[i], HT_TEMPLATE_VALUE);
        else if (kind == CXCursor_TemplateTemplateParameter)
            template_parameter_add(model, list.items[i], HT_TEMPLATE_TEMPLATE);
    }
    free(list.items);
}

/* Names a value of the problem file by the launch's symbol if the launch has the same value. */
static void name_given(const ht_kernel_facts *facts, ht_template_parameter *parameter,
                       CXCursor argument) {
    int64_t value;
    if (clang_Cursor_isNull(argument) || !parameter->has_value)
        return;
    parameter->symbol = ht_symbol_read(facts->source, argument);
    if (ht_symbol_value(parameter->symbol, &value) && value == parameter->value)
        return;
    ht_symbol_free(parameter->symbol);
    parameter->symbol = NULL;
}

/* Fills in the template arguments of the specialisation that is launched or that the problem file
 * names. */
static void template_values(ht_model *model) {
    ht_kernel_facts *facts = model->facts;
    const ht_launch_site *site = ht_launches_first(&facts->launches);
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        ht_template_parameter *parameter = &facts->template_parameters.items[i];
        const char *given = model->entry && i < model->entry->template_argument_count
                                ? model->entry->template_arguments[i]
                                : NULL;
        if (given) {
            char *end;
            parameter->argument = ht_strdup(given);
            parameter->value = strtoll(given, &end, 0);
            parameter->has_value = end != given && *end == 0;
            if (site && i < site->template_argument_count)
                name_given(facts, parameter, site->template_arguments[i]);
        } else if (site && i < site->template_argument_count) {
            ht_range range = site->template_ranges[i];
            parameter->argument = ht_strndup(facts->source->files[site->file].text + range.begin,
                                             range.end - range.begin);
            if (!clang_Cursor_isNull(site->template_arguments[i])) {
                parameter->symbol = ht_symbol_read(facts->source, site->template_arguments[i]);
                parameter->has_value = ht_symbol_value(parameter->symbol, &parameter->value);
            } else {
                char *end;
                parameter->value = strtoll(parameter->argument, &end, 0);
                parameter->has_value = end != parameter->argument && *end == 0;
            }
        } else if (parameter->kind == HT_TEMPLATE_TYPE) {
            parameter->argument = site ? ht_deduced_record(model, site, parameter->name) : NULL;
            parameter->is_deduced = parameter->argument != NULL;
        } else if (parameter->kind == HT_TEMPLATE_VALUE) {
            CXCursor fallback = ht_ast_child(parameter->cursor, 0);
            parameter->has_value =
                !clang_Cursor_isNull(fallback) && ht_ast_constant(fallback, &parameter->value);
        }
    }
}

/* How a model is built. */
typedef struct manner {
    bool alone;    /* as if nothing launched the kernel */
    bool line;     /* the entry is just a block, without which guards are read */
    bool supposes; /* blocks that are not followed get a value */
    bool alike;    /* with the launches alone that have the first one's block */
} manner;

/* Returns false if launches were to be dropped, and there are none to drop. */
static bool build(const ht_source *source, CXCursor kernel, const ht_problem_entry *entry,
                  manner how, ht_model *model) {
    *model = (ht_model){.text = source->text, .entry = entry};
    model->definition = (ht_definition){
        .function = kernel,
        .body = clang_getNullCursor(),
        .is_template = clang_getCursorKind(kernel) == CXCursor_FunctionTemplate,
        .is_declared_ahead = !clang_equalCursors(clang_getCanonicalCursor(kernel), kernel),
    };
    model->facts = ht_alloc(1, sizeof *model->facts);
    model->facts->source = source;
    ht_effort_init(&model->facts->effort, source->operations);
    model->name = ht_cursor_name(kernel);
    model->qualified = ht_cursor_qualified_name(kernel);
    CXString symbol = clang_Cursor_getMangling(kernel);
    const char *mangled = clang_getCString(symbol);
    model->definition.is_extern_c = mangled && strcmp(mangled, model->name) == 0;
    clang_disposeString(symbol);
    model_children(model);
    model_range(model);
    if (!how.alone)
        ht_launches_find(source, kernel, &model->facts->launches);
    if (how.alike && !ht_launches_keep_alike(&model->facts->launches))
        return false;
    ht_ast_walk(model->definition.body, on_local, model);
    ht_ast_walk(model->definition.body, on_use, model);
    mark_circular(model);
    template_values(model);
    ht_reach_build(model);
    ht_runtime_block_assume(model, how.supposes);
    ht_indexing_build(model);
    model->entry = how.line ? NULL : entry;
    ht_guards_build(model);
    ht_specialised_build(model);
    ht_waits_build(model);
    ht_branches_build(model);
    ++models_built;
    model->facts->problem.text = ht_launch_problem(model, &model->facts->problem.line);
    return true;
}

void ht_model_build(const ht_source *source, CXCursor kernel, const ht_problem_entry *entry,
                    ht_model *out_model) {
    (void)build(source, kernel, entry, (manner){0}, out_model);
}

/* Chooses a launch for the model's kernel. Blocks that are counted over two axes of the grid are
 * only recognised where the block is a line, so that one is tried. NULL: guards do not suffice. */
static ht_problem_entry *suppose(const ht_source *source, CXCursor kernel, bool alone,
                                 const ht_model *model) {
    ht_problem_entry *made = ht_supposed_make(model);
    if (made || model->facts->launches.count || !model->axes[1].uses_block ||
        !model->axes[0].uses_grid_dim)
        return made;
    ht_problem_entry *line = ht_supposed_line();
    ht_model trial;
    (void)build(source, kernel, line, (manner){.alone = alone, .line = true}, &trial);
    made = ht_supposed_make(&trial);
    ht_model_free(&trial);
    ht_supposed_free(line);
    return made;
}

/* Builds the model again with the launch that was supposed. */
static void build_supposed(const ht_source *source, CXCursor kernel, ht_problem_entry *supposed,
                           bool alone, ht_model *out_model) {
    ht_model_free(out_model);
    (void)build(source, kernel, supposed, (manner){.alone = alone}, out_model);
    out_model->entry = NULL;
    out_model->facts->supposed = supposed;
}

bool ht_model_build_alone(const ht_source *source, CXCursor kernel, ht_model *out_model) {
    (void)build(source, kernel, NULL, (manner){.alone = true}, out_model);
    ht_problem_entry *supposed = suppose(source, kernel, true, out_model);
    if (supposed)
        build_supposed(source, kernel, supposed, true, out_model);
    else
        ht_model_free(out_model);
    return supposed != NULL;
}

bool ht_model_build_alike(const ht_source *source, CXCursor kernel, ht_model *out_model) {
    if (build(source, kernel, NULL, (manner){.alike = true}, out_model))
        return true;
    ht_model_free(out_model);
    return false;
}

void ht_model_build_of(const ht_source *source, CXCursor kernel, const ht_problem_file *problems,
                       bool supposes, ht_model *out_model) {
    char *name = ht_cursor_qualified_name(kernel);
    const ht_problem_entry *entry = problems ? ht_problem_file_entry(problems, name) : NULL;
    free(name);
    (void)build(source, kernel, entry, (manner){.supposes = supposes && !entry}, out_model);
    ht_problem_entry *supposed =
        entry || !supposes ? NULL : suppose(source, kernel, false, out_model);
    if (supposed)
        build_supposed(source, kernel, supposed, false, out_model);
}

size_t ht_model_built(void) {
    return models_built;
}

void ht_model_free(ht_model *model) {
    for (size_t i = 0; i < model->parameters.count; ++i) {
        free(model->parameters.items[i].name);
        free(model->parameters.items[i].type);
        free(model->parameters.items[i].pointee);
    }
    for (size_t i = 0; i < model->locals.count; ++i)
        free((char *)(size_t)model->locals.items[i].name);
    for (size_t a = 0; a < 3; ++a)
        free(model->axes[a].guard);
    ht_kernel_facts *facts = model->facts;
    if (facts) {
        for (size_t i = 0; i < facts->template_parameters.count; ++i) {
            free(facts->template_parameters.items[i].name);
            free(facts->template_parameters.items[i].argument);
            ht_symbol_free(facts->template_parameters.items[i].symbol);
        }
        free(facts->template_parameters.items);
        free(facts->reached.functions);
        free(facts->reached.templates);
        free(facts->pitches.items);
        free(facts->problem.text);
        free(facts->assumed.text);
        ht_pins_free(facts);
        if (facts->forms.polynomial)
            facts->forms.polynomial_free(facts->forms.polynomial);
        if (facts->forms.sums)
            facts->forms.sums_free(facts->forms.sums);
        ht_syntax_free(facts->forms.body);
        ht_syntax_free(facts->forms.whole);
        ht_launches_free(&facts->launches);
        ht_supposed_free(facts->supposed);
        free(facts);
    }
    free(model->parameters.items);
    free(model->locals.items);
    free((char *)(size_t)model->name);
    free((char *)(size_t)model->qualified);
    *model = (ht_model){0};
}
