#include "refactor/infer/infer_deduce.h"
#include "refactor/kernel/deduced.h"
#include "refactor/kernel/facts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static char *deduced(const ht_model *model, const char *name) {
    const ht_launch_site *site = ht_launches_first(&model->facts->launches);
    CXType type, given;
    for (size_t i = 0; site && ht_deduced_types(model, site, i, &type, &given); ++i) {
        if (!ht_deduced_names(type, name))
            continue;
        char *text = ht_type_plain(given);
        if (ht_type_size(text))
            return text;
        free(text);
    }
    return NULL;
}

typedef struct named_type {
    const char *name;
    char *found;
} named_type;

static bool on_type(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    named_type *in = context;
    if (in->found || clang_getCursorKind(cursor) != CXCursor_TypeRef)
        return !in->found;
    CXCursor type = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(type);
    if ((kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl) &&
        ht_cursor_named(type, in->name))
        in->found = ht_type_plain(clang_getCanonicalType(clang_getCursorType(type)));
    return true;
}

/* Returns the type that the launch's function calls by this name: PyTorch's scalar_t, which its
 * dispatch macros define. */
static char *launch_type(const ht_model *model, const char *name) {
    const ht_launches *launches = &model->facts->launches;
    named_type in = {.name = name};
    if (launches->count)
        ht_ast_walk(launches->items[0].callee, on_type, &in);
    return in.found;
}

typedef struct caller {
    const ht_source *source;
    CXCursor function; /* a template of the host */
    CXCursor around;   /* the template that is walked */
    unsigned index;    /* of the template's parameter */
    int depth;
    bool is_type;
    char *found;
} caller;

static char *called_with(const ht_source *source, CXCursor function, const char *name, bool is_type,
                         int depth);

/* Reads the template argument that stands in a call which is itself in a template, so that it is
 * not known yet what is called: wrapper<T, 2>(data). */
static void written_argument(caller *in, CXCursor call) {
    ht_launch_site site = {.kernel = clang_getCanonicalCursor(in->function),
                           .callee = ht_ast_child(call, 0),
                           .file = ht_source_file_of(in->source, call)};
    CXCursor name = clang_getNullCursor();
    ht_launch_arguments list;
    if (site.file != SIZE_MAX)
        name = ht_launch_name(&site, site.callee);
    if (clang_Cursor_isNull(name))
        return;
    ht_launch_arguments_read(in->source, &site, name, &list);
    if (in->index < list.count) {
        ht_range range = list.ranges[in->index];
        char *text = ht_strndup(in->source->files[site.file].text + range.begin,
                                range.end - range.begin),
             *end = text;
        bool known = in->is_type ? ht_type_size(text) > 0
                                 : strtoll(text, &end, 0) >= 0 && end != text && !*end;
        in->found =
            known ? text : called_with(in->source, in->around, text, in->is_type, in->depth + 1);
        if (!known)
            free(text);
    }
    ht_launch_arguments_free(&list);
}

/* Finds a call of the host's template, with its arguments. */
static bool on_caller(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    caller *in = context;
    if (in->found)
        return false;
    if (clang_getCursorKind(cursor) == CXCursor_FunctionTemplate)
        in->around = cursor;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        return true;
    CXCursor called = clang_getCursorReferenced(cursor);
    CXCursor primary = clang_getSpecializedCursorTemplate(called);
    if (clang_Cursor_isNull(primary))
        written_argument(in, cursor);
    if (clang_Cursor_isNull(primary) ||
        !clang_equalCursors(ht_ast_canonical(called), clang_getCanonicalCursor(in->function)) ||
        clang_Cursor_getNumTemplateArguments(called) <= (int)in->index)
        return true;
    enum CXTemplateArgumentKind kind = clang_Cursor_getTemplateArgumentKind(called, in->index);
    if (in->is_type && kind == CXTemplateArgumentKind_Type)
        in->found = ht_type_plain(clang_Cursor_getTemplateArgumentType(called, in->index));
    else if (!in->is_type && kind == CXTemplateArgumentKind_Integral)
        in->found = ht_format("%lld", clang_Cursor_getTemplateArgumentValue(called, in->index));
    return true;
}

/* Returns the argument for the parameter of this name of a template of the host's, in the first
 * call; through the parameters of templates that call it. */
static char *called_with(const ht_source *source, CXCursor function, const char *name, bool is_type,
                         int depth) {
    enum { DEPTH_MAX = 6 };
    if (!name || depth > DEPTH_MAX || clang_getCursorKind(function) != CXCursor_FunctionTemplate)
        return NULL;
    caller in = {.source = source,
                 .function = function,
                 .around = clang_getNullCursor(),
                 .depth = depth,
                 .is_type = is_type};
    ht_cursors list = ht_ast_children(function);
    bool named = false;
    for (size_t i = 0; i < list.count && !named; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter)
            continue;
        named = ht_cursor_named(list.items[i], name);
        in.index += !named;
    }
    free(list.items);
    if (named)
        ht_ast_walk(clang_getTranslationUnitCursor(source->unit), on_caller, &in);
    return in.found;
}

static char *host_argument(const ht_model *model, const char *name, bool is_type) {
    const ht_launches *launches = &model->facts->launches;
    return launches->count
               ? called_with(model->facts->source, launches->items[0].function, name, is_type, 0)
               : NULL;
}

/* Returns true if the template parameter is the type to which a pointer points. */
static bool types_data(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->parameters.count; ++i)
        if (model->parameters.items[i].is_pointer &&
            ht_deduced_names(
                clang_getPointeeType(clang_getCursorType(model->parameters.items[i].cursor)), name))
            return true;
    return false;
}

static bool deduce_type(ht_model *model, ht_template_parameter *parameter) {
    if ((parameter->argument && ht_type_size(parameter->argument)) ||
        ht_deduced_is_record(model, parameter))
        return parameter->is_deduced;
    char *type = parameter->argument ? NULL : deduced(model, parameter->name);
    const char *open = parameter->argument ? parameter->argument : parameter->name;
    if (!type)
        type = launch_type(model, open);
    if (!type)
        type = host_argument(model, open, true);
    if (!type || !ht_type_size(type)) {
        free(type);
        if (!types_data(model, parameter->name))
            return false;
        type = ht_strdup(
            "float"); /* the source names no type: take one that all templates of data accept */
    }
    free(parameter->argument);
    parameter->argument = type;
    return true;
}

typedef struct constant_search {
    const char *name;
    bool known;
    int64_t value;
} constant_search;

/* Reads the constant of that name which a statement ahead of the launch declares. */
static void on_around(CXCursor around, const ht_cursors *parts, size_t at, void *context) {
    (void)around;
    constant_search *in = context;
    for (size_t i = 0; i < at && !in->known; ++i) {
        ht_cursors list = {0};
        if (clang_getCursorKind(parts->items[i]) == CXCursor_DeclStmt)
            list = ht_ast_children(parts->items[i]);
        for (size_t k = 0; k < list.count && !in->known; ++k)
            in->known = clang_getCursorKind(list.items[k]) == CXCursor_VarDecl &&
                        ht_cursor_named(list.items[k], in->name) &&
                        ht_ast_declared_constant(list.items[k], &in->value);
        free(list.items);
    }
}

/* Returns the value of the constant of this name that the launch sees in the host's function, as
 * text: what box<T, tile> names in a template is not resolved. A dispatch macro has one in each of
 * its branches. NULL: there is none. free(). */
static char *constant_named(const ht_model *model, const char *name) {
    const ht_launches *launches = &model->facts->launches;
    constant_search in = {.name = name};
    if (launches->count && name && !clang_Cursor_isNull(launches->items[0].function))
        ht_ast_outwards(launches->items[0].function, launches->items[0].callee, on_around, &in);
    return in.known ? ht_format("%lld", (long long)in.value) : NULL;
}

static bool deduce_value(ht_model *model, ht_template_parameter *parameter) {
    char *value = parameter->has_value ? NULL : constant_named(model, parameter->argument);
    if (!value && !parameter->has_value)
        value = host_argument(model, parameter->argument, false);
    if (!value)
        return false;
    free(parameter->argument);
    parameter->argument = value;
    parameter->value = strtoll(value, NULL, 10);
    parameter->has_value = true;
    return true;
}

bool ht_infer_deduce(ht_model *model) {
    bool any = false;
    for (size_t i = 0; i < model->facts->template_parameters.count; ++i) {
        ht_template_parameter *parameter = &model->facts->template_parameters.items[i];
        bool known = parameter->kind == HT_TEMPLATE_TYPE    ? deduce_type(model, parameter)
                     : parameter->kind == HT_TEMPLATE_VALUE ? deduce_value(model, parameter)
                                                            : false;
        any = any || known;
    }
    return any;
}
