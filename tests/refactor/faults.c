#include "faults.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char barrier[] = "__syncthreads()";

/* Not instrumented itself, and asked each time, so that the compiler knows nothing of the answer.
 */
static const char chooser[] = "#include <stdlib.h>\n"
                              "__attribute__((no_sanitize(\"thread\"), noinline)) static int "
                              "ht_faulty(int fault) {\n"
                              "    static int chosen = -2;\n"
                              "    if (chosen == -2) {\n"
                              "        const char *text = getenv(\"" HT_FAULT_CHOICE "\");\n"
                              "        chosen = text ? atoi(text) : -1;\n"
                              "    }\n"
                              "    return chosen == fault;\n"
                              "}\n";

static void add(faults *list, fault item) {
    HT_GROW(list->items, list->count);
    list->items[list->count++] = item;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The body of the kernel, braces included: of the definition of this very name. */
static bool body_find(const char *unit, const char *qualified, size_t *out_begin, size_t *out_end) {
    const char *colon = strrchr(qualified, ':'), *name = colon ? colon + 1 : qualified;
    size_t length = strlen(name);
    for (const char *at = unit; (at = strstr(at, name)) != NULL; at += length) {
        const char *line = at;
        while (line > unit && line[-1] != '\n')
            --line;
        const char *open = at + length + strspn(at + length, " ");
        if (*line == '#' || *open != '(' || (at > unit && is_word(at[-1])))
            continue;
        const char *begin = strpbrk(open, "{;");
        int depth = 0;
        if (!begin || *begin == ';')
            continue;
        for (const char *end = begin; *end; ++end) {
            depth += (*end == '{') - (*end == '}');
            if (depth == 0) {
                *out_begin = (size_t)(begin - unit);
                *out_end = (size_t)(end + 1 - unit);
                return true;
            }
        }
    }
    return false;
}

/* a < b: a < b + 1 lets one more through, a + 1 < b one less; a > b the other way round. */
static void comparison_add(const char *unit, size_t at, faults *list) {
    size_t left = at, right = at + 1 + (unit[at + 1] == '=');
    bool below = unit[at] == '<';
    add(list, (fault){.kind = FAULT_LOOSE, .at = at, .open = below ? right : left});
    add(list, (fault){.kind = FAULT_TIGHT, .at = at, .open = below ? left : right});
}

/* `if constexpr` chooses at compile time. */
static void guards_find(const char *unit, size_t begin, size_t end, faults *list) {
    for (size_t at = begin; at < end; ++at) {
        size_t open = at + 2 + strspn(unit + at + 2, " ");
        if (strncmp(unit + at, "if", 2) != 0 || is_word(unit[at - 1]) || unit[open] != '(')
            continue;
        int depth = 0;
        for (size_t i = open; i < end && (depth > 0 || i == open); ++i) {
            depth += (unit[i] == '(') - (unit[i] == ')');
            bool twice = unit[i + 1] == unit[i] || unit[i - 1] == unit[i] || unit[i - 1] == '-';
            if ((unit[i] == '<' || unit[i] == '>') && !twice)
                comparison_add(unit, i, list);
        }
    }
}

/* `float tile[...][...]`: two words or more from the statement's begin, or the line's, to its first
 * bracket. */
static bool is_declaration(const char *unit, size_t bracket) {
    size_t at = bracket, words = 0;
    while (at > 0 && !strchr(";{}\n", unit[at - 1]))
        --at;
    for (bool more = true; more;) {
        at += strspn(unit + at, " \t*");
        size_t length = 0;
        while (is_word(unit[at + length]))
            ++length;
        bool key = (length == 6 && strncmp(unit + at, "return", 6) == 0) ||
                   (length == 4 && strncmp(unit + at, "else", 4) == 0);
        more = length > 0 && !key;
        words += more;
        at += length;
    }
    if (unit[at] != '[' || words < 2)
        return false;
    for (int depth = 0; at < bracket; ++at) {
        depth += (unit[at] == '[') - (unit[at] == ']');
        if (depth == 0 && unit[at] != ']' && !isspace((unsigned char)unit[at]))
            return false;
    }
    return true;
}

/* [&](...) { ... } */
static bool is_lambda(const char *unit, size_t bracket) {
    return unit[bracket + 1] == '&' && unit[bracket + 2] == ']';
}

static void subscripts_find(const char *unit, size_t begin, size_t end, faults *list) {
    for (size_t at = begin; at < end; ++at) {
        if (unit[at] != '[' || is_lambda(unit, at) || is_declaration(unit, at))
            continue;
        int depth = 0;
        for (size_t i = at; i < end; ++i) {
            depth += (unit[i] == '[') - (unit[i] == ']');
            if (depth == 0) {
                add(list, (fault){.kind = FAULT_SUBSCRIPT, .at = at, .open = at + 1, .end = i});
                break;
            }
        }
    }
}

bool faults_find(const char *unit, const char *kernel, faults *out_faults, size_t *out_body) {
    size_t end;
    *out_faults = (faults){0};
    if (!body_find(unit, kernel, out_body, &end))
        return false;
    for (const char *at = unit + *out_body; (at = strstr(at, barrier)) && at < unit + end; ++at)
        add(out_faults, (fault){.kind = FAULT_BARRIER, .at = (size_t)(at - unit)});
    guards_find(unit, *out_body, end, out_faults);
    subscripts_find(unit, *out_body, end, out_faults);
    return true;
}

/* What is written before the character at `at`. */
static void insert(ht_text *to, const fault *item, size_t number, size_t at) {
    if (item->kind == FAULT_BARRIER && item->at == at)
        ht_text_printf(to, "ht_faulty(%zu) ? (void)0 : ", number);
    if (item->kind == FAULT_SUBSCRIPT && item->open == at)
        ht_text_append(to, "(");
    if (item->kind == FAULT_SUBSCRIPT && item->end == at)
        ht_text_printf(to, ") + ht_faulty(%zu)", number);
    bool comparison = item->kind == FAULT_LOOSE || item->kind == FAULT_TIGHT;
    if (comparison && item->open == at)
        ht_text_printf(to, item->open == item->at ? "+ ht_faulty(%zu) " : " ht_faulty(%zu) +",
                       number);
}

char *faults_compose(const char *unit, const faults *list, long only) {
    ht_text text = {0};
    size_t length = strlen(unit);
    ht_text_append(&text, chooser);
    for (size_t at = 0; at < length; ++at) {
        for (size_t i = 0; i < list->count; ++i)
            if (only < 0 || (size_t)only == i)
                insert(&text, &list->items[i], i, at);
        ht_text_append_n(&text, unit + at, 1);
    }
    return ht_text_take(&text);
}
