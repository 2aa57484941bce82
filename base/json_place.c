#include "base/json_place.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blank(const char *at) {
    while (*at && isspace((unsigned char)*at))
        ++at;
    return at;
}

/* `at` is at the opening quote; returns what follows the closing one. */
static const char *skip_string(const char *at) {
    for (++at; *at && *at != '"'; ++at)
        if (*at == '\\' && at[1])
            ++at;
    return *at ? at + 1 : at;
}

/* Without recursion: a text may nest deeply. */
static const char *skip_value(const char *at) {
    size_t depth = 0;
    for (at = skip_blank(at); *at; at = skip_blank(at)) {
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            ++depth;
            ++at;
            continue;
        } else if (strchr("}],:", *at)) {
            if (depth == 0)
                return at;
            depth -= *at == '}' || *at == ']';
            bool inside = *at == ',' || *at == ':';
            ++at;
            if (inside)
                continue;
        } else {
            at += strcspn(at, ",:]}[{\" \t\r\n");
        }
        if (depth == 0)
            return at;
    }
    return at;
}

/* Goes into an array; NULL: it has no such element. */
static const char *element_find(const char *at, size_t index) {
    if (*at != '[')
        return NULL;
    for (at = skip_blank(at + 1); *at && *at != ']'; at = skip_blank(at + 1)) {
        if (index-- == 0)
            return at;
        at = skip_blank(skip_value(at));
        if (*at != ',')
            return NULL;
    }
    return NULL;
}

/* Goes into an object; NULL: it has no such member. *out_key is at its key. */
static const char *member_find(const char *at, const char *key, size_t length,
                               const char **out_key) {
    if (*at != '{')
        return NULL;
    for (at = skip_blank(at + 1); *at == '"'; at = skip_blank(at + 1)) {
        const char *name = at, *end = skip_string(at);
        bool found = (size_t)(end - name) == length + 2 && memcmp(name + 1, key, length) == 0;
        at = skip_blank(end);
        if (*at != ':')
            return NULL;
        at = skip_blank(at + 1);
        if (found) {
            *out_key = name;
            return at;
        }
        at = skip_blank(skip_value(at));
        if (*at != ',')
            return NULL;
    }
    return NULL;
}

void ht_json_place_find(const char *text, const char *path, int *out_line, int *out_column) {
    const char *value = skip_blank(text), *place = value;
    while (value && *path) {
        if (*path == '[') {
            char *end;
            value = element_find(value, strtoul(path + 1, &end, 10));
            place = value ? value : place;
            path = *end == ']' ? end + 1 : end;
        } else {
            size_t length = strcspn(path, ".[");
            value = member_find(value, path, length, &place);
            path += length;
        }
        path += *path == '.';
    }
    *out_line = *out_column = 1;
    for (; text < place; ++text) {
        *out_column = *text == '\n' ? 1 : *out_column + 1;
        *out_line += *text == '\n';
    }
}
