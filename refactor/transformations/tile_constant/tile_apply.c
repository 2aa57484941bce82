/* Bringing the new value of a named constant into an applied source: at its definition when this
 * kernel and its launches are all that use it, else by a definition of the kernel's own. */
#include "base/memory.h"
#include "refactor/plan/launch_edit.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

typedef struct usage {
    const ht_tiles *tiles;
    const ht_plan *plan;
    const ht_source *source;
} usage;

static bool only_here(const usage *in, const char *name, size_t definition, int depth);

/* Is a mention inside a directive harmless? #define NAME, a condition (which other values must not
 * change), or a macro that only this kernel uses. */
static bool directive_fits(const usage *in, const ht_token *directive, const char *name,
                           int depth) {
    ht_tokens line;
    ht_tokens_read(in->source->text, (ht_range){directive->begin, directive->end}, false, &line);
    bool mentioned = false, fits = true;
    for (size_t i = 0; i < line.count; ++i)
        mentioned =
            mentioned || (line.items[i].kind == HT_TOKEN_NAME && ht_tokens_is(&line, i, name));
    if (mentioned && ht_tokens_is(&line, 1, "define")) {
        if (!ht_tokens_is(&line, 2, name)) {
            char *other = ht_tokens_text(&line, 2);
            fits = only_here(in, other, directive->begin, depth + 1);
            free(other);
        }
    } else if (mentioned)
        fits = !ht_tokens_is(&line, 1, "undef");
    ht_tokens_free(&line);
    return fits;
}

/* In the kernel, or in a function that it calls? */
static bool in_reach(const ht_model *model, const ht_token *token) {
    if (token->begin >= model->range.begin && token->end <= model->range.end)
        return true;
    for (size_t i = 1; i < model->facts->reached_count; ++i) {
        ht_range range;
        size_t file;
        if (ht_source_range(model->facts->source, model->facts->reached[i], &file, &range) &&
            file == 0 && token->begin >= range.begin && token->end <= range.end)
            return true;
    }
    return false;
}

/* All uses of a name lie in the kernel and in the geometry of its launches. `definition` is not
 * counted. */
static bool only_here(const usage *in, const char *name, size_t definition, int depth) {
    if (depth > DEPTH_MAX)
        return false;
    const ht_tokens *tokens = &in->source->tokens;
    for (size_t i = 0; i < tokens->count; ++i) {
        const ht_token *token = &tokens->items[i];
        if (token->kind == HT_TOKEN_DIRECTIVE && !directive_fits(in, token, name, depth))
            return false;
        if (token->kind != HT_TOKEN_NAME || !ht_tokens_is(tokens, i, name) ||
            token->begin == definition)
            continue;
        if (in_reach(in->tiles->model, token))
            continue;
        if (!ht_launch_owns(in->plan, (ht_range){token->begin, token->end}))
            return false;
    }
    for (size_t file = 1; file < in->source->file_count; ++file) {
        const ht_user_file *of = &in->source->files[file];
        ht_tokens other;
        bool found = false;
        ht_tokens_read(of->text, (ht_range){0, of->length}, false, &other);
        for (size_t i = 0; i < other.count; ++i)
            found =
                found || (other.items[i].kind == HT_TOKEN_NAME && ht_tokens_is(&other, i, name));
        ht_tokens_free(&other);
        if (found)
            return false;
    }
    return true;
}

bool ht_tile_alone(const ht_tiles *tiles, const ht_tile *tile, const ht_plan *plan) {
    const ht_model *model = tiles->model;
    usage in = {tiles, plan, model->facts->source};
    bool alone = only_here(&in, tile->name, tile->macro->range.begin, 0);
    for (size_t i = 1; i < model->facts->reached_count && alone; ++i) {
        unsigned offset;
        char *name = ht_cursor_name(model->facts->reached[i]);
        clang_getExpansionLocation(clang_getCursorLocation(model->facts->reached[i]), NULL, NULL,
                                   NULL, &offset);
        alone = only_here(&in, name, offset, 0); /* other kernels call none of them */
        free(name);
    }
    return alone;
}

static bool edit_macro(const ht_tiles *tiles, const ht_tile *tile, ht_plan *plan, bool alone) {
    const ht_macro *macro = tile->macro;
    const ht_source *source = tiles->model->facts->source;
    if (alone && !plan->stay && macro->file == 0) {
        char *text = ht_format("${%s}", tile->name);
        bool done = ht_plan_edit_applied(plan, macro->body, NULL, text);
        free(text);
        ht_plan_follow(plan, tile->name);
        return done;
    }
    ht_range kernel = tiles->model->range;
    char *before = ht_format("#undef %s\n#define %s ${%s}\n", tile->name, tile->name, tile->name);
    char *after = ht_format("\n#undef %s\n#define %s %.*s", tile->name, tile->name,
                            (int)(macro->body.end - macro->body.begin),
                            source->files[macro->file].text + macro->body.begin);
    bool done =
        ht_plan_edit_applied(plan, (ht_range){kernel.begin, kernel.begin}, tile->name, before) &&
        ht_plan_edit_applied(plan, (ht_range){kernel.end, kernel.end}, tile->name, after);
    free(before);
    free(after);
    return done;
}

static bool edit_variable(const ht_tiles *tiles, const ht_tile *tile, ht_plan *plan, bool alone) {
    const ht_source *source = tiles->model->facts->source;
    bool variable = clang_getCursorKind(tile->declaration) == CXCursor_VarDecl;
    CXCursor initializer = variable ? clang_Cursor_getVarDeclInitializer(tile->declaration)
                                    : ht_ast_child(tile->declaration, 0);
    ht_range place;
    if (alone && !plan->stay && !clang_Cursor_isNull(initializer) &&
        ht_source_place(source, initializer, &place)) {
        char *text = ht_format("${%s}", tile->name);
        bool done = ht_plan_edit_applied(plan, place, NULL, text);
        free(text);
        ht_plan_follow(plan, tile->name);
        return done;
    }
    CXString type = clang_getTypeSpelling(clang_getCursorType(tile->declaration));
    const char *words = clang_getCString(type);
    if (strncmp(words, "const ", 6) == 0)
        words += 6;
    char *text = ht_format("\n    constexpr %s %s = ${%s};", variable ? words : "int", tile->name,
                           tile->name);
    clang_disposeString(type);
    size_t at = tiles->model->body_range.begin + 1;
    bool done = ht_plan_edit_applied(plan, (ht_range){at, at}, tile->name, text);
    free(text);
    return done;
}

static bool edit_template(const ht_tiles *tiles, const ht_tile *tile, ht_plan *plan) {
    const ht_kernel_facts *facts = tiles->model->facts;
    size_t index = 0;
    while (index < facts->template_parameter_count &&
           !clang_equalCursors(facts->template_parameters[index].cursor, tile->declaration))
        ++index;
    for (size_t i = 0; i < facts->launches.count; ++i) {
        const ht_launch_site *site = &facts->launches.items[i];
        if (index >= site->template_argument_count)
            return false;
        size_t base = facts->source->files[site->file].base;
        ht_range place = {base + site->template_ranges[index].begin,
                          base + site->template_ranges[index].end};
        if (!ht_plan_editf(plan, place, NULL, "${%s}", tile->name))
            return false;
    }
    return true;
}

bool ht_tile_apply_edits(const ht_tiles *tiles, ht_plan *plan) {
    usage in = {tiles, plan, tiles->model->facts->source};
    for (size_t i = 0; i < tiles->count; ++i) {
        const ht_tile *tile = &tiles->items[i];
        unsigned offset = 0;
        bool done;
        if (tile->kind == HT_TILE_TEMPLATE)
            done = edit_template(tiles, tile, plan);
        else if (tile->kind == HT_TILE_MACRO)
            done = edit_macro(tiles, tile, plan,
                              only_here(&in, tile->name, tile->macro->range.begin, 0));
        else {
            clang_getExpansionLocation(clang_getCursorLocation(tile->declaration), NULL, NULL, NULL,
                                       &offset);
            done = edit_variable(tiles, tile, plan, only_here(&in, tile->name, offset, 0));
        }
        if (!done)
            return false;
    }
    return true;
}
