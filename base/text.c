#include "base/text.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_reserve(ht_text *text, size_t extra) {
    size_t need = text->length + extra + 1;
    if (text->data != NULL && need <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < need)
        capacity *= 2;
    text->data = ht_realloc(text->data, capacity, 1);
    text->capacity = capacity;
}

void ht_text_append_n(ht_text *text, const char *part, size_t length) {
    text_reserve(text, length);
    memcpy(text->data + text->length, part, length);
    text->length += length;
    text->data[text->length] = 0;
}

void ht_text_append(ht_text *text, const char *part) {
    ht_text_append_n(text, part, strlen(part));
}

void ht_text_printf(ht_text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void ht_text_make_printable(char *text, const char *kept, bool ascii) {
    for (char *at = text; *at != '\0'; ++at) {
        unsigned char byte = (unsigned char)*at;
        if ((byte < ' ' && !strchr(kept, byte)) || byte == 0x7f || (ascii && byte > 0x7f))
            *at = '?';
    }
}

static bool is_inside_character(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80; /* UTF-8 */
}

void ht_text_shorten(const char *text, char *out, size_t size) {
    static const char mark[] = "...";
    size_t length = strlen(text);
    if (length < size || size <= sizeof mark) {
        snprintf(out, size, "%s", text);
        return;
    }
    size_t room = size - sizeof mark, first = room / 2, rest = length - (room - first);
    while (first > 0 && is_inside_character(text[first]))
        --first;
    while (is_inside_character(text[rest]))
        ++rest;
    snprintf(out, size, "%.*s%s%s", (int)first, text, mark, text + rest);
}

char *ht_text_take(ht_text *text) {
    char *data = text->data ? text->data : ht_strdup("");
    *text = (ht_text){0};
    return data;
}

void ht_text_free(ht_text *text) {
    free(text->data);
    *text = (ht_text){0};
}

bool ht_text_begins(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool ht_text_ends(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && memcmp(text + length - tail, end, tail) == 0;
}

bool ht_text_starts(const char *text, const char *const *prefixes) {
    for (; *prefixes; ++prefixes)
        if (ht_text_begins(text, *prefixes))
            return true;
    return false;
}

bool ht_text_is_one(const char *text, const char *const *words) {
    for (; *words; ++words)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

void ht_text_upper(char *text) {
    for (; *text; ++text)
        *text = (char)toupper((unsigned char)*text);
}

char *ht_text_replaced(const char *text, const char *mark, const char *by) {
    ht_text joined = {0};
    for (const char *at; (at = strstr(text, mark)) != NULL; text = at + strlen(mark)) {
        ht_text_append_n(&joined, text, (size_t)(at - text));
        ht_text_append(&joined, by);
    }
    ht_text_append(&joined, text);
    return ht_text_take(&joined);
}
