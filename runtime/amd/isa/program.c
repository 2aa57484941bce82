#include "runtime/amd/isa/program.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/amd/isa/names.h"
#include "runtime/amd/isa/opcode.h"
#include "runtime/amd/isa/operand.h"
#include "runtime/amd/isa/pace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTIONS_MAX = 1 << 22, TEXT_MAX = 512, LISTED_BYTES = 4 };

/* Returns the value after `name` and a colon in "offset:4", "offset0:2". */
static const char *modifier_value(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == ':' ? word + length + 1 : NULL;
}

/* Reads SDWA's selection: the part of a source that is used. Results in parts of a register are not
 * modelled. */
static void read_selection(ht_isa_instruction *instruction, size_t source, const char *value) {
    if (strstr(instruction->name, "_co_")) { /* the second operand is a mask there */
        instruction->unusual = true;
        return;
    }
    static const char *const parts[] = {"DWORD",  "BYTE_0", "BYTE_1", "BYTE_2",
                                        "BYTE_3", "WORD_0", "WORD_1"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(value, parts[i]) == 0) {
            instruction->operands[source].part = (ht_isa_part)i;
            return;
        }
    instruction->unusual = true;
}

/* Reads "[0,1,1]" as bits. */
static uint8_t read_bits(const char *value) {
    uint8_t bits = 0;
    unsigned at = 0;
    for (; *value && at < 8; value++)
        if (*value == '0' || *value == '1')
            bits |= (uint8_t)((*value == '1') << at++);
    return bits;
}

static void read_modifier(ht_isa_instruction *instruction, const char *word) {
    /* These choose caches and the like, or are defaults. */
    static const char *const harmless[] = {"glc",
                                           "slc",
                                           "dlc",
                                           "scc",
                                           "nv",
                                           "off",
                                           "offen",
                                           "sc0",
                                           "sc1",
                                           "nt",
                                           "dst_sel:DWORD",
                                           "dst_unused:UNUSED_PAD",
                                           "dst_unused:UNUSED_PRESERVE",
                                           NULL};
    const char *value;
    if ((value = modifier_value(word, "offset")) || (value = modifier_value(word, "offset0")))
        instruction->offset[0] = strtoll(value, NULL, 0);
    else if ((value = modifier_value(word, "offset1")))
        instruction->offset[1] = strtoll(value, NULL, 0);
    else if ((value = modifier_value(word, "op_sel")))
        instruction->select = read_bits(value);
    else if ((value = modifier_value(word, "src0_sel")))
        read_selection(instruction, 1, value);
    else if ((value = modifier_value(word, "src1_sel")))
        read_selection(instruction, 2, value);
    else if (!ht_text_is_one(word, harmless))
        instruction->unusual = true;
}

/* Returns the end of an operand: the next comma outside of brackets. */
static char *operand_end(char *text) {
    int depth = 0;
    for (; *text && !(*text == ',' && depth <= 0); text++)
        depth += (*text == '[' || *text == '(') - (*text == ']' || *text == ')');
    return text;
}

/* Reads an operand and the modifiers after it, which are separated by spaces. */
static void read_words(ht_isa_instruction *instruction, char *text) {
    char *place = NULL;
    char *word = strtok_r(text, " \t", &place);
    if (!word)
        return;
    if (instruction->operand_count < HT_ISA_OPERANDS_MAX)
        instruction->operands[instruction->operand_count++] = ht_isa_operand_parse(word);
    else
        instruction->unusual = true;
    while ((word = strtok_r(NULL, " \t", &place)))
        read_modifier(instruction, word);
}

static void read_operands(ht_isa_instruction *instruction, char *text) {
    while (*text) {
        char *end = operand_end(text);
        bool last = *end == '\0';
        *end = '\0';
        read_words(instruction, text);
        text = last ? end : end + 1;
    }
}

static ht_status read_instruction(ht_isa_instruction *out, char *text, ht_error *error) {
    size_t length = strcspn(text, " \t");
    bool named = length > 0 && length < sizeof out->name && islower((unsigned char)text[0]);
    for (size_t i = 0; i < length && named; i++)
        named =
            islower((unsigned char)text[i]) || isdigit((unsigned char)text[i]) || text[i] == '_';
    if (!named)
        return ht_error_set(error, HT_ERROR_INPUT, "'%.60s' is no instruction", text);
    memcpy(out->name, text, length);
    ht_isa_name_old(out->name, sizeof out->name);
    ht_isa_pace_read(out, text);
    read_operands(out, text + length);
    out->opcode = ht_isa_opcode_find(out->name);
    return HT_OK;
}

static ht_status add_one(ht_isa_program *program, uint64_t address, char *text, ht_error *error) {
    ht_isa_instruction instruction = {.address = address, .text = ht_strdup(text)};
    ht_status status = read_instruction(&instruction, text, error);
    if (status) {
        free(instruction.text);
        return status;
    }
    HT_GROW(program->instructions, program->count);
    program->instructions[program->count++] = instruction;
    return HT_OK;
}

/* Returns true if an instruction reads what another writes. */
static bool reads_result(const ht_isa_instruction *reader, const ht_isa_instruction *writer) {
    const ht_isa_operand *result = &writer->operands[0];
    for (size_t i = ht_text_begins(reader->name, "v_fmac") ? 0 : 1; i < reader->operand_count; i++)
        if (reader->operands[i].kind == result->kind && reader->operands[i].first == result->first)
            return true;
    return false;
}

/* Returns a pair's part as it is listed alone: pairs have 32 lanes, and a choice in one goes by a
 * mask that is not listed. free(). */
static char *plain_make(const char *part) {
    static const char choice[] = "cndmask_b32";
    size_t length = strlen(part), operands = 1;
    while (length > 0 && strchr(" \t", part[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        operands += part[i] == ',';
    bool silent = ht_text_begins(part, choice) && operands == 3;
    return ht_format("v_%.*s%s", (int)length, part, silent ? ", vcc_lo" : "");
}

/* Adds the two instructions of a pair "v_dual_A ... :: v_dual_B ...", of 8 bytes, as one after the
 * other. Both read before either writes: the one whose result the other reads goes last, and where
 * each reads the other's, results are unknown. The second costs nothing. */
static ht_status add_pair(ht_isa_program *program, uint64_t address, char *text, char *middle,
                          ht_error *error) {
    static const char dual[] = "v_dual_";
    char *parts[2] = {text, middle + 2};
    ht_status status = HT_OK;
    *middle = '\0';
    for (size_t i = 0; i < 2 && !status; i++) {
        char *part = parts[i] + strspn(parts[i], " \t");
        if (!ht_text_begins(part, dual))
            return ht_error_set(error, HT_ERROR_INPUT, "'%.60s' is no part of a pair", part);
        char *plain = plain_make(part + sizeof dual - 1);
        status = add_one(program, address + i * LISTED_BYTES, plain, error);
        free(plain);
    }
    if (status)
        return status;
    ht_isa_instruction *first = &program->instructions[program->count - 2], *second = first + 1;
    if (reads_result(second, first)) {
        ht_isa_instruction kept = *first;
        bool both = reads_result(first, second);
        *first = *second;
        *second = kept;
        first->address = address;
        second->address = address + LISTED_BYTES;
        first->unusual |= both;
        second->unusual |= both;
    }
    second->class = HT_ISA_FREE;
    return HT_OK;
}

ht_status ht_isa_program_add(ht_isa_program *program, uint64_t address, const char *text,
                             ht_error *error) {
    char copy[TEXT_MAX];
    text += strspn(text, " \t");
    size_t length = strlen(text);
    if (length >= sizeof copy)
        return ht_error_set(error, HT_ERROR_INPUT, "an instruction of %zu characters", length);
    if (program->count && address <= program->instructions[program->count - 1].address)
        return ht_error_set(error, HT_ERROR_INPUT, "instructions out of order");
    if (program->count >= INSTRUCTIONS_MAX)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED, "more than %d instructions",
                            INSTRUCTIONS_MAX);
    memcpy(copy, text, length + 1);
    char *middle = strstr(copy, "::");
    return middle ? add_pair(program, address, copy, middle, error)
                  : add_one(program, address, copy, error);
}

size_t ht_isa_program_find(const ht_isa_program *program, uint64_t address) {
    size_t low = 0, high = program->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (program->instructions[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < program->count && program->instructions[low].address == address ? low
                                                                                 : program->count;
}

ht_status ht_isa_program_link(ht_isa_program *program, ht_error *error) {
    for (size_t i = 0; i < program->count; i++) {
        ht_isa_instruction *instruction = &program->instructions[i];
        bool branch = strcmp(instruction->name, "s_branch") == 0 ||
                      strncmp(instruction->name, "s_cbranch_", 10) == 0;
        if (!branch || !instruction->opcode) /* the targets of other branches are not known */
            continue;
        /* Words to skip, 16 bits with a sign that disassemblers do not print. */
        int64_t words = (int16_t)(uint16_t)instruction->operands[0].integer;
        instruction->target = ht_isa_program_find(program, instruction->address + LISTED_BYTES +
                                                               (uint64_t)(words * 4));
        if (instruction->operands[0].kind != HT_ISA_INTEGER ||
            instruction->target == program->count)
            return ht_error_set(error, HT_ERROR_INPUT, "'%s' leads to no instruction",
                                instruction->text);
    }
    return HT_OK;
}

ht_status ht_isa_program_parse(const char *listing, ht_isa_program *out_program, ht_error *error) {
    *out_program = (ht_isa_program){0};
    ht_status status = HT_OK;
    int line = 1;
    for (const char *at = listing; *at && !status; line++) {
        size_t length = strcspn(at, "\n");
        char *text = ht_strndup(at, length);
        char *comment = strstr(text, "//");
        if (comment)
            *comment = '\0';
        for (size_t end = strlen(text); end > 0 && strchr(" \t\r", text[end - 1]); end--)
            text[end - 1] = '\0';
        if (text[strspn(text, " \t")])
            status =
                ht_isa_program_add(out_program, out_program->count * LISTED_BYTES, text, error);
        if (status)
            ht_error_prefix(error, "line %d: ", line);
        free(text);
        at += length + (at[length] == '\n');
    }
    if (!status)
        status = ht_isa_program_link(out_program, error);
    if (status)
        ht_isa_program_free(out_program);
    return status;
}

void ht_isa_program_free(ht_isa_program *program) {
    for (size_t i = 0; i < program->count; i++)
        free(program->instructions[i].text);
    free(program->instructions);
    *program = (ht_isa_program){0};
}
