#include "refactor/source/line_wrap.h"

#include <stdbool.h>
#include <string.h>

enum { LEAST = 16 /* characters in front of a break, after the indentation */ };

/* A place to break at, better the lower its depth, then its rank. */
typedef struct candidate {
    size_t at;
    int depth, rank;
} candidate;

/* Returns the rank of a blank as a place to break at, in front of an operator or after a comma; 0:
 * it is not one. */
static int rank_of(const char *line, size_t at, size_t length) {
    static const struct {
        const char *text;
        int rank;
    } operators[] = {{" ? ", 3},  {" : ", 4},  {" || ", 5}, {" && ", 6}, {" <= ", 7},
                     {" >= ", 7}, {" == ", 7}, {" < ", 7},  {" > ", 7},  {" + ", 8},
                     {" * ", 9},  {" / ", 9},  {" % ", 9}};
    if (at + 2 < length && memcmp(line + at, " //", 3) == 0)
        return 0;
    if (line[at - 1] == ';')
        return 1;
    if (line[at - 1] == ',')
        return 2;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i) {
        size_t size = strlen(operators[i].text);
        if (at + size < length && memcmp(line + at, operators[i].text, size) == 0)
            return operators[i].rank;
    }
    return 0;
}

size_t ht_line_break(const char *line, size_t length, size_t width) {
    candidate best = {0};
    int depth = 0;
    char quote = 0;
    size_t indent = strspn(line, " \t");
    for (size_t i = indent; i <= width && i < length; ++i) {
        char c = line[i];
        if (quote) {
            i += c == '\\';
            quote = c == quote ? 0 : quote;
            continue;
        }
        if (c == '/' && i + 1 < length && line[i + 1] == '/')
            break; /* a comment */
        quote = c == '"' || c == '\'' ? c : 0;
        depth += (strchr("([{", c) && c) - (strchr(")]}", c) && c);
        int rank = c == ' ' && i >= indent + LEAST ? rank_of(line, i, length) : 0;
        bool better =
            rank && (!best.at || depth < best.depth || (depth == best.depth && rank <= best.rank));
        if (better)
            best = (candidate){i, depth, rank};
    }
    return best.at;
}

/* Returns true if a line break in it could change what it says. */
static bool is_fixed(const char *line, size_t length) {
    static const char *const marks[] = {"/*", "*/", "R\""};
    size_t indent = strspn(line, " \t");
    bool fixed = indent < length && (line[indent] == '#' || line[length - 1] == '\\');
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
        fixed = fixed || memmem(line, length, marks[i], 2) != NULL;
    return fixed;
}

void ht_line_wrap(const char *line, size_t length, size_t width, const char *more,
                  const char *joint, ht_text *out) {
    size_t indent = strspn(line, " \t"), used = 0;
    bool continued = strchr(joint, '\\') != NULL;
    size_t room = continued ? width - 2 : width;
    const char *at = line, *end = line + length;
    while (used + (size_t)(end - at) > width && room > used &&
           (continued || !is_fixed(line, length))) {
        size_t part = ht_line_break(at, (size_t)(end - at), room - used);
        if (!part)
            break;
        ht_text_append_n(out, at, part);
        ht_text_append(out, joint);
        ht_text_append_n(out, line, indent);
        ht_text_append(out, more);
        at += part + 1;
        used = indent + strlen(more);
    }
    ht_text_append_n(out, at, (size_t)(end - at));
}
