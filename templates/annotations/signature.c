#include "templates/annotations/signature.h"
#include "templates/annotations/kernel_header.h"
#include "templates/annotations/pragma_scan.h"
#include "templates/expr/type.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is(const ht_source_token *token, const char *text) {
    return token->text && token->length == strlen(text) &&
           !memcmp(token->text, text, token->length);
}

static bool is_among(const char *word, const char *const *words) {
    for (; *words; ++words)
        if (!strcmp(word, *words))
            return true;
    return false;
}

/* Returns true for words that say nothing of what is passed. */
static bool is_qualifier(const char *word) {
    static const char *const words[] = {
        "volatile", "__restrict__", "__restrict", "restrict",          "struct", "class", "enum",
        "union",    "typename",     "register",   "__grid_constant__", NULL};
    return is_among(word, words);
}

void ht_signature_free(ht_signature *signature) {
    for (size_t i = 0; i < signature->count; ++i) {
        free(signature->params[i].text);
        free(signature->params[i].name);
        free(signature->params[i].type);
    }
    free(signature->params);
    *signature = (ht_signature){0};
}

/* ---- what a name stands for */

typedef struct meanings {
    const char *unit, *name;
    char *text; /* owned */
    bool open;
} meanings;

static void meaning_add(meanings *found, ht_text *text) {
    char *got = ht_text_take(text);
    if (!found->text && !found->open)
        found->text = ht_strdup(got);
    else if (!found->text || strcmp(found->text, got) != 0)
        found->open = true;
    free(got);
}

static void word_add(const ht_source_token *token, ht_text *text) {
    bool gap = text->length && token->name &&
               (isalnum((unsigned char)text->data[text->length - 1]) ||
                strchr("_*>", text->data[text->length - 1]));
    ht_text_printf(text, "%s%.*s", gap ? " " : "", (int)token->length, token->text);
}

/* Reads typedef TYPE NAME; and using NAME = TYPE; and, of another kind, struct NAME and enum
 * NAME. */
static void declarations_look(meanings *found) {
    ht_source_scanner scanner = {.next = found->unit, .line_start = true};
    for (ht_source_token token = ht_source_next(&scanner), before = {0}; token.length;
         before = token, token = ht_source_next(&scanner)) {
        bool is_typedef = is(&token, "typedef"), is_using = is(&token, "using");
        bool declares = before.length && (is(&before, "struct") || is(&before, "class") ||
                                          is(&before, "enum") || is(&before, "union"));
        if (declares && is(&token, found->name))
            found->open = true;
        if (!is_typedef && !is_using)
            continue;
        ht_text text = {0};
        ht_source_token last = {0}, first = {0};
        bool named = false, plain = true;
        for (token = ht_source_next(&scanner); token.length && !is(&token, ";");
             token = ht_source_next(&scanner)) {
            plain = plain && (token.name || strchr("*:<>,", *token.text) || is(&token, "="));
            if (is_using && is(&token, "="))
                named = is(&first, found->name);
            else if (is_typedef && last.length)
                word_add(&last, &text);
            else if (is_using && named)
                word_add(&token, &text);
            first = first.length ? first : token;
            last = token;
        }
        named = named || (is_typedef && last.length && is(&last, found->name));
        if (named && plain)
            meaning_add(found, &text);
        found->open = found->open || (named && !plain);
        ht_text_free(&text);
    }
}

/* Reads #define NAME WORDS. */
static void macros_look(meanings *found) {
    size_t size = strlen(found->name);
    for (const char *line = found->unit, *after; line && *line; line = after ? after + 1 : NULL) {
        after = strchr(line, '\n');
        const char *at = line + strspn(line, " \t");
        if (*at != '#')
            continue;
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "define", 6) != 0 || !isspace((unsigned char)at[6]))
            continue;
        at += 6 + strspn(at + 6, " \t");
        if (strncmp(at, found->name, size) != 0 || isalnum((unsigned char)at[size]) ||
            at[size] == '_')
            continue;
        const char *end = at + strcspn(at, "\n");
        if (at[size] == '(' || memchr(at, '\\', (size_t)(end - at)))
            found->open = true;
        ht_source_scanner scanner = {.next = at + size};
        ht_text text = {0};
        for (ht_source_token token = ht_source_next(&scanner); token.length && token.text < end;
             token = ht_source_next(&scanner))
            word_add(&token, &text);
        meaning_add(found, &text);
        ht_text_free(&text);
    }
}

char *ht_signature_alias(const char *unit, const char *name, bool *out_open) {
    meanings found = {.unit = unit, .name = name};
    declarations_look(&found);
    macros_look(&found);
    *out_open = found.open;
    if (found.open) {
        free(found.text);
        return NULL;
    }
    return found.text;
}

/* ---- one parameter */

/* A parameter while it is read: the words before the first '*' or '[' and those after. */
typedef struct reading {
    char **words;
    size_t count, before; /* the first `before` stand ahead of it */
    size_t stars, arrays;
    bool is_const, odd;
} reading;

static void reading_free(reading *in) {
    ht_strings_free(in->words, in->count);
}

/* Reads "a::b<c, d>" as one word. */
static char *take_word(ht_source_scanner *scanner, ht_source_token token) {
    ht_text text = {0};
    int angles = 0;
    for (;;) {
        word_add(&token, &text);
        angles += is(&token, "<");
        angles -= is(&token, ">");
        ht_source_scanner ahead = *scanner;
        ht_source_token next = ht_source_next(&ahead);
        bool colon = next.length && *next.text == ':';
        bool joined = colon || (token.length && *token.text == ':') || is(&next, "<");
        if (!next.length || (!angles && !joined))
            return ht_text_take(&text);
        token = next;
        *scanner = ahead;
    }
}

/* Skips [[...]], __attribute__((...)) and alignas(...). */
static bool skip_attribute(ht_source_scanner *scanner, const ht_source_token *token) {
    ht_source_scanner ahead = *scanner;
    ht_source_token next = ht_source_next(&ahead);
    bool brackets = is(token, "[") && is(&next, "[");
    bool words = is(token, "__attribute__") || is(token, "alignas") || is(token, "__align__");
    if (!brackets && !(words && is(&next, "(")))
        return false;
    *scanner = ahead;
    for (int depth = 1 + brackets; depth > 0 && next.length;) {
        next = ht_source_next(scanner);
        depth += is(&next, "(") || is(&next, "[");
        depth -= is(&next, ")") || is(&next, "]");
    }
    return true;
}

static void read_words(const char *text, reading *in) {
    ht_source_scanner scanner = {.next = text};
    int brackets = 0;
    for (ht_source_token token = ht_source_next(&scanner); token.length && !is(&token, "=");
         token = ht_source_next(&scanner)) {
        if (skip_attribute(&scanner, &token))
            continue;
        bool first = !in->stars && !in->arrays;
        if (is(&token, "*")) {
            in->odd = in->odd || in->count > in->before || in->arrays;
            ++in->stars;
        } else if (is(&token, "[")) {
            ++brackets;
            ++in->arrays;
        } else if (is(&token, "]")) {
            --brackets;
        } else if (brackets > 0) {
            continue;
        } else if (is(&token, "const")) {
            in->is_const = in->is_const || first;
        } else if (token.name) {
            char *word = take_word(&scanner, token);
            if (is_qualifier(word)) {
                free(word);
                continue;
            }
            HT_GROW(in->words, in->count);
            in->words[in->count++] = word;
            in->before += first;
        } else {
            in->odd = true; /* references, functions, packs, what macros are given */
        }
    }
}

static bool is_integer_word(const char *word) {
    static const char *const words[] = {"unsigned", "signed", "int",    "long",
                                        "short",    "char",   "double", NULL};
    return is_among(word, words);
}

static char *joined(char *const *words, size_t count) {
    ht_text text = {0};
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, "%s%s", i ? " " : "", words[i]);
    return ht_text_take(&text);
}

/* Returns true if one word alone is certainly a type, and not a macro for something longer. */
static bool is_type(const char *unit, const ht_kernel_header *header, const char *word) {
    bool open;
    char *alias = ht_signature_alias(unit, word, &open);
    bool known = alias != NULL || open || ht_type_size(word) > 0;
    free(alias);
    for (size_t i = 0; i < header->param_count; ++i)
        known = known || !strcmp(header->params[i].name, word);
    return known || strchr(word, ':') || strchr(word, '<');
}

/* Returns false if it may stand for several parameters, or for none. */
static bool understand(const char *unit, const ht_kernel_header *header, const reading *in,
                       ht_signature_param *out) {
    size_t type_words = in->before;
    bool pointer = in->stars || in->arrays;
    if (in->odd || !in->before)
        return false;
    if (in->count > in->before) { /* `float *RESTRICT a`: the last is the name */
        out->name = ht_strdup(in->words[in->count - 1]);
    } else if (in->before > 1 && !in->stars && !is_integer_word(in->words[in->before - 1])) {
        out->name = ht_strdup(in->words[in->before - 1]);
        --type_words;
    } else if (!pointer && in->before == 1 && !is_type(unit, header, in->words[0])) {
        return false;
    }
    out->is_known = pointer;
    out->is_pointer = pointer;
    out->is_const = pointer && in->is_const && in->stars + in->arrays == 1;
    if (in->stars + in->arrays <= 1)
        out->type = joined(in->words, type_words);
    return true;
}

/* Returns the text with blanks for comments and newlines, without the default's. */
static char *collapsed(const char *text, size_t length) {
    char *copy = ht_strndup(text, length);
    ht_source_scanner scanner = {.next = copy};
    ht_text out = {0};
    const char *end = NULL;
    for (ht_source_token token = ht_source_next(&scanner); token.length;
         token = ht_source_next(&scanner)) {
        ht_text_printf(&out, "%s%.*s", end && token.text > end ? " " : "", (int)token.length,
                       token.text);
        end = token.text + token.length;
    }
    free(copy);
    return ht_text_take(&out);
}

/* ---- the list */

/* Returns false where the number of parameters is open: lines that are compiled or not, and macros
 * with commas. */
static bool is_plain(const char *unit, const char *text) {
    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
        if (line[1 + strspn(line + 1, " \t")] == '#')
            return false;
    ht_source_scanner scanner = {.next = text};
    for (ht_source_token token = ht_source_next(&scanner); token.length;
         token = ht_source_next(&scanner)) {
        if (!token.name)
            continue;
        bool open;
        char *word = ht_strndup(token.text, token.length);
        meanings found = {.unit = unit, .name = word};
        macros_look(&found);
        open = found.open || (found.text && strpbrk(found.text, ",(="));
        free(found.text);
        free(word);
        if (open)
            return false;
    }
    return true;
}

/* Returns the place of the next comma between parameters, or of the end. */
static size_t param_end(const char *text) {
    ht_source_scanner scanner = {.next = text};
    int depth = 0, angles = 0;
    bool value = false;
    for (ht_source_token token = ht_source_next(&scanner); token.length;
         token = ht_source_next(&scanner)) {
        depth += strchr("([{", *token.text) && !token.name;
        depth -= strchr(")]}", *token.text) && !token.name;
        value = value || is(&token, "=");
        angles += !value && is(&token, "<");
        angles -= !value && is(&token, ">");
        if (depth == 0 && angles == 0 && is(&token, ","))
            return (size_t)(token.text - text);
    }
    return strlen(text);
}

static bool read_param(const char *unit, const ht_kernel_header *header, const char *text,
                       size_t length, ht_signature *out) {
    HT_GROW(out->params, out->count);
    ht_signature_param *param = &out->params[out->count++];
    *param = (ht_signature_param){.text = collapsed(text, length)};
    reading in = {0};
    read_words(param->text, &in);
    bool understood = understand(unit, header, &in, param);
    reading_free(&in);
    param->name = param->name ? param->name : ht_strdup("");
    param->type = param->type ? param->type : ht_strdup("");
    return understood;
}

static bool read_list(const char *unit, const ht_kernel_header *header, const ht_header_list *list,
                      ht_signature *out) {
    *out = (ht_signature){0};
    if (!list->text)
        return false;
    char *text = ht_strndup(list->text, list->length), *at = text;
    char *all = collapsed(list->text, list->length);
    bool empty = !*all || !strcmp(all, "void");
    bool good = is_plain(unit, text);
    free(all);
    while (good && !empty) {
        size_t length = param_end(at);
        good = read_param(unit, header, at, length, out);
        empty = !at[length];
        at += length + 1;
    }
    free(text);
    return good;
}

/* Returns the line of a place in the unit, as #line directives count. */
static int line_of(const char *unit, const char *place) {
    int line = 1;
    for (const char *at = unit; at < place; ++at) {
        if (*at != '\n')
            continue;
        ++line;
        if (strncmp(at + 1, "#line ", 6) == 0)
            line = atoi(at + 7) - 1; /* of the directive itself */
    }
    return line;
}

static bool same_types(const ht_signature *a, const ht_signature *b) {
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; ++i)
        if (strcmp(a->params[i].type, b->params[i].type) != 0 ||
            a->params[i].is_pointer != b->params[i].is_pointer ||
            a->params[i].is_const != b->params[i].is_const)
            return false;
    return true;
}

bool ht_signature_find(const char *unit, const char *kernel, ht_signature *out_signature) {
    ht_kernel_header header;
    bool good = ht_kernel_header_find(unit, kernel, &header);
    *out_signature = (ht_signature){0};
    for (size_t i = 0; good && i < header.list_count; ++i) {
        ht_signature one;
        good = read_list(unit, &header, &header.lists[i], &one) &&
               (i == 0 || same_types(&one, out_signature));
        one.line = good ? line_of(unit, header.lists[i].text) : 0;
        ht_signature_free(out_signature); /* the last is the definition, with the names */
        *out_signature = one;
    }
    good = good && header.list_count > 0;
    ht_kernel_header_free(&header);
    if (!good)
        ht_signature_free(out_signature);
    return good;
}
