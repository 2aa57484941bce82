/* Finds the launches of a kernel: calls with a __hipPushCallConfiguration child, written
 * k<<<...>>>(...) or hipLaunchKernelGGL(k, ...), or else indirect ones (indirect.h). */
#include "refactor/launch/launch.h"
#include "base/memory.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/indirect.h"
#include "refactor/launch/symbol.h"
#include "refactor/source/ast.h"
#include "refactor/source/conditional.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const ht_source *source;
    CXCursor kernel; /* canonical */
    CXCursor function;
    ht_launches *launches;
} search;

static bool same_function(CXCursor a, CXCursor kernel) {
    return clang_equalCursors(ht_ast_canonical(a), kernel);
}

typedef struct name_search {
    CXCursor kernel;
    CXCursor found;
} name_search;

static bool on_name(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    name_search *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool named = kind == CXCursor_DeclRefExpr &&
                 same_function(clang_getCursorReferenced(cursor), in->kernel);
    for (unsigned i = 0;
         kind == CXCursor_OverloadedDeclRef && !named && i < clang_getNumOverloadedDecls(cursor);
         ++i)
        named = same_function(clang_getOverloadedDecl(cursor, i), in->kernel);
    if (named && clang_Cursor_isNull(in->found))
        in->found = cursor;
    return true;
}

/* Returns the cursor that names the kernel in a callee expression. */
CXCursor ht_launch_kernel_name(CXCursor callee, CXCursor kernel) {
    name_search in = {kernel, clang_getNullCursor()};
    on_name(callee, callee, &in);
    ht_ast_walk(callee, on_name, &in);
    return in.found;
}

CXCursor ht_launch_configuration(CXCursor call) {
    ht_cursors list = ht_ast_children(call);
    CXCursor found = clang_getNullCursor();
    if (list.count >= 2 && clang_getCursorKind(list.items[1]) == CXCursor_CallExpr &&
        ht_cursor_named(list.items[1], "__hipPushCallConfiguration"))
        found = list.items[1];
    free(list.items);
    return found;
}

/* ---- template arguments, from the tokens ---- */

typedef struct match {
    const ht_source *source;
    size_t file;
    ht_range range;
    CXCursor found;
} match;

static bool on_match(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    match *in = context;
    ht_range place;
    if (clang_Cursor_isNull(in->found) && clang_isExpression(clang_getCursorKind(cursor)) &&
        ht_source_place_in(in->source, in->file, cursor, &place) &&
        place.begin == in->range.begin && place.end == in->range.end)
        in->found = cursor;
    return true;
}

/* Adds the argument of these tokens, with its expression below `around`. */
static void template_argument_add(ht_launch_site *site, const ht_source *source, CXCursor around,
                                  size_t first, size_t last) {
    const ht_tokens *tokens = ht_source_tokens(source, site->file);
    match in = {source,
                site->file,
                {tokens->items[first].begin, tokens->items[last].end},
                clang_getNullCursor()};
    ht_ast_walk(around, on_match, &in);
    HT_GROW(site->template_arguments, site->template_argument_count);
    HT_GROW(site->template_ranges, site->template_argument_count);
    site->template_arguments[site->template_argument_count] = in.found;
    site->template_ranges[site->template_argument_count++] = in.range;
}

static void template_arguments(ht_launch_site *site, const ht_source *source, CXCursor name) {
    const ht_tokens *tokens = ht_source_tokens(source, site->file);
    ht_range place;
    if (!ht_source_place_in(source, site->file, name, &place))
        return;
    size_t at = ht_tokens_at(tokens, place.begin);
    while (ht_tokens_is(tokens, at + 1, "::"))
        at += 2;
    if (!ht_tokens_is(tokens, at + 1, "<"))
        return;
    size_t close = ht_tokens_close(tokens, at + 1), first = at + 2;
    int depth = 0;
    /* what a template of the host calls is not resolved, and its arguments stand next to its name
     */
    bool apart = clang_getCursorKind(name) == CXCursor_OverloadedDeclRef &&
                 !clang_Cursor_isNull(site->callee);
    CXCursor around = apart ? site->callee : name;
    for (size_t i = first; i <= close && close < tokens->count; ++i) {
        char c = tokens->text[tokens->items[i].begin];
        bool one = tokens->items[i].end - tokens->items[i].begin == 1;
        if (i == close || (depth == 0 && one && c == ',')) {
            if (i > first)
                template_argument_add(site, source, around, first, i - 1);
            first = i + 1;
        } else if (strchr("(<[{", c))
            depth += (int)(tokens->items[i].end - tokens->items[i].begin);
        else if (strchr(")>]}", c))
            depth -= (int)(tokens->items[i].end - tokens->items[i].begin);
    }
}

void ht_launch_arguments_read(const ht_source *source, const ht_launch_site *site, CXCursor name,
                              ht_launch_arguments *out) {
    ht_launch_site read = {.file = site->file, .callee = site->callee};
    template_arguments(&read, source, name);
    *out = (ht_launch_arguments){read.template_arguments, read.template_ranges,
                                 read.template_argument_count};
}

void ht_launch_arguments_free(ht_launch_arguments *arguments) {
    free(arguments->items);
    free(arguments->ranges);
    *arguments = (ht_launch_arguments){0};
}

CXCursor ht_launch_name(const ht_launch_site *site, CXCursor callee) {
    return ht_launch_kernel_name(callee, site->kernel);
}

/* ---- one launch ---- */

/* Removes the places of text from a macro's body: libclang gives them the place of the whole macro
 * call, which contains the kernel's name at `name`. */
static void forget_places(ht_symbol *symbol, size_t name) {
    if (!symbol)
        return;
    symbol->has_place = symbol->has_place && !ht_range_holds(symbol->place, name);
    for (int i = 0; i < 3; ++i)
        forget_places(symbol->arguments[i], name);
    forget_places(symbol->value_of, name);
}

/* Returns true if an `if` decides between values of a dim3 that is set before the launch: its value
 * is chosen at run time, by the variable. */
static bool is_decided(CXCursor expression, const ht_extent3 *extent) {
    bool decided = false;
    for (int axis = 0; axis < 3; ++axis)
        decided = decided || (extent->axis[axis] && extent->axis[axis]->kind == HT_SYMBOL_CHOICE);
    return decided && !clang_Cursor_isNull(extent->variable) &&
           ht_dim3_changes(extent->variable, expression);
}

/* Reads an extent. `passed`: it may be a variable of unknown value. */
static void extent_read(const ht_source *source, CXCursor expression, size_t name, bool passed,
                        ht_extent3 *out) {
    out->known = ht_symbol_read3(source, expression, out->axis, &out->written, &out->variable);
    if ((!out->known || is_decided(expression, out)) && passed &&
        ht_symbol_parts3(expression, out->axis, &out->variable)) {
        out->known = true;
        out->written = 3;
    }
    out->is_call = out->known && ht_extent_is_call(expression);
    for (int axis = 0; axis < 3; ++axis)
        forget_places(out->axis[axis], name);
    /* hipLaunchKernelGGL adds parentheses around its arguments */
    for (int depth = 0; depth < 8 && !out->has_argument; ++depth) {
        out->has_argument = ht_source_anywhere(source, expression, &out->argument) &&
                            !ht_range_holds(out->argument, name);
        ht_cursors list = ht_ast_children(expression);
        CXCursor inner = list.count == 1 ? list.items[0] : clang_getNullCursor();
        free(list.items);
        if (!clang_isExpression(clang_getCursorKind(inner)))
            break;
        expression = inner;
    }
}

void ht_launch_extent_read(const ht_source *source, CXCursor expression, bool passed,
                           ht_extent3 *out) {
    extent_read(source, expression, SIZE_MAX, passed, out);
    out->has_argument = false;
}

/* Sets the launch's place, from the kernel's name without its namespaces. */
static void site_place(const ht_source *source, CXCursor kernel, CXCursor name,
                       ht_launch_site *site) {
    site->in_macro =
        site->file == SIZE_MAX || !ht_source_place_in(source, site->file, name, &site->range);
    if (site->file == SIZE_MAX)
        site->file = 0;
    const ht_tokens *tokens = ht_source_tokens(source, site->file);
    size_t token = ht_tokens_at(tokens, site->range.begin);
    while (!site->in_macro && ht_tokens_is(tokens, token + 1, "::"))
        token += 2;
    site->in_macro = site->in_macro || token >= tokens->count;
    if (site->in_macro)
        return;
    char *text = ht_tokens_text(tokens, token);
    site->in_macro = !ht_cursor_named(kernel, text);
    site->range.begin = tokens->items[token].begin;
    free(text);
}

static void launch_add(search *in, CXCursor call, CXCursor configuration) {
    ht_cursors parts = ht_ast_children(call);
    ht_cursors settings = ht_ast_children(configuration);
    CXCursor name =
        parts.count ? ht_launch_kernel_name(parts.items[0], in->kernel) : clang_getNullCursor();
    if (!clang_Cursor_isNull(name) && settings.count >= 3) {
        ht_launch_site site = {.kernel = in->kernel,
                               .callee = parts.items[0],
                               .function = in->function,
                               .file = ht_source_file_of(in->source, name),
                               .line = ht_ast_line(call)};
        site_place(in->source, in->kernel, name, &site);
        size_t at = in->source->files[site.file].base + site.range.begin;
        extent_read(in->source, settings.items[1], at, false, &site.grid);
        extent_read(in->source, settings.items[2], at, true, &site.block);
        if (settings.count >= 4)
            site.lds = ht_symbol_read(in->source, settings.items[3]);
        template_arguments(&site, in->source, name);
        for (size_t i = 2; i < parts.count; ++i) {
            HT_GROW(site.arguments, site.argument_count);
            site.arguments[site.argument_count++] = parts.items[i];
        }
        HT_GROW(in->launches->items, in->launches->count);
        in->launches->items[in->launches->count++] = site;
    }
    free(parts.items);
    free(settings.items);
}

static bool is_function(enum CXCursorKind kind) {
    return kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
           kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
           kind == CXCursor_Destructor;
}

bool ht_launch_enters(const ht_source *source, CXCursor cursor, CXCursor *function) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isDeclaration(kind) || kind == CXCursor_LinkageSpec) {
        CXFile file;
        clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
        if (ht_source_file(source, file) == SIZE_MAX)
            return false;
    }
    if (is_function(kind))
        *function = cursor;
    return true;
}

static bool on_cursor(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    search *in = context;
    if (!ht_launch_enters(in->source, cursor, &in->function))
        return false;
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr) {
        CXCursor configuration = ht_launch_configuration(cursor);
        if (!clang_Cursor_isNull(configuration))
            launch_add(in, cursor, configuration);
    }
    return true;
}

/* ---- other uses of the name ---- */

typedef struct spot {
    size_t file, offset;
} spot;

typedef struct spots {
    const ht_source *source;
    CXCursor kernel;
    spot *items;
    size_t count;
} spots;

static bool on_declaration(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    spots *list = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return true;
    if ((kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) &&
        same_function(cursor, list->kernel)) {
        CXFile file;
        unsigned offset;
        clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, &offset);
        HT_GROW(list->items, list->count);
        list->items[list->count++] = (spot){ht_source_file(list->source, file), offset};
    }
    return false;
}

static bool directive_mentions(const char *text, const ht_token *directive, const char *name) {
    ht_tokens line;
    ht_tokens_read(text, (ht_range){directive->begin, directive->end}, false, &line);
    bool found = false;
    for (size_t i = 0; i < line.count && !found; ++i)
        found = line.items[i].kind == HT_TOKEN_NAME && ht_tokens_is(&line, i, name);
    /* `#pragma tune` lines may name the kernel; "name.h" does not */
    found = found && !(line.count > 1 && ht_tokens_is(&line, 1, "pragma")) &&
            !(line.count > 1 && ht_tokens_is(&line, 1, "include"));
    ht_tokens_free(&line);
    return found;
}

static bool accounted(const spots *list, spot at) {
    for (size_t i = 0; i < list->count; ++i)
        if (list->items[i].file == at.file && list->items[i].offset == at.offset)
            return true;
    return false;
}

/* Returns true if the name here is that of a variable, a field, a method or another thing that is
 * not a kernel. */
static bool another(const ht_source *source, size_t file, size_t offset, const char *name) {
    CXSourceLocation location =
        clang_getLocationForOffset(source->unit, source->files[file].file, (unsigned)offset);
    CXCursor cursor = clang_getCursor(source->unit, location);
    CXCursor meant = clang_isDeclaration(clang_getCursorKind(cursor))
                         ? cursor
                         : clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(meant) || !ht_cursor_named(meant, name) ||
        ht_source_skipped(source, file, offset))
        return false;
    switch (clang_getCursorKind(meant)) {
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
    case CXCursor_FieldDecl:
    case CXCursor_CXXMethod:
    case CXCursor_EnumConstantDecl:
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_Namespace:
        return true;
    default:
        return false;
    }
}

static void other_uses_in(const spots *list, size_t file, const char *name, ht_launches *launches) {
    const ht_tokens *tokens = ht_source_tokens(list->source, file);
    for (size_t i = 0; i < tokens->count && !launches->other_use_line; ++i) {
        const ht_token *token = &tokens->items[i];
        bool used = token->kind == HT_TOKEN_DIRECTIVE
                        ? directive_mentions(tokens->text, token, name)
                        : token->kind == HT_TOKEN_NAME && ht_tokens_is(tokens, i, name) &&
                              !accounted(list, (spot){file, token->begin}) &&
                              !another(list->source, file, token->begin, name);
        if (!used || ht_conditional_never(list->source, file, token->begin))
            continue;
        launches->other_use_line = ht_source_line(list->source, file, token->begin);
        launches->other_use_file = file;
    }
}

/* Returns true for calls of the run-time library that take a kernel's name and do not affect its
 * launches. */
static bool is_question(CXCursor call) {
    static const char *const names[] = {"FuncSetAttribute",
                                        "FuncSetCacheConfig",
                                        "FuncSetSharedMemConfig",
                                        "FuncGetAttributes",
                                        "OccupancyMaxActiveBlocksPerMultiprocessor",
                                        "OccupancyMaxPotentialBlockSize",
                                        "OccupancyMaxPotentialBlockSizeVariableSMem"};
    char *name = ht_cursor_name(call);
    size_t skip = strncmp(name, "cuda", 4) == 0 ? 4 : strncmp(name, "hip", 3) == 0 ? 3 : 0;
    bool found = false;
    for (size_t i = 0; skip && i < sizeof names / sizeof *names; ++i)
        found = found || strcmp(name + skip, names[i]) == 0;
    free(name);
    return found;
}

static bool on_question(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    spots *list = context;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr || !is_question(cursor))
        return true;
    for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
        CXCursor name =
            ht_launch_kernel_name(clang_Cursor_getArgument(cursor, (unsigned)i), list->kernel);
        if (clang_Cursor_isNull(name))
            continue;
        CXFile file;
        unsigned offset;
        clang_getFileLocation(clang_getCursorLocation(name), &file, NULL, NULL, &offset);
        HT_GROW(list->items, list->count);
        list->items[list->count++] = (spot){ht_source_file(list->source, file), offset};
    }
    return true;
}

typedef struct overloads {
    const char *name;
    CXCursor kernel; /* canonical */
    ht_cursors list; /* canonical, each once */
} overloads;

/* Collects other functions with the kernel's name. */
static bool on_overload(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    overloads *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate)
        return kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec;
    if (!ht_cursor_named(cursor, in->name) || same_function(cursor, in->kernel))
        return false;
    CXCursor canonical = clang_getCanonicalCursor(cursor);
    for (size_t i = 0; i < in->list.count; ++i)
        if (clang_equalCursors(in->list.items[i], canonical))
            return false;
    HT_GROW(in->list.items, in->list.count);
    in->list.items[in->list.count++] = canonical;
    return false;
}

static void spots_of_launches(const ht_launches *launches, spots *list) {
    for (size_t i = 0; i < launches->count; ++i) {
        if (launches->items[i].in_macro)
            continue;
        HT_GROW(list->items, list->count);
        list->items[list->count++] =
            (spot){launches->items[i].file, launches->items[i].range.begin};
    }
}

static void other_uses(const ht_source *source, CXCursor kernel, ht_launches *launches) {
    CXCursor root = clang_getTranslationUnitCursor(source->unit);
    char *name = ht_cursor_name(kernel);
    spots list = {source, clang_getCanonicalCursor(kernel), NULL, 0};
    overloads others = {.name = name, .kernel = list.kernel};
    ht_ast_walk(root, on_overload, &others);
    ht_ast_walk(root, on_declaration, &list);
    ht_ast_walk(root, on_question, &list);
    spots_of_launches(launches, &list);
    for (size_t i = 0; i < others.list.count; ++i) { /* uses of those are not uses of this kernel */
        ht_launches theirs = {0};
        search in = {source, others.list.items[i], clang_getNullCursor(), &theirs};
        list.kernel = others.list.items[i];
        ht_ast_walk(root, on_declaration, &list);
        ht_ast_walk(root, on_cursor, &in);
        spots_of_launches(&theirs, &list);
        ht_launches_free(&theirs);
    }
    for (size_t file = 0; file < source->file_count; ++file)
        if (file == 0 || source->unit_path != source->path)
            other_uses_in(&list, file, name, launches);
    free(others.list.items);
    free(name);
    free(list.items);
}

/* Sorts launches in the file being analysed first, since those can be edited. */
static void own_launches_first(ht_launches *launches) {
    ht_launch_site *sorted = ht_alloc(launches->count + 1, sizeof *sorted);
    size_t count = 0;
    for (int foreign = 0; foreign < 2; ++foreign)
        for (size_t i = 0; i < launches->count; ++i)
            if ((launches->items[i].file != 0) == foreign)
                sorted[count++] = launches->items[i];
    free(launches->items);
    launches->items = sorted;
}

void ht_launches_find(const ht_source *source, CXCursor kernel, ht_launches *out_launches) {
    *out_launches = (ht_launches){0};
    search in = {source, clang_getCanonicalCursor(kernel), clang_getNullCursor(), out_launches};
    ht_ast_walk(clang_getTranslationUnitCursor(source->unit), on_cursor, &in);
    if (!out_launches->count)
        ht_launches_add_indirect(source, kernel, out_launches);
    own_launches_first(out_launches);
    other_uses(source, kernel, out_launches);
}

static void site_free(ht_launch_site *site) {
    for (int axis = 0; axis < 3; ++axis) {
        ht_symbol_free(site->grid.axis[axis]);
        ht_symbol_free(site->block.axis[axis]);
    }
    ht_symbol_free(site->lds);
    free(site->arguments);
    free(site->template_arguments);
    free(site->template_ranges);
}

static bool block_read(const ht_launch_site *site, int64_t out_block[3]) {
    bool known = site->block.known;
    for (int axis = 0; axis < 3 && known; ++axis) {
        out_block[axis] = 1;
        known =
            !site->block.axis[axis] || ht_symbol_value(site->block.axis[axis], &out_block[axis]);
    }
    return known;
}

bool ht_launches_keep_alike(ht_launches *launches) {
    int64_t first[3], block[3];
    size_t kept = 0;
    bool known = launches->count > 1;
    for (size_t i = 0; i < launches->count && known; ++i)
        known = block_read(&launches->items[i], i ? block : first);
    for (size_t i = 0; i < launches->count && known; ++i) {
        ht_launch_site *site = &launches->items[i];
        (void)block_read(site, block);
        if (memcmp(block, first, sizeof first) == 0)
            launches->items[kept++] = *site;
        else
            site_free(site);
    }
    bool dropped = known && kept < launches->count;
    launches->count = known ? kept : launches->count;
    return dropped;
}

const ht_launch_site *ht_launches_first(const ht_launches *launches) {
    return launches->count ? &launches->items[0] : NULL;
}

void ht_launches_free(ht_launches *launches) {
    for (size_t i = 0; i < launches->count; ++i)
        site_free(&launches->items[i]);
    free(launches->items);
    *launches = (ht_launches){0};
}
