#include "templates/annotations/pragma_scan.h"
#include "templates/annotations/source_lex.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the next piece of a preprocessor line; *out_blank: it is a comment or a
 * continuation. A lone ' is not a literal here: #error lines hold apostrophes. */
static size_t line_piece(const char *text, bool *out_blank) {
    size_t length = ht_source_comment(text);
    if (!length)
        length = ht_source_splice(text);
    *out_blank = length > 0;
    if (!length && *text != '\'')
        length = ht_source_literal(text);
    if (!length)
        length = ht_source_word(text);
    return length ? length : 1;
}

/* Returns the length of the logical line at `text`: to its newline, which is not in it, over
 * continuations and comments. */
static size_t logical_line(const char *text) {
    size_t at = 0;
    bool blank;
    while (text[at] && text[at] != '\n')
        at += line_piece(text + at, &blank);
    return at;
}

/* Skips blanks, comments and continuations. */
static size_t skip_blank(const char *text, size_t at, size_t end) {
    while (at < end) {
        size_t length = ht_source_comment(text + at);
        if (!length)
            length = ht_source_splice(text + at);
        if (!length && isspace((unsigned char)text[at]))
            length = 1;
        if (!length)
            break;
        at += length;
    }
    return at;
}

static bool take_word(const char *text, size_t *at, size_t end, const char *word) {
    size_t start = skip_blank(text, *at, end);
    size_t length = ht_source_word(text + start);
    if (start >= end || length != strlen(word) || strncmp(text + start, word, length) != 0)
        return false;
    *at = start + length;
    return true;
}

/* Returns the text with comments and continuations blanked, newlines kept. */
static char *blanked(const char *text, size_t from, size_t to) {
    char *copy = ht_strndup(text + from, to - from);
    for (size_t at = 0; at < to - from;) {
        bool blank;
        size_t length = line_piece(text + from + at, &blank);
        for (size_t i = at; blank && i < at + length; ++i)
            if (copy[i] != '\n')
                copy[i] = ' ';
        at += length;
    }
    return copy;
}

static void add(ht_pragma **pragmas, size_t *count, const char *text, size_t line_start,
                size_t from, size_t to, int line) {
    ht_pragma pragma = {.text = blanked(text, from, to), .line = line};
    size_t start = line_start;
    for (size_t i = line_start; i < from; ++i)
        if (text[i] == '\n') {
            ++pragma.line;
            start = i + 1;
        }
    pragma.column = (int)(from - start) + 1;
    HT_GROW(*pragmas, *count);
    (*pragmas)[(*count)++] = pragma;
}

static int newlines(const char *text, size_t length) {
    int count = 0;
    for (size_t i = 0; i < length; ++i)
        count += text[i] == '\n';
    return count;
}

/* Returns true if `#pragma tune` begins at `at`, which is a '#'. */
static bool is_tune(const char *text, size_t at, size_t end, size_t *out_behind) {
    *out_behind = at + 1;
    return take_word(text, out_behind, end, "pragma") && take_word(text, out_behind, end, "tune");
}

void ht_pragma_scan(const char *text, ht_pragma **out_pragmas, size_t *out_count) {
    size_t at = 0, line_start = 0;
    int line = 1;
    bool fresh = true; /* only blanks so far on this line */
    *out_pragmas = NULL;
    *out_count = 0;
    while (text[at]) {
        size_t length = ht_source_comment(text + at), behind;
        if (length) {
            ; /* a comment in front of a # keeps it a directive */
        } else if (text[at] == '#' && fresh) {
            length = logical_line(text + at);
            if (is_tune(text, at, at + length, &behind))
                add(out_pragmas, out_count, text, line_start, behind, at + length, line);
        } else if (text[at] == '\n') {
            ++line;
            line_start = ++at;
            fresh = true;
            continue;
        } else if (isspace((unsigned char)text[at])) {
            length = 1;
        } else {
            fresh = false;
            if (!(length = ht_source_literal(text + at)) && !(length = ht_source_word(text + at)))
                length = 1;
        }
        int passed = newlines(text + at, length);
        if (passed) {
            line += passed;
            line_start = at + length;
            while (text[line_start - 1] != '\n')
                --line_start;
        }
        at += length;
    }
}

void ht_pragma_free(ht_pragma *pragmas, size_t count) {
    for (size_t i = 0; i < count; ++i)
        free(pragmas[i].text);
    free(pragmas);
}

ht_source_token ht_source_next(ht_source_scanner *scanner) {
    for (;;) {
        const char *text = scanner->next;
        size_t length = ht_source_comment(text);
        if (!length && *text == '#' && scanner->line_start)
            length = logical_line(text);
        if (!length && isspace((unsigned char)*text)) {
            scanner->line_start |= *text == '\n';
            length = 1;
        }
        if (!length)
            length = ht_source_splice(text);
        if (!length && (length = ht_source_literal(text)))
            scanner->line_start = false;
        if (length) {
            scanner->next += length;
            continue;
        }
        if (!*text)
            return (ht_source_token){.text = text};
        length = ht_source_word(text);
        scanner->line_start = false;
        scanner->next += length ? length : 1;
        return (ht_source_token){.text = text,
                                 .length = length ? length : 1,
                                 .name = length && !isdigit((unsigned char)*text)};
    }
}
