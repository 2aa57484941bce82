#include "runtime/host/dynamic_shared.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

const char *ht_source_skip(const char *at) {
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'')
        return NULL;
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

void ht_dynamic_shared_mark(char *source) {
    bool is_extern = false;
    for (char *at = source; *at;) {
        const char *behind = ht_source_skip(at);
        if (behind) {
            at += behind - at;
            continue;
        }
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            ++length;
        if (length == 0) {
            if (strchr(";{}", *at))
                is_extern = false;
            ++at;
            continue;
        }
        if (length == 6 && strncmp(at, "extern", 6) == 0)
            is_extern = true;
        else if (is_extern && length == 10 && strncmp(at, "__shared__", 10) == 0)
            memcpy(at, "__shared_d", 10);
        at += length;
    }
}
