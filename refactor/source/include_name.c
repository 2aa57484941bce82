#include "refactor/source/include_name.h"

#include "base/memory.h"

#include <string.h>

char *ht_include_name(const char *line, bool *out_quoted) {
    const char *at = line + strspn(line, " \t");
    if (*at != '#')
        return NULL;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "include", 7) != 0)
        return NULL;
    at += 7 + strspn(at + 7, " \t");
    char close = *at == '"' ? '"' : *at == '<' ? '>' : '\0';
    size_t length = close ? strcspn(at + 1, "\"><\n") : 0;
    *out_quoted = close == '"';
    return length > 0 && at[1 + length] == close ? ht_strndup(at + 1, length) : NULL;
}
