#include "refactor/source/names.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool ht_names_has(const ht_names *names, const char *name) {
    for (size_t i = 0; i < names->count; ++i)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

bool ht_name_has(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool ht_name_stands(const char *text, size_t length, const char *name) {
    size_t size = strlen(name);
    for (size_t at = 0; at + size <= length; ++at)
        if (memcmp(text + at, name, size) == 0 && (at == 0 || !ht_name_has(text[at - 1])) &&
            (at + size == length || !ht_name_has(text[at + size])))
            return true;
    return false;
}

const char *ht_name_next(const char *text, const char *at, const char *name) {
    size_t length = strlen(name);
    for (; (at = strstr(at, name)) != NULL; at += length)
        if ((at == text || !ht_name_has(at[-1])) && !ht_name_has(at[length]))
            return at;
    return NULL;
}

bool ht_name_ends(const char *qualified, const char *name) {
    size_t length = strlen(qualified), tail = strlen(name);
    return strcmp(qualified, name) == 0 ||
           (length > tail + 2 && strcmp(qualified + length - tail, name) == 0 &&
            strncmp(qualified + length - tail - 2, "::", 2) == 0);
}

size_t ht_qualifier_begin(const char *text, size_t at) {
    while (at > 2 && text[at - 1] == ':' && text[at - 2] == ':') {
        at -= 2;
        while (at > 0 && ht_name_has(text[at - 1]))
            --at;
    }
    return at;
}

char *ht_name_joined(const char *name, const char *word) {
    bool camel = strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !strchr(name, '_');
    return camel ? ht_format("%s%c%s", name, toupper((unsigned char)*word), word + 1)
                 : ht_format("%s_%s", name, word);
}

void ht_names_add(ht_names *names, const char *name) {
    if (ht_names_has(names, name))
        return;
    HT_GROW(names->items, names->count);
    names->items[names->count++] = ht_strdup(name);
}

void ht_names_free(ht_names *names) {
    ht_strings_free(names->items, names->count);
    *names = (ht_names){0};
}
