#include "refactor/rewrite/definitions.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the next place of a name from `at` on; NULL: there is none. */
static const char *name_next(const char *text, const char *at, const char *name) {
    size_t length = strlen(name);
    for (; (at = strstr(at, name)) != NULL; at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return at;
    return NULL;
}

static bool is_number(const char *text, size_t length) {
    return length > 0 && length < 10 && strspn(text, "0123456789") >= length && text[0] != '0';
}

/* Returns true if the replacement is of the name alone, by a number. */
static bool is_use(const ht_source *source, const ht_replacement *item, const char *name) {
    size_t length = strlen(name);
    return item->range.end - item->range.begin == length &&
           strncmp(source->text + item->range.begin, name, length) == 0 &&
           is_number(item->text, strlen(item->text));
}

/* Returns true if a replacement takes the place of the name there. */
static bool is_replaced(const ht_replacement *items, size_t count, size_t at, size_t length) {
    for (size_t i = 0; i < count; ++i)
        if (items[i].range.begin <= at && at + length <= items[i].range.end)
            return true;
    return false;
}

/* Returns the number that all uses of the macro get; NULL: some do not, or there is none. Names in
 * comments and in branches that are not compiled count as uses. */
static const char *number_of(const ht_source *source, const ht_macro *macro,
                             const ht_replacement *items, size_t count) {
    const char *number = NULL;
    for (size_t i = 0; i < count; ++i) {
        if (name_next(items[i].text, items[i].text, macro->name))
            return NULL;
        if (!is_use(source, &items[i], macro->name))
            continue;
        if (number && strcmp(number, items[i].text) != 0)
            return NULL;
        number = items[i].text;
    }
    const char *text = source->files[0].text, *at = text;
    for (; number && (at = name_next(text, at, macro->name)) != NULL; ++at) {
        size_t place = source->files[0].base + (size_t)(at - text);
        bool own = macro->range.begin <= place && place < macro->body.begin;
        if (!own && !is_replaced(items, count, place, strlen(macro->name)))
            return NULL;
    }
    return number;
}

/* Returns true if no other file can name what this one defines. */
static bool is_alone(const ht_source *source) {
    static const char *const ends[] = {".hip", ".cpp", ".cu", ".cc", ".cxx"};
    const char *end = strrchr(source->path, '.');
    bool known = false;
    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; ++i)
        known = known || strcmp(end, ends[i]) == 0;
    return known && source->file_count == 1 && strcmp(source->path, source->unit_path) == 0;
}

static bool is_defined_once(const ht_source *source, const ht_macro *macro) {
    size_t count = 0;
    for (size_t i = 0; i < source->macros.count; ++i)
        count += strcmp(source->macros.items[i].name, macro->name) == 0;
    return count == 1 && !macro->function_like && macro->file == 0 &&
           is_number(source->text + macro->body.begin, macro->body.end - macro->body.begin);
}

void ht_definitions_change(const ht_source *source, ht_replacement *items, size_t *count) {
    for (size_t m = 0; m < source->macros.count && is_alone(source); ++m) {
        const ht_macro *macro = &source->macros.items[m];
        const char *number =
            is_defined_once(source, macro) ? number_of(source, macro, items, *count) : NULL;
        if (!number)
            continue;
        ht_replacement definition = {macro->body, ht_strdup(number)};
        size_t kept = 0;
        for (size_t i = 0; i < *count; ++i) {
            if (is_use(source, &items[i], macro->name))
                free(items[i].text);
            else
                items[kept++] = items[i];
        }
        items[kept++] = definition; /* in the place of one use at least */
        *count = kept;
    }
}
