#include "base/code_printed.h"

#include "base/lexeme.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
    const char *at;
    size_t length;
    size_t region; /* a directive is one, and so is the code between two */
    ht_token_kind kind;
} piece;

typedef struct pieces {
    piece *items;
    size_t count;
} pieces;

static size_t continuation(const char *at) {
    return *at != '\\' ? 0 : at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* ---- tokens, those of directives too */

static pieces pieces_make(const char *code) {
    pieces list = {0};
    const size_t end = strlen(code);
    size_t region = 0;
    bool line_start = true, directive = false;
    for (size_t at = 0; at < end;) {
        if (continuation(code + at)) {
            at += continuation(code + at);
        } else if (code[at] == '/' && code[at + 1] == '/') {
            while (at < end && code[at] != '\n')
                at += continuation(code + at) ? continuation(code + at) : 1;
        } else if (code[at] == '/' && code[at + 1] == '*') {
            at = ht_block_comment_end(code, at, end);
        } else if (code[at] == '\n') {
            region += directive;
            directive = false;
            line_start = true;
            ++at;
        } else if (isspace((unsigned char)code[at])) {
            ++at;
        } else {
            ht_token_kind kind;
            size_t next = ht_lexeme_end(code, at, end, &kind);
            if (code[at] == '#' && line_start) {
                directive = true;
                ++region;
            }
            HT_GROW(list.items, list.count);
            list.items[list.count++] = (piece){code + at, next - at, region, kind};
            line_start = false;
            at = next;
        }
    }
    return list;
}

/* Returns true if the token at `index` is this text; false outside the list and the region. */
static bool is(const pieces *list, size_t index, size_t region, const char *text) {
    return index < list->count && list->items[index].region == region &&
           list->items[index].length == strlen(text) &&
           strncmp(list->items[index].at, text, strlen(text)) == 0;
}

static bool is_one(const pieces *list, size_t index, size_t region, const char *const *texts) {
    for (size_t i = 0; texts[i]; ++i)
        if (is(list, index, region, texts[i]))
            return true;
    return false;
}

/* ---- places */

static const char *const places[] = {"__LINE__", "__FILE__", "__FILE_NAME__", NULL};
static const char *const opening[] = {"(", "[", "{", NULL};
static const char *const closing[] = {")", "]", "}", NULL};

/* Returns the bracket that encloses a token; SIZE_MAX: there is none in its region. */
static size_t enclosing(const pieces *list, size_t index) {
    size_t region = list->items[index].region, depth = 0;
    for (size_t i = index; i > 0 && list->items[i - 1].region == region; --i) {
        bool opens = is_one(list, i - 1, region, opening);
        if (opens && depth == 0)
            return i - 1;
        depth += is_one(list, i - 1, region, closing);
        depth -= opens;
    }
    return SIZE_MAX;
}

static size_t closing_of(const pieces *list, size_t open) {
    size_t region = list->items[open].region, depth = 0;
    for (size_t i = open; i < list->count && list->items[i].region == region; ++i) {
        bool closes = is_one(list, i, region, closing);
        depth += is_one(list, i, region, opening);
        depth -= closes;
        if (closes && depth == 0)
            return i;
    }
    return SIZE_MAX;
}

/* Returns true if a statement begins at `index`. */
static bool begins_statement(const pieces *list, size_t index, size_t region) {
    static const char *const marks[] = {";", "{", "}", "else", "do", NULL};
    static const char *const headed[] = {"if", "while", "for", NULL};
    if (index == 0)
        return false;
    size_t before = index - 1;
    if (is_one(list, before, region, marks))
        return true;
    size_t open = is(list, before, region, ")") ? enclosing(list, before) : SIZE_MAX;
    return open != SIZE_MAX && open > 0 && is_one(list, open - 1, region, headed);
}

/* Steps back over "std::" or "::". */
static size_t qualified(const pieces *list, size_t index, size_t region) {
    if (index > 0 && is(list, index - 1, region, "::"))
        index -= 1 + (index > 1 && is(list, index - 2, region, "std"));
    return index;
}

/* fprintf(stderr, ..., place, ...); with the bracket at `open`. */
static bool is_printed(const pieces *list, size_t index, size_t open) {
    static const char *const streams[] = {"stderr", "stdout", NULL};
    size_t region = list->items[index].region, close = closing_of(list, open);
    bool whole = is(list, index - 1, region, ",") &&
                 (is(list, index + 1, region, ",") || is(list, index + 1, region, ")"));
    return whole && close != SIZE_MAX && is(list, close + 1, region, ";") && open > 0 &&
           is(list, open - 1, region, "fprintf") && is_one(list, open + 1, region, streams) &&
           is(list, open + 2, region, ",") &&
           begins_statement(list, qualified(list, open - 1, region), region);
}

/* std::cerr << ... << place << ...; */
static bool is_streamed(const pieces *list, size_t index) {
    static const char *const streams[] = {"cerr", "cout", NULL};
    static const char *const ends[] = {";", "{", "}", "else", "do", NULL};
    static const char *const others[] = {",", "=", "?", "&&", "||", ">>", NULL};
    size_t region = list->items[index].region, at = index, depth = 0;
    if (!is(list, index - 1, region, "<<") ||
        (!is(list, index + 1, region, "<<") && !is(list, index + 1, region, ";")))
        return false;
    for (; at > 0 && list->items[at - 1].region == region; --at) {
        if (depth == 0 &&
            (is_one(list, at - 1, region, ends) || begins_statement(list, at, region)))
            break;
        bool opens = is_one(list, at - 1, region, opening);
        if (depth == 0 && (opens || is_one(list, at - 1, region, others)))
            return false;
        depth += is_one(list, at - 1, region, closing);
        depth -= opens;
    }
    return begins_statement(list, at, region) && is(list, at, region, "std") &&
           is(list, at + 1, region, "::") && is_one(list, at + 2, region, streams) &&
           is(list, at + 3, region, "<<");
}

bool ht_code_prints_places(const char *code) {
    static const char *const never[] = {"__BASE_FILE__",    "__INCLUDE_LEVEL__",
                                        "__builtin_LINE",   "__builtin_FILE",
                                        "__builtin_COLUMN", "__builtin_source",
                                        "__COUNTER__",      "source_location",
                                        "__TIMESTAMP__",    NULL};
    for (size_t i = 0; never[i]; ++i)
        if (strstr(code, never[i]))
            return false;
    pieces list = pieces_make(code);
    bool printed = true;
    for (size_t i = 0; i < list.count && printed; ++i) {
        if (!is_one(&list, i, list.items[i].region, places))
            continue;
        size_t open = i > 0 ? enclosing(&list, i) : SIZE_MAX;
        printed =
            i > 0 && ((open != SIZE_MAX && is_printed(&list, i, open)) || is_streamed(&list, i));
    }
    free(list.items);
    return printed;
}

/* ---- other meanings */

/* Returns true if the name at `index` is used here, and not declared or defined. */
static bool is_used(const pieces *list, size_t index, bool called) {
    static const char *const declaring[] = {"*", "&", ">", "~", "->", ".", NULL};
    static const char *const words[] = {"else", "do", "return", NULL};
    size_t region = list->items[index].region, first = qualified(list, index, region);
    if (called && !is(list, index + 1, region, "("))
        return false;
    if (first == 0 || list->items[first - 1].region != region)
        return true;
    if (list->items[first - 1].kind == HT_TOKEN_NAME)
        return is_one(list, first - 1, region, words);
    return !is_one(list, first - 1, region, declaring);
}

bool ht_code_redefines_printing(const char *code) {
    static const char *const functions[] = {"fprintf", NULL};
    static const char *const streams[] = {"stderr", "stdout", "cerr", "cout", NULL};
    pieces list = pieces_make(code);
    bool other = false;
    for (size_t i = 0; i < list.count && !other; ++i) {
        size_t region = list.items[i].region;
        bool called = is_one(&list, i, region, functions);
        if (called || is_one(&list, i, region, streams))
            other = !is_used(&list, i, called);
        else if (is(&list, i, region, "std") && i > 0)
            other = is(&list, i - 1, region, "define");
    }
    free(list.items);
    return other;
}
