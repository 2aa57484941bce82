/* The parts of a unit that a wave keeps busy, and its waits: listings written by hand, counted by
 * hand. They begin as those of isa_test.c: the arguments' address in s[0:1], the block's index in
 * s2, the thread's in v0; arguments are input's address and output's. */
#include "base/memory.h"
#include "runtime/amd/isa/launch.h"
#include "runtime/amd/isa/names.h"
#include "runtime/amd/isa/opcode.h"
#include "runtime/amd/isa/pace.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 1024, ARGUMENTS = 64 };

/* Input in s[4:5], output in s[6:7]; v1 = 4 * thread. */
#define BEGIN                                                                                      \
    "s_load_dwordx4 s[4:7], s[0:1], 0x0\n"                                                         \
    "v_lshlrev_b32_e32 v1, 2, v0\n"                                                                \
    "s_waitcnt lgkmcnt(0)\n"

static ht_access_counts run(const char *listing, unsigned threads, const uint8_t *contents) {
    ht_isa_kernel kernel = {.entry = {.user_registers = 2,
                                      .arguments = true,
                                      .has_block = {true},
                                      .packed = true,
                                      .scratch = 64},
                            .block = {threads, 1, 1},
                            .steps = 100000};
    ht_isa_memory memory = {.count = 3, .lds = 65536};
    uint8_t arguments[ARGUMENTS] = {0};
    ht_access_counts counts = {0};
    ht_error error = {0};
    const uint32_t block[3] = {0};
    uint64_t in = HT_ISA_BUFFER_BASE(0), out = HT_ISA_BUFFER_BASE(1);
    cr_assert_eq(ht_isa_program_parse(listing, &kernel.program, &error), HT_OK, "%s",
                 error.message);
    memcpy(arguments, &in, 8);
    memcpy(arguments + 8, &out, 8);
    memory.regions = ht_alloc(3, sizeof *memory.regions);
    memory.regions[0] = (ht_isa_region){
        .kind = HT_ISA_LAUNCH, .base = HT_ISA_ARGUMENT_BASE, .size = ARGUMENTS, .bytes = arguments};
    memory.regions[1] =
        (ht_isa_region){.kind = HT_ISA_BUFFER, .base = in, .size = 4 * ELEMENTS, .bytes = contents};
    memory.regions[2] = (ht_isa_region){.kind = HT_ISA_BUFFER,
                                        .base = out,
                                        .size = 4 * ELEMENTS,
                                        .element = 4,
                                        .written = ht_alloc(ELEMENTS / 8, 1)};
    cr_assert_eq(ht_isa_block_run(&kernel, &memory, block, &counts, &error), HT_OK, "%s",
                 error.message);
    ht_isa_program_free(&kernel.program);
    ht_isa_memory_free(&memory);
    return counts;
}

Test(amd_pace, each_instruction_is_counted_where_it_keeps_a_unit_busy) {
    ht_access_counts counts = run(BEGIN "v_mul_f32_e32 v2, v1, v1\n"
                                        "v_fma_f32 v2, v1, v1, v2\n"
                                        "v_rcp_f32_e32 v3, v2\n"
                                        "v_mul_lo_u32 v3, v2, v2\n"
                                        "v_fma_f64 v[4:5], v[2:3], v[2:3], v[4:5]\n"
                                        "v_mfma_f32_32x32x2f32 a[0:15], v1, v2, a[0:15]\n"
                                        "s_add_i32 s8, s8, 1\n"
                                        "s_branch 0\n"
                                        "s_nop 0\n"
                                        "s_barrier\n"
                                        "s_endpgm\n",
                                  100, NULL);
    cr_expect_eq(counts.vector_instructions, 2 * 3, "a shift, a product, a fused one, two waves");
    cr_expect_eq(counts.slow_instructions, 2 * 2);
    cr_expect_eq(counts.double_instructions, 2);
    cr_expect_eq(counts.matrix_cycles, 2 * 64);
    cr_expect_eq(counts.scalar_instructions, 2 * 2);
}

Test(amd_pace, loads_that_are_under_way_together_are_waited_for_once) {
    ht_access_counts counts = run(BEGIN "global_load_dword v2, v1, s[4:5]\n"
                                        "global_load_dword v3, v1, s[4:5] offset:256\n"
                                        "s_waitcnt vmcnt(1)\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "s_endpgm\n",
                                  64, NULL);
    cr_expect_eq(counts.memory_waits, 1);
    cr_expect_eq(counts.cached_waits, 0);
    cr_expect_eq(counts.scalar_waits, 1, "that for the arguments");
}

Test(amd_pace, a_load_that_began_after_a_wait_is_waited_for_again) {
    ht_access_counts counts = run(BEGIN "global_load_dword v2, v1, s[4:5]\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "global_load_dword v3, v1, s[4:5] offset:256\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "global_load_dword v3, v1, s[4:5] offset:256\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "s_endpgm\n",
                                  64, NULL);
    cr_expect_eq(counts.memory_waits, 2);
    cr_expect_eq(counts.cached_waits, 1, "the third load has lines that the block has");
    cr_expect_eq(counts.block_lines, 8);
    cr_expect_eq(counts.global_load_lines, 12);
}

Test(amd_pace, a_wait_that_leaves_as_many_as_there_are_waits_for_nothing) {
    ht_access_counts counts = run(BEGIN "global_load_dword v2, v1, s[4:5]\n"
                                        "s_waitcnt vmcnt(1)\n"
                                        "ds_read_b32 v3, v1\n"
                                        "s_waitcnt vmcnt(3) lgkmcnt(1)\n"
                                        "s_waitcnt lgkmcnt(0)\n"
                                        "s_endpgm\n",
                                  64, NULL);
    cr_expect_eq(counts.memory_waits + counts.cached_waits, 0);
    cr_expect_eq(counts.lds_waits, 1);
}

Test(amd_pace, a_wait_is_for_the_farthest_of_what_is_under_way) {
    ht_access_counts counts = run(BEGIN "scratch_load_dword v2, off, s9\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "scratch_load_dword v2, off, s9\n"
                                        "global_load_dword v3, v1, s[4:5]\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "s_endpgm\n",
                                  64, NULL);
    cr_expect_eq(counts.scratch_waits, 1);
    cr_expect_eq(counts.memory_waits, 1);
    cr_expect_eq(counts.scratch_bytes, 2 * 4 * 64);
}

Test(amd_pace, lanes_apart_take_whole_lines_of_l1) {
    ht_access_counts near = run(BEGIN "global_load_dword v2, v1, s[4:5]\ns_endpgm\n", 64, NULL);
    ht_access_counts apart = run(BEGIN "v_lshlrev_b32_e32 v1, 4, v1\n"
                                       "global_load_dword v2, v1, s[4:5]\ns_endpgm\n",
                                 64, NULL);
    cr_expect_eq(near.l1_bytes, 4 * 64);
    cr_expect_eq(apart.l1_bytes, 64 * 64);
}

static const uint32_t places[ELEMENTS] = {64, 128};

Test(amd_pace, contents_of_a_buffer_decide_addresses_where_they_are_known) {
    static const char listing[] = BEGIN "s_load_dword s8, s[4:5], 0x4\n"
                                        "s_waitcnt lgkmcnt(0)\n"
                                        "v_add_u32_e32 v1, s8, v1\n"
                                        "v_mov_b32_e32 v2, 0\n"
                                        "global_store_dword v1, v2, s[6:7]\n"
                                        "s_endpgm\n";
    ht_access_counts counts = run(listing, 64, (const uint8_t *)places);
    cr_expect_eq(counts.outputs, 64, "unknown, they would be refused");
    cr_expect_eq(counts.scalar_loads, 1);
}

Test(amd_pace, a_vector_load_of_known_contents_is_known) {
    static const char listing[] = BEGIN "v_mov_b32_e32 v2, 4\n"
                                        "global_load_dword v3, v2, s[4:5]\n"
                                        "s_waitcnt vmcnt(0)\n"
                                        "v_add_u32_e32 v1, v3, v1\n"
                                        "global_store_dword v1, v2, s[6:7]\n"
                                        "s_endpgm\n";
    ht_access_counts counts = run(listing, 64, (const uint8_t *)places);
    cr_expect_eq(counts.outputs, 64);
}

static unsigned passes(unsigned stride, unsigned offset, unsigned bytes, uint64_t exec) {
    ht_isa_lanes where = {0};
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
        where.value[lane] = (uint64_t)lane * stride;
    return ht_isa_lds_passes(&where, exec, offset, bytes);
}

Test(amd_pace, lanes_that_meet_in_a_bank_of_lds_go_one_after_the_other) {
    cr_expect_eq(passes(4, 0, 4, ~UINT64_C(0)), 2, "64 words, 32 a pass");
    cr_expect_eq(passes(8, 0, 4, ~UINT64_C(0)), 4, "every other bank");
    cr_expect_eq(passes(128, 0, 4, ~UINT64_C(0)), 64, "all in one bank");
    cr_expect_eq(passes(132, 0, 4, ~UINT64_C(0)), 2, "a column of padding");
    cr_expect_eq(passes(0, 0, 4, ~UINT64_C(0)), 2, "one word for all");
    cr_expect_eq(passes(4, 0, 4, 1), 1, "one lane");
    cr_expect_eq(passes(4, 0, 4, 0), 0, "no lane");
}

Test(amd_pace, wide_accesses_to_lds_take_as_many_passes_as_they_have_bytes) {
    cr_expect_eq(passes(8, 0, 8, ~UINT64_C(0)), 4);
    cr_expect_eq(passes(16, 0, 16, ~UINT64_C(0)), 8);
    cr_expect_eq(passes(8, 4, 8, ~UINT64_C(0)), 64, "misaligned: lane by lane");
    cr_expect_eq(passes(16, 4, 12, ~UINT64_C(0)), 64);
}

Test(amd_pace, lanes_whose_place_in_lds_is_unknown_do_not_meet) {
    ht_isa_lanes where = {.unknown = ~UINT64_C(0)};
    cr_expect_eq(ht_isa_lds_passes(&where, ~UINT64_C(0), 0, 4), 2);
    cr_expect_eq(ht_isa_lds_passes(&where, ~UINT64_C(0), 0, 8), 4);
}

/* gfx11 prints other names for the same instructions. */
Test(amd_pace, instructions_of_gfx11_are_those_of_gfx9_by_other_names) {
    static const char *const names[][2] = {{"global_load_b128", "global_load_dwordx4"},
                                           {"s_load_b256", "s_load_dwordx8"},
                                           {"scratch_store_b32", "scratch_store_dword"},
                                           {"ds_load_b96", "ds_read_b96"},
                                           {"ds_load_2addr_stride64_b64", "ds_read2st64_b64"},
                                           {"ds_store_2addr_b32", "ds_write2_b32"},
                                           {"s_and_not1_b32", "s_andn2_b32"},
                                           {"s_add_co_ci_u32", "s_addc_u32"},
                                           {"s_barrier_wait", "s_barrier"},
                                           {"v_ctz_i32_b32_e32", "v_ffbl_b32_e32"},
                                           {"v_add_f32_e32", "v_add_f32_e32"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s", names[i][0]);
        ht_isa_name_old(name, sizeof name);
        cr_expect_str_eq(name, names[i][1]);
        cr_expect_not_null(ht_isa_opcode_find(name), "%s", name);
    }
}

static ht_isa_program parsed(const char *listing);

Test(amd_pace, waits_of_gfx12_have_a_number_for_each_kind) {
    ht_isa_program program = parsed("s_wait_loadcnt 0x2\n"
                                    "s_wait_kmcnt 0x0\n"
                                    "s_wait_loadcnt_dscnt 0x103\n"
                                    "s_wait_storecnt 0x0\n");
    static const int left[][2] = {
        {2, HT_ISA_ANY}, {HT_ISA_ANY, 0}, {1, 3}, {HT_ISA_ANY, HT_ISA_ANY}};
    cr_assert_eq(program.count, 4);
    for (size_t i = 0; i < program.count; i++) {
        cr_expect_eq(program.instructions[i].left_memory, left[i][0], "%zu", i);
        cr_expect_eq(program.instructions[i].left_local, left[i][1], "%zu", i);
        cr_expect_eq(program.instructions[i].class, HT_ISA_FREE, "%zu", i);
        cr_expect_not_null(program.instructions[i].opcode, "%zu", i);
    }
    ht_isa_program_free(&program);
}

static ht_isa_program parsed(const char *listing) {
    ht_isa_program program;
    ht_error error = {0};
    cr_assert_eq(ht_isa_program_parse(listing, &program, &error), HT_OK, "%s", error.message);
    return program;
}

Test(amd_pace, both_of_a_pair_read_before_one_writes) {
    ht_isa_program program = parsed("v_dual_mov_b32 v1, v2 :: v_dual_add_f32 v3, v1, v4\n"
                                    "v_dual_mov_b32 v1, v3 :: v_dual_mov_b32 v3, v1\n"
                                    "v_dual_mov_b32 v5, v6 :: v_dual_mov_b32 v7, v8\n");
    cr_assert_eq(program.count, 6);
    cr_expect_str_eq(program.instructions[0].name, "v_add_f32", "its v1 is the old one");
    cr_expect_str_eq(program.instructions[1].name, "v_mov_b32");
    cr_expect(program.instructions[2].unusual && program.instructions[3].unusual,
              "an exchange: neither can be first");
    cr_expect_eq(program.instructions[4].operands[0].first, 5);
    cr_expect_not(program.instructions[4].unusual);
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(program.instructions[i].class, i % 2 ? HT_ISA_FREE : HT_ISA_VECTOR_FULL,
                     "a pair costs as much as one");
    ht_isa_program_free(&program);
}

Test(amd_pace, a_choice_in_a_pair_goes_by_the_mask_that_is_not_listed) {
    ht_isa_program program = parsed("v_dual_cndmask_b32 v13, v13, v15 :: v_dual_mov_b32 v5, v6\n"
                                    "v_dual_mov_b32 v5, v6 :: v_dual_cndmask_b32 v1, v2, v3\n"
                                    "v_cndmask_b32_e32 v13, v13, v15, vcc_lo\n");
    const ht_isa_instruction *alone = &program.instructions[4];
    for (size_t i = 0; i < 4; i += 3) {
        const ht_isa_instruction *choice = &program.instructions[i];
        cr_expect_str_eq(choice->name, "v_cndmask_b32");
        cr_assert_eq(choice->operand_count, alone->operand_count);
        cr_expect_eq(choice->operands[3].kind, alone->operands[3].kind);
        cr_expect_eq(choice->operands[3].first, alone->operands[3].first);
    }
    ht_isa_program_free(&program);
}
