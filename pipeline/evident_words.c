#include "pipeline/evident_words.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DECLARATIONS_MIN = 2 }; /* from which on it is no chance that none is const */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *text, const char *end) {
    size_t length = 0;
    while (text + length < end && is_word(text[length]))
        ++length;
    return length;
}

static size_t blanks(const char *text, const char *end) {
    size_t length = 0;
    while (text + length < end && (text[length] == ' ' || text[length] == '\t'))
        ++length;
    return length;
}

static bool starts(const char *text, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - text) > length && memcmp(text, word, length) == 0 &&
           !is_word(text[length]);
}

/* Returns true for TYPE NAME = ..., where the type is of words alone. */
static bool is_declaration(const char *text, const char *end) {
    size_t words = 0;
    if (starts(text, end, "return") || starts(text, end, "else"))
        return false;
    for (size_t length; (length = word_length(text, end)) > 0; ++words) {
        text += length;
        text += blanks(text, end);
    }
    return words >= 2 && end - text >= 2 && text[0] == '=' && text[1] != '=';
}

/* Returns the begin of a loop's `++i)`, up to the brace; NULL: it has none. */
static const char *step_before(const char *text, const char *end) {
    const char *at =
        starts(text, end, "for") ? memmem(text, (size_t)(end - text), "; ++", 4) : NULL;
    size_t name = at ? word_length(at + 4, end) : 0;
    return name && at + 4 + name < end && at[4 + name] == ')' ? at + 2 : NULL;
}

static bool has_step_after(const char *text, const char *end) {
    return starts(text, end, "for") && memmem(text, (size_t)(end - text), "++)", 3) != NULL;
}

bool ht_evident_counts_after(const ht_lines *original) {
    size_t before = 0, after = 0;
    for (size_t i = 0; i < original->count; ++i) {
        const char *line = original->text + original->begins[i];
        const char *end = original->text + original->begins[i + 1];
        const char *text = line + blanks(line, end);
        before += step_before(text, end) != NULL;
        after += has_step_after(text, end);
    }
    return after > 0 && before == 0;
}

/* Returns true for a line that ends a function, a class or a namespace. */
static bool is_end(const ht_lines *lines, size_t index) {
    return lines->text[lines->begins[index]] == '}';
}

bool ht_evident_declares_changing(const ht_lines *original, size_t at) {
    size_t begin = at, constants = 0, others = 0;
    while (begin > 0 && !is_end(original, begin - 1))
        --begin;
    for (size_t i = begin; i < original->count && (i <= at || !is_end(original, i)); ++i) {
        const char *line = original->text + original->begins[i];
        const char *end = original->text + original->begins[i + 1];
        const char *text = line + blanks(line, end);
        bool is_const = starts(text, end, "const");
        const char *type = is_const ? text + 5 + blanks(text + 5, end) : text;
        if (text == line || !is_declaration(type, end)) /* the file's own constants are others */
            continue;
        constants += is_const;
        others += !is_const;
    }
    return constants == 0 && others >= DECLARATIONS_MIN;
}

char *ht_evident_words_apply(ht_evident_words words, const char *line, size_t length) {
    const char *end = line + length, *at = line;
    ht_text out = {0};
    ht_text_append(&out, "");
    if (words.changing && starts(line, end, "const")) {
        const char *type = line + 5 + blanks(line + 5, end);
        at = is_declaration(type, end) ? type : line;
    }
    const char *step = words.after ? step_before(line, end) : NULL;
    if (step) {
        size_t name = word_length(step + 2, end);
        ht_text_append_n(&out, at, (size_t)(step - at));
        ht_text_append_n(&out, step + 2, name);
        ht_text_append(&out, "++");
        at = step + 2 + name;
    }
    ht_text_append_n(&out, at, (size_t)(end - at));
    return ht_text_take(&out);
}
