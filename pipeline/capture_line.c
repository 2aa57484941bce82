#include "pipeline/capture_line.h"

#include "base/memory.h"
#include "templates/expr/expr.h"
#include "templates/expr/type.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text between, without spaces around it. */
static char *between(const char *from, const char *to) {
    while (from < to && isspace((unsigned char)*from))
        ++from;
    while (to > from && isspace((unsigned char)to[-1]))
        --to;
    return ht_strndup(from, (size_t)(to - from));
}

static bool read_buffer(const char *text, ht_capture_line *out) {
    static const char *const roles[] = {"in", "out", "inout", "temp", "constant", NULL};
    const char *bracket = strchr(text, '['), *end = bracket ? strrchr(bracket, ']') : NULL;
    size_t role = strcspn(text, " ");
    if (!end)
        return false;
    out->role = ht_strndup(text, role);
    if (!ht_text_is_one(out->role, roles))
        return false;
    const char *type = text + role;
    if (ht_text_begins(type, " partial ")) {
        type += strlen(" partial");
        free(out->role);
        out->role = ht_strndup(text, (size_t)(type - text));
    }
    out->type = between(type, bracket);
    out->value = between(bracket + 1, end);
    out->fill = between(end + 1, end + strlen(end));
    return true;
}

/* Returns true for "taps", "ns::taps" and "p.taps[2]"; a name that ends in a colon would be read as
 * a shorter one when the line is written again. */
static bool is_name(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_:.[]", text[length])))
        ++length;
    return length > 0 && text[length] == '\0' && text[length - 1] != ':';
}

bool ht_capture_line_read(const char *text, ht_capture_line *out_line) {
    *out_line = (ht_capture_line){0};
    const char *colon = strstr(text, " : ");
    if (!colon)
        return false;
    out_line->name = between(text, colon);
    const char *rest = colon + strlen(" : "), *equals = strstr(rest, " = ");
    bool read = is_name(out_line->name);
    if (read && ht_text_begins(rest, "struct ")) {
        rest += strlen("struct ");
        out_line->structure = true;
        out_line->type = between(rest, rest + strlen(rest));
        read = *out_line->type != '\0';
    } else if (read && equals) {
        rest += ht_text_begins(rest, "const ") ? strlen("const ") : 0;
        out_line->type = between(rest, equals);
        out_line->value = between(equals + strlen(" = "), rest + strlen(rest));
        out_line->fill = ht_strdup("");
    } else if (read) {
        read = read_buffer(rest, out_line);
    }
    if (!read)
        ht_capture_line_free(out_line);
    return read;
}

char *ht_capture_line_write(const ht_capture_line *line) {
    if (line->structure)
        return ht_format("%s : struct %s", line->name, line->type);
    if (!line->role)
        return ht_format("%s : %s = %s", line->name, line->type, line->value);
    return ht_format("%s : %s %s[%s]%s%s", line->name, line->role, line->type, line->value,
                     *line->fill ? " " : "", line->fill);
}

void ht_capture_line_free(ht_capture_line *line) {
    free(line->name);
    free(line->role);
    free(line->type);
    free(line->value);
    free(line->fill);
    *line = (ht_capture_line){0};
}

void ht_capture_line_set(ht_capture_line *line, char *value) {
    free(line->value);
    line->value = value;
}

bool ht_capture_is_whole(const char *type) {
    return ht_type_integral(type);
}

int64_t ht_capture_whole(const char *type, const unsigned char *bytes) {
    size_t size = ht_type_size(type);
    uint64_t value = 0;
    memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
    bool negative = *type != 'u' && strcmp(type, "bool") != 0 && strcmp(type, "size_t") != 0 &&
                    size > 0 && size < sizeof value && value >> (8 * size - 1) != 0;
    return (int64_t)(negative ? value | ~UINT64_C(0) << 8 * size : value);
}
