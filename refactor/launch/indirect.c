#include "refactor/launch/indirect.h"

#include "base/memory.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable.h"

#include <stdlib.h>
#include <string.h>

/* A launch of a parameter of the function around it. */
typedef struct wrapper {
    CXCursor function; /* canonical */
    CXCursor call, configuration;
    size_t kernel; /* the parameter's index */
    ht_cursors parameters;
} wrapper;

typedef struct search {
    const ht_source *source;
    CXCursor kernel;   /* canonical */
    CXCursor function; /* around the cursor */
    wrapper *wrappers;
    size_t wrapper_count;
    ht_launches *launches;
} search;

/* ---- the site ---- */

static ht_launch_site site_begin(const search *in, CXCursor call, CXCursor name) {
    ht_launch_site site = {.kernel = in->kernel,
                           .callee = name,
                           .function = in->function,
                           .file = ht_source_file_of(in->source, name),
                           .line = ht_ast_line(call),
                           .in_macro = true,
                           .indirect = true};
    ht_launch_arguments arguments;
    if (site.file == SIZE_MAX)
        site.file = 0;
    ht_launch_arguments_read(in->source, &site, name, &arguments);
    site.template_arguments = arguments.items;
    site.template_ranges = arguments.ranges;
    site.template_argument_count = arguments.count;
    return site;
}

static void argument_add(ht_launch_site *site, CXCursor argument) {
    HT_GROW(site->arguments, site->argument_count);
    site->arguments[site->argument_count++] = argument;
}

static void site_add(search *in, ht_launch_site *site, CXCursor grid, CXCursor block,
                     CXCursor lds) {
    ht_launch_extent_read(in->source, grid, false, &site->grid);
    ht_launch_extent_read(in->source, block, true, &site->block);
    if (!clang_Cursor_isNull(lds))
        site->lds = ht_symbol_read(in->source, lds);
    HT_GROW(in->launches->items, in->launches->count);
    in->launches->items[in->launches->count++] = *site;
}

/* ---- a variable that holds the kernel ---- */

typedef struct value_search {
    CXCursor variable, kernel, found;
} value_search;

static bool on_value(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    value_search *in = context;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right = clang_getNullCursor();
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl &&
        clang_equalCursors(clang_getCanonicalCursor(cursor),
                           clang_getCanonicalCursor(in->variable)))
        right = cursor;
    else if (!ht_ast_binary(cursor, &kind, &left, &right) || kind != CXBinaryOperator_Assign ||
             !clang_equalCursors(ht_ast_variable(ht_ast_strip(left, true)), in->variable))
        return true;
    CXCursor name = ht_launch_kernel_name(right, in->kernel);
    if (clang_Cursor_isNull(in->found))
        in->found = name;
    return true;
}

static void variable_launch(search *in, CXCursor call, CXCursor variable, CXCursor configuration) {
    value_search values = {variable, in->kernel, clang_getNullCursor()};
    ht_ast_walk(in->function, on_value, &values);
    if (clang_Cursor_isNull(values.found))
        return;
    ht_cursors parts = ht_ast_children(call), settings = ht_ast_children(configuration);
    if (settings.count >= 3) {
        ht_launch_site site = site_begin(in, call, values.found);
        for (size_t i = 2; i < parts.count; ++i)
            argument_add(&site, parts.items[i]);
        site_add(in, &site, settings.items[1], settings.items[2],
                 settings.count >= 4 ? settings.items[3] : clang_getNullCursor());
    }
    free(parts.items);
    free(settings.items);
}

/* ---- a function that is passed the kernel ---- */

static ht_cursors parameters_of(CXCursor function) {
    ht_cursors all = ht_ast_children(function), parameters = {0};
    for (size_t i = 0; i < all.count; ++i)
        if (clang_getCursorKind(all.items[i]) == CXCursor_ParmDecl) {
            HT_GROW(parameters.items, parameters.count);
            parameters.items[parameters.count++] = all.items[i];
        }
    free(all.items);
    return parameters;
}

static size_t index_of(const ht_cursors *parameters, CXCursor variable) {
    size_t i = 0;
    while (i < parameters->count && !clang_equalCursors(parameters->items[i], variable))
        ++i;
    return i;
}

static void wrapper_note(search *in, CXCursor call, CXCursor parameter, CXCursor configuration) {
    ht_cursors parameters = parameters_of(in->function);
    size_t index = index_of(&parameters, parameter);
    if (index == parameters.count) {
        free(parameters.items);
        return;
    }
    HT_GROW(in->wrappers, in->wrapper_count);
    in->wrappers[in->wrapper_count++] =
        (wrapper){ht_ast_canonical(in->function), call, configuration, index, parameters};
}

/* Returns the parameter that an expression of the wrapper passes on, `count` where it is computed
 * in another way. Copies of a dim3 are looked through. */
static size_t passed_on(const wrapper *of, CXCursor expression) {
    for (int depth = 0; depth < 8; ++depth) {
        expression = ht_ast_strip(expression, false);
        size_t index = index_of(&of->parameters, ht_ast_variable(expression));
        if (index < of->parameters.count)
            return index;
        ht_cursors parts = ht_ast_children(expression);
        CXCursor inner = parts.count == 1 ? parts.items[0] : clang_getNullCursor();
        free(parts.items);
        enum CXCursorKind kind = clang_getCursorKind(expression);
        bool same = kind == CXCursor_PackExpansionExpr || kind == CXCursor_UnexposedExpr ||
                    (kind == CXCursor_CallExpr && ht_cursor_named(expression, "dim3")) ||
                    (kind == CXCursor_CallExpr && ht_cursor_named(expression, "forward"));
        if (!same || clang_Cursor_isNull(inner))
            break;
        expression = inner;
    }
    return of->parameters.count;
}

/* Returns true if the wrapper changes one of its parameters, other than by the launch, which copies
 * what it is passed. */
static bool is_changed(const wrapper *of, CXCursor parameter) {
    return ht_variable_writes_at(of->function, parameter) >
           ht_variable_writes_at(of->call, parameter);
}

/* Sets the call's argument that the wrapper passes on; false: there is none. */
static bool argument_of(const wrapper *of, CXCursor call, CXCursor expression, CXCursor *out) {
    size_t index = passed_on(of, expression);
    int count = clang_Cursor_getNumArguments(call);
    if (index == of->parameters.count || count < 0 || index >= (size_t)count)
        return false;
    *out = clang_Cursor_getArgument(call, (unsigned)index);
    return !is_changed(of, of->parameters.items[index]);
}

/* Returns true where the wrapper passes on all that the kernel gets. */
static bool arguments_passed(const wrapper *of, CXCursor call, ht_launch_site *site) {
    ht_cursors parts = ht_ast_children(of->call);
    bool good = true;
    int count = clang_Cursor_getNumArguments(call);
    for (size_t i = 2; i < parts.count && good; ++i) {
        CXCursor argument;
        good = argument_of(of, call, parts.items[i], &argument);
        bool pack = clang_getCursorKind(parts.items[i]) == CXCursor_PackExpansionExpr;
        size_t index = good ? passed_on(of, parts.items[i]) : 0;
        for (size_t j = index; good && j < (pack ? (size_t)count : index + 1); ++j)
            argument_add(site, clang_Cursor_getArgument(call, (unsigned)j));
    }
    free(parts.items);
    return good && site->argument_count == (size_t)clang_Cursor_getNumArguments(site->kernel);
}

static void site_drop(ht_launch_site *site) {
    free(site->arguments);
    free(site->template_arguments);
    free(site->template_ranges);
}

static void wrapped_launch(search *in, const wrapper *of, CXCursor call) {
    int count = clang_Cursor_getNumArguments(call);
    if (count < 0 || of->kernel >= (size_t)count)
        return;
    CXCursor given = clang_Cursor_getArgument(call, (unsigned)of->kernel), grid, block;
    CXCursor name = ht_launch_kernel_name(given, in->kernel), lds = clang_getNullCursor();
    if (clang_Cursor_isNull(name))
        return;
    ht_cursors settings = ht_ast_children(of->configuration);
    ht_launch_site site = site_begin(in, call, name);
    bool good = settings.count >= 3 && argument_of(of, call, settings.items[1], &grid) &&
                argument_of(of, call, settings.items[2], &block) &&
                arguments_passed(of, call, &site);
    int64_t bytes;
    if (good && settings.count >= 4 && !argument_of(of, call, settings.items[3], &lds)) {
        lds = settings.items[3];
        good = ht_ast_constant(lds, &bytes);
    }
    if (good)
        site_add(in, &site, grid, block, lds);
    else
        site_drop(&site);
    free(settings.items);
}

/* ---- hipLaunchKernel ---- */

/* Adds the objects that `void *args[] = {&a, &b}` points to. */
static bool pointed_to(CXCursor array, ht_launch_site *site) {
    CXCursor variable = ht_ast_variable(ht_ast_strip(array, true));
    ht_cursors parts = ht_ast_children(variable), items = {0};
    for (size_t i = 0; i < parts.count; ++i)
        if (clang_getCursorKind(parts.items[i]) == CXCursor_InitListExpr)
            items = ht_ast_children(parts.items[i]);
    free(parts.items);
    bool good = items.count > 0;
    for (size_t i = 0; i < items.count && good; ++i) {
        enum CXUnaryOperatorKind kind;
        CXCursor operand, item = ht_ast_strip(items.items[i], true);
        while (clang_getCursorKind(item) == CXCursor_CStyleCastExpr ||
               clang_getCursorKind(item) == CXCursor_CXXReinterpretCastExpr) {
            ht_cursors inner = ht_ast_children(item);
            item = inner.count ? ht_ast_strip(inner.items[inner.count - 1], true)
                               : clang_getNullCursor();
            free(inner.items);
        }
        good = ht_ast_unary(item, &kind, &operand) && kind == CXUnaryOperator_AddrOf;
        if (good)
            argument_add(site, operand);
    }
    free(items.items);
    return good && site->argument_count == (size_t)clang_Cursor_getNumArguments(site->kernel);
}

static void runtime_launch(search *in, CXCursor call) {
    if (clang_Cursor_getNumArguments(call) < 4)
        return;
    CXCursor name = ht_launch_kernel_name(clang_Cursor_getArgument(call, 0), in->kernel);
    if (clang_Cursor_isNull(name))
        return;
    ht_launch_site site = site_begin(in, call, name);
    if (pointed_to(clang_Cursor_getArgument(call, 3), &site))
        site_add(in, &site, clang_Cursor_getArgument(call, 1), clang_Cursor_getArgument(call, 2),
                 clang_Cursor_getNumArguments(call) >= 5 ? clang_Cursor_getArgument(call, 4)
                                                         : clang_getNullCursor());
    else
        site_drop(&site);
}

/* ---- the search ---- */

static bool on_launch(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    search *in = context;
    if (!ht_launch_enters(in->source, cursor, &in->function))
        return false;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        return true;
    CXCursor configuration = ht_launch_configuration(cursor);
    if (clang_Cursor_isNull(configuration)) {
        if (ht_cursor_named(cursor, "hipLaunchKernel") ||
            ht_cursor_named(cursor, "cudaLaunchKernel") ||
            ht_cursor_named(cursor, "hipLaunchCooperativeKernel") ||
            ht_cursor_named(cursor, "cudaLaunchCooperativeKernel"))
            runtime_launch(in, cursor);
        return true;
    }
    CXCursor variable = ht_ast_variable(ht_ast_strip(ht_ast_child(cursor, 0), true));
    if (clang_getCursorKind(variable) == CXCursor_ParmDecl)
        wrapper_note(in, cursor, variable, configuration);
    else if (clang_getCursorKind(variable) == CXCursor_VarDecl)
        variable_launch(in, cursor, variable, configuration);
    return true;
}

static bool on_call(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    search *in = context;
    if (!ht_launch_enters(in->source, cursor, &in->function))
        return false;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        return true;
    CXCursor called = ht_ast_canonical(clang_getCursorReferenced(cursor));
    for (size_t i = 0; i < in->wrapper_count; ++i)
        if (clang_equalCursors(called, in->wrappers[i].function))
            wrapped_launch(in, &in->wrappers[i], cursor);
    return true;
}

void ht_launches_add_indirect(const ht_source *source, CXCursor kernel, ht_launches *launches) {
    search in = {.source = source,
                 .kernel = clang_getCanonicalCursor(kernel),
                 .function = clang_getNullCursor(),
                 .launches = launches};
    CXCursor root = clang_getTranslationUnitCursor(source->unit);
    ht_ast_walk(root, on_launch, &in);
    if (in.wrapper_count)
        ht_ast_walk(root, on_call, &in);
    for (size_t i = 0; i < in.wrapper_count; ++i)
        free(in.wrappers[i].parameters.items);
    free(in.wrappers);
}
