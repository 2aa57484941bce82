#include "refactor/transformations/tile_constant/tile_conditions.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"
#include "refactor/transformations/tile_constant/tile_expression.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, LENGTH_MAX = 2000 };

typedef struct expansion {
    const ht_tiles *tiles;
    size_t file, offset; /* place of the directive, which decides the values of macros */
    ht_text text;        /* the condition, with the constants by name */
    bool mentions;
} expansion;

static const ht_tile *of_name(const ht_tiles *tiles, const char *name) {
    for (size_t i = 0; i < tiles->count; ++i)
        if (tiles->items[i].kind == HT_TILE_MACRO && strcmp(tiles->items[i].name, name) == 0)
            return &tiles->items[i];
    return NULL;
}

static void expand(expansion *in, const ht_tokens *line, size_t from, int depth);

static void expand_name(expansion *in, const char *name, int depth) {
    const ht_source *source = in->tiles->model->facts->source;
    const ht_macro *macro = ht_source_macro(source, name, in->file, in->offset);
    if (of_name(in->tiles, name)) {
        in->mentions = true;
        ht_text_append(&in->text, name);
        return;
    }
    if (!macro || depth == DEPTH_MAX || in->text.length > LENGTH_MAX) {
        ht_text_append(&in->text, name); /* undefined: it has no value */
        return;
    }
    ht_tokens body;
    ht_tokens_read(source->files[macro->file].text, macro->body, false, &body);
    ht_text_append(&in->text, macro->function_like ? "? (" : "(");
    expand(in, &body, 0, depth + 1);
    ht_text_append(&in->text, ")");
    ht_tokens_free(&body);
}

/* Appends a number without its suffix: 16u, 0x10UL. */
static void append_number(expansion *in, const char *digits) {
    size_t length = strlen(digits);
    while (length > 1 && strchr("uUlL", digits[length - 1]))
        --length;
    ht_text_append_n(&in->text, digits, length);
}

static void expand(expansion *in, const ht_tokens *line, size_t from, int depth) {
    for (size_t i = from; i < line->count; ++i) {
        char *text = ht_tokens_text(line, i);
        ht_text_append(&in->text, " ");
        if (line->items[i].kind == HT_TOKEN_NUMBER)
            append_number(in, text);
        else if (line->items[i].kind != HT_TOKEN_NAME)
            ht_text_append(&in->text, text);
        else if (strcmp(text, "defined") == 0) { /* defined NAME, defined(NAME) */
            bool parens = ht_tokens_is(line, i + 1, "(");
            i += parens ? 2 : 1;
            char *name = i < line->count ? ht_tokens_text(line, i) : ht_strdup("");
            in->mentions = in->mentions || of_name(in->tiles, name);
            ht_text_append(&in->text, of_name(in->tiles, name) ? "1" : "?");
            free(name);
            i += parens;
        } else
            expand_name(in, text, depth);
        free(text);
    }
}

/* Returns true if the condition of an #if or #elif (or #ifdef) depends on a constant. *out_text:
 * its text. */
static bool reads(const ht_tiles *tiles, size_t file, const ht_token *directive, char **out_text) {
    const ht_source *source = tiles->model->facts->source;
    expansion in = {.tiles = tiles, .file = file, .offset = directive->begin};
    ht_tokens line;
    ht_tokens_read(source->files[file].text, (ht_range){directive->begin, directive->end}, false,
                   &line);
    bool value = ht_tokens_is(&line, 1, "if") || ht_tokens_is(&line, 1, "elif");
    *out_text = NULL;
    if (value || ht_tokens_is(&line, 1, "ifdef") || ht_tokens_is(&line, 1, "ifndef"))
        expand(&in, &line, 2, 0);
    ht_tokens_free(&line);
    if (in.mentions && value)
        *out_text = ht_text_take(&in.text);
    else
        ht_text_free(&in.text);
    return in.mentions;
}

static bool require_same(const ht_tiles *tiles, ht_plan *plan, const char *condition) {
    int64_t value;
    return ht_tile_original(tiles, condition, &value) &&
           ht_plan_require(plan, value ? "(%s) != 0" : "(%s) == 0", condition);
}

static int line_of(const ht_source *source, size_t file, size_t offset) {
    int line = 1;
    for (size_t i = 0; i < offset; ++i)
        line += source->files[file].text[i] == '\n';
    return line;
}

bool ht_tile_conditions_fit(ht_tiles *tiles, ht_plan *plan) {
    const ht_model *model = tiles->model;
    const ht_source *source = model->facts->source;
    for (size_t file = 0; file < source->file_count; ++file) {
        const ht_tokens *tokens = ht_source_tokens(source, file);
        for (size_t i = 0; i < tokens->count; ++i) {
            char *condition;
            if (tokens->items[i].kind != HT_TOKEN_DIRECTIVE ||
                !reads(tiles, file, &tokens->items[i], &condition))
                continue;
            if (ht_reached_holds(model, file, tokens->items[i].begin))
                for (size_t j = 0; j < tiles->count; ++j)
                    tiles->items[j].in_conditions = tiles->items[j].kind == HT_TILE_MACRO;
            bool same = !condition || require_same(tiles, plan, condition);
            free(condition);
            if (same)
                continue;
            int line = line_of(source, file, tokens->items[i].begin);
            ht_plan_remark_at(plan, HT_REMARK_MISSED, file == 0 ? line : 1,
                              "the block's constant takes part in a condition that is not "
                              "understood (%s:%d)",
                              source->files[file].path, line);
            return false;
        }
    }
    return true;
}
