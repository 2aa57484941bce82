#include "runtime/amd/isa/launch.h"

#include "base/memory.h"
#include "runtime/amd/isa/opcode.h"
#include "runtime/amd/isa/pace.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE_STEPS = 1000 }; /* instructions of a wave that may be idle */

static uint32_t word_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* amdhsa kernel descriptor: private bytes at 4, compute_pgm_rsrc2 at 52, code properties at 56,
 * preloaded arguments at 58. */
ht_status ht_isa_entry_read(const uint8_t descriptor[64], bool packed, ht_isa_entry *out_entry,
                            ht_error *error) {
    uint32_t rsrc2 = word_at(descriptor + 52), properties = word_at(descriptor + 56);
    *out_entry = (ht_isa_entry){
        .user_registers = rsrc2 >> 1 & 31,
        .has_scratch_register = rsrc2 & 1,
        .has_block = {rsrc2 >> 7 & 1, rsrc2 >> 8 & 1, rsrc2 >> 9 & 1},
        .has_block_information = rsrc2 >> 10 & 1,
        .thread_axes = (rsrc2 >> 11 & 3) + 1,
        .packed = packed,
        .private_descriptor = properties & 1,
        .packet = properties >> 1 & 1,
        .queue = properties >> 2 & 1,
        .arguments = properties >> 3 & 1,
        .dispatch = properties >> 4 & 1,
        .flat_scratch = properties >> 5 & 1,
        .private_size = properties >> 6 & 1,
        .wave32 = properties >> 10 & 1,
        .scratch = word_at(descriptor + 4),
    };
    if (properties >> 16)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "the kernel's arguments are preloaded into registers, which is not "
                            "modelled");
    if (out_entry->scratch > 1 << 20)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED, "the kernel has %zu bytes of scratch",
                            out_entry->scratch);
    return HT_OK;
}

static void set_pair(ht_wave *wave, unsigned *at, bool present, uint64_t value) {
    if (!present)
        return;
    ht_wave_scalar_set(wave, *at, 2, value, 0);
    *at += 2;
}

/* Sets the scalar registers: those the kernel asks for, in a fixed order, then the block's
 * indices. */
static void begin_scalars(ht_wave *wave, const ht_isa_kernel *kernel, const uint32_t index[3]) {
    const ht_isa_entry *entry = &kernel->entry;
    unsigned at = 0;
    memset(wave->scalar_unknown, 0xff, sizeof wave->scalar_unknown);
    wave->scalar[HT_ISA_NULL] = wave->scalar_unknown[HT_ISA_NULL] = 0;
    at += entry->private_descriptor ? 4 : 0;
    set_pair(wave, &at, entry->packet, HT_ISA_PACKET_BASE);
    at += entry->queue ? 2 : 0;
    set_pair(wave, &at, entry->arguments, HT_ISA_ARGUMENT_BASE);
    if (entry->block_in_traps) {
        ht_wave_scalar_set(wave, HT_ISA_TTMP + 9, 1, index[0], 0);
        ht_wave_scalar_set(wave, HT_ISA_TTMP + 7, 1, index[1] | index[2] << 16, 0);
    }
    at = entry->user_registers;
    for (unsigned axis = 0; axis < 3; axis++)
        if (entry->has_block[axis] && !entry->block_in_traps)
            ht_wave_scalar_set(wave, at++, 1, index[axis], 0);
    wave->scc_unknown = true;
}

/* Sets the vector registers: each thread's indices, x fastest. */
static void begin_lanes(ht_wave *wave, const ht_isa_kernel *kernel, uint64_t first,
                        uint64_t threads) {
    const uint32_t *block = kernel->block;
    uint64_t exec = 0;
    memset(wave->vector_unknown, 0xff, sizeof wave->vector_unknown);
    for (unsigned lane = 0; lane < wave->lanes && first + lane < threads; lane++) {
        uint64_t thread = first + lane;
        uint32_t index[3] = {(uint32_t)(thread % block[0]),
                             (uint32_t)(thread / block[0] % block[1]),
                             (uint32_t)(thread / block[0] / block[1])};
        exec |= UINT64_C(1) << lane;
        if (kernel->entry.packed) {
            wave->vector[0][lane] = index[0] | index[1] << 10 | index[2] << 20;
            continue;
        }
        for (unsigned axis = 0; axis < kernel->entry.thread_axes && axis < 3; axis++)
            wave->vector[axis][lane] = index[axis];
    }
    unsigned known = kernel->entry.packed ? 1 : kernel->entry.thread_axes;
    for (unsigned i = 0; i < known; i++)
        wave->vector_unknown[i] = 0;
    ht_wave_scalar_set(wave, HT_ISA_EXEC, 2, exec, 0);
}

/* Runs the next instruction. `step`: how many the wave ran before. */
static ht_status wave_step(const ht_isa_kernel *kernel, ht_wave *wave, uint64_t step,
                           ht_error *error) {
    const ht_isa_instruction *instruction = &kernel->program.instructions[wave->next++];
    if (step >= kernel->steps)
        return ht_isa_refuse(instruction, error, "a wave has run %llu instructions and goes on",
                             (unsigned long long)step);
    wave->counts->instructions++;
    ht_isa_pace_count(wave, instruction);
    return instruction->opcode ? instruction->opcode->execute(wave, instruction, error)
                               : ht_isa_execute_unknown(wave, instruction, error);
}

static ht_status check_next(const ht_isa_kernel *kernel, const ht_wave *wave, ht_error *error) {
    return wave->next < kernel->program.count
               ? HT_OK
               : ht_error_set(error, HT_ERROR_UNSUPPORTED,
                              "the kernel runs past its last instruction");
}

static ht_status wave_run(const ht_isa_kernel *kernel, ht_wave *wave, ht_error *error) {
    ht_status status = HT_OK;
    for (uint64_t step = 0; !wave->ended && !status; step++) {
        status = check_next(kernel, wave, error);
        if (!status)
            status = wave_step(kernel, wave, step, error);
    }
    return status;
}

/* Runs a wave as long as it may be idle. */
static ht_status wave_scout(const ht_isa_kernel *kernel, ht_wave *wave, bool *out_idle,
                            ht_error *error) {
    ht_status status = HT_OK;
    for (uint64_t step = 0; !wave->ended && !status; step++) {
        status = check_next(kernel, wave, error);
        if (status)
            return status;
        const ht_isa_instruction *next = &kernel->program.instructions[wave->next];
        bool access = next->class == HT_ISA_MEMORY && ht_wave_exec(wave) != 0;
        *out_idle = !access && step < IDLE_STEPS && wave->counts->scalar_loads == 0;
        if (!*out_idle)
            return HT_OK;
        status = wave_step(kernel, wave, step, error);
    }
    return status;
}

static void wave_begin(ht_wave *wave, const ht_isa_kernel *kernel, const uint32_t index[3],
                       uint64_t first, uint64_t threads) {
    wave->next = kernel->first;
    wave->program = &kernel->program;
    wave->ended = false;
    wave->first_unmodelled = NULL;
    wave->memory_queue = wave->local_queue = (ht_isa_queue){0};
    begin_scalars(wave, kernel, index);
    begin_lanes(wave, kernel, first, threads);
    if (wave->scratch_words)
        memset(wave->scratch_unknown, 0xff, wave->scratch_words * sizeof *wave->scratch_unknown);
}

/* Makes the wave that a block's waves are run in, one after the other. */
static ht_wave *wave_make(const ht_isa_kernel *kernel, ht_isa_memory *memory, ht_isa_lines *lines,
                          ht_access_counts *counts) {
    ht_wave *wave = ht_alloc(1, sizeof *wave);
    wave->lines = lines;
    wave->lanes = kernel->entry.wave32 ? 32 : 64;
    wave->stores_apart = kernel->entry.stores_apart;
    wave->memory = memory;
    wave->counts = counts;
    wave->scratch_words = (kernel->entry.scratch + 3) / 4;
    wave->scratch = ht_alloc(wave->scratch_words * HT_ISA_LANES + 1, sizeof *wave->scratch);
    wave->scratch_unknown = ht_alloc(wave->scratch_words + 1, sizeof *wave->scratch_unknown);
    return wave;
}

static void wave_free(ht_wave *wave) {
    free(wave->scratch);
    free(wave->scratch_unknown);
    free(wave);
}

static uint64_t threads_of(const ht_isa_kernel *kernel) {
    return (uint64_t)kernel->block[0] * kernel->block[1] * kernel->block[2];
}

ht_status ht_isa_block_run(const ht_isa_kernel *kernel, ht_isa_memory *memory,
                           const uint32_t index[3], ht_access_counts *counts, ht_error *error) {
    uint64_t threads = threads_of(kernel);
    ht_isa_lines lines = {0};
    ht_wave *wave = wave_make(kernel, memory, &lines, counts);
    ht_status status = HT_OK;
    for (uint64_t first = 0; first < threads && !status; first += wave->lanes) {
        wave_begin(wave, kernel, index, first, threads);
        counts->waves++;
        status = wave_run(kernel, wave, error);
    }
    counts->threads += threads;
    counts->blocks++;
    counts->block_lines += lines.count;
    ht_isa_lines_free(&lines);
    wave_free(wave);
    return status;
}

ht_status ht_isa_block_is_idle(const ht_isa_kernel *kernel, ht_isa_memory *memory,
                               const uint32_t index[3], bool *out_idle, ht_error *error) {
    uint64_t threads = threads_of(kernel);
    ht_isa_lines lines = {0};
    ht_access_counts counts = {0};
    ht_wave *wave = wave_make(kernel, memory, &lines, &counts);
    ht_status status = HT_OK;
    *out_idle = true;
    for (uint64_t first = 0; first < threads && *out_idle && !status; first += wave->lanes) {
        wave_begin(wave, kernel, index, first, threads);
        status = wave_scout(kernel, wave, out_idle, error);
    }
    ht_isa_lines_free(&lines);
    wave_free(wave);
    return status;
}
