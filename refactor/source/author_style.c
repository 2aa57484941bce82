#include "refactor/source/author_style.h"

#include <stdbool.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static void blanks_drop(ht_text *out) {
    while (out->length && is_blank(out->data[out->length - 1]))
        out->data[--out->length] = 0;
}

void ht_style_keep(const char *original, size_t begin, size_t end, ht_text *out) {
    const char *rest = original + begin;
    bool line_ends = begin < end && (rest[0] == '\n' || (rest[0] == '\r' && rest[1] == '\n'));
    if (line_ends && !(begin && is_blank(original[begin - 1])))
        blanks_drop(out);
    ht_text_append_n(out, rest, end - begin);
}

/* Returns true if the line around `at` ends in CRLF. If it is the last line and has no end, the one
 * before decides. */
static bool ends_in_crlf(const char *original, size_t length, size_t at) {
    const char *end = memchr(original + at, '\n', length - at);
    if (!end && at)
        end = memrchr(original, '\n', at);
    return end && end > original && end[-1] == '\r';
}

/* Returns true if a line, with its blanks and its end, is one of those in the range. */
static bool is_authors(const char *original, ht_range range, const char *line, size_t length) {
    const char *at = original + range.begin, *end = original + range.end;
    for (const char *next; at < end; at = next) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        next = newline ? newline + 1 : end;
        if ((size_t)(next - at) == length && memcmp(at, line, length) == 0)
            return true;
    }
    return false;
}

void ht_style_replace(const char *original, size_t length, ht_range range, const char *text,
                      ht_text *out) {
    bool crlf = ends_in_crlf(original, length, range.begin);
    for (const char *newline; (newline = strchr(text, '\n')) != NULL; text = newline + 1) {
        size_t line = (size_t)(newline + 1 - text);
        if (is_authors(original, range, text, line)) {
            ht_text_append_n(out, text, line);
            continue;
        }
        ht_text_append_n(out, text, line - 1 - (newline > text && newline[-1] == '\r'));
        blanks_drop(out);
        ht_text_append(out, crlf ? "\r\n" : "\n");
    }
    ht_text_append(out, text);
}
