#include "runtime/amd/isa/operand.h"

#include <stdlib.h>
#include <string.h>

/* Registers with names of their own. */
static const struct {
    const char *name;
    uint8_t first, words;
} named[] = {
    {"vcc", HT_ISA_VCC, 2},        {"vcc_lo", HT_ISA_VCC, 1},   {"vcc_hi", HT_ISA_VCC + 1, 1},
    {"exec", HT_ISA_EXEC, 2},      {"exec_lo", HT_ISA_EXEC, 1}, {"exec_hi", HT_ISA_EXEC + 1, 1},
    {"flat_scratch", 102, 2},      {"flat_scratch_lo", 102, 1}, {"flat_scratch_hi", 103, 1},
    {"xnack_mask", 104, 2},        {"xnack_mask_lo", 104, 1},   {"xnack_mask_hi", 105, 1},
    {"m0", HT_ISA_M0, 1},          {"null", HT_ISA_NULL, 1},    {"ttmp7", HT_ISA_TTMP + 7, 1},
    {"ttmp9", HT_ISA_TTMP + 9, 1},
};

/* Files of numbered registers: where each begins among ours, and how many it has. */
static const struct {
    char letter;
    ht_isa_kind kind;
    unsigned base, count;
} files[] = {
    {'v', HT_ISA_VECTOR, 0, 256},
    {'a', HT_ISA_VECTOR, HT_ISA_ACCUMULATORS, 256},
    {'s', HT_ISA_SCALAR, 0, 106},
};

/* Returns a number of up to three digits; NULL when there is none. */
static const char *read_number(const char *text, unsigned *out) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 3)
        return NULL;
    *out = (unsigned)strtoul(text, NULL, 10);
    return text + digits;
}

/* Reads "12" or "[4:7]". */
static bool read_registers(const char *text, unsigned *out_first, unsigned *out_last) {
    if (*text != '[') {
        text = read_number(text, out_first);
        *out_last = *out_first;
        return text && *text == '\0';
    }
    text = read_number(text + 1, out_first);
    *out_last = *out_first;
    if (text && *text == ':')
        text = read_number(text + 1, out_last);
    return text && strcmp(text, "]") == 0;
}

static bool parse_register(const char *text, ht_isa_operand *out) {
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(text, named[i].name) == 0) {
            out->kind = HT_ISA_SCALAR;
            out->first = named[i].first;
            out->words = named[i].words;
            return true;
        }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        unsigned first = 0, last = 0;
        if (text[0] != files[i].letter || !read_registers(text + 1, &first, &last))
            continue;
        if (first > last || last >= files[i].count || last - first >= 32)
            return false;
        out->kind = files[i].kind;
        out->first = (uint16_t)(files[i].base + first);
        out->words = (uint8_t)(last - first + 1);
        return true;
    }
    return false;
}

/* Parses "-1", "0x3ff", "0.5". Decimals are signed; hexadecimal digits are bits. */
static bool parse_constant(const char *text, ht_isa_operand *out) {
    char *end = NULL;
    const char *digits = text + (*text == '-');
    if (*digits < '0' || *digits > '9')
        return false;
    if (strncmp(digits, "0x", 2) == 0) {
        uint64_t bits = strtoull(digits, &end, 16);
        out->kind = HT_ISA_INTEGER;
        out->integer = (int64_t)(*text == '-' ? 0 - bits : bits);
    } else if (strchr(text, '.')) {
        out->kind = HT_ISA_REAL;
        out->real = strtod(text, &end);
    } else {
        out->kind = HT_ISA_INTEGER;
        out->integer = strtoll(text, &end, 10);
    }
    return *end == '\0';
}

/* Takes "-", "|...|", "sext(...)" and their kin off. */
static char *strip_modifiers(char *text, ht_isa_operand *out) {
    static const char *const calls[] = {"sext(", "neg(", "abs("};
    size_t length = strlen(text);
    if (text[0] == '-' && (text[1] < '0' || text[1] > '9')) {
        out->negated = true;
        text++;
        length--;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t start = strlen(calls[i]);
        if (strncmp(text, calls[i], start) != 0 || text[length - 1] != ')')
            continue;
        out->extended |= i == 0;
        out->negated |= i == 1;
        out->absolute |= i == 2;
        text[length - 1] = '\0';
        text += start;
        length -= start + 1;
    }
    if (length >= 2 && text[0] == '|' && text[length - 1] == '|') {
        out->absolute = true;
        text[length - 1] = '\0';
        text++;
    }
    return text;
}

ht_isa_operand ht_isa_operand_parse(char *text) {
    ht_isa_operand operand = {.kind = HT_ISA_OTHER, .words = 1};
    char *plain = strip_modifiers(text, &operand);
    if (strcmp(plain, "off") == 0)
        operand.kind = HT_ISA_OFF;
    else if (!parse_register(plain, &operand))
        parse_constant(plain, &operand);
    return operand;
}
