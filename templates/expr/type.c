#include "templates/expr/type.h"
#include "templates/expr/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct scalar_type {
    const char *name;
    unsigned char size;
    bool integral;
    unsigned char components;
} scalar_type;

/* C's and HIP's names; the words of an integer type in any order are handled by integer_words. */
static const scalar_type scalars[] = {
    {"bool", 1, true, 1},          {"char", 1, true, 1},
    {"wchar_t", 4, true, 1},       {"char16_t", 2, true, 1},
    {"char32_t", 4, true, 1},      {"int8_t", 1, true, 1},
    {"uint8_t", 1, true, 1},       {"int16_t", 2, true, 1},
    {"uint16_t", 2, true, 1},      {"int32_t", 4, true, 1},
    {"uint32_t", 4, true, 1},      {"int64_t", 8, true, 1},
    {"uint64_t", 8, true, 1},      {"size_t", 8, true, 1},
    {"ptrdiff_t", 8, true, 1},     {"intptr_t", 8, true, 1},
    {"uintptr_t", 8, true, 1},     {"ssize_t", 8, true, 1},
    {"uchar", 1, true, 1},         {"ushort", 2, true, 1},
    {"uint", 4, true, 1},          {"ulong", 8, true, 1},
    {"float", 4, false, 1},        {"double", 8, false, 1},
    {"__half", 2, false, 1},       {"half", 2, false, 1},
    {"_Float16", 2, false, 1},     {"__fp16", 2, false, 1},
    {"__half2", 4, false, 2},      {"half2", 4, false, 2},
    {"hip_bfloat16", 2, false, 1}, {"__hip_bfloat16", 2, false, 1},
    {"__bf16", 2, false, 1},       {"dim3", 12, false, 3},
};

/* Element names of HIP's vector types; a digit 1 to 4 follows. */
static const struct {
    const char *name;
    unsigned char size;
} vectors[] = {{"char", 1},     {"uchar", 1},     {"short", 2}, {"ushort", 2},
               {"int", 4},      {"uint", 4},      {"long", 8},  {"ulong", 8},
               {"longlong", 8}, {"ulonglong", 8}, {"float", 4}, {"double", 8}};

static const char *skip_std(const char *name) {
    return !strncmp(name, "std::", 5) ? name + 5 : name;
}

static bool vector_type(const char *name, scalar_type *out) {
    size_t length = strlen(name);
    if (length < 2 || name[length - 1] < '1' || name[length - 1] > '4')
        return false;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        if (strlen(vectors[i].name) != length - 1 ||
            strncmp(name, vectors[i].name, length - 1) != 0)
            continue;
        unsigned char count = (unsigned char)(name[length - 1] - '0');
        *out = (scalar_type){name, (unsigned char)(vectors[i].size * count), false, count};
        return true;
    }
    return false;
}

/* Recognises "unsigned long int", "long long", "short": the words in any order, as C allows. */
static bool integer_words(const char *name, scalar_type *out) {
    int longs = 0, shorts = 0, chars = 0, ints = 0, signs = 0, doubles = 0;
    while (*name) {
        size_t length = strcspn(name, " ");
#define WORD(text) (length == sizeof(text) - 1 && !strncmp(name, text, length))
        if (WORD("long"))
            ++longs;
        else if (WORD("short"))
            ++shorts;
        else if (WORD("char"))
            ++chars;
        else if (WORD("int"))
            ++ints;
        else if (WORD("signed") || WORD("unsigned"))
            ++signs;
        else if (WORD("double"))
            ++doubles;
        else
            return false;
#undef WORD
        name += length;
        name += strspn(name, " ");
    }
    if (longs > 2 || shorts > 1 || chars > 1 || ints > 1 || signs > 1 || doubles ||
        (longs && (shorts || chars)) || (shorts && chars) || (chars && ints))
        return false;
    unsigned char size = longs ? 8 : shorts ? 2 : chars ? 1 : 4;
    *out = (scalar_type){"", size, true, 1};
    return longs || shorts || chars || ints || signs;
}

static bool find_type(const char *name, scalar_type *out) {
    if (!strncmp(name, "const ", 6))
        name += 6;
    name = skip_std(name);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i)
        if (!strcmp(name, scalars[i].name)) {
            *out = scalars[i];
            return true;
        }
    return vector_type(name, out) || integer_words(name, out);
}

size_t ht_type_size(const char *type_name) {
    scalar_type type;
    /* HIP aligns vectors of 3 as their scalars, so that their size is 3 scalars: no special case.
     */
    return find_type(type_name, &type) ? type.size : 0;
}

size_t ht_type_components(const char *type_name) {
    scalar_type type;
    return find_type(type_name, &type) ? type.components : 0;
}

bool ht_type_integral(const char *type_name) {
    scalar_type type;
    return find_type(type_name, &type) && type.integral;
}

static bool word_character(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

char *ht_type_normalise(const char *text, size_t length) {
    ht_text out = {0};
    int depth = 0;
    bool good = true, has_word = false;
    for (size_t i = 0; good && i < length; ++i) {
        char c = text[i];
        if (isspace((unsigned char)c))
            continue;
        bool word = word_character(c);
        if (word) {
            bool gap = i && isspace((unsigned char)text[i - 1]);
            if (gap && out.length && word_character(out.data[out.length - 1]))
                ht_text_append(&out, " ");
            has_word = true;
        } else if (c == '<') {
            ++depth;
        } else if (c == '>') {
            good = --depth >= 0;
        } else if (c == ',') {
            good = depth > 0;
        } else if (!strchr(":*&", c)) {
            good = false;
        }
        ht_text_append_n(&out, &c, 1);
        if (c == ',')
            ht_text_append(&out, " ");
    }
    if (!good || depth || !has_word || isdigit((unsigned char)out.data[0]) ||
        !word_character(out.data[0])) {
        ht_text_free(&out);
        return NULL;
    }
    return ht_text_take(&out);
}
