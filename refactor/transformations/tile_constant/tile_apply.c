#include "refactor/transformations/tile_constant/tile_apply.h"
#include "base/memory.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/launch_edit.h"
#include "refactor/plan/plan.h"
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

/* Returns true if a mention inside a directive is harmless: #define NAME, a condition (whose branch
 * other values must not change), or a macro that only this kernel uses. */
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

/* Returns true if all uses of a name except `definition` are in the kernel and in the geometry of
 * its launches. */
static bool only_here(const usage *in, const char *name, size_t definition, int depth) {
    if (depth > DEPTH_MAX)
        return false;
    const ht_tokens *tokens = ht_source_tokens(in->source, 0);
    for (size_t i = 0; i < tokens->count; ++i) {
        const ht_token *token = &tokens->items[i];
        if (token->kind == HT_TOKEN_DIRECTIVE && !directive_fits(in, token, name, depth))
            return false;
        if (token->kind != HT_TOKEN_NAME || !ht_tokens_is(tokens, i, name) ||
            token->begin == definition)
            continue;
        if (!ht_reached_holds(in->tiles->model, 0, token->begin) &&
            !ht_launch_owns(in->plan, (ht_range){token->begin, token->end}))
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
    for (size_t i = 1; i < model->facts->reached.count && alone; ++i) {
        size_t offset;
        char *name = ht_reached_name(model, i, &offset);
        alone = only_here(&in, name, offset, 0); /* other kernels call none of them */
        free(name);
    }
    return alone;
}

static bool edit_macro(const ht_tiles *tiles, const ht_tile *tile, ht_plan *plan, bool alone) {
    const ht_macro *macro = tile->macro;
    const ht_source *source = tiles->model->facts->source;
    if (alone && !plan->request.stay && macro->file == 0) {
        char *text = ht_format("${%s}", tile->name);
        bool done = ht_plan_edit_applied(plan, macro->body, NULL, text);
        free(text);
        ht_plan_follow(plan, tile->name);
        return done;
    }
    ht_range kernel = tiles->model->definition.range;
    ht_plan_form(plan, tile->name, "a macro that is undefined and defined again");
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
    ht_range place;
    if (alone && !plan->request.stay && ht_syntax_value_place(tile->variable, &place)) {
        char *text = ht_format("${%s}", tile->name);
        bool done = ht_plan_edit_applied(plan, place, NULL, text);
        free(text);
        ht_plan_follow(plan, tile->name);
        return done;
    }
    bool whole = tile->variable->type == HT_TYPE_INTEGER; /* else it is an enumerator */
    char *type = whole ? ht_syntax_variable_type(tile->variable, false) : NULL;
    char *text =
        ht_format("\n    constexpr %s%s = ${%s};", type ? type : "int ", tile->name, tile->name);
    free(type);
    size_t at = tiles->model->definition.body_range.begin + 1;
    bool done = ht_plan_edit_applied(plan, (ht_range){at, at}, tile->name, text);
    free(text);
    return done;
}

static bool edit_template(const ht_tiles *tiles, const ht_tile *tile, ht_plan *plan) {
    const ht_kernel_facts *facts = tiles->model->facts;
    size_t index = tile->parameter;
    for (size_t i = 0; i < facts->launches.count; ++i) {
        const ht_launch_site *site = &facts->launches.items[i];
        if (index >= site->template_argument_count)
            return false;
        size_t base = facts->source->files[site->file].base;
        ht_range place = {base + site->template_ranges[index].begin,
                          base + site->template_ranges[index].end};
        if (!ht_plan_editf(plan, place, tile->name, "${%s}", tile->name))
            return false;
    }
    return true;
}

bool ht_tile_apply_edits(const ht_tiles *tiles, ht_plan *plan) {
    usage in = {tiles, plan, tiles->model->facts->source};
    for (size_t i = 0; i < tiles->count; ++i) {
        const ht_tile *tile = &tiles->items[i];
        bool done;
        if (tile->kind == HT_TILE_TEMPLATE)
            done = edit_template(tiles, tile, plan);
        else if (tile->kind == HT_TILE_MACRO)
            done = edit_macro(tiles, tile, plan,
                              only_here(&in, tile->name, tile->macro->range.begin, 0));
        else {
            size_t name = tile->variable->name_end - strlen(tile->name);
            done = edit_variable(tiles, tile, plan, only_here(&in, tile->name, name, 0));
        }
        if (!done)
            return false;
    }
    return true;
}
