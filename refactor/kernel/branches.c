#include "refactor/kernel/branches.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/branch_names.h"
#include "refactor/kernel/pins.h"
#include "refactor/kernel/reach.h"
#include "refactor/kernel/syntax.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/conditional.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, ROUNDS_MAX = 4, LAUNCH_ROUNDS_MAX = 8 };

/* A walk over text of another build. */
typedef struct scan {
    ht_model *model;
    ht_names indices; /* locals that hold a thread's or block's index, not the global one */
    bool shares;      /* threads of a block work together */
    size_t file;      /* the place that is reported */
    size_t offset;
    bool own;      /* the kernel's own text: its parameters and locals are meant */
    ht_names seen; /* macros and functions that were looked into */
} scan;

/* Adds a pin whose words are "'NAME'WHO stands under ..." with the conditional at `offset`. */
static void branch_pin(ht_model *model, unsigned what, size_t file, size_t offset, const char *name,
                       const char *who) {
    char *where = ht_conditional_words(model->facts->source, file, offset);
    ht_pin_add(model, HT_PIN_BUILDS, what, file, offset, ht_format("'%s'%s %s", name, who, where));
    free(where);
}

static void pin(const scan *in, unsigned what, const char *name) {
    branch_pin(in->model, what, in->file, in->offset, name, "");
}

/* ---- names ---- */

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
    for (size_t i = 0; i < model->parameters.count; ++i)
        if (strcmp(model->parameters.items[i].name, name) == 0)
            return &model->parameters.items[i];
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

/* ---- what is named ---- */

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

/* Scans the definitions of a macro or function that the text names: the parse may not have reached
 * them, since in this build nothing else may use them. */
static void look_into(scan *in, const char *name, int depth) {
    const ht_source *source = in->model->facts->source;
    if (depth >= DEPTH_MAX || ht_names_has(&in->seen, name))
        return;
    ht_names_add(&in->seen, name);
    for (size_t i = 0; i < source->macros.count; ++i)
        if (strcmp(source->macros.items[i].name, name) == 0)
            scan_range(in, source->files[source->macros.items[i].file].text,
                       source->macros.items[i].body, depth + 1);
    function_search search = {.source = source, .name = name};
    clang_visitChildren(clang_getTranslationUnitCursor(source->unit), on_declaration, &search);
    if (!search.found || strcmp(name, in->model->name) == 0)
        return;
    bool own = in->own;
    in->own = false;
    scan_range(in, source->files[search.file].text, search.range, depth + 1);
    in->own = own;
}

/* ---- locals that hold an index ---- */

typedef struct index_search {
    const scan *of;
    bool found;
} index_search;

static bool on_index(const ht_syntax *node, void *context) {
    index_search *in = context;
    int axis;
    ht_index_kind kind =
        ht_syntax_is_expression(node) ? ht_syntax_index(node, &axis) : HT_INDEX_NONE;
    if (kind == HT_INDEX_GLOBAL)
        return false;
    const char *name = node->kind == HT_SYNTAX_NAME ? ht_syntax_named(node)->name : "";
    in->found = in->found || kind != HT_INDEX_NONE || is_index_word(name) ||
                ht_names_has(&in->of->indices, name);
    return !in->found;
}

static bool holds_index(const scan *in, const ht_syntax *expression) {
    index_search search = {.of = in};
    ht_syntax_walk(expression, on_index, &search);
    return search.found;
}

static bool on_assignment(const ht_syntax *node, void *context) {
    scan *in = context;
    const ht_syntax *value = node->kind == HT_SYNTAX_VARIABLE && node->count ? node->children[0]
                             : node->kind == HT_SYNTAX_ASSIGN                ? node->children[1]
                                                                             : NULL;
    const ht_syntax_variable *variable =
        ht_syntax_named(node->kind == HT_SYNTAX_ASSIGN ? node->children[0] : node);
    if (value && variable && holds_index(in, value))
        ht_names_add(&in->indices, variable->name);
    return true;
}

static void find_indices(scan *in) {
    size_t count;
    int rounds = 0;
    do {
        count = in->indices.count;
        ht_syntax_walk(ht_syntax_of(in->model)->body, on_assignment, in);
    } while (in->indices.count > count && ++rounds < ROUNDS_MAX);
}

/* ---- the kernel and its functions ---- */

static bool has_code(const ht_tokens *tokens, ht_range range) {
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].end <= range.end; ++i)
        if (tokens->items[i].kind != HT_TOKEN_DIRECTIVE)
            return true;
    return false;
}

/* Scans the skipped text inside of a range of a file. */
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
        if (ht_conditional_never(in->model->facts->source, file, in->offset))
            continue;
        scan_range(in, of->text, skipped, 0);
        if (code && in->shares)
            pin(in, HT_PINNED_PLACES, "code of a kernel whose threads work together");
        if (code && !in->own)
            pin(in, HT_PINNED_FORMS | HT_PINNED_POINTERS, "code of a function that it calls");
    }
}

static bool ends_declaration(const ht_tokens *tokens, size_t index) {
    return ht_tokens_is(tokens, index, ";") || ht_tokens_is(tokens, index, "}") ||
           ht_tokens_is(tokens, index, "{");
}

/* Returns the index of the #if that opens the conditional which ends at `index`, if one of its
 * branches ends in the middle of a declaration (`extern "C"`, a template's header). SIZE_MAX: every
 * branch ends with a whole declaration. */
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

/* Returns the text ahead of the kernel's body, from the end of the preceding declaration:
 * attributes, template header and conditionals around them. */
static ht_range header_of(const ht_model *model) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, model->definition.file);
    size_t first = ht_tokens_at(tokens, model->definition.range.begin);
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
    return (ht_range){tokens->items[first].begin, model->definition.body_range.begin};
}

static void look_at_header(scan *in) {
    ht_model *model = in->model;
    size_t file = model->definition.file;
    ht_range header = header_of(model);
    if (!ht_source_has_conditional(model->facts->source, file, header))
        return;
    int line = ht_source_line(model->facts->source, file, header.begin);
    bool bounds = ht_tokens_count_of(ht_source_tokens(model->facts->source, file), header,
                                     "__launch_bounds__");
    unsigned what = HT_PINNED_HEADER | (bounds ? HT_PINNED_PLACES : 0U);
    ht_pin_add(model, HT_PIN_BUILDS, what, file, header.begin,
               ht_format("a conditional stands in the kernel's header (line %d): what is added to "
                         "it would be missing in other builds; put the whole header under the "
                         "conditional, or none of it",
                         line));
}

static void look_at_functions(scan *in) {
    const ht_kernel_facts *facts = in->model->facts;
    for (size_t i = 0; i < facts->reached.count; ++i) {
        size_t file;
        ht_range range;
        if (!ht_source_range(facts->source, facts->reached.functions[i], &file, &range))
            continue;
        in->own = clang_equalCursors(facts->reached.functions[i], in->model->definition.function);
        scan_inside(in, file, in->own ? in->model->definition.range : range);
    }
}

/* ---- definitions that other builds have ---- */

static void names_of_kernel(const ht_model *model, ht_names *out) {
    const ht_kernel_facts *facts = model->facts;
    ht_range header = header_of(model);
    ht_names_read(out, facts->source, model->definition.file,
                  (ht_range){header.begin, model->definition.range.end});
    for (size_t i = 0; i < facts->reached.count; ++i) {
        size_t file;
        ht_range range;
        if (ht_source_range(facts->source, facts->reached.functions[i], &file, &range))
            ht_names_read(out, facts->source, file, range);
    }
    ht_names_expand(out, facts->source);
}

static bool is_own_name(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->locals.count; ++i)
        if (strcmp(model->locals.items[i].name, name) == 0)
            return true;
    return parameter_named(model, name) != NULL;
}

/* Returns true if a macro's or a constant's definition has a number in it, as that of a tile's size
 * has. */
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
        ht_range range = in->model->definition.range;
        bool inside = of->file == in->model->definition.file && of->range.begin >= range.begin &&
                      of->range.end <= range.end;
        if (strcmp(of->name, in->model->name) == 0 || (inside && !of->directive) ||
            (!of->directive && is_own_name(in->model, of->name)) || !ht_names_has(&names, of->name))
            continue;
        look_at_definition(in, of);
    }
    ht_names_free(&names);
}

/* ---- launches in other builds ---- */

/* Pins the launch if the kernel's name occurs in text that the parse skipped, outside of the kernel
 * itself. */
static void look_for_kernel(ht_model *model, size_t file) {
    const ht_source *source = model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = 0; i < tokens->count; ++i) {
        size_t at = tokens->items[i].begin;
        bool inside = file == model->definition.file && at >= model->definition.range.begin &&
                      at < model->definition.range.end;
        if (tokens->items[i].kind != HT_TOKEN_NAME || inside ||
            !ht_tokens_is(tokens, i, model->name) || !ht_source_skipped(source, file, at) ||
            ht_conditional_never(source, file, at))
            continue;
        branch_pin(model, HT_PINNED_LAUNCH | HT_PINNED_HEADER | HT_PINNED_POINTERS, file, at,
                   model->name, "");
        return;
    }
}

/* Returns true if the statement in the tokens [begin, end) declares or assigns one of the names. */
static bool sets_any(const ht_tokens *tokens, size_t begin, size_t end, const ht_names *names) {
    for (size_t i = begin; i < end; ++i) {
        if (tokens->items[i].kind != HT_TOKEN_NAME || (i > 0 && ht_tokens_is(tokens, i - 1, "&")))
            continue;
        char *name = ht_tokens_text(tokens, i);
        bool set = ht_names_has(names, name) && ht_tokens_is_written(tokens, i);
        free(name);
        if (set)
            return true;
    }
    return false;
}

/* Adds the names from which these are computed in the host function, to the end of the chain. */
static void close_over(const ht_source *source, size_t file, ht_range function, ht_names *names) {
    const ht_tokens *tokens = ht_source_tokens(source, file);
    size_t count;
    int rounds = 0;
    do {
        count = names->count;
        size_t begin = ht_tokens_at(tokens, function.begin);
        for (size_t i = begin; i < tokens->count && tokens->items[i].begin < function.end; ++i) {
            if (!ht_tokens_is(tokens, i, ";") && !ht_tokens_is(tokens, i, "{") &&
                !ht_tokens_is(tokens, i, "}") && tokens->items[i].kind != HT_TOKEN_DIRECTIVE)
                continue;
            if (sets_any(tokens, begin, i, names))
                ht_names_read(names, source, file,
                              (ht_range){tokens->items[begin].begin, tokens->items[i].begin});
            begin = i + 1;
        }
    } while (names->count > count && ++rounds < LAUNCH_ROUNDS_MAX);
    ht_names_expand(names, source);
}

/* Pins the launch if one of the names is set in text that the parse skipped. */
static void look_for_writes(ht_model *model, size_t file, ht_range function,
                            const ht_names *names) {
    const ht_source *source = model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = ht_tokens_at(tokens, function.begin);
         i < tokens->count && tokens->items[i].begin < function.end; ++i) {
        if (tokens->items[i].kind != HT_TOKEN_NAME ||
            !ht_source_skipped(source, file, tokens->items[i].begin))
            continue;
        char *name = ht_tokens_text(tokens, i);
        if (ht_names_has(names, name) && ht_tokens_is_written(tokens, i) &&
            !ht_conditional_never(source, file, tokens->items[i].begin))
            branch_pin(model, HT_PINNED_LAUNCH | HT_PINNED_PLACES | HT_PINNED_POINTERS, file,
                       tokens->items[i].begin, name, ", which the launch depends on,");
        free(name);
    }
}

/* Returns the range from the kernel's name to the end of the launch's statement. */
static ht_range call_of(const ht_source *source, const ht_launch_site *site) {
    const ht_tokens *tokens = ht_source_tokens(source, site->file);
    size_t end = ht_tokens_at(tokens, site->range.begin);
    while (end + 1 < tokens->count && !ht_tokens_is(tokens, end, ";"))
        ++end;
    return (ht_range){site->range.begin, tokens->items[end].end};
}

static void look_at_launch(ht_model *model, const ht_launch_site *site,
                           const ht_alternatives *alternatives) {
    const ht_source *source = model->facts->source;
    ht_names names = {0};
    size_t file;
    ht_range function;
    ht_range call = call_of(source, site);
    if (ht_source_has_conditional(source, site->file, call))
        ht_pin_add(model, HT_PIN_BUILDS, HT_PINNED_LAUNCH | HT_PINNED_PLACES, site->file,
                   site->range.begin,
                   ht_strdup("a conditional stands inside of the launch: other builds launch it "
                             "in another way"));
    ht_names_read(&names, source, site->file, call);
    if (ht_source_range(source, site->function, &file, &function) && file == site->file) {
        close_over(source, file, function, &names);
        look_for_writes(model, file, function, &names);
    }
    ht_names_expand(&names, source);
    for (size_t i = 0; i < alternatives->count; ++i) {
        const ht_alternative *of = &alternatives->items[i];
        if (ht_names_has(&names, of->name) && strcmp(of->name, model->name) != 0)
            branch_pin(model, HT_PINNED_LAUNCH | HT_PINNED_PLACES, of->file, of->range.begin,
                       of->name, ", which the launch depends on,");
    }
    ht_names_free(&names);
}

static void look_at_launches(ht_model *model, const ht_alternatives *alternatives) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->source->file_count; ++i)
        look_for_kernel(model, i);
    for (size_t i = 0; i < facts->launches.count; ++i)
        look_at_launch(model, &facts->launches.items[i], alternatives);
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
    look_at_launches(model, &list);
    ht_alternatives_free(&list);
    ht_names_free(&in.indices);
    ht_names_free(&in.seen);
}
