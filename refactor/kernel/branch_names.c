#include "refactor/kernel/branch_names.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>
#include <string.h>

static bool is_word_of_language(const char *name) {
    static const char *const words[] = {
        "if",       "else",   "for",   "while", "do",    "return",   "int",      "float",  "double",
        "unsigned", "const",  "void",  "char",  "long",  "short",    "bool",     "sizeof", "static",
        "auto",     "struct", "break", "true",  "false", "continue", "template", NULL};
    return ht_text_is_one(name, words);
}

static void add_token(ht_names *names, const ht_tokens *tokens, size_t index) {
    if (tokens->items[index].kind != HT_TOKEN_NAME)
        return;
    char *name = ht_tokens_text(tokens, index);
    if (!is_word_of_language(name))
        ht_names_add(names, name);
    free(name);
}

void ht_names_read(ht_names *names, const ht_source *source, size_t file, ht_range range) {
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].begin < range.end; ++i)
        if (!ht_source_skipped(source, file, tokens->items[i].begin))
            add_token(names, tokens, i);
}

void ht_names_expand(ht_names *names, const ht_source *source) {
    for (size_t i = 0; i < names->count; ++i)
        for (size_t k = 0; k < source->macros.count; ++k) {
            const ht_macro *macro = &source->macros.items[k];
            ht_tokens body;
            if (strcmp(macro->name, names->items[i]) != 0)
                continue;
            ht_tokens_read(source->files[macro->file].text, macro->body, false, &body);
            for (size_t t = 0; t < body.count; ++t)
                add_token(names, &body, t);
            ht_tokens_free(&body);
        }
}

/* ---- writing ---- */

static bool is_assignment(const ht_tokens *tokens, size_t index) {
    static const char *const words[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "<<=", ">>=", "--", NULL};
    return ht_tokens_is_any(tokens, index, words);
}

static bool is_type_before(const ht_tokens *tokens, size_t index) {
    static const char *const others[] = {"return", "else", "case", "sizeof", "goto",
                                         "throw",  "new",  "do",   "delete", "and",
                                         "or",     "not",  NULL};
    static const char *const starts[] = {";", "{", "}", "const", "(", ",", "static", NULL};
    static const char *const ends[] = {";", "=", ",", ")", "(", "[", "{", ":", NULL};
    if (index == 0)
        return false;
    if (tokens->items[index - 1].kind == HT_TOKEN_NAME)
        return !ht_tokens_is_any(tokens, index - 1, others);
    bool reference = ht_tokens_is(tokens, index - 1, "*") || ht_tokens_is(tokens, index - 1, "&");
    return reference && index >= 2 && tokens->items[index - 2].kind == HT_TOKEN_NAME &&
           (index == 2 || ht_tokens_is_any(tokens, index - 3, starts)) &&
           (index + 1 >= tokens->count || ht_tokens_is_any(tokens, index + 1, ends));
}

bool ht_tokens_is_written(const ht_tokens *tokens, size_t index) {
    size_t next = index + 1;
    if (index > 0 &&
        (ht_tokens_is(tokens, index - 1, "++") || ht_tokens_is(tokens, index - 1, "--") ||
         ht_tokens_is(tokens, index - 1, ">>")))
        return true;
    if (is_type_before(tokens, index))
        return true;
    if (index > 0 && ht_tokens_is(tokens, index - 1, "&") &&
        (index == 1 ||
         (tokens->items[index - 2].kind == HT_TOKEN_PUNCT &&
          !ht_tokens_is(tokens, index - 2, ")") && !ht_tokens_is(tokens, index - 2, "]"))))
        return true;
    while (next + 1 < tokens->count)
        if (ht_tokens_is(tokens, next, ".") || ht_tokens_is(tokens, next, "->"))
            next += 2;
        else if (ht_tokens_is(tokens, next, "["))
            next = ht_tokens_close(tokens, next) + 1;
        else
            break;
    return is_assignment(tokens, next);
}

/* ---- definitions ---- */

static void alternative_add(ht_alternatives *list, char *name, ht_alternative with) {
    HT_GROW(list->items, list->count);
    with.name = name;
    list->items[list->count++] = with;
}

/* Returns the end of the declaration that the name at `index` belongs to: past its body, or past
 * its semicolon. */
static size_t declaration_end(const ht_tokens *tokens, size_t index) {
    for (size_t i = index; i < tokens->count; ++i) {
        if (ht_tokens_is(tokens, i, ";") || tokens->items[i].kind == HT_TOKEN_DIRECTIVE)
            return tokens->items[i].end;
        if (ht_tokens_is(tokens, i, "{")) {
            size_t close = ht_tokens_close(tokens, i);
            return tokens->items[close < tokens->count ? close : tokens->count - 1].end;
        }
    }
    return tokens->text ? tokens->items[tokens->count - 1].end : 0;
}

static void add_macro(ht_alternatives *list, const ht_tokens *tokens, size_t index, size_t file) {
    char *name = ht_directive_defines(tokens, index);
    ht_token token = tokens->items[index];
    if (!name)
        return;
    const char *at = strstr(tokens->text + token.begin, name);
    bool call = at && at[strlen(name)] == '(';
    alternative_add(list, name,
                    (ht_alternative){.file = file,
                                     .range = {token.begin, token.end},
                                     .directive = true,
                                     .function_like = call});
}

/* Returns true if the token is a name with ( = ; [ { or : after it: the form of a definition. */
static bool is_defined_at(const ht_tokens *tokens, size_t index) {
    static const char *const next[] = {"(", "=", ";", "[", "{", ":", NULL};
    return tokens->items[index].kind == HT_TOKEN_NAME && ht_tokens_is_any(tokens, index + 1, next);
}

/* Numbers of open braces: those of namespaces, and all others. */
typedef struct nesting {
    int scopes, others;
} nesting;

static void nesting_step(nesting *in, const ht_tokens *tokens, size_t i) {
    if (ht_tokens_is(tokens, i, "{")) {
        bool scope =
            in->others == 0 && i > 1 &&
            (ht_tokens_is(tokens, i - 1, "namespace") || ht_tokens_is(tokens, i - 2, "namespace") ||
             ht_tokens_is(tokens, i - 2, "extern"));
        in->scopes += scope;
        in->others += !scope;
    } else if (ht_tokens_is(tokens, i, "}"))
        *(in->others > 0 ? &in->others : &in->scopes) -= 1;
}

static void find_in(const ht_source *source, size_t file, ht_range skipped, nesting at,
                    ht_alternatives *list) {
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = ht_tokens_at(tokens, skipped.begin);
         i < tokens->count && tokens->items[i].end <= skipped.end; ++i) {
        nesting_step(&at, tokens, i);
        if (ht_conditional_never(source, file, tokens->items[i].begin))
            continue;
        if (ht_directive_kind(tokens, i) == HT_DIRECTIVE_DEFINE)
            add_macro(list, tokens, i, file);
        else if (at.others == 0 && is_defined_at(tokens, i))
            alternative_add(
                list, ht_tokens_text(tokens, i),
                (ht_alternative){.file = file,
                                 .range = {tokens->items[i].begin, declaration_end(tokens, i)},
                                 .function = ht_tokens_is(tokens, i + 1, "(")});
    }
}

/* Finds the definitions in the ranges of a file that the parse skipped. The ranges are in the order
 * of the file. Braces inside of them are not counted, since the text after them may belong to
 * another branch. */
static void find_in_file(const ht_source *source, size_t file, ht_alternatives *list) {
    const ht_user_file *of = &source->files[file];
    const ht_tokens *tokens = ht_source_tokens(source, file);
    nesting at = {0};
    size_t i = 0;
    for (size_t k = 0; k < of->skipped_count; ++k) {
        for (; i < tokens->count && tokens->items[i].begin < of->skipped[k].begin; ++i)
            if (!ht_source_skipped(source, file, tokens->items[i].begin))
                nesting_step(&at, tokens, i);
        find_in(source, file, of->skipped[k], at, list);
    }
}

void ht_alternatives_find(const ht_source *source, ht_alternatives *out_list) {
    *out_list = (ht_alternatives){0};
    for (size_t i = 0; i < source->file_count; ++i)
        find_in_file(source, i, out_list);
}

void ht_alternatives_free(ht_alternatives *list) {
    for (size_t i = 0; i < list->count; ++i)
        free(list->items[i].name);
    free(list->items);
    *list = (ht_alternatives){0};
}
