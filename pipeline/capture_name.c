#include "pipeline/capture_name.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Finds the parenthesis that opens the parameters, which are the last; the text's length when there
 * are none. */
static size_t parameters_at(const char *launched) {
    size_t end = strlen(launched);
    int depth = 0;
    for (size_t i = end; i-- > 0;) {
        depth += launched[i] == ')' ? 1 : launched[i] == '(' ? -1 : 0;
        if (launched[i] == '(' && depth == 0)
            return i;
    }
    return end;
}

char *ht_capture_kernel_name(const char *launched) {
    /* The return type's end, where a template has one, is the last space outside of brackets. */
    size_t end = parameters_at(launched), begin = 0;
    int depth = 0;
    if (end > 0 && launched[end - 1] == '>') { /* its own template arguments */
        int open = 0;
        while (end > 0) {
            --end;
            open += launched[end] == '>' ? 1 : launched[end] == '<' ? -1 : 0;
            if (open == 0)
                break;
        }
    }
    depth = 0;
    for (size_t i = 0; i < end; ++i) {
        char c = launched[i];
        depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
        if (c == ' ' && depth == 0)
            begin = i + 1;
    }
    return ht_strndup(launched + begin, end - begin);
}

/* Returns the length of a parameter's text: up to a comma, or the last parenthesis. */
static size_t parameter_length(const char *at) {
    int depth = 0;
    size_t length = 0;
    for (; at[length] != '\0'; ++length) {
        char c = at[length];
        if (depth == 0 && (c == ',' || c == ')'))
            break;
        depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    }
    return length;
}

char *ht_capture_template_argument(const char *launched, size_t index) {
    size_t end = parameters_at(launched), begin = end;
    int open = 0;
    if (end == 0 || launched[end - 1] != '>')
        return NULL;
    while (begin > 0) {
        --begin;
        open += launched[begin] == '>' ? 1 : launched[begin] == '<' ? -1 : 0;
        if (open == 0)
            break;
    }
    char *list = ht_strndup(launched + begin + 1, end - begin - 2), *found = NULL;
    const char *at = list;
    for (; index > 0 && at != NULL; --index) {
        at += parameter_length(at);
        at = *at == ',' ? at + 1 : NULL;
    }
    while (at != NULL && *at == ' ')
        ++at;
    if (at != NULL && *at != '\0')
        found = ht_strndup(at, parameter_length(at));
    free(list);
    return found;
}

char *ht_capture_parameter(const char *launched, size_t parameter) {
    const char *at = launched + parameters_at(launched);
    at += *at == '(';
    for (; parameter > 0; --parameter) {
        at += parameter_length(at);
        if (*at != ',')
            return NULL;
        ++at;
    }
    at += *at == ' ';
    size_t length = parameter_length(at);
    return length > 0 ? ht_strndup(at, length) : NULL;
}

/* Returns the length of a type without the qualifiers after it. */
static size_t unqualified(const char *at, size_t length) {
    static const char *const after[] = {" const", " volatile", " "};
    for (size_t i = 0; i < sizeof after / sizeof *after; ++i) {
        size_t size = strlen(after[i]);
        if (length > size && strncmp(at + length - size, after[i], size) == 0) {
            length -= size;
            i = SIZE_MAX; /* from the first again */
        }
    }
    return length;
}

char *ht_capture_pointee(const char *launched, size_t parameter) {
    char *type = ht_capture_parameter(launched, parameter);
    const char *star = type != NULL ? strchr(type, '*') : NULL;
    char *found = star != NULL && strchr(type, '(') == NULL
                      ? ht_strndup(type, unqualified(type, (size_t)(star - type)))
                      : NULL;
    free(type);
    return found;
}
