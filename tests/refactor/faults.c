#include "faults.h"

#include "faults_board.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char barrier[] = "__syncthreads()";

static void add(faults *list, fault item) {
    HT_GROW(list->items, list->count);
    list->items[list->count++] = item;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Finds the body of the kernel, braces included: of the definition of this very name. */
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

/* Returns true for `float tile[...][...]`: two words or more from the statement's begin, or the
 * line's, to its first bracket. */
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

/* ---- comparisons */

static size_t literal_end(const char *unit, size_t at) {
    size_t end = at + 1;
    while (unit[end] && unit[end] != unit[at] && unit[end] != '\n')
        end += 1 + (unit[end] == '\\' && unit[end + 1]);
    return end + (unit[end] == unit[at]);
}

/* Finds the code, by character of the unit: neither in a comment or a literal nor in a line of the
 * preprocessor. free(). */
static bool *code_find(const char *unit) {
    size_t length = strlen(unit), at = 0;
    bool *code = ht_alloc(length + 1, sizeof *code);
    while (at < length) {
        size_t line = at + strspn(unit + at, " \t"), end = at + 1;
        bool first = at == 0 || unit[at - 1] == '\n';
        if ((first && unit[line] == '#') || strncmp(unit + at, "//", 2) == 0)
            end = at + strcspn(unit + at, "\n");
        else if (strncmp(unit + at, "/*", 2) == 0 && strstr(unit + at, "*/"))
            end = (size_t)(strstr(unit + at, "*/") + 2 - unit);
        else if (unit[at] == '"' || unit[at] == '\'')
            end = literal_end(unit, at);
        else
            code[at] = true;
        at = end > at ? end : at + 1;
    }
    return code;
}

/* Returns the length of a token at `at` that binds less than a comparison; 0 for others. */
static size_t weaker(const char *unit, size_t at) {
    static const char *const twos[] = {"&&", "||", "==", "!=", "<=", ">="};
    for (size_t i = 0; i < sizeof twos / sizeof *twos; ++i)
        if (strncmp(unit + at, twos[i], 2) == 0)
            return 2;
    if (strncmp(unit + at, "::", 2) == 0 || (at > 0 && strncmp(unit + at - 1, "::", 2) == 0))
        return 0;
    return strchr("?:=,;{}", unit[at]) != NULL;
}

static bool is_keyword(const char *unit, size_t at, const char *word) {
    size_t length = strlen(word);
    return strncmp(unit + at, word, length) == 0 && !is_word(unit[at + length]) &&
           (at == 0 || !is_word(unit[at - 1]));
}

static size_t left_of(const char *unit, size_t begin, size_t at) {
    int depth = 0;
    while (at > begin) {
        char c = unit[at - 1];
        depth += (c == ')' || c == ']') - (c == '(' || c == '[');
        bool stop = weaker(unit, at - 1) || (at - 1 > begin && weaker(unit, at - 2) == 2) ||
                    (at - begin > 6 && is_keyword(unit, at - 6, "return"));
        if (depth < 0 || (depth == 0 && stop))
            break;
        --at;
    }
    return at + strspn(unit + at, " \t\n");
}

/* Returns the place after the right side. */
static size_t right_of(const char *unit, size_t at, size_t end) {
    int depth = 0;
    for (; at < end; ++at) {
        char c = unit[at];
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (depth < 0 || (depth == 0 && weaker(unit, at)))
            break;
    }
    while (unit[at - 1] == ' ' || unit[at - 1] == '\n')
        --at;
    return at;
}

/* Returns the place after the parentheses that begin at or after `at`. */
static size_t parentheses_end(const char *unit, size_t at, size_t end) {
    int depth = 0;
    for (; at < end; ++at) {
        depth += (unit[at] == '(') - (unit[at] == ')');
        if (unit[at] == ')' && depth == 0)
            return at + 1;
    }
    return end;
}

/* Finds conditions, by character of the body: that of an `if`, `for` or `while` is 'p', one decided
 * when it is compiled 'c'. free(). */
static char *askers_find(const char *unit, size_t begin, size_t end) {
    static const char *const words[] = {"if", "for", "while"};
    static const char *const constants[] = {"constexpr", "static_assert", "using", "typedef"};
    char *of = ht_alloc(end + 1, 1);
    for (size_t at = begin; at < end; ++at) {
        for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
            if (is_keyword(unit, at, words[i]))
                memset(of + at, 'p', parentheses_end(unit, at, end) - at);
        for (size_t i = 0; i < sizeof constants / sizeof *constants; ++i)
            if (is_keyword(unit, at, constants[i]))
                memset(of + at, 'c', strcspn(unit + at, ";{"));
        if (unit[at] == '[' && is_declaration(unit, at))
            memset(of + at, 'c', strcspn(unit + at, ";{="));
    }
    return of;
}

/* Returns true for the brackets of `static_cast<int>(x)`: no space before, and a closing one
 * without a space inside. */
static bool is_bracket(const char *unit, size_t at) {
    size_t far = strcspn(unit + at, ">;(") + at;
    if (unit[at] == '<')
        return at > 0 && is_word(unit[at - 1]) && unit[far] == '>' && unit[far - 1] != ' ';
    while (at > 0 && !strchr("<;( ", unit[at - 1]))
        --at;
    return at > 1 && unit[at - 1] == '<' && is_word(unit[at - 2]);
}

static void comparisons_find(const char *unit, size_t begin, size_t end, faults *list) {
    bool *code = code_find(unit);
    char *asks = askers_find(unit, begin, end);
    for (size_t at = begin; at < end; ++at) {
        bool twice = unit[at + 1] == unit[at] || unit[at - 1] == unit[at] || unit[at - 1] == '-';
        if ((unit[at] != '<' && unit[at] != '>') || twice || !code[at] || asks[at] == 'c' ||
            is_bracket(unit, at))
            continue;
        size_t right = at + 1 + (unit[at + 1] == '=');
        fault item = {.kind = FAULT_LOOSE,
                      .at = at,
                      .begin = left_of(unit, begin, at),
                      .end = right_of(unit, right, end),
                      .plain = asks[at] == 'p'};
        add(list, item);
        item.kind = FAULT_TIGHT;
        add(list, item);
    }
    free(asks);
    free(code);
}

/* ---- subscripts */

/* Returns true for the bracket of [&](...) { ... }. */
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
                add(list, (fault){.kind = FAULT_SUBSCRIPT, .at = at, .begin = at + 1, .end = i});
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
    comparisons_find(unit, *out_body, end, out_faults);
    subscripts_find(unit, *out_body, end, out_faults);
    return true;
}

size_t faults_keep_plain(faults *list) {
    size_t kept = 0, count = list->count;
    for (size_t i = 0; i < count; ++i) {
        bool comparison = list->items[i].kind == FAULT_LOOSE || list->items[i].kind == FAULT_TIGHT;
        if (!comparison || list->items[i].plain)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    return count - kept;
}

/* ---- text */

static const char *function_of(const char *operator) {
    bool equal = operator[1] == '=';
    return operator[0] == '<' ? (equal ? "ht_at_most" : "ht_less")
                              : (equal ? "ht_at_least" : "ht_more");
}

/* Inserts a fault's text. Inner ones begin after outer ones, and end before. */
static void insert(const char *unit, ht_text *to, const fault *item, size_t number, size_t at) {
    if (item->kind == FAULT_BARRIER && item->at == at)
        ht_text_printf(to, "ht_faulty(%zu) ? (void)0 : ", number);
    if (item->kind == FAULT_SUBSCRIPT && item->begin == at)
        ht_text_append(to, "(");
    if (item->kind == FAULT_LOOSE && item->begin == at)
        ht_text_printf(to, "%s(%zu, ", function_of(unit + item->at), number);
}

static void close(ht_text *to, const fault *item, size_t number, size_t at) {
    if (item->kind == FAULT_SUBSCRIPT && item->end == at)
        ht_text_printf(to, ") + ht_faulty(%zu)", number);
    if (item->kind == FAULT_LOOSE && item->end == at)
        ht_text_append(to, ")");
}

/* Parts the sides of a comparison by a comma; returns the length of the operator that it replaces,
 * 0 for none. */
static size_t part(const char *unit, ht_text *to, const faults *list, size_t at) {
    for (size_t i = 0; i < list->count; ++i)
        if (list->items[i].kind == FAULT_LOOSE && list->items[i].at == at) {
            ht_text_append(to, ",");
            return 1 + (unit[at + 1] == '=');
        }
    return 0;
}

char *faults_compose(const char *unit, const faults *list) {
    char *board = faults_board_text();
    ht_text text = {0};
    size_t length = strlen(unit);
    ht_text_append(&text, board);
    for (size_t at = 0; at < length;) {
        for (size_t i = 0; i < list->count; ++i) /* comparisons come first, and end inside */
            close(&text, &list->items[i], i, at);
        for (size_t i = list->count; i-- > 0;)
            insert(unit, &text, &list->items[i], i, at);
        size_t skipped = part(unit, &text, list, at);
        if (!skipped)
            ht_text_append_n(&text, unit + at, 1);
        at += skipped ? skipped : 1;
    }
    free(board);
    return ht_text_take(&text);
}
