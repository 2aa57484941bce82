/* Following instructions: listings written by hand, whose accesses are known by counting. Every
 * listing begins with the arguments' address in s[0:1], the block's index in s2 and the thread's in
 * v0. Arguments are: input's address, output's address, a number. */
#include "base/memory.h"
#include "base/text.h"
#include "runtime/amd/isa/launch.h"
#include "runtime/amd/isa/wave.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 1024, ARGUMENTS = 64 };

/* Loads the arguments: input in s[4:5], output in s[6:7], the number in s8; v1 = 4 * thread. */
#define BEGIN                                                                                      \
    "s_load_dwordx4 s[4:7], s[0:1], 0x0\n"                                                         \
    "s_load_dword s8, s[0:1], 0x10\n"                                                              \
    "v_lshlrev_b32_e32 v1, 2, v0\n"

typedef struct fixture {
    ht_isa_kernel kernel;
    ht_isa_memory memory;
    uint8_t arguments[ARGUMENTS];
    ht_access_counts counts;
    ht_error error;
} fixture;

static void fixture_make(fixture *f, const char *listing, unsigned threads, uint32_t number) {
    *f = (fixture){.kernel = {.entry = {.user_registers = 2,
                                        .arguments = true,
                                        .has_block = {true},
                                        .packed = true,
                                        .scratch = 64},
                              .block = {threads, 1, 1},
                              .steps = 100000}};
    cr_assert_eq(ht_isa_program_parse(listing, &f->kernel.program, &f->error), HT_OK, "%s",
                 f->error.message);
    uint64_t in = HT_ISA_BUFFER_BASE(0), out = HT_ISA_BUFFER_BASE(1);
    memcpy(f->arguments, &in, 8);
    memcpy(f->arguments + 8, &out, 8);
    memcpy(f->arguments + 16, &number, 4);
    f->memory.count = 3;
    f->memory.lds = 4096;
    f->memory.regions = ht_alloc(3, sizeof *f->memory.regions);
    f->memory.regions[0] = (ht_isa_region){.kind = HT_ISA_LAUNCH,
                                           .base = HT_ISA_ARGUMENT_BASE,
                                           .size = ARGUMENTS,
                                           .bytes = f->arguments};
    f->memory.regions[1] = (ht_isa_region){.kind = HT_ISA_BUFFER, .base = in, .size = 4 * ELEMENTS};
    f->memory.regions[2] = (ht_isa_region){.kind = HT_ISA_BUFFER,
                                           .base = out,
                                           .size = 4 * ELEMENTS,
                                           .element = 4,
                                           .written = ht_alloc(ELEMENTS / 8, 1)};
}

static void fixture_free(fixture *f) {
    ht_isa_program_free(&f->kernel.program);
    ht_isa_memory_free(&f->memory);
}

static ht_status run_listing(fixture *f, const char *listing, unsigned threads, uint32_t number) {
    fixture_make(f, listing, threads, number);
    const uint32_t block[3] = {0, 0, 0};
    return ht_isa_block_run(&f->kernel, &f->memory, block, &f->counts, &f->error);
}

static void run_well(fixture *f, const char *listing, unsigned threads, uint32_t number) {
    ht_status status = run_listing(f, listing, threads, number);
    cr_assert_eq(status, HT_OK, "%s", f->error.message);
}

static bool was_written(const fixture *f, size_t element) {
    return f->memory.regions[2].written[element / 8] >> (element % 8) & 1;
}

/* Five rounds of two loads and a product. */
static const char loop[] = BEGIN "s_mov_b32 s9, 0\n"
                                 "v_mov_b32_e32 v2, 0\n"
                                 "global_load_dword v3, v1, s[4:5]\n"
                                 "global_load_dword v4, v1, s[4:5] offset:256\n"
                                 "s_waitcnt vmcnt(0)\n"
                                 "v_fmac_f32_e32 v2, v3, v4\n"
                                 "s_add_i32 s9, s9, 1\n"
                                 "s_cmp_lg_u32 s9, s8\n"
                                 "s_cbranch_scc1 65529\n"
                                 "global_store_dword v1, v2, s[6:7]\n"
                                 "s_endpgm\n";

Test(amd_isa, a_loop_runs_as_often_as_its_argument_says) {
    fixture f;
    run_well(&f, loop, 64, 5);
    cr_expect_eq(f.counts.global_loads, 64 * 5 * 2);
    cr_expect_eq(f.counts.global_load_bytes, 64 * 5 * 2 * 4);
    cr_expect_eq(f.counts.global_load_issues, 5 * 2);
    cr_expect_eq(f.counts.global_load_lines, 5 * 2 * 4, "64 words are four lines of 64 bytes");
    cr_expect_eq(f.counts.products, 64 * 5);
    cr_expect_eq(f.counts.global_stores, 64);
    cr_expect_eq(f.counts.outputs, 64);
    cr_expect_eq(f.counts.instructions, 5 + 5 * 7 + 2);
    cr_expect_eq(f.counts.scalar_loads, 0, "arguments are no data");
    fixture_free(&f);
}

Test(amd_isa, waves_have_64_lanes_and_the_last_has_the_rest) {
    fixture f;
    run_well(&f, loop, 100, 1);
    cr_expect_eq(f.counts.waves, 2);
    cr_expect_eq(f.counts.threads, 100);
    cr_expect_eq(f.counts.global_loads, 100 * 2);
    cr_expect_eq(f.counts.outputs, 100);
    fixture_free(&f);
}

/* if (thread < number) out[thread] = in[thread]; */
static const char guarded[] = BEGIN "v_cmp_gt_i32_e32 vcc, s8, v0\n"
                                    "s_and_saveexec_b64 s[10:11], vcc\n"
                                    "s_cbranch_execz 3\n"
                                    "global_load_dword v2, v1, s[4:5]\n"
                                    "s_waitcnt vmcnt(0)\n"
                                    "global_store_dword v1, v2, s[6:7]\n"
                                    "s_endpgm\n";

Test(amd_isa, a_guarded_thread_does_nothing) {
    fixture f;
    run_well(&f, guarded, 64, 10);
    cr_expect_eq(f.counts.global_loads, 10);
    cr_expect_eq(f.counts.outputs, 10);
    cr_expect(was_written(&f, 9));
    cr_expect_not(was_written(&f, 10));
    fixture_free(&f);
    run_well(&f, guarded, 64, 0);
    cr_expect_eq(f.counts.global_loads, 0);
    cr_expect_eq(f.counts.global_load_issues, 0, "the branch skips it");
    fixture_free(&f);
}

Test(amd_isa, wide_loads_are_one_access_of_many_bytes) {
    fixture f;
    run_well(&f,
             BEGIN "v_lshlrev_b32_e32 v2, 4, v0\n"
                   "global_load_dwordx4 v[4:7], v2, s[4:5]\n"
                   "global_load_ubyte v8, v0, s[4:5]\n"
                   "s_endpgm\n",
             64, 0);
    cr_expect_eq(f.counts.global_loads, 64 * 2);
    cr_expect_eq(f.counts.global_load_bytes, 64 * (16 + 1));
    cr_expect_eq(f.counts.global_load_lines, 16 + 1);
    fixture_free(&f);
}

Test(amd_isa, scalar_loads_of_data_count_once_a_wave) {
    fixture f;
    run_well(&f, BEGIN "s_load_dwordx2 s[12:13], s[4:5], 0x8\ns_endpgm\n", 128, 0);
    cr_expect_eq(f.counts.scalar_loads, 2);
    cr_expect_eq(f.counts.scalar_load_bytes, 16);
    cr_expect_eq(f.counts.global_loads, 0);
    fixture_free(&f);
}

Test(amd_isa, places_of_lds_are_counted_one_by_one) {
    fixture f;
    run_well(&f,
             BEGIN "ds_write_b32 v1, v2\n"
                   "s_waitcnt lgkmcnt(0)\n"
                   "s_barrier\n"
                   "s_mov_b32 s9, 3\n"
                   "ds_read2_b32 v[4:5], v1 offset0:1 offset1:2\n"
                   "ds_read_b128 v[8:11], v1 offset:16\n"
                   "s_add_i32 s9, s9, -1\n"
                   "s_cmp_lg_u32 s9, 0\n"
                   "s_cbranch_scc1 65531\n"
                   "s_endpgm\n",
             64, 0);
    cr_expect_eq(f.counts.lds_writes, 64);
    cr_expect_eq(f.counts.lds_reads, 64 * 3 * 3);
    cr_expect_eq(f.counts.lds_read_bytes, 64 * 3 * (8 + 16));
    cr_expect_eq(f.counts.barriers, 1);
    cr_expect_eq(f.counts.global_loads, 0);
    fixture_free(&f);
}

Test(amd_isa, an_output_counts_once_however_often_it_is_stored) {
    fixture f;
    run_well(&f,
             BEGIN "global_store_dword v1, v2, s[6:7]\n"
                   "global_store_dword v1, v2, s[6:7]\n"
                   "s_endpgm\n",
             64, 0);
    cr_expect_eq(f.counts.global_stores, 128);
    cr_expect_eq(f.counts.outputs, 64);
    fixture_free(&f);
}

static void expect_refused(const char *listing, uint32_t number, const char *instruction,
                           const char *reason) {
    fixture f;
    cr_expect_eq(run_listing(&f, listing, 64, number), HT_ERROR_UNSUPPORTED, "%s", listing);
    cr_expect(strstr(f.error.message, instruction), "%s", f.error.message);
    cr_expect(strstr(f.error.message, reason), "%s", f.error.message);
    fixture_free(&f);
}

Test(amd_isa, what_depends_on_data_is_refused_and_never_guessed) {
    expect_refused(BEGIN "s_load_dword s9, s[4:5], 0x0\n"
                         "s_cmp_lg_u32 s9, 0\n"
                         "s_cbranch_scc1 65533\n"
                         "s_endpgm\n",
                   0, "instruction at 0x14, 's_cbranch_scc1 65533'", "depends on data");
    expect_refused(BEGIN "global_load_dword v2, v1, s[4:5]\n"
                         "v_cmp_gt_i32_e32 vcc, 0, v2\n"
                         "s_and_saveexec_b64 s[10:11], vcc\n"
                         "s_endpgm\n",
                   0, "s_and_saveexec_b64", "which lanes take part depends on data");
    expect_refused(BEGIN "global_load_dword v2, v1, s[4:5]\n"
                         "global_store_dword v2, v1, s[6:7]\n"
                         "s_endpgm\n",
                   0, "global_store_dword v2", "where it stores depends on data");
}

Test(amd_isa, instructions_that_are_not_modelled_are_named) {
    expect_refused(BEGIN "v_frobnicate_b32 v2, v0\n"
                         "v_cmp_gt_i32_e32 vcc, 0, v2\n"
                         "s_cbranch_vccnz 65533\n"
                         "s_endpgm\n",
                   0, "v_frobnicate_b32 v2, v0", "not modelled");
    expect_refused(BEGIN "s_cbranch_g_fork s[0:1], 0\ns_endpgm\n", 0, "s_cbranch_g_fork",
                   "not modelled");
    expect_refused(BEGIN "image_load v[0:3], v0, s[0:7]\ns_endpgm\n", 0, "image_load",
                   "not modelled");
    /* without an effect on the counts, it does not matter */
    fixture f;
    run_well(&f, BEGIN "v_frobnicate_b32 v2, v0\nglobal_store_dword v1, v2, s[6:7]\ns_endpgm\n", 64,
             0);
    cr_expect_eq(f.counts.outputs, 64);
    fixture_free(&f);
}

Test(amd_isa, accesses_outside_are_refused) {
    expect_refused(BEGIN "global_load_dword v2, v1, s[4:5] offset:4092\ns_endpgm\n", 0,
                   "offset:4092", "lane 1 goes to");
    expect_refused(BEGIN "ds_read_b32 v2, v1 offset:4000\ns_endpgm\n", 0, "ds_read_b32",
                   "lane 24 goes to byte 4096 of LDS");
    expect_refused("s_branch 65535\n", 0, "s_branch", "goes on");
    expect_refused("s_nop 0\n", 0, "", "past its last instruction");
}

/* Unknown bits do not spread to those that the instruction does not take from them. */
Test(amd_isa, masks_are_known_bit_by_bit) {
    fixture f;
    run_well(&f,
             BEGIN "global_load_dword v2, v1, s[4:5]\n"
                   "v_cmp_gt_i32_e32 vcc, 0, v2\n"
                   "s_mov_b64 s[10:11], 0\n"
                   "s_and_b64 s[10:11], vcc, s[10:11]\n"
                   "s_and_saveexec_b64 s[12:13], s[10:11]\n"
                   "s_cbranch_execz 1\n"
                   "global_load_dword v2, v1, s[4:5]\n"
                   "s_endpgm\n",
             64, 0);
    cr_expect_eq(f.counts.global_loads, 64);
    fixture_free(&f);
}

/* An address that a pair of registers was moved to and fro is still one. */
Test(amd_isa, moves_of_64_bits_keep_both_words) {
    fixture f;
    run_well(&f,
             BEGIN "v_mov_b64_e32 v[4:5], s[4:5]\n"
                   "v_mov_b64_e32 v[6:7], v[4:5]\n"
                   "global_load_dword v2, v[6:7], off\n"
                   "s_endpgm\n",
             64, 0);
    cr_expect_eq(f.counts.global_loads, 64);
    fixture_free(&f);
}

/* thread / number, as compilers write it: through a float reciprocal, then corrected. The quotient
 * and the remainder become the element that is stored. */
static const char division[] = BEGIN "v_cvt_f32_u32_e32 v2, s8\n"
                                     "v_rcp_iflag_f32_e32 v2, v2\n"
                                     "v_mul_f32_e32 v2, 0x4f7ffffe, v2\n"
                                     "v_cvt_u32_f32_e32 v2, v2\n"
                                     "s_sub_i32 s9, 0, s8\n"
                                     "v_mul_lo_u32 v3, s9, v2\n"
                                     "v_mul_hi_u32 v3, v2, v3\n"
                                     "v_add_u32_e32 v2, v2, v3\n"
                                     "v_mul_hi_u32 v2, v0, v2\n"
                                     "v_mul_lo_u32 v3, v2, s8\n"
                                     "v_sub_u32_e32 v3, v0, v3\n"
                                     "v_add_u32_e32 v4, 1, v2\n"
                                     "v_cmp_le_u32_e32 vcc, s8, v3\n"
                                     "v_cndmask_b32_e32 v2, v2, v4, vcc\n"
                                     "v_subrev_u32_e32 v4, s8, v3\n"
                                     "v_cndmask_b32_e32 v3, v3, v4, vcc\n"
                                     "v_add_u32_e32 v4, 1, v2\n"
                                     "v_cmp_le_u32_e32 vcc, s8, v3\n"
                                     "v_cndmask_b32_e32 v2, v2, v4, vcc\n"
                                     "v_lshlrev_b32_e32 v2, 2, v2\n"
                                     "global_store_dword v2, v0, s[6:7]\n"
                                     "s_endpgm\n";

Test(amd_isa, divisions_of_integers_are_exact) {
    for (uint32_t divisor = 1; divisor <= 1100; divisor += divisor < 40 ? 1 : 97) {
        fixture f;
        run_well(&f, division, 1000, divisor);
        for (size_t i = 0; i < ELEMENTS; i++)
            cr_assert_eq(was_written(&f, i), i <= 999 / divisor, "%zu by %u", i, divisor);
        fixture_free(&f);
    }
}

/* 999 / number as compilers write it for gfx12, whose scalar unit has floats. */
static const char scalar_division[] = BEGIN "s_cvt_f32_u32 s9, s8\n"
                                            "v_rcp_iflag_f32_e32 v2, s9\n"
                                            "v_readfirstlane_b32 s9, v2\n"
                                            "s_mul_f32 s9, s9, 0x4f7ffffe\n"
                                            "s_cvt_u32_f32 s9, s9\n"
                                            "s_sub_co_i32 s10, 0, s8\n"
                                            "s_mul_i32 s10, s10, s9\n"
                                            "s_mul_hi_u32 s10, s9, s10\n"
                                            "s_add_co_i32 s9, s9, s10\n"
                                            "s_movk_i32 s11, 0x3e7\n"
                                            "s_mul_hi_u32 s9, s11, s9\n"
                                            "s_mul_i32 s10, s9, s8\n"
                                            "s_sub_co_i32 s10, s11, s10\n"
                                            "s_add_co_i32 s12, s9, 1\n"
                                            "s_sub_co_i32 s13, s10, s8\n"
                                            "s_cmp_ge_u32 s10, s8\n"
                                            "s_cselect_b32 s9, s12, s9\n"
                                            "s_cselect_b32 s10, s13, s10\n"
                                            "s_add_co_i32 s12, s9, 1\n"
                                            "s_cmp_ge_u32 s10, s8\n"
                                            "s_cselect_b32 s9, s12, s9\n"
                                            "s_lshl_b32 s9, s9, 2\n"
                                            "v_mov_b32_e32 v2, s9\n"
                                            "global_store_dword v2, v0, s[6:7]\n"
                                            "s_endpgm\n";

Test(amd_isa, divisions_of_scalars_are_exact) {
    for (uint32_t divisor = 1; divisor <= 1100; divisor += divisor < 40 ? 1 : 97) {
        fixture f;
        run_well(&f, scalar_division, 1, divisor);
        for (size_t i = 0; i < ELEMENTS; i++)
            cr_assert_eq(was_written(&f, i), i == 999 / divisor, "%zu by %u", i, divisor);
        fixture_free(&f);
    }
}

/* Registers that are kept in lanes of others, and in scratch, come back. */
Test(amd_isa, spilt_registers_stay_known) {
    fixture f;
    run_well(&f,
             BEGIN "v_writelane_b32 v9, s6, 3\n"
                   "v_writelane_b32 v9, s7, 4\n"
                   "buffer_store_dword v9, off, s[12:15], 0 offset:8\n"
                   "buffer_store_dword v1, off, s[12:15], 0 offset:12\n"
                   "v_mov_b32_e32 v9, 0\n"
                   "v_mov_b32_e32 v1, 0\n"
                   "buffer_load_dword v9, off, s[12:15], 0 offset:8\n"
                   "buffer_load_dword v1, off, s[12:15], 0 offset:12\n"
                   "v_readlane_b32 s20, v9, 3\n"
                   "v_readlane_b32 s21, v9, 4\n"
                   "global_store_dword v1, v2, s[20:21]\n"
                   "s_endpgm\n",
             64, 0);
    cr_expect_eq(f.counts.outputs, 64);
    cr_expect_eq(f.counts.scratch, 4 * 64);
    fixture_free(&f);
}

/* Compilers add 64-bit addends of which only the low word means anything. */
Test(amd_isa, the_low_word_of_a_long_sum_is_known_alone) {
    fixture f;
    run_well(&f,
             BEGIN "global_load_dword v3, v1, s[4:5]\n"
                   "v_mov_b32_e32 v2, v1\n"
                   "v_mad_u64_u32 v[4:5], s[10:11], v0, 4, v[2:3]\n"
                   "global_store_dword v4, v0, s[6:7]\n"
                   "s_endpgm\n",
             64, 0);
    for (size_t i = 0; i < 64; i++)
        cr_expect(was_written(&f, 2 * i));
    fixture_free(&f);
}

static void expect_bad(const char *listing, const char *part) {
    ht_isa_program program;
    ht_error error = {0};
    cr_expect_eq(ht_isa_program_parse(listing, &program, &error), HT_ERROR_INPUT, "%s", listing);
    cr_expect(strstr(error.message, part), "%s", error.message);
}

Test(amd_isa, text_that_is_no_instruction_is_told_with_its_line) {
    expect_bad("s_nop 0\n\n?!\n", "line 3: '?!' is no instruction");
    expect_bad("s_branch 7\n", "'s_branch 7' leads to no instruction");
    expect_bad("s_cbranch_scc0 v3\n", "leads to no instruction");
}

Test(amd_isa, operands_are_read_as_they_are_printed) {
    ht_isa_program program;
    ht_error error = {0};
    cr_assert_eq(ht_isa_program_parse("v_fma_f32 v1, -v2, |s3|, 0.5 // 000: 01\n"
                                      "ds_write2_b32 v12, a[18:19], v19 offset0:2 offset1:3\n"
                                      "v_mul_i32_i24_sdwa v2, sext(v4), s24 dst_sel:DWORD "
                                      "dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD\n"
                                      "v_mov_b32_e32 v1, 0xffffffff clamp\n",
                                      &program, &error),
                 HT_OK, "%s", error.message);
    const ht_isa_instruction *at = program.instructions;
    cr_expect_eq(at[0].operand_count, 4);
    cr_expect(at[0].operands[1].negated && at[0].operands[1].first == 2);
    cr_expect(at[0].operands[2].absolute && at[0].operands[2].kind == HT_ISA_SCALAR);
    cr_expect(at[0].operands[3].kind == HT_ISA_REAL && at[0].operands[3].real == 0.5);
    cr_expect_eq(at[1].operands[1].first, HT_ISA_ACCUMULATORS + 18);
    cr_expect_eq(at[1].operands[1].words, 2);
    cr_expect(at[1].offset[0] == 2 && at[1].offset[1] == 3);
    cr_expect_eq(at[2].operands[1].part, HT_ISA_WORD_0);
    cr_expect(at[2].operands[1].extended && !at[2].unusual);
    cr_expect_eq(at[3].operands[1].integer, 0xffffffff);
    cr_expect(at[3].unusual, "clamp changes the result");
    ht_isa_program_free(&program);
}

/* Returns the parts of a register by C's casts. */
static uint32_t part_of(uint32_t value, ht_isa_part part, bool extended) {
    if (part >= HT_ISA_WORD_0) {
        uint32_t word = value >> 16 * (part - HT_ISA_WORD_0);
        return extended ? (uint32_t)(int16_t)word : (uint16_t)word;
    }
    uint32_t byte = value >> 8 * (part - HT_ISA_BYTE_0);
    return extended ? (uint32_t)(int8_t)byte : (uint8_t)byte;
}

Test(amd_isa, parts_of_a_register_are_taken_with_and_without_their_sign) {
    static const uint32_t values[] = {0x80ff7f01, 0x7f0180ff, 0, 0xffffffff};
    ht_wave *wave = ht_alloc(1, sizeof *wave);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (ht_isa_part part = HT_ISA_BYTE_0; part <= HT_ISA_WORD_1; part++)
            for (unsigned extended = 0; extended < 2; extended++) {
                ht_isa_operand operand = {.kind = HT_ISA_VECTOR,
                                          .first = 5,
                                          .words = 1,
                                          .part = part,
                                          .extended = extended};
                wave->vector[5][63] = values[v];
                ht_isa_lanes lanes;
                ht_wave_lanes(wave, &operand, 1, false, &lanes);
                cr_expect_eq(lanes.value[63], part_of(values[v], part, extended),
                             "%#x, part %d, sign %u: %#llx", values[v], part, extended,
                             (unsigned long long)lanes.value[63]);
            }
    free(wave);
}
