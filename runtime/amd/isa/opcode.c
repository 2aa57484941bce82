#include "runtime/amd/isa/opcode.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const ht_isa_opcode *const tables[] = {
    ht_isa_scalar_opcodes,      ht_isa_control_opcodes,     ht_isa_vector_opcodes,
    ht_isa_vector_real_opcodes, ht_isa_vector_mask_opcodes, ht_isa_memory_opcodes,
    ht_isa_local_opcodes,       ht_isa_scalar_real_opcodes,
};

/* Returns the length of the name without its encoding: encodings of one instruction behave
 * alike. */
static size_t stem_length(const char *name) {
    static const char *const suffixes[] = {"_e32", "_e64", "_sdwa"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t suffix = strlen(suffixes[i]);
        if (length > suffix && strcmp(name + length - suffix, suffixes[i]) == 0)
            return length - suffix;
    }
    return length;
}

static const ht_isa_opcode *row_find(const char *name, size_t length) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const ht_isa_opcode *row = tables[t]; row->name; row++)
            if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
                return row;
    return NULL;
}

const ht_isa_opcode *ht_isa_opcode_find(const char *name) {
    static const char fixed[] = "v_cmpx_", plain[] = "v_cmp_";
    char other[sizeof((ht_isa_instruction *)NULL)->name];
    size_t length = stem_length(name);
    if (strncmp(name, fixed, sizeof fixed - 1) != 0)
        return row_find(name, length);
    /* The comparison's row, which looks at the name for where its mask goes. */
    snprintf(other, sizeof other, "%s%.*s", plain, (int)(length - (sizeof fixed - 1)),
             name + sizeof fixed - 1);
    return row_find(other, strlen(other));
}

ht_status ht_isa_refuse(const ht_isa_instruction *instruction, ht_error *error, const char *format,
                        ...) {
    char why[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return ht_error_set(error, HT_ERROR_UNSUPPORTED, "instruction at 0x%llx, '%s': %s",
                        (unsigned long long)instruction->address, instruction->text, why);
}

/* Sets a comparison's mask: unknown in active lanes, 0 in the others. */
static void set_unknown_mask(ht_wave *wave, const ht_isa_operand *operand) {
    ht_wave_scalar_set(wave, operand->first, ht_wave_mask_words(wave), 0, ht_wave_exec(wave));
}

ht_status ht_isa_execute_unknown(ht_wave *wave, const ht_isa_instruction *instruction,
                                 ht_error *error) {
    /* Instructions that move the program's place, the active lanes or memory. */
    static const char *const others[] = {
        "s_branch",        "s_cbranch", "s_setpc",        "s_swappc",    "s_call",
        "s_rfe",           "s_trap",    "s_endpgm",       "s_subvector", "s_setvskip",
        "s_set_gpr",       "s_store",   "s_buffer_store", "s_scratch",   "s_atomic",
        "s_buffer_atomic", "s_mov",     "s_cmov",         "v_cmpx",      "v_swap",
        "v_mov",           "v_movrel",  "s_sendmsg",      "v_interp",    NULL};
    const char *name = instruction->name;
    const ht_isa_operand *result = &instruction->operands[0];
    bool arithmetic = name[0] == 's' || name[0] == 'v';
    if (!arithmetic || name[1] != '_' || ht_text_starts(name, others))
        return ht_isa_refuse(instruction, error, "it is not modelled");
    if (!wave->first_unmodelled)
        wave->first_unmodelled = instruction;
    if (name[0] == 's') {
        if (result->kind == HT_ISA_SCALAR && instruction->operand_count > 1 &&
            strncmp(name, "s_cmp", 5) != 0 && strncmp(name, "s_bitcmp", 8) != 0)
            ht_wave_scalar_set(wave, result->first, result->words, 0, ~UINT64_C(0));
        ht_wave_scc_set(wave, false, true);
        return HT_OK;
    }
    if (result->kind == HT_ISA_SCALAR)
        set_unknown_mask(wave, result);
    ht_wave_lanes_set(wave, result, result->words, NULL);
    if (instruction->operand_count > 1 && instruction->operands[1].kind == HT_ISA_SCALAR &&
        (strstr(name, "_co_") || strncmp(name, "v_div_scale", 11) == 0 ||
         strncmp(name, "v_mad_", 6) == 0))
        set_unknown_mask(wave, &instruction->operands[1]);
    return HT_OK;
}
