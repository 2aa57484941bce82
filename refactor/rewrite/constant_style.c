#include "refactor/rewrite/constant_style.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/c_style.h"
#include "refactor/source/names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Returns the case of a name; HT_CASE_COUNT: it fits several. */
static ht_name_case case_of(const char *name, size_t length) {
    bool upper = false, lower = false, under = false;
    for (size_t i = 0; i < length; ++i) {
        upper = upper || isupper((unsigned char)name[i]);
        lower = lower || islower((unsigned char)name[i]);
        under = under || (name[i] == '_' && i);
    }
    if (upper && !lower)
        return HT_CASE_UPPER;
    if (name[0] == 'k' && length > 1 && isupper((unsigned char)name[1]))
        return HT_CASE_K;
    if (isupper((unsigned char)name[0]))
        return HT_CASE_PASCAL;
    return under ? HT_CASE_SNAKE : upper ? HT_CASE_CAMEL : HT_CASE_COUNT;
}

/* The numbers of a file's constants by style. */
typedef struct tally {
    unsigned macros, constants, plain_const, statics;
    unsigned macro_case[HT_CASE_COUNT + 1], constant_case[HT_CASE_COUNT + 1];
    const char *last; /* name; NULL: there was no constant */
    size_t last_length;
} tally;

/* Counts #define NAME NUMBER. */
static void macro_count(tally *seen, const char *line, const char *end) {
    const char *at = line + 1;
    at += strspn(at, " \t");
    if (strncmp(at, "define", 6) != 0)
        return;
    at += 6;
    const char *name = at += strspn(at, " \t");
    while (at < end && ht_name_has(*at))
        ++at;
    const char *body = at + strspn(at, " \t(");
    if (at == name || *at == '(' || body >= end || !isdigit((unsigned char)*body))
        return;
    ++seen->macros;
    ++seen->macro_case[case_of(name, (size_t)(at - name))];
    seen->last = name;
    seen->last_length = (size_t)(at - name);
}

/* Counts [static] [inline] constexpr|const TYPE NAME = ... of whole numbers. */
static void constant_count(tally *seen, const char *line, const char *end) {
    bool is_static = false, is_const = false, is_constexpr = false, whole = false;
    const char *name = line, *at = line;
    size_t length = 0;
    while (at < end) {
        size_t size = 0;
        while (at + size < end && ht_name_has(at[size]))
            ++size;
        if (size == 0)
            break;
        is_static = is_static || (size == 6 && memcmp(at, "static", 6) == 0);
        is_const = is_const || (size == 5 && memcmp(at, "const", 5) == 0);
        is_constexpr = is_constexpr || (size == 9 && memcmp(at, "constexpr", 9) == 0);
        whole = whole || (size == 3 && memcmp(at, "int", 3) == 0) ||
                (size == 8 && memcmp(at, "unsigned", 8) == 0) ||
                (size == 6 && memcmp(at, "size_t", 6) == 0);
        name = at;
        length = size;
        at += size;
        at += strspn(at, " \t");
    }
    bool valued = at < end && (*at == '=' || *at == '{');
    if (!valued || !whole || !(is_const || is_constexpr))
        return;
    ++seen->constants;
    seen->plain_const += is_const;
    seen->statics += is_static;
    ++seen->constant_case[case_of(name, length)];
    seen->last = name;
    seen->last_length = length;
}

static ht_name_case most(const unsigned counts[HT_CASE_COUNT + 1], ht_name_case otherwise) {
    ht_name_case best = otherwise;
    unsigned seen = 0;
    for (int i = 0; i < HT_CASE_COUNT; ++i)
        if (counts[i] > seen) {
            best = (ht_name_case)i;
            seen = counts[i];
        }
    return best;
}

ht_constant_style ht_constant_style_of(const char *text) {
    tally seen = {0};
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        if (*line == '#')
            macro_count(&seen, line, end);
        else
            constant_count(&seen, line, end);
    }
    bool macro = seen.macros > seen.constants ||
                 (seen.macros == 0 && seen.constants == 0 && ht_c_style_has(text));
    if (macro)
        return (ht_constant_style){.macro = true, .name = most(seen.macro_case, HT_CASE_UPPER)};
    bool plain = 2 * seen.plain_const > seen.constants, own = 2 * seen.statics > seen.constants;
    /* a single word in lower case fits names of several */
    ht_name_case otherwise = seen.constant_case[HT_CASE_COUNT] ? HT_CASE_SNAKE : HT_CASE_K;
    return (ht_constant_style){.front = plain ? (own ? "static const int" : "const int")
                                              : (own ? "static constexpr int" : "constexpr int"),
                               .name = most(seen.constant_case, otherwise)};
}

/* Appends a word's letter as the name's case has it. */
static void letter_add(ht_name_case name, char c, bool first, ht_text *out) {
    bool upper = name == HT_CASE_UPPER || (first && (name == HT_CASE_K || name == HT_CASE_PASCAL ||
                                                     (name == HT_CASE_CAMEL && out->length > 0)));
    ht_text_printf(out, "%c", upper ? toupper((unsigned char)c) : tolower((unsigned char)c));
}

char *ht_constant_name(const ht_constant_style *style, const char *words) {
    ht_text text = {0};
    ht_text_append(&text, style->name == HT_CASE_K ? "k" : "");
    bool apart = style->name == HT_CASE_UPPER || style->name == HT_CASE_SNAKE;
    bool first = true;
    for (const char *at = words; *at; ++at) {
        bool inner = at > words && isupper((unsigned char)*at) && islower((unsigned char)at[-1]);
        if (!isalnum((unsigned char)*at)) {
            first = true;
            continue;
        }
        first = first || inner;
        if (first && apart && text.length)
            ht_text_append(&text, "_");
        letter_add(style->name, *at, first, &text);
        first = false;
    }
    return ht_text_take(&text);
}

char *ht_constant_declaration(const ht_constant_style *style, const char *name, int64_t value) {
    return style->macro ? ht_format("#define %s %lld\n", name, (long long)value)
                        : ht_format("%s %s = %lld;\n", style->front, name, (long long)value);
}

char *ht_constant_alike(const char *line, size_t length, const char *declaration) {
    tally seen = {0};
    bool macro = *line == '#';
    if (!length || macro != (*declaration == '#'))
        return NULL;
    if (macro)
        macro_count(&seen, line, line + length);
    else if (line[length - 1] == ';')
        constant_count(&seen, line, line + length);
    return seen.last ? ht_strndup(seen.last, seen.last_length) : NULL;
}
