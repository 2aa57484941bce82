#include "runtime/host/launch_bounds.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/host/dynamic_shared.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the place after a preprocessor line, with the lines that it continues on. */
static const char *skip_directive(const char *at) {
    for (; *at && *at != '\n'; ++at)
        if (*at == '\\' && at[1] == '\n')
            ++at;
    return at;
}

/* Returns the ')' that closes the '(' at `at`; NULL when there is none. */
static const char *closing(const char *at) {
    for (int depth = 0; *at;) {
        const char *behind = ht_source_skip(at);
        if (behind) {
            at = behind;
            continue;
        }
        depth += (*at == '(') - (*at == ')');
        if (*at == ')' && depth == 0)
            return at;
        ++at;
    }
    return NULL;
}

/* Returns the '{' of the body of the function whose declaration goes on at `at`; NULL when it has
 * none. */
static const char *body(const char *at) {
    while (*at && *at != ';' && *at != '{') {
        const char *behind = ht_source_skip(at);
        if (!behind && *at == '(') {
            const char *end = closing(at);
            behind = end ? end + 1 : NULL;
            if (!behind)
                return NULL;
        }
        at = behind ? behind : at + 1;
    }
    return *at == '{' ? at : NULL;
}

static void append_flat(ht_text *to, const char *from, const char *end) {
    for (; from < end; ++from)
        ht_text_append_n(to, *from == '\n' ? " " : from, 1);
}

/* Copies from `from` to past the body's brace and the test; returns where to go on. */
static const char *insert(ht_text *out, const char *from, const char *bounds) {
    const char *open = bounds + strspn(bounds, " \t\n");
    const char *end = *open == '(' ? closing(open) : NULL;
    const char *brace = end ? body(end + 1) : NULL;
    if (!brace)
        return from;
    ht_text_append_n(out, from, (size_t)(brace + 1 - from));
    ht_text_append(out, " ht_launch_bounds");
    append_flat(out, open, end + 1);
    ht_text_append(out, ";");
    return brace + 1;
}

char *ht_launch_bounds_enforce(const char *source) {
    static const char word[] = "__launch_bounds__";
    ht_text out = {0};
    const char *copied = source;
    bool line_start = true;
    for (const char *at = source; *at;) {
        const char *behind = ht_source_skip(at);
        if (!behind && line_start && *at == '#')
            behind = skip_directive(at);
        if (behind) {
            at = behind;
            continue;
        }
        line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
        size_t length = 0;
        while (is_word(at[length]))
            ++length;
        if (length == sizeof word - 1 && strncmp(at, word, length) == 0) {
            copied = insert(&out, copied, at + length);
            at = copied > at ? copied : at + length;
        } else {
            at += length ? length : 1;
        }
    }
    ht_text_append(&out, copied);
    return ht_text_take(&out);
}
