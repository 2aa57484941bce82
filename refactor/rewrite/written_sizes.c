#include "refactor/rewrite/written_sizes.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/names.h"

#include <stdlib.h>
#include <string.h>

/* ---- the whole ---- */

/* Returns the next token of a file that lies outside of a kernel's definition; NULL: none is left.
 */
static const ht_token *next_outside(const ht_model *model, const ht_tokens *tokens, size_t file,
                                    size_t *at) {
    const ht_definition *kernel = &model->definition;
    while (*at < tokens->count && file == kernel->file &&
           tokens->items[*at].begin >= kernel->range.begin &&
           tokens->items[*at].end <= kernel->range.end)
        ++*at;
    return *at < tokens->count ? &tokens->items[(*at)++] : NULL;
}

/* Returns true if two files have the same tokens but for those of the kernel. */
static bool same_outside(const ht_written_pair *pair, size_t before, size_t after) {
    const ht_model *old = pair->original, *new = pair->written;
    const ht_tokens *first = ht_source_tokens(old->facts->source, before);
    const ht_tokens *second = ht_source_tokens(new->facts->source, after);
    size_t i = 0, j = 0;
    for (;;) {
        const ht_token *a = next_outside(old, first, before, &i);
        const ht_token *b = next_outside(new, second, after, &j);
        if (a == NULL || b == NULL)
            return a == b;
        if (a->end - a->begin != b->end - b->begin ||
            memcmp(first->text + a->begin, second->text + b->begin, a->end - a->begin) != 0)
            return false;
    }
}

bool ht_written_kernel_alone(const ht_written_pair *pair) {
    const ht_source *old = pair->original->facts->source, *new = pair->written->facts->source;
    bool alone = old->file_count == new->file_count;
    for (size_t i = 0; i < new->file_count &&alone; ++i) {
        size_t same = 0;
        while (same < old->file_count && strcmp(old->files[same].path, new->files[i].path) != 0)
            ++same;
        alone = same < old->file_count && same_outside(pair, same, i);
    }
    return alone;
}

/* ---- one size ---- */

/* Returns true for what a tuned file may have in other words: the kernel and its launches. */
static bool is_tuned(const ht_model *model, size_t file, size_t at) {
    const ht_launches *launches = &model->facts->launches;
    bool tuned = file == model->definition.file && ht_range_holds(model->definition.range, at);
    for (size_t i = 0; i < launches->count && !tuned; ++i)
        tuned = file == launches->items[i].file && ht_range_holds(launches->items[i].range, at);
    return tuned;
}

/* Returns the index after the bracket that closes the one at `index`. */
static size_t after_brackets(const ht_tokens *tokens, size_t index) {
    static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]", "}",
                                                                                    NULL};
    int depth = 0;
    for (; index < tokens->count; ++index) {
        depth += ht_tokens_is_any(tokens, index, opening);
        depth -= ht_tokens_is_any(tokens, index, closing);
        if (depth <= 0)
            return index + 1;
    }
    return index;
}

/* Returns the index of the token after a name with its members and subscripts: grid.x, p[0]. */
static size_t after_name(const ht_tokens *tokens, size_t index) {
    for (++index; index < tokens->count;) {
        if (ht_tokens_is(tokens, index, ".") || ht_tokens_is(tokens, index, "->"))
            index += 2;
        else if (ht_tokens_is(tokens, index, "["))
            index = after_brackets(tokens, index);
        else
            break;
    }
    return index;
}

/* Returns true for &name, which others may write through; a T &name declares. */
static bool has_address_taken(const ht_tokens *tokens, size_t index) {
    return index > 1 && ht_tokens_is(tokens, index - 1, "&") &&
           tokens->items[index - 2].kind != HT_TOKEN_NAME && !ht_tokens_is(tokens, index - 2, ">");
}

/* Returns the end of a statement, or of what brackets enclose. */
static size_t statement_end(const ht_tokens *tokens, size_t index) {
    static const char *const ends[] = {";", ")", "]", "}", NULL}, *const opening[] = {"(", "[", "{",
                                                                                      NULL};
    while (index < tokens->count && !ht_tokens_is_any(tokens, index, ends))
        index =
            ht_tokens_is_any(tokens, index, opening) ? after_brackets(tokens, index) : index + 1;
    return index;
}

/* Returns the end of what gives the name at `index` a value or a meaning; `index`: nothing does
 * here. */
static size_t definition_end(const ht_tokens *tokens, size_t index) {
    static const char *const assigning[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", NULL};
    size_t next = after_name(tokens, index);
    bool changed = ht_tokens_is_any(tokens, next, assigning) || has_address_taken(tokens, index);
    if (index > 0)
        changed = changed || ht_tokens_is(tokens, index - 1, "++") ||
                  ht_tokens_is(tokens, index - 1, "--");
    static const char *const ahead[] = {"return", "else", "do", NULL}; /* of no name's type */
    bool declared = index > 0 && tokens->items[index - 1].kind == HT_TOKEN_NAME &&
                    !ht_tokens_is_any(tokens, index - 1, ahead);
    if (declared && ht_tokens_is(tokens, next, "(")) {
        size_t body = after_brackets(tokens, next);
        return ht_tokens_is(tokens, body, "{") ? after_brackets(tokens, body)
                                               : statement_end(tokens, next);
    }
    changed = changed || (declared && ht_tokens_is(tokens, next, "{"));
    return changed ? statement_end(tokens, next) : index;
}

/* Adds the tokens of a range, and the names among them. */
static void range_add(const char *text, ht_range range, ht_text *out, ht_names *also) {
    ht_tokens tokens;
    ht_tokens_read(text, range, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        char *word = ht_tokens_text(&tokens, i);
        ht_text_printf(out, "%s ", word);
        if (tokens.items[i].kind == HT_TOKEN_NAME)
            ht_names_add(also, word);
        free(word);
    }
    ht_tokens_free(&tokens);
}

/* Returns all that gives a name a value or a meaning, in words; free(). */
static char *definitions(const ht_model *model, const char *name, ht_names *also) {
    const ht_source *source = model->facts->source;
    ht_text out = {0};
    ht_text_append(&out, "");
    for (size_t i = 0; i < source->macros.count; ++i) {
        const ht_macro *macro = &source->macros.items[i];
        if (strcmp(macro->name, name) == 0)
            range_add(source->files[macro->file].text, macro->body, &out, also);
    }
    for (size_t file = 0; file < source->file_count; ++file) {
        const ht_tokens *tokens = ht_source_tokens(source, file);
        for (size_t i = 0; i < tokens->count; ++i) {
            const ht_token *token = &tokens->items[i];
            if (token->kind != HT_TOKEN_NAME || !ht_tokens_is(tokens, i, name) ||
                is_tuned(model, file, token->begin))
                continue;
            size_t end = definition_end(tokens, i);
            if (end > i)
                range_add(tokens->text, (ht_range){token->begin, tokens->items[end - 1].end}, &out,
                          also);
        }
    }
    return ht_text_take(&out);
}

/* Returns true if a name, and all that its value comes from, has the same words in both files. */
static bool is_same(const ht_written_pair *pair, const char *name) {
    ht_names known = {0};
    bool same = true;
    char *first = ht_strndup(name, strcspn(name, "."));
    ht_names_add(&known, first);
    free(first);
    for (size_t i = 0; i < known.count && same; ++i) {
        char *before = definitions(pair->original, known.items[i], &known);
        char *after = definitions(pair->written, known.items[i], &known);
        same = strcmp(before, after) == 0;
        free(before);
        free(after);
    }
    ht_names_free(&known);
    return same;
}

char *ht_written_sizes_differ(const ht_written_pair *pair, const char *given) {
    for (const char *at = given; *at; at += strcspn(at, "\n") + 1) {
        char *name = ht_strndup(at, strcspn(at, "\n"));
        if (!is_same(pair, name))
            return name;
        free(name);
    }
    return NULL;
}
