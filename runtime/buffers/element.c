#include "runtime/buffers/element.h"

#include <math.h>
#include <string.h>

typedef struct named_element {
    const char *name;
    ht_element element;
} named_element;

#define S HT_ELEMENT_SIGNED
#define U HT_ELEMENT_UNSIGNED
static const named_element named[] = {
    {"bool", {HT_ELEMENT_BOOL, 1, 1}},
    {"int8_t", {S, 1, 1}},
    {"uint8_t", {U, 1, 1}},
    {"int16_t", {S, 2, 1}},
    {"uint16_t", {U, 2, 1}},
    {"int32_t", {S, 4, 1}},
    {"uint32_t", {U, 4, 1}},
    {"int64_t", {S, 8, 1}},
    {"uint64_t", {U, 8, 1}},
    {"size_t", {U, 8, 1}},
    {"uintptr_t", {U, 8, 1}},
    {"ptrdiff_t", {S, 8, 1}},
    {"intptr_t", {S, 8, 1}},
    {"ssize_t", {S, 8, 1}},
    {"wchar_t", {S, 4, 1}},
    {"char16_t", {U, 2, 1}},
    {"char32_t", {U, 4, 1}},
    {"uchar", {U, 1, 1}},
    {"ushort", {U, 2, 1}},
    {"uint", {U, 4, 1}},
    {"ulong", {U, 8, 1}},
    {"float", {HT_ELEMENT_FLOAT, 4, 1}},
    {"double", {HT_ELEMENT_DOUBLE, 8, 1}},
    {"__half", {HT_ELEMENT_HALF, 2, 1}},
    {"half", {HT_ELEMENT_HALF, 2, 1}},
    {"_Float16", {HT_ELEMENT_HALF, 2, 1}},
    {"__fp16", {HT_ELEMENT_HALF, 2, 1}},
    {"__half2", {HT_ELEMENT_HALF, 2, 2}},
    {"half2", {HT_ELEMENT_HALF, 2, 2}},
    {"hip_bfloat16", {HT_ELEMENT_BFLOAT16, 2, 1}},
    {"__hip_bfloat16", {HT_ELEMENT_BFLOAT16, 2, 1}},
    {"__bf16", {HT_ELEMENT_BFLOAT16, 2, 1}},
    {"dim3", {U, 4, 3}},
};

static const named_element vectors[] = {
    {"char", {S, 1, 1}},
    {"uchar", {U, 1, 1}},
    {"short", {S, 2, 1}},
    {"ushort", {U, 2, 1}},
    {"int", {S, 4, 1}},
    {"uint", {U, 4, 1}},
    {"long", {S, 8, 1}},
    {"ulong", {U, 8, 1}},
    {"longlong", {S, 8, 1}},
    {"ulonglong", {U, 8, 1}},
    {"float", {HT_ELEMENT_FLOAT, 4, 1}},
    {"double", {HT_ELEMENT_DOUBLE, 8, 1}},
};
#undef S
#undef U

/* Parses "unsigned long int" in any order of words. */
static bool parse_integer_words(const char *name, ht_element *out) {
    int longs = 0, shorts = 0, chars = 0, ints = 0, unsigneds = 0, signeds = 0;
    const struct {
        const char *word;
        int *count;
    } words[] = {{"long", &longs}, {"short", &shorts},       {"char", &chars},
                 {"int", &ints},   {"unsigned", &unsigneds}, {"signed", &signeds}};
    int total = 0;
    for (name += strspn(name, " \t"); *name != '\0'; name += strspn(name, " \t")) {
        size_t length = strcspn(name, " \t"), i = 0, known = sizeof words / sizeof *words;
        while (i < known &&
               (strlen(words[i].word) != length || strncmp(words[i].word, name, length) != 0))
            ++i;
        if (i == known)
            return false;
        ++*words[i].count;
        ++total;
        name += length;
    }
    if (total == 0 || longs > 2 || shorts > 1 || chars > 1 || ints > 1 || unsigneds + signeds > 1 ||
        (shorts > 0) + (chars > 0) + (longs > 0) > 1 || (chars > 0 && ints > 0))
        return false;
    unsigned char bytes = longs ? 8 : shorts ? 2 : chars ? 1 : 4;
    *out = (ht_element){unsigneds ? HT_ELEMENT_UNSIGNED : HT_ELEMENT_SIGNED, bytes, 1};
    return true;
}

bool ht_element_parse(const char *type_name, ht_element *out_element) {
    type_name += strspn(type_name, " \t");
    if (strncmp(type_name, "const ", 6) == 0)
        type_name += 6;
    if (strncmp(type_name, "std::", 5) == 0)
        type_name += 5;
    for (size_t i = 0; i < sizeof named / sizeof *named; ++i)
        if (strcmp(named[i].name, type_name) == 0) {
            *out_element = named[i].element;
            return true;
        }
    size_t length = strlen(type_name);
    if (length > 1 && type_name[length - 1] >= '1' && type_name[length - 1] <= '4')
        for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
            if (strlen(vectors[i].name) == length - 1 &&
                strncmp(vectors[i].name, type_name, length - 1) == 0) {
                *out_element = vectors[i].element;
                out_element->components = (unsigned char)(type_name[length - 1] - '0');
                return true;
            }
    return parse_integer_words(type_name, out_element);
}

size_t ht_element_size(ht_element element) {
    return (size_t)element.bytes * element.components;
}

bool ht_element_floating(ht_element element) {
    return element.kind >= HT_ELEMENT_HALF;
}

uint16_t ht_half_from_double(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00);
    if (size >= 65520.0) /* half-way between the largest half and the next power of two */
        return (uint16_t)(sign | 0x7c00);
    int exponent = 0;
    frexp(size, &exponent);
    --exponent; /* size = 1.x * 2^exponent */
    if (size == 0 || exponent < -14)
        exponent = -14; /* subnormals share the exponent of the smallest normal */
    double steps = nearbyint(ldexp(size, 10 - exponent)); /* in units of the last place */
    if (steps >= 2048) {
        steps /= 2;
        ++exponent;
    }
    unsigned bits = (unsigned)steps;
    if (bits >= 1024)
        bits += (unsigned)(exponent + 14) << 10; /* the hidden bit adds one to the exponent */
    return (uint16_t)(sign | bits);
}

double ht_half_to_double(uint16_t bits) {
    double sign = bits & 0x8000 ? -1 : 1;
    unsigned exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, (int)exponent - 25);
}

/* Rounds a double directly, not by way of a float: it may lie next to the middle of two bfloat16
 * and its float exactly on it. */
uint16_t ht_bfloat16_from_double(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | 0x7fc0);
    if (size >= ldexp(511, 119)) /* half-way between the largest bfloat16 and 2^128 */
        return (uint16_t)(sign | 0x7f80);
    int exponent = 0;
    frexp(size, &exponent);
    --exponent;
    if (size == 0 || exponent < -126)
        exponent = -126;
    double steps = nearbyint(ldexp(size, 7 - exponent));
    if (steps >= 256) {
        steps /= 2;
        ++exponent;
    }
    unsigned bits = (unsigned)steps;
    if (bits >= 128)
        bits += (unsigned)(exponent + 126) << 7;
    return (uint16_t)(sign | bits);
}

double ht_bfloat16_to_double(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

#define LOAD(type)                                                                                 \
    type value;                                                                                    \
    memcpy(&value, at, sizeof value)

static double get_integer(const char *at, unsigned bytes, bool is_signed) {
    switch (bytes) {
    case 1: {
        LOAD(int8_t);
        return is_signed ? value : (uint8_t)value;
    }
    case 2: {
        LOAD(int16_t);
        return is_signed ? value : (uint16_t)value;
    }
    case 4: {
        LOAD(int32_t);
        return is_signed ? (double)value : (double)(uint32_t)value;
    }
    default: {
        LOAD(int64_t);
        return is_signed ? (double)value : (double)(uint64_t)value;
    }
    }
}

double ht_element_get(ht_element element, const void *data, size_t index) {
    const char *at = (const char *)data + index * element.bytes;
    switch (element.kind) {
    case HT_ELEMENT_SIGNED:
    case HT_ELEMENT_UNSIGNED:
        return get_integer(at, element.bytes, element.kind == HT_ELEMENT_SIGNED);
    case HT_ELEMENT_BOOL:
        return *at != 0;
    case HT_ELEMENT_HALF: {
        LOAD(uint16_t);
        return ht_half_to_double(value);
    }
    case HT_ELEMENT_BFLOAT16: {
        LOAD(uint16_t);
        return ht_bfloat16_to_double(value);
    }
    case HT_ELEMENT_FLOAT: {
        LOAD(float);
        return value;
    }
    case HT_ELEMENT_DOUBLE:
    case HT_ELEMENT_TRACKED:
        break;
    }
    LOAD(double);
    return value;
}

static void set_integer(char *at, unsigned bytes, bool is_signed, double value) {
    int bits = (int)bytes * 8;
    double lo = is_signed ? -ldexp(1, bits - 1) : 0;
    double limit = ldexp(1, is_signed ? bits - 1 : bits); /* first value that is too large */
    uint64_t pattern = 0;
    value = isnan(value) ? 0 : nearbyint(value);
    if (value >= limit)
        pattern = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX;
    else if (value < lo)
        pattern = is_signed ? (uint64_t)(int64_t)lo : 0;
    else
        pattern = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    memcpy(at, &pattern, bytes); /* little-endian, as every machine HIP runs on */
}

void ht_element_set(ht_element element, void *data, size_t index, double value) {
    char *at = (char *)data + index * element.bytes;
    uint16_t narrow;
    switch (element.kind) {
    case HT_ELEMENT_SIGNED:
    case HT_ELEMENT_UNSIGNED:
        set_integer(at, element.bytes, element.kind == HT_ELEMENT_SIGNED, value);
        return;
    case HT_ELEMENT_BOOL:
        *at = value != 0;
        return;
    case HT_ELEMENT_HALF:
    case HT_ELEMENT_BFLOAT16:
        narrow = element.kind == HT_ELEMENT_HALF ? ht_half_from_double(value)
                                                 : ht_bfloat16_from_double(value);
        memcpy(at, &narrow, sizeof narrow);
        return;
    case HT_ELEMENT_FLOAT: {
        float single = (float)value;
        memcpy(at, &single, sizeof single);
        return;
    }
    case HT_ELEMENT_TRACKED: {
        double pair[2] = {value, fabs(value)};
        memcpy(at, pair, sizeof pair);
        return;
    }
    case HT_ELEMENT_DOUBLE:
        memcpy(at, &value, sizeof value);
        return;
    }
}
