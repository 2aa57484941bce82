#include "refactor/unit/slice_params.h"
#include "base/memory.h"
#include "refactor/source/ast.h"
#include "refactor/source/conditional.h"
#include "refactor/source/names.h"
#include "refactor/unit/slice.h"

#include <stdlib.h>
#include <string.h>

static bool is_param(const ht_slice *slice, const char *name) {
    for (size_t i = 0; i < slice->param_count; ++i)
        if (strcmp(slice->params[i], name) == 0)
            return true;
    return false;
}

/* Returns the first of the listed names in a text, borrowed from the list; NULL: there is none. */
static const char *names_one(const char *text, ht_range range, const ht_names *list) {
    ht_tokens tokens;
    const char *found = NULL;
    ht_tokens_read(text, range, false, &tokens);
    for (size_t i = 0; i < tokens.count && !found; ++i)
        for (size_t j = 0; j < list->count && !found; ++j)
            if (tokens.items[i].kind == HT_TOKEN_NAME && ht_tokens_is(&tokens, i, list->items[j]))
                found = list->items[j];
    ht_tokens_free(&tokens);
    return found;
}

/* ---- conditionals that parameters decide ---- */

/* Returns true if the place is compiled for no value of a parameter, as under `#if 0`. */
static bool is_dead(const ht_slice *slice, size_t file, size_t offset) {
    const ht_user_file *of = &slice->source->files[file];
    for (size_t i = 0; i < of->skipped_count; ++i)
        if (offset > of->skipped[i].begin && offset < of->skipped[i].end)
            return true;
    return false;
}

static bool in_declaration(const ht_slice *slice, size_t file, size_t offset) {
    for (size_t i = 0; i < slice->chunk_count; ++i)
        if (slice->chunks[i].file == file && offset >= slice->chunks[i].range.begin &&
            offset < slice->chunks[i].range.end)
            return true;
    return false;
}

/* Finds the #endif of the conditional that token `begin` opens. Returns the first of the names on
 * which its conditions depend; NULL: none. */
static const char *conditional_read(const ht_tokens *tokens, size_t begin, const ht_names *list,
                                    size_t *out_end) {
    int depth = 0;
    const char *found = NULL;
    for (size_t i = begin; i < tokens->count; ++i) {
        ht_directive kind = ht_directive_kind(tokens, i);
        depth += kind == HT_DIRECTIVE_IF;
        depth -= kind == HT_DIRECTIVE_ENDIF;
        *out_end = i;
        if (depth == 0)
            return found;
        if (!found && depth == 1 && (kind == HT_DIRECTIVE_IF || kind == HT_DIRECTIVE_ELSE))
            found = names_one(tokens->text,
                              (ht_range){tokens->items[i].begin, tokens->items[i].end}, list);
    }
    return NULL; /* it does not end */
}

static void conditional_add(ht_slice *slice, size_t file, const ht_tokens *tokens, size_t begin,
                            size_t end, const char *decides) {
    HT_GROW(slice->conditionals, slice->conditional_count);
    slice->conditionals[slice->conditional_count++] = (ht_slice_conditional){
        .file = file,
        .range = {tokens->items[begin].begin, tokens->items[end].end},
        .line = ht_source_line(slice->source, file, tokens->items[begin].begin),
        .decides = ht_strdup(decides)};
}

static void conditionals_free(ht_slice *slice) {
    for (size_t i = 0; i < slice->conditional_count; ++i)
        free(slice->conditionals[i].decides);
    free(slice->conditionals);
    slice->conditionals = NULL;
    slice->conditional_count = 0;
}

static void conditionals_find(ht_slice *slice, const ht_names *list) {
    conditionals_free(slice);
    for (size_t file = 0; file < slice->source->file_count; ++file) {
        const ht_tokens *tokens = ht_source_tokens(slice->source, file);
        for (size_t i = 0; i < tokens->count; ++i) {
            size_t end, offset = tokens->items[i].begin;
            if (ht_directive_kind(tokens, i) != HT_DIRECTIVE_IF || is_dead(slice, file, offset) ||
                in_declaration(slice, file, offset))
                continue;
            const char *decides = conditional_read(tokens, i, list, &end);
            if (decides) {
                conditional_add(slice, file, tokens, i, end, decides);
                i = end;
            }
        }
    }
}

/* Adds the macros that a conditional defines in any of its branches. */
static void defined_add(const ht_slice *slice, const ht_slice_conditional *conditional,
                        ht_names *list) {
    const ht_tokens *tokens = ht_source_tokens(slice->source, conditional->file);
    for (size_t i = ht_tokens_at(tokens, conditional->range.begin);
         i < tokens->count && tokens->items[i].begin < conditional->range.end; ++i) {
        char *name = ht_directive_kind(tokens, i) == HT_DIRECTIVE_DEFINE
                         ? ht_directive_defines(tokens, i)
                         : NULL;
        if (name)
            ht_names_add(list, name);
        free(name);
    }
}

void ht_slice_params(ht_slice *slice, const ht_template *template) {
    const ht_source *source = slice->source;
    ht_names list = {0}; /* macros that depend on parameters; the parameters come first */
    for (size_t i = 0; i < template->param_count; ++i)
        if (template->params[i].binding == HT_BIND_MACRO)
            ht_names_add(&list, template->params[i].name);
    slice->params = ht_alloc(list.count + 1, sizeof *slice->params);
    for (size_t i = 0; i < list.count; ++i)
        slice->params[slice->param_count++] = ht_strdup(list.items[i]);
    for (size_t before = 0; before < list.count;) {
        before = list.count;
        for (size_t i = 0; i < source->macros.count; ++i)
            if (names_one(source->files[source->macros.items[i].file].text,
                          source->macros.items[i].body, &list))
                ht_names_add(&list, source->macros.items[i].name);
        conditionals_find(slice, &list);
        for (size_t i = 0; i < slice->conditional_count; ++i)
            defined_add(slice, &slice->conditionals[i], &list);
    }
    ht_names_free(&list);
}

void ht_slice_params_free(ht_slice *slice) {
    conditionals_free(slice);
    ht_strings_free(slice->params, slice->param_count);
}

bool ht_slice_conditional_defines(const ht_slice *slice, const ht_slice_conditional *conditional,
                                  const char *name) {
    ht_names list = {0};
    defined_add(slice, conditional, &list);
    bool found = ht_names_has(&list, name);
    ht_names_free(&list);
    return found;
}

const ht_slice_conditional *ht_slice_conditional_at(const ht_slice *slice, size_t file,
                                                    size_t offset) {
    for (size_t i = 0; i < slice->conditional_count; ++i)
        if (slice->conditionals[i].file == file && offset >= slice->conditionals[i].range.begin &&
            offset < slice->conditionals[i].range.end)
            return &slice->conditionals[i];
    return NULL;
}

/* ---- code that clang did not see ---- */

static bool is_for_device(const ht_slice *slice, CXCursor cursor) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t file;
    ht_range range;
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate)
        return kind != CXCursor_Namespace;
    if (ht_ast_has(cursor, CXCursor_CUDADeviceAttr))
        return true;
    if (!ht_source_range(slice->source, cursor, &file, &range))
        return false;
    const ht_tokens *tokens = ht_source_tokens(slice->source, file);
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].begin < range.end && !ht_tokens_is(tokens, i, "(");
         ++i)
        if (ht_tokens_is(tokens, i, "constexpr"))
            return true;
    return false;
}

/* Marks the declarations of the names in a text as needed. Returns true if one was not. */
static bool need_named(ht_slice *slice, size_t file, ht_range range) {
    ht_tokens tokens;
    bool found = false;
    ht_tokens_read(slice->source->files[file].text, range, false, &tokens);
    for (size_t i = 0; i < slice->chunk_count; ++i) {
        ht_chunk *chunk = &slice->chunks[i];
        for (size_t j = 0; j < chunk->cursor_count && !chunk->needed; ++j) {
            char *name = ht_cursor_name(chunk->cursors[j]);
            for (size_t k = 0; k < tokens.count && !chunk->needed; ++k)
                chunk->needed = tokens.items[k].kind == HT_TOKEN_NAME &&
                                ht_tokens_is(&tokens, k, name) &&
                                is_for_device(slice, chunk->cursors[j]);
            found = found || chunk->needed;
            free(name);
        }
    }
    ht_tokens_free(&tokens);
    return found;
}

bool ht_slice_unseen(ht_slice *slice) {
    bool found = false;
    for (size_t i = 0; i < slice->conditional_count; ++i)
        if (slice->conditionals[i].needed)
            found = need_named(slice, slice->conditionals[i].file, slice->conditionals[i].range) ||
                    found;
    for (size_t i = 0; slice->param_count && i < slice->chunk_count; ++i) {
        const ht_user_file *file = &slice->source->files[slice->chunks[i].file];
        ht_range range = slice->chunks[i].range;
        for (size_t j = 0; slice->chunks[i].needed && j < file->skipped_count; ++j)
            if (ht_range_within(file->skipped[j], range))
                found = need_named(slice, slice->chunks[i].file, file->skipped[j]) || found;
    }
    return found;
}

/* ---- printing ---- */

/* Returns true if a parameter decides about a declaration that the kernel may need, or about an
 * include. */
static bool decides_code(const ht_slice *slice, const ht_slice_conditional *conditional) {
    const ht_tokens *tokens = ht_source_tokens(slice->source, conditional->file);
    for (size_t i = 0; i < slice->chunk_count; ++i)
        if (slice->chunks[i].needed && slice->chunks[i].file == conditional->file &&
            slice->chunks[i].range.begin >= conditional->range.begin &&
            slice->chunks[i].range.begin < conditional->range.end)
            return true;
    for (size_t i = ht_tokens_at(tokens, conditional->range.begin);
         i < tokens->count && tokens->items[i].begin < conditional->range.end; ++i)
        if ((tokens->items[i].kind != HT_TOKEN_DIRECTIVE ||
             ht_directive_kind(tokens, i) == HT_DIRECTIVE_INCLUDE) &&
            ht_source_skipped(slice->source, conditional->file, tokens->items[i].begin))
            return true;
    return false;
}

void ht_slice_params_check(ht_slice *slice) {
    for (size_t i = 0; i < slice->conditional_count; ++i)
        if (decides_code(slice, &slice->conditionals[i]))
            ht_slice_refuse(slice, slice->conditionals[i].line,
                            "which declarations there are depends on '%s', which the tuner sets: "
                            "put the conditional inside of functions, or the kernel with all that "
                            "it uses into a file of its own with '#pragma tune unit'",
                            slice->conditionals[i].decides);
}

void ht_slice_directive_print(const ht_slice *slice, size_t file, ht_range range, ht_text *out) {
    const char *text = slice->source->files[file].text;
    int length = (int)(range.end - range.begin);
    ht_tokens line;
    ht_tokens_read(text, range, false, &line);
    bool defines = ht_tokens_is(&line, 1, "define"), undefines = ht_tokens_is(&line, 1, "undef");
    char *name = (defines || undefines) && line.count > 2 ? ht_tokens_text(&line, 2) : NULL;
    if (!name || !is_param(slice, name))
        ht_text_printf(out, "%.*s\n", length, text + range.begin);
    else if (defines)
        ht_text_printf(out, "#ifndef %s\n%.*s\n#endif\n", name, length, text + range.begin);
    ht_tokens_free(&line);
    free(name);
}

/* Returns true for directives without a meaning in a unit; annotations are printed in front of
 * their kernel. */
static bool is_left_out(const ht_tokens *tokens, size_t index) {
    ht_tokens line;
    ht_tokens_read_line(tokens, index, &line);
    bool found = ht_directive_kind(tokens, index) == HT_DIRECTIVE_INCLUDE ||
                 (ht_tokens_is(&line, 1, "pragma") &&
                  (ht_tokens_is(&line, 2, "tune") || ht_tokens_is(&line, 2, "once")));
    ht_tokens_free(&line);
    return found;
}

void ht_slice_conditional_print(const ht_slice *slice, const ht_slice_conditional *conditional,
                                ht_text *out) {
    const ht_tokens *tokens = ht_source_tokens(slice->source, conditional->file);
    for (size_t i = ht_tokens_at(tokens, conditional->range.begin);
         i < tokens->count && tokens->items[i].begin < conditional->range.end; ++i)
        if (tokens->items[i].kind == HT_TOKEN_DIRECTIVE && !is_left_out(tokens, i))
            ht_slice_directive_print(slice, conditional->file,
                                     (ht_range){tokens->items[i].begin, tokens->items[i].end}, out);
}
