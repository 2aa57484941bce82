#include "base/code_tokens.h"

#include "base/code_printed.h"
#include "base/lexeme.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* Returns true if a compiler would put lines or names of files into what it makes. */
static bool names_places(const char *code) {
    static const char *const words[] = {"__LINE__",       "__FILE__",          "__FILE_NAME__",
                                        "__BASE_FILE__",  "__INCLUDE_LEVEL__", "__builtin_LINE",
                                        "__builtin_FILE", "__builtin_COLUMN",  "__builtin_source",
                                        "__COUNTER__",    "source_location",   "__TIMESTAMP__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(code, words[i]))
            return true;
    return false;
}

/* Returns the length of a line's continuation at `at`; 0: there is none. */
static size_t continuation(const char *at) {
    return *at != '\\' ? 0 : at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static const char *skip_line_comment(const char *at) {
    while (*at && *at != '\n')
        at += continuation(at) ? continuation(at) : 1;
    return at;
}

/* Skips blanks and comments, in a directive up to the end of its line. */
static const char *skip_space(const char *at, const char *end, bool directive) {
    for (;;) {
        if (at[0] == '/' && at[1] == '/')
            at = skip_line_comment(at);
        else if (at[0] == '/' && at[1] == '*')
            at += ht_block_comment_end(at, 0, (size_t)(end - at));
        else if (continuation(at))
            at += continuation(at);
        else if (isspace((unsigned char)*at) && !(directive && *at == '\n'))
            ++at;
        else
            return at;
    }
}

static const char *suffix_end(const char *at) {
    while (is_name(*at))
        ++at;
    return at;
}

/* As preprocessors see it: 0xE+1 is one. */
static const char *number_end(const char *at) {
    while (is_name(*at) || *at == '.' || (*at == '\'' && is_name(at[1])) ||
           ((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
        ++at;
    return at;
}

/* Returns the end of a mark that parsers of kernels need not know as one token; NULL: it is another
 * token. */
static const char *rare_mark_end(const char *at) {
    static const char *const marks[] = {"<=>", ".*", "<:", ":>", "<%", "%>", "%:"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return at + strlen(marks[i]);
    return NULL;
}

static const char *token_end(const char *at, const char *end) {
    const char *mark = rare_mark_end(at);
    if (mark)
        return mark;
    ht_token_kind kind;
    size_t length = ht_lexeme_end(at, 0, (size_t)(end - at), &kind);
    if (kind == HT_TOKEN_NUMBER)
        return number_end(at + 1);
    /* a literal has its suffix, and names may have a '$' */
    return kind == HT_TOKEN_PUNCT && *at != '$' ? at + length : suffix_end(at + length);
}

static bool is_line_directive(const char *text) {
    return isdigit((unsigned char)text[1]) || (ht_text_begins(text, "#line") && !is_name(text[5]));
}

/* Returns true if nothing but a line's continuation is between two tokens, which then are one. */
static bool is_joined(const char *end, const char *next) {
    while (end < next && continuation(end))
        end += continuation(end);
    return end == next && next[-1] == '\n';
}

/* `at` is at the '#', `whole` at the end of the code; returns the end of the line, and in *out_end
 * that of its last token. */
static const char *directive_append(const char *at, const char *whole, ht_text *out,
                                    const char **out_end) {
    size_t begun = out->length;
    for (const char *next; *at && *at != '\n'; at = next) {
        const char *end = token_end(at, whole);
        ht_text_append_n(out, at, (size_t)(end - at));
        *out_end = end;
        next = skip_space(end, whole, true);
        bool mark = *at == '#' && out->length == begun + 1;
        if (!mark && next > end && *next &&
            *next != '\n') /* "F (x)" defines another macro than "F(x)" */
            ht_text_append(out, is_joined(end, next) ? "\\" : " ");
    }
    if (is_line_directive(out->data + begun)) {
        out->length = begun;
        out->data[begun] = 0;
    } else {
        ht_text_append(out, "\n");
    }
    return at;
}

static void place_add(ht_code_token_list *list, const char *code, const char *at, const char *end,
                      size_t text, const ht_text *out) {
    if (!list || out->length == text)
        return;
    HT_GROW(list->items, list->count);
    list->items[list->count++] =
        (ht_code_token){(size_t)(at - code), (size_t)(end - code), text, out->length - text - 1};
}

static void tokens_append(const char *code, ht_text *out, ht_code_token_list *list) {
    bool line_start = true;
    const char *whole = code + strlen(code);
    for (const char *at = code; *at;) {
        const char *next = skip_space(at, whole, false), *end = at;
        size_t begun = out->length;
        line_start = line_start || memchr(at, '\n', (size_t)(next - at)) != NULL;
        at = next;
        if (*at == '#' && line_start) {
            next = directive_append(at, whole, out, &end);
        } else if (*at) {
            end = token_end(at, whole);
            ht_text_append_n(out, at, (size_t)(end - at));
            next = skip_space(end, whole, false);
            ht_text_append(out, next > end && is_joined(end, next) ? "\\\n" : "\n");
            next = end;
        }
        place_add(list, code, at, end, begun, out);
        at = next;
        line_start = false;
    }
}

void ht_code_tokens_list(const char *code, ht_text *out, ht_code_token_list *out_list) {
    if (out_list)
        *out_list = (ht_code_token_list){0};
    ht_text_append(out, "");
    if (names_places(code) && !ht_code_prints_places(code))
        ht_text_append(out, code);
    else
        tokens_append(code, out, out_list);
}

void ht_code_tokens_printed(const char *code, ht_text *out) {
    ht_code_tokens_list(code, out, NULL);
}

void ht_code_tokens(const char *code, ht_text *out) {
    ht_text_append(out, "");
    if (names_places(code))
        ht_text_append(out, code);
    else
        tokens_append(code, out, NULL);
}
