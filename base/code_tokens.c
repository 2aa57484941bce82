#include "base/code_tokens.h"

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

static const char *skip_block_comment(const char *at) {
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

/* Skips blanks and comments, in a directive up to the end of its line. */
static const char *skip_space(const char *at, bool directive) {
    for (;;) {
        if (at[0] == '/' && at[1] == '/')
            at = skip_line_comment(at);
        else if (at[0] == '/' && at[1] == '*')
            at = skip_block_comment(at);
        else if (continuation(at))
            at += continuation(at);
        else if (isspace((unsigned char)*at) && !(directive && *at == '\n'))
            ++at;
        else
            return at;
    }
}

static const char *raw_string_end(const char *quote) {
    size_t length = strcspn(quote + 1, "(");
    if (length > 16 || quote[1 + length] == 0)
        return quote + strlen(quote);
    for (const char *at = quote + 1 + length; *at; ++at)
        if (*at == ')' && strncmp(at + 1, quote + 1, length) == 0 && at[1 + length] == '"')
            return at + length + 2;
    return quote + strlen(quote);
}

static const char *string_end(const char *at) {
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

static const char *suffix_end(const char *at) {
    while (is_name(*at))
        ++at;
    return at;
}

static const char *literal_end(const char *at) {
    return suffix_end(string_end(at));
}

static const char *number_end(const char *at) {
    while (is_name(*at) || *at == '.' || (*at == '\'' && is_name(at[1])) ||
           ((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
        ++at;
    return at;
}

static const char *punct_end(const char *at) {
    static const char *const longer[] = {
        "<<<", ">>>", "<=>", "<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<",
        ">>",  "<=",  ">=",  "==",  "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=",
        "&=",  "|=",  "^=",  "##",  ".*",  "<:",  ":>",  "<%", "%>", "%:"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; ++i)
        if (strncmp(at, longer[i], strlen(longer[i])) == 0)
            return at + strlen(longer[i]);
    return at + 1;
}

static const char *token_end(const char *at) {
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return number_end(at + 1);
    if (*at == '"' || *at == '\'')
        return literal_end(at);
    if (!is_name(*at))
        return punct_end(at);
    const char *end = suffix_end(at);
    bool prefix = end - at <= 3 && strspn(at, "uUL8R") >= (size_t)(end - at);
    if (prefix && *end == '"' && end[-1] == 'R')
        return suffix_end(raw_string_end(end));
    return prefix && (*end == '"' || *end == '\'') ? literal_end(end) : end;
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

/* `at` is at the '#'; returns the end of the line. */
static const char *directive_append(const char *at, ht_text *out) {
    size_t begun = out->length;
    for (const char *next; *at && *at != '\n'; at = next) {
        const char *end = token_end(at);
        ht_text_append_n(out, at, (size_t)(end - at));
        next = skip_space(end, true);
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

void ht_code_tokens(const char *code, ht_text *out) {
    bool line_start = true;
    ht_text_append(out, "");
    if (names_places(code)) {
        ht_text_append(out, code);
        return;
    }
    for (const char *at = code; *at;) {
        const char *next = skip_space(at, false);
        line_start = line_start || memchr(at, '\n', (size_t)(next - at)) != NULL;
        at = next;
        if (*at == '#' && line_start) {
            at = directive_append(at, out);
        } else if (*at) {
            const char *end = token_end(at);
            ht_text_append_n(out, at, (size_t)(end - at));
            next = skip_space(end, false);
            ht_text_append(out, next > end && is_joined(end, next) ? "\\\n" : "\n");
            at = end;
        }
        line_start = false;
    }
}
