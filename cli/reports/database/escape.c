#include "cli/reports/database/escape.h"

#include <string.h>

void ht_xml_text(const char *text, ht_text *out) {
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    for (const char *at = text; *at; ++at) {
        unsigned char byte = (unsigned char)*at;
        bool no_character =
            strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0;
        if (byte == '<')
            ht_text_append(out, "&lt;");
        else if (byte == '>')
            ht_text_append(out, "&gt;");
        else if (byte == '&')
            ht_text_append(out, "&amp;");
        else if (byte == '"')
            ht_text_append(out, "&quot;");
        else if (byte == '\t' || byte == '\n' || byte == '\r')
            ht_text_printf(out, "&#%d;", byte); /* an attribute would make blanks of them */
        else if (byte < ' ' || no_character)
            ht_text_append(out, unknown);
        else
            ht_text_append_n(out, at, 1);
        at += no_character ? 2 : 0;
    }
}

/* Returns the length of the longest run of '`'. */
static size_t longest_run(const char *text) {
    size_t longest = 0;
    for (const char *at = text; *at; ++at) {
        size_t run = strspn(at, "`");
        longest = run > longest ? run : longest;
        at += run > 0 ? run - 1 : 0;
    }
    return longest;
}

void ht_markdown_code(const char *text, ht_text *out) {
    size_t ticks = longest_run(text) + 1;
    const char *space = ticks > 1 ? " " : "";
    if (!*text)
        return;
    for (size_t i = 0; i < ticks; ++i)
        ht_text_append(out, "`");
    ht_text_append(out, space);
    for (const char *at = text; *at; ++at) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '|') /* "\\|" would be a backslash and the end of the cell */
            ht_text_append(out, at > text && at[-1] == '\\' ? " \\|" : "\\|");
        else if (byte < ' ' || byte == 0x7f)
            ht_text_append(out, " ");
        else
            ht_text_append_n(out, at, 1);
    }
    /* a backslash at the end would take the tick from a table's reader */
    ht_text_append(out, text[strlen(text) - 1] == '\\' && !*space ? " " : space);
    for (size_t i = 0; i < ticks; ++i)
        ht_text_append(out, "`");
}
