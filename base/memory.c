#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *block) {
    if (!block) {
        fputs("hiptemper: out of memory\n", stderr);
        abort();
    }
    return block;
}

void *ht_alloc(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *ht_realloc(void *block, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size)
        checked(NULL);
    size_t bytes = count * size;
    return checked(realloc(block, bytes ? bytes : 1));
}

char *ht_strdup(const char *text) {
    return checked(strdup(text));
}

char *ht_strndup(const char *text, size_t length) {
    return checked(strndup(text, length));
}

char *ht_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *out = ht_format_list(format, args);
    va_end(args);
    return out;
}

char *ht_format_list(const char *format, va_list args) {
    char *out = NULL;
    int length = vasprintf(&out, format, args);
    return checked(length < 0 ? NULL : out);
}

void ht_strings_free(char **strings, size_t count) {
    for (size_t i = 0; i < count; ++i)
        free(strings[i]);
    free(strings);
}

void *ht_grow(void *array, size_t count, size_t size) {
    /* Capacity is implied by the count: it is a power of two, so growth happens exactly at powers
     * of two. */
    if (count == 0)
        return array ? array : checked(malloc(size));
    if ((count & (count - 1)) != 0)
        return array;
    return ht_realloc(array, count * 2, size);
}
