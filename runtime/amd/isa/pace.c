#include "runtime/amd/isa/pace.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, WORD = 4 };

static ht_isa_class vector_class(const char *name) {
    static const char *const slow[] = {
        "v_rcp_",        "v_rsq_",        "v_sqrt_",       "v_exp_",
        "v_log_",        "v_sin_",        "v_cos_",        "v_mul_lo_u32",
        "v_mul_lo_i32",  "v_mul_hi_u32",  "v_mul_hi_i32",  "v_mad_u64_u32",
        "v_mad_i64_i32", "v_mad_co_u64_", "v_mad_co_i64_", NULL};
    if (strncmp(name, "v_mfma", 6) == 0 || strncmp(name, "v_smfma", 7) == 0 ||
        strncmp(name, "v_wmma", 6) == 0)
        return HT_ISA_MATRIX;
    if (ht_text_starts(name, slow))
        return HT_ISA_VECTOR_SLOW;
    return strstr(name, "f64") || strstr(name, "_b64") || strstr(name, "rev_i64")
               ? HT_ISA_VECTOR_DOUBLE
               : HT_ISA_VECTOR_FULL;
}

static ht_isa_class class_of(const char *name) {
    static const char *const free_ones[] = {"s_wait",      "s_nop",       "s_sleep",  "s_barrier",
                                            "s_setprio",   "s_sethalt",   "s_inst_",  "s_clause",
                                            "s_delay_alu", "s_set_inst_", "s_endpgm", "s_code_end",
                                            "s_icache",    "s_dcache",    NULL};
    static const char *const memory[] = {"global_", "flat_", NULL};
    static const char *const scratch[] = {"buffer_", "scratch_", NULL}; /* no kernel of HIP's has
                                                                            other buffers */
    if (ht_text_starts(name, free_ones) || strncmp(name, "buffer_wb", 9) == 0 ||
        strncmp(name, "buffer_inv", 10) == 0 || strncmp(name, "buffer_gl", 9) == 0 ||
        strcmp(name, "global_inv") == 0 || strncmp(name, "global_wb", 9) == 0)
        return HT_ISA_FREE;
    if (name[0] == 'v' && name[1] == '_')
        return vector_class(name);
    if (strncmp(name, "s_load", 6) == 0 || strncmp(name, "s_buffer_load", 13) == 0)
        return HT_ISA_SCALAR_LOAD;
    if (name[0] == 's' && name[1] == '_')
        return HT_ISA_SCALAR_UNIT;
    if (strncmp(name, "ds_", 3) == 0)
        return HT_ISA_LOCAL;
    if (ht_text_starts(name, scratch))
        return HT_ISA_SCRATCH;
    return ht_text_starts(name, memory) ? HT_ISA_MEMORY : HT_ISA_FREE;
}

/* Returns the cycles of a matrix instruction, four a pass: 16 passes for 32 x 32, 8 for 16 x 16, 2
 * for 4 x 4, and 4 for that on float64, as on gfx908 and gfx90a; gfx942 takes half for the narrow
 * types. */
static uint8_t matrix_cycles(const char *name) {
    if (strstr(name, "32x32"))
        return 64;
    if (strstr(name, "16x16"))
        return 32;
    return strstr(name, "f64") ? 16 : 8;
}

/* Returns the number of "name(3)". */
static uint8_t left_of(const char *text, const char *name) {
    const char *at = strstr(text, name);
    unsigned long number = at ? strtoul(at + strlen(name), NULL, 10) : HT_ISA_ANY;
    return number < HT_ISA_ANY ? (uint8_t)number : HT_ISA_ANY;
}

/* Reads a wait of gfx12, which has an instruction for each counter or two of them, in 6 bits of its
 * number each. Scalar loads and LDS, which share a counter elsewhere, count as one here, too. */
static void read_wait(ht_isa_instruction *instruction, const char *text) {
    static const struct {
        const char *name;
        int memory, local; /* the first bit; -1: not of its kind */
    } waits[] = {{"s_wait_loadcnt", 0, -1},
                 {"s_wait_dscnt", -1, 0},
                 {"s_wait_kmcnt", -1, 0},
                 {"s_wait_loadcnt_dscnt", 8, 0},
                 {"s_wait_storecnt_dscnt", -1, 0}};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        if (strcmp(instruction->name, waits[i].name) != 0)
            continue;
        unsigned long number = strtoul(text + strlen(waits[i].name), NULL, 0);
        if (waits[i].memory >= 0)
            instruction->left_memory = (uint8_t)(number >> waits[i].memory & 63);
        if (waits[i].local >= 0)
            instruction->left_local = (uint8_t)(number >> waits[i].local & 63);
    }
}

void ht_isa_pace_read(ht_isa_instruction *instruction, const char *text) {
    bool waits = strcmp(instruction->name, "s_waitcnt") == 0;
    instruction->class = class_of(instruction->name);
    instruction->cycles =
        instruction->class == HT_ISA_MATRIX ? matrix_cycles(instruction->name) : 0;
    instruction->store =
        instruction->class >= HT_ISA_MEMORY && strstr(instruction->name, "_store_") != NULL;
    instruction->left_memory = waits ? left_of(text, "vmcnt(") : HT_ISA_ANY;
    instruction->left_local = waits ? left_of(text, "lgkmcnt(") : HT_ISA_ANY;
    read_wait(instruction, text);
}

/* Waits until `left` are left. Returns the count of what it waits for: the farthest of what began
 * since the last wait; NULL: it does not wait. */
static uint64_t *wait_until(ht_isa_queue *queue, uint8_t left, uint64_t *far, uint64_t *scratch,
                            uint64_t *near) {
    if (left == HT_ISA_ANY || queue->begun <= queue->covered + left)
        return NULL;
    uint64_t last = queue->begun - left;
    uint64_t *waits = queue->first_far && queue->first_far <= last           ? far
                      : queue->first_scratch && queue->first_scratch <= last ? scratch
                                                                             : near;
    queue->covered = queue->begun;
    queue->first_far = queue->first_scratch = 0;
    return waits;
}

static void count_waits(ht_wave *wave, const ht_isa_instruction *instruction) {
    ht_access_counts *counts = wave->counts;
    uint64_t *memory =
        wait_until(&wave->memory_queue, instruction->left_memory, &counts->memory_waits,
                   &counts->scratch_waits, &counts->cached_waits);
    uint64_t *local = wait_until(&wave->local_queue, instruction->left_local, &counts->scalar_waits,
                                 NULL, &counts->lds_waits);
    if (memory)
        ++*memory;
    if (local)
        ++*local;
}

/* Notes the access that has just begun as the first of its kind. */
static void note(const ht_isa_queue *queue, uint64_t *first) {
    if (!*first)
        *first = queue->begun;
}

void ht_isa_pace_count(ht_wave *wave, const ht_isa_instruction *instruction) {
    ht_access_counts *counts = wave->counts;
    counts->matrix_cycles += instruction->cycles;
    switch (instruction->class) {
    case HT_ISA_VECTOR_FULL:
        counts->vector_instructions++;
        break;
    case HT_ISA_VECTOR_SLOW:
        counts->slow_instructions++;
        break;
    case HT_ISA_VECTOR_DOUBLE:
        counts->double_instructions++;
        break;
    case HT_ISA_SCALAR_UNIT:
        counts->scalar_instructions++;
        break;
    case HT_ISA_SCALAR_LOAD:
        wave->local_queue.begun++;
        note(&wave->local_queue, &wave->local_queue.first_far);
        break;
    case HT_ISA_LOCAL:
        wave->local_queue.begun++;
        break;
    case HT_ISA_MEMORY: /* ht_isa_pace_memory says later whether it goes far */
    case HT_ISA_SCRATCH:
        if (instruction->store && wave->stores_apart)
            break;
        wave->memory_queue.begun++;
        if (instruction->class == HT_ISA_SCRATCH)
            note(&wave->memory_queue, &wave->memory_queue.first_scratch);
        break;
    case HT_ISA_FREE:
        count_waits(wave, instruction);
        break;
    case HT_ISA_MATRIX:
        break;
    }
}

void ht_isa_pace_memory(ht_wave *wave, const uint64_t *lines, size_t count, unsigned words,
                        bool load) {
    uint64_t lanes = (uint64_t)words * WORD * wave->lanes, whole = (uint64_t)count * LINE;
    bool is_new = false;
    if (!ht_wave_exec(wave))
        return;
    wave->counts->l1_bytes += whole > lanes ? whole : lanes;
    for (size_t i = 0; i < count && load; i++)
        is_new |= ht_isa_lines_add(wave->lines, lines[i]);
    if (is_new)
        note(&wave->memory_queue, &wave->memory_queue.first_far);
}
