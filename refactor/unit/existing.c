#include "refactor/unit/existing.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/lexer.h"
#include "refactor/source/names.h"
#include "refactor/source/source.h"

#include <stdlib.h>
#include <string.h>

/* Returns true for #define NAME NUMBER right after #ifndef NAME. */
static bool is_guarded(const ht_source *source, const ht_macro *macro) {
    const ht_tokens *tokens = ht_source_tokens(source, macro->file);
    size_t index = ht_tokens_at(tokens, macro->range.begin);
    if (macro->function_like || index == 0 || index >= tokens->count ||
        tokens->items[index - 1].kind != HT_TOKEN_DIRECTIVE)
        return false;
    ht_tokens guard, body;
    ht_tokens_read_line(tokens, index - 1, &guard);
    ht_tokens_read(tokens->text, macro->body, false, &body);
    bool found = guard.count == 3 && ht_tokens_is(&guard, 1, "ifndef") &&
                 ht_tokens_is(&guard, 2, macro->name) && body.count == 1 &&
                 body.items[0].kind == HT_TOKEN_NUMBER;
    ht_tokens_free(&guard);
    ht_tokens_free(&body);
    return found;
}

/* Collects the macros that a text names, also in its directives. */
static void names_in(const ht_source *source, const ht_tokens *tokens, size_t file, size_t at,
                     ht_names *list) {
    for (size_t i = 0; i < tokens->count; ++i) {
        if (tokens->items[i].kind == HT_TOKEN_DIRECTIVE) {
            ht_tokens line;
            ht_tokens_read_line(tokens, i, &line);
            names_in(source, &line, file, at, list);
            ht_tokens_free(&line);
        }
        if (tokens->items[i].kind != HT_TOKEN_NAME)
            continue;
        char *name = ht_tokens_text(tokens, i);
        if (ht_source_macro(source, name, file, at))
            ht_names_add(list, name);
        free(name);
    }
}

/* Returns true for blockIdx.x * NAME and NAME * blockIdx.x. */
static bool is_pitch(const ht_tokens *tokens, size_t index) {
    bool behind = index >= 4 && ht_tokens_is(tokens, index - 1, "*") &&
                  ht_tokens_is(tokens, index - 3, ".") &&
                  ht_tokens_is(tokens, index - 4, "blockIdx");
    return behind ||
           (ht_tokens_is(tokens, index + 1, "*") && ht_tokens_is(tokens, index + 2, "blockIdx"));
}

char *ht_existing_parameters(const ht_model *model) {
    const ht_source *source = model->facts->source;
    ht_names list = {0};
    ht_tokens tokens;
    ht_text text = {0};
    bool shapes_block = false;
    ht_tokens_read(model->text, model->definition.range, true, &tokens);
    names_in(source, &tokens, 0, model->definition.range.begin, &list);
    for (size_t i = 0; i < list.count; ++i) { /* the loop adds macros that macros name */
        const ht_macro *macro =
            ht_source_macro(source, list.items[i], 0, model->definition.range.begin);
        ht_tokens body;
        ht_tokens_read(source->files[macro->file].text, macro->body, false, &body);
        names_in(source, &body, 0, model->definition.range.begin, &list);
        ht_tokens_free(&body);
        if (!is_guarded(source, macro))
            continue;
        ht_text_printf(&text, "%s%s (%.*s)", text.length ? ", " : "", macro->name,
                       (int)(macro->body.end - macro->body.begin),
                       source->files[macro->file].text + macro->body.begin);
        for (size_t j = 0; j < tokens.count; ++j)
            shapes_block =
                shapes_block || (ht_tokens_is(&tokens, j, macro->name) && is_pitch(&tokens, j));
    }
    ht_tokens_free(&tokens);
    ht_names_free(&list);
    if (shapes_block)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}
