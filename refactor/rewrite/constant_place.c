#include "refactor/rewrite/constant_place.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/rewrite/constant_style.h"
#include "refactor/source/lexer.h"
#include "refactor/source/names.h"

#include <stdlib.h>
#include <string.h>

/* The scopes, or the conditions, that are open, by numbers that no two of them share. */
typedef struct nest {
    size_t *items, count, last;
} nest;

/* A constant that is declared as the new one is, and where it stands. */
typedef struct candidate {
    char *name;   /* owned */
    size_t after; /* the begin of the next line */
    size_t scope, condition;
} candidate;

typedef struct candidates {
    candidate *items;
    size_t count;
} candidates;

static void nest_open(nest *in) {
    HT_GROW(in->items, in->count);
    in->items[in->count++] = ++in->last;
}

static void nest_close(nest *in) {
    in->count -= in->count > 0;
}

static size_t nest_top(const nest *in) {
    return in->count ? in->items[in->count - 1] : 0;
}

/* Follows #if, #else and #endif. */
static void directive_follow(nest *conditions, const char *text) {
    const char *word = text + 1 + strspn(text + 1, " \t");
    bool other = ht_text_begins(word, "el");
    if (other || ht_text_begins(word, "endif"))
        nest_close(conditions);
    if (other || ht_text_begins(word, "if"))
        nest_open(conditions);
}

/* Adds what the line declares that begins with a token there. */
static void line_read(candidates *found, const char *text, size_t begin, size_t place,
                      const char *declaration, candidate at) {
    size_t length = strcspn(text + begin, "\n");
    at.after = begin + length + 1;
    while (length > 0 && strchr(" \t\r", text[begin + length - 1]))
        --length;
    at.name = at.after <= place ? ht_constant_alike(text + begin, length, declaration) : NULL;
    if (!at.name)
        return;
    HT_GROW(found->items, found->count);
    found->items[found->count++] = at;
}

/* Finds those ahead of a place. Returns the scope and the condition there. */
static candidate candidates_find(const ht_source *source, size_t place, const char *declaration,
                                 candidates *found) {
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    nest scopes = {0}, conditions = {0};
    candidate at = {0};
    for (size_t i = 0; i < tokens->count && tokens->items[i].begin < place; ++i) {
        size_t begin = tokens->items[i].begin;
        if (begin == 0 || source->text[begin - 1] == '\n')
            line_read(found, source->text, begin, place, declaration, at);
        if (tokens->items[i].kind == HT_TOKEN_DIRECTIVE)
            directive_follow(&conditions, source->text + begin);
        else if (ht_tokens_is(tokens, i, "{"))
            nest_open(&scopes);
        else if (ht_tokens_is(tokens, i, "}"))
            nest_close(&scopes);
        at = (candidate){.scope = nest_top(&scopes), .condition = nest_top(&conditions)};
    }
    free(scopes.items);
    free(conditions.items);
    return at;
}

/* Returns true if the kernel or a function that launches it has the name. */
static bool is_used_by(const ht_source *source, const ht_model *model, const char *name) {
    const ht_launches *launches = &model->facts->launches;
    ht_range own = model->definition.range, function;
    size_t file;
    bool used = ht_name_stands(source->text + own.begin, own.end - own.begin, name);
    for (size_t i = 0; i < launches->count && !used; ++i)
        used = ht_source_range(source, launches->items[i].function, &file, &function) &&
               file == 0 &&
               ht_name_stands(source->text + function.begin, function.end - function.begin, name);
    return used;
}

size_t ht_constant_place(const ht_source *source, const ht_model *model, size_t place,
                         const char *declaration) {
    candidates found = {0};
    const candidate here = candidates_find(source, place, declaration, &found);
    size_t chosen = place;
    for (size_t i = found.count; i > 0; --i) {
        candidate *item = &found.items[i - 1];
        bool next = item->after + strspn(source->text + item->after, " \t\r\n") >= place;
        bool alike = item->scope == here.scope && item->condition == here.condition;
        if (chosen == place && (next || (alike && is_used_by(source, model, item->name))))
            chosen = item->after;
        free(item->name);
    }
    free(found.items);
    return chosen;
}
