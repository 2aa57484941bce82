/* Code of other builds: text under conditionals that the parse did not take. There is no tree of
 * it, so it is lexed, and what its names touch stays as the author has it. */
#include "refactor/kernel/branches.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, ROUNDS_MAX = 4 };

/* Text of another build, and what it says of the kernel. */
typedef struct scan {
    ht_model *model;
    ht_names indices; /* locals that hold a thread's or block's index, not the global one */
    bool shares;      /* threads of a block work together */
    size_t file;      /* the place that is reported */
    size_t offset;
    bool own;      /* the kernel's own text: its parameters and locals are meant */
    ht_names seen; /* macros and functions that were looked into */
} scan;

void ht_branch_pin(ht_model *model, unsigned what, size_t file, size_t offset, const char *name,
                   const char *who) {
    char *where = ht_conditional_words(model->facts->source, file, offset);
    ht_pin_add(model, what, file, offset, ht_format("'%s'%s %s", name, who, where));
    free(where);
}

static void pin(const scan *in, unsigned what, const char *name) {
    ht_branch_pin(in->model, what, in->file, in->offset, name, "");
}

/* ---- names
 * ------------------------------------------------------------------------------------------------
 */

static bool is_index_word(const char *name) {
    static const char *const words[] = {"threadIdx",
                                        "blockIdx",
                                        "blockDim",
                                        "gridDim",
                                        "hipThreadIdx_",
                                        "hipBlockIdx_",
                                        "hipBlockDim_",
                                        "hipGridDim_",
                                        "__ockl_get_",
                                        "get_local_",
                                        "get_group_",
                                        "get_global_",
                                        "get_num_groups",
                                        "__builtin_amdgcn_work",
                                        "__builtin_amdgcn_grid",
                                        "__builtin_amdgcn_dispatch",
                                        "thread_rank",
                                        "group_index",
                                        "__launch_bounds__",
                                        "__shared__",
                                        "HIP_DYNAMIC_SHARED",
                                        "reqd_work_group_size",
                                        "amdgpu_flat_work_group_size",
                                        "volatile",
                                        "asm",
                                        "__asm__",
                                        "goto",
                                        NULL};
    return ht_text_starts(name, words) || ht_feature_of_name(name) != HT_FEATURE_COUNT;
}

static const ht_parameter *parameter_named(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->parameter_count; ++i)
        if (strcmp(model->parameters[i].name, name) == 0)
            return &model->parameters[i];
    return NULL;
}

static bool is_bare_argument(const ht_tokens *tokens, size_t index) {
    return index > 0 &&
           (ht_tokens_is(tokens, index - 1, "(") || ht_tokens_is(tokens, index - 1, ",")) &&
           (ht_tokens_is(tokens, index + 1, ")") || ht_tokens_is(tokens, index + 1, ","));
}

static void look_into(scan *in, const char *name, int depth);

static void look_at(scan *in, const ht_tokens *tokens, size_t index, int depth) {
    if (tokens->items[index].kind != HT_TOKEN_NAME)
        return;
    char *name = ht_tokens_text(tokens, index);
    bool field = index > 0 &&
                 (ht_tokens_is(tokens, index - 1, ".") || ht_tokens_is(tokens, index - 1, "->"));
    const ht_parameter *parameter = in->own && !field ? parameter_named(in->model, name) : NULL;
    if (is_index_word(name) || (in->own && !field && ht_names_has(&in->indices, name)))
        pin(in, HT_PINNED_PLACES, name);
    else if (parameter && parameter->is_pointer)
        pin(in, HT_PINNED_POINTERS | (ht_tokens_is_written(tokens, index) ? HT_PINNED_REPEATS : 0U),
            name);
    else if (parameter && ht_tokens_is_written(tokens, index))
        pin(in, HT_PINNED_SIZES | HT_PINNED_REPEATS, name);
    else if (parameter && is_bare_argument(tokens, index))
        pin(in, HT_PINNED_SIZES, name);
    else if (!field)
        look_into(in, name, depth);
    free(name);
}

/* A macro's parameters and body, not its name. */
static void scan_define(scan *in, const char *text, ht_range range, int depth) {
    ht_tokens line;
    ht_tokens_read(text, range, false, &line);
    for (size_t k = 3; k < line.count; ++k) /* # define NAME */
        look_at(in, &line, k, depth);
    ht_tokens_free(&line);
}

static void scan_range(scan *in, const char *text, ht_range range, int depth) {
    ht_tokens tokens;
    ht_tokens_read(text, range, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        ht_directive kind = ht_directive_kind(&tokens, i);
        if (tokens.items[i].kind != HT_TOKEN_DIRECTIVE)
            look_at(in, &tokens, i, depth);
        else if (kind == HT_DIRECTIVE_INCLUDE)
            pin(in, HT_PINNED_PLACES | HT_PINNED_POINTERS | HT_PINNED_SIZES | HT_PINNED_REPEATS,
                "#include");
        else if (kind == HT_DIRECTIVE_DEFINE)
            scan_define(in, text, (ht_range){tokens.items[i].begin, tokens.items[i].end}, depth);
    }
    ht_tokens_free(&tokens);
}

/* ---- what is named
 * ------------------------------------------------------------------------------------------------
 */

typedef struct function_search {
    const ht_source *source;
    const char *name;
    size_t file;
    ht_range range;
    bool found;
} function_search;

static enum CXChildVisitResult on_declaration(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    function_search *in = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec || kind == CXCursor_StructDecl ||
        kind == CXCursor_ClassDecl)
        return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor))
                   ? CXChildVisit_Continue
                   : CXChildVisit_Recurse;
    bool function = kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
                    kind == CXCursor_CXXMethod;
    if (function && clang_isCursorDefinition(cursor) && ht_cursor_named(cursor, in->name) &&
        ht_source_range(in->source, cursor, &in->file, &in->range))
        in->found = true;
    return in->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* The macros and functions that the text names may be asked for by nobody in this build. */
static void look_into(scan *in, const char *name, int depth) {
    const ht_source *source = in->model->facts->source;
    if (depth >= DEPTH_MAX || ht_names_has(&in->seen, name))
        return;
    ht_names_add(&in->seen, name);
    for (size_t i = 0; i < source->macro_count; ++i)
        if (strcmp(source->macros[i].name, name) == 0)
            scan_range(in, source->files[source->macros[i].file].text, source->macros[i].body,
                       depth + 1);
    function_search search = {.source = source, .name = name};
    clang_visitChildren(clang_getTranslationUnitCursor(source->unit), on_declaration, &search);
    if (!search.found || strcmp(name, in->model->name) == 0)
        return;
    bool own = in->own;
    in->own = false;
    scan_range(in, source->files[search.file].text, search.range, depth + 1);
    in->own = own;
}

/* ---- locals that hold an index
 * ------------------------------------------------------------------------------------------------
 */

typedef struct index_search {
    const scan *of;
    bool found;
} index_search;

static bool on_index(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    index_search *in = context;
    int axis;
    if (clang_isExpression(clang_getCursorKind(cursor))) {
        ht_index_kind kind = ht_ast_index(in->of->model, cursor, &axis);
        if (kind == HT_INDEX_GLOBAL)
            return false;
        char *name = ht_cursor_name(cursor);
        in->found = in->found || kind != HT_INDEX_NONE ||
                    (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
                     (is_index_word(name) || ht_names_has(&in->of->indices, name)));
        free(name);
    }
    return !in->found;
}

static bool holds_index(const scan *in, CXCursor expression) {
    index_search search = {.of = in};
    if (on_index(expression, expression, &search))
        ht_ast_walk(expression, on_index, &search);
    return search.found;
}

static bool on_assignment(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    scan *in = context;
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl)
        right = clang_Cursor_getVarDeclInitializer(left = cursor);
    else if (ht_ast_binary(cursor, &kind, &left, &right) && kind >= CXBinaryOperator_Assign &&
             kind <= CXBinaryOperator_OrAssign)
        left = ht_ast_variable(left);
    else
        return true;
    if (!clang_Cursor_isNull(left) && !clang_Cursor_isNull(right) && holds_index(in, right)) {
        char *name = ht_cursor_name(left);
        ht_names_add(&in->indices, name);
        free(name);
    }
    return true;
}

static void find_indices(scan *in) {
    size_t count;
    int rounds = 0;
    do {
        count = in->indices.count;
        ht_ast_walk(in->model->body, on_assignment, in);
    } while (in->indices.count > count && ++rounds < ROUNDS_MAX);
}

/* ---- the kernel and its functions
 * ------------------------------------------------------------------------------------------------
 */

static bool has_code(const ht_tokens *tokens, ht_range range) {
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].end <= range.end; ++i)
        if (tokens->items[i].kind != HT_TOKEN_DIRECTIVE)
            return true;
    return false;
}

/* What other builds have inside of a range of a file. */
static void scan_inside(scan *in, size_t file, ht_range range) {
    const ht_user_file *of = &in->model->facts->source->files[file];
    const ht_tokens *tokens = ht_source_tokens(in->model->facts->source, file);
    for (size_t i = 0; i < of->skipped_count; ++i) {
        ht_range skipped = of->skipped[i];
        if (skipped.begin < range.begin || skipped.end > range.end)
            continue;
        size_t first = ht_tokens_at(tokens, skipped.begin);
        bool code = has_code(tokens, skipped);
        while (first + 1 < tokens->count && tokens->items[first].kind == HT_TOKEN_DIRECTIVE && code)
            ++first;
        in->file = file;
        in->offset = tokens->items[first].begin;
        scan_range(in, of->text, skipped, 0);
        if (code && in->shares)
            pin(in, HT_PINNED_PLACES, "code of a kernel whose threads work together");
        if (code && !in->own)
            pin(in, HT_PINNED_FORMS | HT_PINNED_POINTERS, "code of a function that it calls");
    }
}

static bool names_bounds(const ht_model *model, ht_range range) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, model->facts->file);
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].begin < range.end; ++i)
        if (ht_tokens_is(tokens, i, "__launch_bounds__"))
            return true;
    return false;
}

static bool ends_declaration(const ht_tokens *tokens, size_t index) {
    return ht_tokens_is(tokens, index, ";") || ht_tokens_is(tokens, index, "}") ||
           ht_tokens_is(tokens, index, "{");
}

/* The #if of the conditional that ends at `index`, where a branch of it ends in the middle of a
 * declaration: `extern "C"`, a template's header. SIZE_MAX: each ends with one. */
static size_t cut_conditional(const ht_tokens *tokens, size_t index) {
    int depth = 0;
    bool cut = false;
    for (size_t i = index + 1; i-- > 0;) {
        ht_directive kind = ht_directive_kind(tokens, i);
        bool leaves = kind == HT_DIRECTIVE_ENDIF || kind == HT_DIRECTIVE_ELSE;
        cut = cut || (leaves && i > 0 && tokens->items[i - 1].kind != HT_TOKEN_DIRECTIVE &&
                      !ends_declaration(tokens, i - 1));
        depth += (kind == HT_DIRECTIVE_ENDIF) - (kind == HT_DIRECTIVE_IF);
        if (depth == 0)
            return cut ? i : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* From the end of what stands ahead of the kernel to its body. */
static ht_range header_of(const ht_model *model) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, model->facts->file);
    size_t first = ht_tokens_at(tokens, model->range.begin);
    while (first > 0 && !ends_declaration(tokens, first - 1)) {
        size_t back = first - 1;
        if (ht_directive_kind(tokens, back) == HT_DIRECTIVE_ENDIF)
            back = cut_conditional(tokens, back);
        else if (tokens->items[back].kind == HT_TOKEN_DIRECTIVE)
            break;
        if (back == SIZE_MAX)
            break;
        first = back;
    }
    return (ht_range){tokens->items[first].begin, model->body_range.begin};
}

static void look_at_header(scan *in) {
    ht_model *model = in->model;
    size_t file = model->facts->file;
    ht_range header = header_of(model);
    if (!ht_source_has_conditional(model->facts->source, file, header))
        return;
    int line = ht_source_line(model->facts->source, file, header.begin);
    unsigned what = HT_PINNED_HEADER | (names_bounds(model, header) ? HT_PINNED_PLACES : 0U);
    ht_pin_add(model, what, file, header.begin,
               ht_format("a conditional stands in the kernel's header (line %d): what is added to "
                         "it would be missing in other builds; put the whole header under the "
                         "conditional, or none of it",
                         line));
}

static void look_at_functions(scan *in) {
    const ht_kernel_facts *facts = in->model->facts;
    for (size_t i = 0; i < facts->reached_count; ++i) {
        size_t file;
        ht_range range;
        if (!ht_source_range(facts->source, facts->reached[i], &file, &range))
            continue;
        in->own = clang_equalCursors(facts->reached[i], in->model->kernel);
        scan_inside(in, file, in->own ? in->model->range : range);
    }
}

/* ---- definitions that other builds have
 * ------------------------------------------------------------------------------------------------
 */

static void names_of_kernel(const ht_model *model, ht_names *out) {
    const ht_kernel_facts *facts = model->facts;
    ht_range header = header_of(model);
    ht_names_read(out, facts->source, facts->file, (ht_range){header.begin, model->range.end});
    for (size_t i = 0; i < facts->reached_count; ++i) {
        size_t file;
        ht_range range;
        if (ht_source_range(facts->source, facts->reached[i], &file, &range))
            ht_names_read(out, facts->source, file, range);
    }
    ht_names_expand(out, facts->source);
}

static bool is_own_name(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->local_count; ++i)
        if (strcmp(model->locals[i].name, name) == 0)
            return true;
    return parameter_named(model, name) != NULL;
}

/* Has the definition a number in it, as a tile's size has? */
static bool is_number(const ht_source *source, const ht_alternative *of) {
    ht_tokens tokens;
    bool found = false;
    ht_tokens_read(source->files[of->file].text, of->range, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i)
        found = found || tokens.items[i].kind == HT_TOKEN_NUMBER;
    ht_tokens_free(&tokens);
    return found && !of->function;
}

static void look_at_definition(scan *in, const ht_alternative *of) {
    const ht_source *source = in->model->facts->source;
    bool pitch = false;
    for (int axis = 0; axis < 3; ++axis)
        pitch = pitch || in->model->axes[axis].fixed_pitch;
    in->file = of->file;
    in->offset = of->range.begin;
    in->own = of->directive;
    const char *text = source->files[of->file].text;
    if (of->directive)
        scan_define(in, text, of->range, 0);
    else
        scan_range(in, text, of->range, 0);
    unsigned what = HT_PINNED_FORMS;
    what |= of->function ? HT_PINNED_POINTERS : 0U;
    what |= is_number(source, of) && (pitch || in->shares) ? HT_PINNED_PLACES : 0U;
    pin(in, what, of->name);
}

static void look_at_definitions(scan *in, const ht_alternatives *list) {
    ht_names names = {0};
    if (list->count)
        names_of_kernel(in->model, &names);
    for (size_t i = 0; i < list->count; ++i) {
        const ht_alternative *of = &list->items[i];
        ht_range range = in->model->range;
        bool inside = of->file == in->model->facts->file && of->range.begin >= range.begin &&
                      of->range.end <= range.end;
        if (strcmp(of->name, in->model->name) == 0 || (inside && !of->directive) ||
            (!of->directive && is_own_name(in->model, of->name)) || !ht_names_has(&names, of->name))
            continue;
        look_at_definition(in, of);
    }
    ht_names_free(&names);
}

void ht_branches_build(ht_model *model) {
    const ht_source *source = model->facts->source;
    ht_alternatives list;
    scan in = {.model = model};
    bool any = false;
    for (size_t i = 0; i < source->file_count; ++i)
        any = any || source->files[i].skipped_count > 0;
    look_at_header(&in);
    if (!any)
        return;
    in.shares = model->feature[HT_FEATURE_SHARED] || model->feature[HT_FEATURE_DYNAMIC_LDS] ||
                model->feature[HT_FEATURE_BARRIER] || model->feature[HT_FEATURE_WAVEFRONT];
    ht_alternatives_find(source, &list);
    find_indices(&in);
    look_at_functions(&in);
    look_at_definitions(&in, &list);
    ht_branches_of_launches(model, &list);
    ht_alternatives_free(&list);
    ht_names_free(&in.indices);
    ht_names_free(&in.seen);
}
