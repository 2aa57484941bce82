/* Following a kernel's blocks: how a wave begins, and its instructions until it ends. */
#ifndef HT_RUNTIME_AMD_ISA_LAUNCH_H
#define HT_RUNTIME_AMD_ISA_LAUNCH_H

#include "runtime/amd/isa/memory.h"
#include "runtime/amd/isa/program.h"

/* Where things are for the kernel. Buffer i begins at HT_ISA_BUFFER_BASE(i). */
#define HT_ISA_ARGUMENT_BASE (UINT64_C(1) << 32)
#define HT_ISA_PACKET_BASE (UINT64_C(1) << 33)
#define HT_ISA_IMAGE_BASE (UINT64_C(1) << 40)
#define HT_ISA_BUFFER_BASE(i) (((uint64_t)(i) + 2) << 41)

/* The begin of a wave, by the kernel's descriptor. */
typedef struct ht_isa_entry {
    unsigned user_registers; /* scalar ones, in front of the block's indices */
    bool has_scratch_register, has_block[3], has_block_information;
    unsigned thread_axes; /* 1 to 3 of the thread's indices are given */
    bool wave32;          /* waves have 32 lanes */
    bool stores_apart;    /* ht_wave's */
    bool block_in_traps; /* the block's indices are in ttmp9 (x) and ttmp7 (y, z above it): gfx12 */
    bool packed;         /* indices share v0, 10 bits each (gfx90a and later) */
    bool private_descriptor, packet, queue, arguments, dispatch, flat_scratch, private_size;
    size_t scratch; /* bytes a lane */
} ht_isa_entry;

typedef struct ht_isa_kernel {
    ht_isa_program program; /* owned */
    size_t first;           /* instruction of the kernel */
    ht_isa_entry entry;
    uint32_t block[3]; /* threads */
    uint64_t steps;    /* instructions that a wave may run */
} ht_isa_kernel;

/* Reads the 64 bytes of a kernel descriptor. A feature that is not modelled is
 * HT_ERROR_UNSUPPORTED. */
ht_status ht_isa_entry_read(const uint8_t descriptor[64], bool packed, ht_isa_entry *out_entry,
                            ht_error *error);

/* Follows all waves of one block, and adds what they do to `counts`. A branch that depends on
 * unknown data, an instruction that is not modelled where it matters, and an access outside of
 * memory are HT_ERROR_UNSUPPORTED with the instruction's text and address. */
ht_status ht_isa_block_run(const ht_isa_kernel *kernel, ht_isa_memory *memory,
                           const uint32_t index[3], ht_access_counts *counts, ht_error *error);

/* Returns in *out_idle whether a block ends soon, and without going to memory for data: none of its
 * outputs is its own to compute. It is followed up to its first access, which is not made. Errors
 * are those of ht_isa_block_run. */
ht_status ht_isa_block_is_idle(const ht_isa_kernel *kernel, ht_isa_memory *memory,
                               const uint32_t index[3], bool *out_idle, ht_error *error);

#endif
