#include "refactor/source/line_wrap.h"
#include "refactor/source/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    LEAST = 16,     /* characters in front of a break, after the indentation */
    MORE = 4,       /* blanks that a new line begins with in addition to the first's */
    RANK_COMMA = 2, /* of a place to break at */
};

/* A place to break at, better the lower its depth, then its rank. */
typedef struct candidate {
    size_t at;
    int depth, rank;
} candidate;

/* Returns 1 for what opens a list, -1 for what closes one, else 0. */
static int nesting(char c) {
    return (strchr("([{", c) && c) - (strchr(")]}", c) && c);
}

/* Returns 1 for what seems to open a list of template arguments, -1 for what closes one of `open`,
 * else 0. */
static int angle(const char *line, size_t at, size_t length, int open) {
    char before = at ? line[at - 1] : ' ', after = at + 1 < length ? line[at + 1] : ' ';
    bool word = ht_name_has(before);
    if (line[at] == '<')
        return word && !strchr(" <=", after);
    return line[at] == '>' && open > 0 && !strchr(" -", before) ? -1 : 0;
}

/* Returns the rank of a blank as a place to break at, in front of an operator or after a comma; 0:
 * it is not one. */
static int rank_of(const char *line, size_t at, size_t length) {
    static const struct {
        const char *text;
        int rank;
    } operators[] = {{" ? ", 3},  {" : ", 4},  {" || ", 5}, {" && ", 6}, {" <= ", 7},
                     {" >= ", 7}, {" == ", 7}, {" < ", 7},  {" > ", 7},  {" & ", 8},
                     {" + ", 8},  {" * ", 9},  {" / ", 9},  {" % ", 9}};
    if (at + 2 < length && memcmp(line + at, " //", 3) == 0)
        return 0;
    if (line[at - 1] == ';')
        return 1;
    if (line[at - 1] == ',')
        return RANK_COMMA;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i) {
        size_t size = strlen(operators[i].text);
        if (at + size < length && memcmp(line + at, operators[i].text, size) == 0)
            return operators[i].rank;
    }
    return 0;
}

/* Returns where the argument list ends whose parenthesis is open ahead of a place, and in
 * *out_first where its first argument does; 0: it is no list of several. */
static size_t list_end(const char *line, size_t open, size_t length, size_t *out_first) {
    int depth = 0;
    *out_first = 0;
    for (size_t i = open; i < length; ++i) {
        if (line[i] == '"' || line[i] == '\'')
            return 0;
        depth += nesting(line[i]);
        if (depth == 1 && line[i] == ',' && !*out_first)
            *out_first = i;
        if (depth == 0)
            return *out_first ? i : 0;
    }
    return *out_first ? length : 0;
}

/* Returns true if a place is in parentheses of few characters, as in dim3(16, 16): nobody breaks a
 * line there. */
static bool is_in_short(const char *line, size_t at, size_t length) {
    enum { SHORT = 10 };
    size_t begin = at, end = at;
    int depth = 0;
    while (begin > 0 && depth <= 0)
        depth += nesting(line[--begin]);
    if (depth <= 0)
        return false;
    while (end < length && depth > 0)
        depth += nesting(line[end++]);
    return depth == 0 && end - begin <= SHORT;
}

/* Returns the place after the parenthesis in which an operator stands, if what it is in is the
 * first of several arguments that fits into a line of its own; 0: not so. */
static size_t after_parenthesis(const char *line, const candidate *best, size_t length,
                                size_t width) {
    size_t indent = strspn(line, " \t"), at = best->at, first;
    int depth = 0;
    while (at > indent && depth <= 0) {
        --at;
        depth += nesting(line[at]);
    }
    return depth == 1 && line[at] == '(' && list_end(line, at, length, &first) &&
                   first > best->at && indent + MORE + first - at <= width
               ? at + 1
               : 0;
}

/* Returns where to break a line so that the part in front has at most `width` characters: at a
 * blank, which is left out, or after the parenthesis of a list whose first item would be broken
 * else; 0: nowhere. Strings, characters and a comment at the line's end are not broken. */
static size_t line_break(const char *line, size_t length, size_t width) {
    candidate best = {0};
    int depth = 0, angles = 0;
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
        int turn = angle(line, i, length, angles);
        angles += turn;
        depth += nesting(c) + turn;
        bool here = c == ' ' && i >= indent + LEAST && !is_in_short(line, i, length);
        int rank = here ? rank_of(line, i, length) : 0;
        bool better =
            rank && (!best.at || depth < best.depth || (depth == best.depth && rank <= best.rank));
        if (better)
            best = (candidate){i, depth, rank};
    }
    size_t after = best.rank > RANK_COMMA ? after_parenthesis(line, &best, length, width) : 0;
    return after ? after : best.at;
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

size_t ht_line_open(const char *part, size_t length, bool round) {
    int depth = 0;
    for (size_t i = length; i-- > 0;) {
        depth -= round && !strchr("()", part[i]) ? 0 : nesting(part[i]);
        if (depth < 0)
            return i + 1 < length ? i : SIZE_MAX;
    }
    return SIZE_MAX;
}

void ht_line_wrap(const char *line, size_t length, size_t width, bool aligned, const char *joint,
                  ht_text *out) {
    size_t indent = strspn(line, " \t"), used = 0, margin = indent + MORE;
    bool continued = strchr(joint, '\\') != NULL;
    size_t room = continued ? width - 2 : width;
    const char *at = line, *end = line + length;
    while (used + (size_t)(end - at) > width && room > used &&
           (continued || !is_fixed(line, length))) {
        size_t part = line_break(at, (size_t)(end - at), room - used);
        if (!part)
            break;
        ht_text_append_n(out, at, part);
        ht_text_append(out, joint);
        size_t column = aligned ? ht_line_open(at, part, false) : SIZE_MAX;
        if (column != SIZE_MAX && used + column + 1 < width / 2)
            margin = used + column + 1;
        ht_text_append_n(out, line, indent);
        ht_text_printf(out, "%*s", (int)(margin - indent), "");
        at += part + (at[part] == ' ');
        used = margin;
    }
    ht_text_append_n(out, at, (size_t)(end - at));
}
