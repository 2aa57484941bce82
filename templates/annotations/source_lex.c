#include "templates/annotations/source_lex.h"

#include <ctype.h>
#include <string.h>

size_t ht_source_splice(const char *text) {
    if (text[0] != '\\')
        return 0;
    return text[1] == '\n' ? 2 : text[1] == '\r' && text[2] == '\n' ? 3 : 0;
}

size_t ht_source_comment(const char *text) {
    if (text[0] != '/')
        return 0;
    if (text[1] == '*') {
        const char *end = strstr(text + 2, "*/");
        return end ? (size_t)(end - text) + 2 : strlen(text);
    }
    if (text[1] != '/')
        return 0;
    size_t at = 2;
    while (text[at] && text[at] != '\n') {
        size_t splice = ht_source_splice(text + at);
        at += splice ? splice : 1;
    }
    return at;
}

static size_t quoted(const char *text) {
    char quote = text[0];
    size_t at = 1;
    while (text[at] && text[at] != quote && text[at] != '\n') {
        size_t splice = ht_source_splice(text + at);
        if (splice)
            at += splice;
        else if (text[at] == '\\' && text[at + 1] && text[at + 1] != '\n')
            at += 2;
        else
            ++at;
    }
    return text[at] == quote ? at + 1 : at;
}

/* Returns the length of R"delimiter( ... )delimiter" at the quote. */
static size_t raw_string(const char *text) {
    size_t delimiter = 1;
    while (text[delimiter] && delimiter <= 17 && !strchr("()\\ \t\n\"", text[delimiter]))
        ++delimiter;
    if (text[delimiter] != '(')
        return quoted(text);
    size_t length = delimiter - 1;
    for (const char *end = strchr(text + delimiter, ')'); end; end = strchr(end + 1, ')'))
        if (!strncmp(end + 1, text + 1, length) && end[1 + length] == '"')
            return (size_t)(end - text) + length + 2;
    return strlen(text);
}

size_t ht_source_literal(const char *text) {
    static const char *const prefixes[] = {"u8", "u", "U", "L", ""};
    if (text[0] == '"' || text[0] == '\'')
        return quoted(text);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(text, prefixes[i], length) != 0)
            continue;
        if (text[length] == 'R' && text[length + 1] == '"')
            return length + 1 + raw_string(text + length + 1);
        if (length && (text[length] == '"' || text[length] == '\''))
            return length + quoted(text + length);
    }
    return 0;
}

size_t ht_source_word(const char *text) {
    size_t at = 0;
    if (!isalnum((unsigned char)text[0]) && text[0] != '_')
        return 0;
    bool number = isdigit((unsigned char)text[0]);
    for (;;) {
        if (isalnum((unsigned char)text[at]) || text[at] == '_' || (number && text[at] == '.'))
            ++at;
        else if (number && text[at] == '\'' && isalnum((unsigned char)text[at + 1]))
            at += 2;
        else
            return at;
    }
}
