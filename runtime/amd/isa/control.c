/* Instructions that move the program's place, wait, or do nothing that counts. */
#include "runtime/amd/isa/launch.h"
#include "runtime/amd/isa/vector.h"

static ht_status branch(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    (void)error;
    wave->next = instruction->target;
    return HT_OK;
}

static ht_status unknown_branch(const ht_wave *wave, const ht_isa_instruction *instruction,
                                ht_error *error) {
    const ht_isa_instruction *cause = wave->first_unmodelled;
    if (cause)
        return ht_isa_refuse(instruction, error,
                             "the branch may depend on the result of '%s' at 0x%llx, which is not "
                             "modelled",
                             cause->text, (unsigned long long)cause->address);
    return ht_isa_refuse(instruction, error,
                         "whether it branches depends on data that the kernel loads");
}

static ht_status branch_scc(ht_wave *wave, const ht_isa_instruction *instruction, bool when,
                            ht_error *error) {
    if (wave->scc_unknown)
        return unknown_branch(wave, instruction, error);
    if (wave->scc == when)
        wave->next = instruction->target;
    return HT_OK;
}

static ht_status branch_scc0(ht_wave *wave, const ht_isa_instruction *instruction,
                             ht_error *error) {
    return branch_scc(wave, instruction, false, error);
}

static ht_status branch_scc1(ht_wave *wave, const ht_isa_instruction *instruction,
                             ht_error *error) {
    return branch_scc(wave, instruction, true, error);
}

static ht_status branch_mask(ht_wave *wave, const ht_isa_instruction *instruction, unsigned first,
                             bool when_zero, ht_error *error) {
    ht_isa_operand mask = {.kind = HT_ISA_SCALAR, .first = (uint16_t)first, .words = 2};
    uint64_t unknown, value = ht_wave_scalar(wave, &mask, ht_wave_mask_words(wave), &unknown);
    bool zero = (value & ~unknown) == 0;
    if (zero && unknown)
        return unknown_branch(wave, instruction, error);
    if (zero == when_zero)
        wave->next = instruction->target;
    return HT_OK;
}

static ht_status branch_vccz(ht_wave *wave, const ht_isa_instruction *instruction,
                             ht_error *error) {
    return branch_mask(wave, instruction, HT_ISA_VCC, true, error);
}

static ht_status branch_vccnz(ht_wave *wave, const ht_isa_instruction *instruction,
                              ht_error *error) {
    return branch_mask(wave, instruction, HT_ISA_VCC, false, error);
}

static ht_status branch_execz(ht_wave *wave, const ht_isa_instruction *instruction,
                              ht_error *error) {
    return branch_mask(wave, instruction, HT_ISA_EXEC, true, error);
}

static ht_status branch_execnz(ht_wave *wave, const ht_isa_instruction *instruction,
                               ht_error *error) {
    return branch_mask(wave, instruction, HT_ISA_EXEC, false, error);
}

/* Jumps to the address that a register pair holds. */
static ht_status jump(ht_wave *wave, const ht_isa_instruction *instruction,
                      const ht_isa_operand *where, ht_error *error) {
    uint64_t unknown, address = ht_wave_scalar(wave, where, 2, &unknown) - HT_ISA_IMAGE_BASE;
    size_t target = ht_isa_program_find(wave->program, address);
    if (unknown || target == wave->program->count)
        return ht_isa_refuse(instruction, error, "where it leads is not known");
    wave->next = target;
    return HT_OK;
}

static ht_status jump_back(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    return jump(wave, instruction, &instruction->operands[0], error);
}

/* Calls; the way back is the address after this instruction. */
static ht_status call(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    ht_status status = jump(wave, instruction, &instruction->operands[1], error);
    if (!status)
        ht_wave_scalar_set(wave, instruction->operands[0].first, 2,
                           HT_ISA_IMAGE_BASE + instruction->address + 4, 0);
    return status;
}

static ht_status end(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    (void)instruction, (void)error;
    wave->ended = true;
    return HT_OK;
}

ht_status ht_isa_nothing(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    (void)wave, (void)instruction, (void)error;
    return HT_OK;
}

static ht_status barrier(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    (void)instruction, (void)error;
    wave->counts->barriers++;
    return HT_OK;
}

/* Gets the address after this instruction, in the image as it is loaded. */
static ht_status get_place(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    (void)error;
    ht_wave_scalar_set(wave, instruction->operands[0].first, 2,
                       HT_ISA_IMAGE_BASE + instruction->address + 4, 0);
    return HT_OK;
}

const ht_isa_opcode ht_isa_control_opcodes[] = {
    {.name = "s_branch", branch},
    {.name = "s_cbranch_scc0", branch_scc0},
    {.name = "s_cbranch_scc1", branch_scc1},
    {.name = "s_cbranch_vccz", branch_vccz},
    {.name = "s_cbranch_vccnz", branch_vccnz},
    {.name = "s_cbranch_execz", branch_execz},
    {.name = "s_cbranch_execnz", branch_execnz},
    {.name = "s_setpc_b64", jump_back},
    {.name = "s_swappc_b64", call},
    {.name = "s_endpgm", end},
    {.name = "s_barrier", barrier},
    {.name = "s_getpc_b64", get_place},
    {.name = "s_waitcnt", ht_isa_nothing},
    {.name = "s_waitcnt_vscnt", ht_isa_nothing},
    {.name = "s_waitcnt_depctr", ht_isa_nothing},
    {.name = "s_wait_loadcnt", ht_isa_nothing}, /* gfx12's, one for each counter */
    {.name = "s_wait_storecnt", ht_isa_nothing},
    {.name = "s_wait_samplecnt", ht_isa_nothing},
    {.name = "s_wait_bvhcnt", ht_isa_nothing},
    {.name = "s_wait_expcnt", ht_isa_nothing},
    {.name = "s_wait_dscnt", ht_isa_nothing},
    {.name = "s_wait_kmcnt", ht_isa_nothing},
    {.name = "s_wait_loadcnt_dscnt", ht_isa_nothing},
    {.name = "s_wait_storecnt_dscnt", ht_isa_nothing},
    {.name = "s_wait_alu", ht_isa_nothing},
    {.name = "s_wait_idle", ht_isa_nothing},
    {.name = "s_barrier_signal", ht_isa_nothing}, /* s_barrier_wait is the barrier */
    {.name = "s_clause", ht_isa_nothing},
    {.name = "s_delay_alu", ht_isa_nothing},
    {.name = "s_set_inst_prefetch_distance", ht_isa_nothing},
    {.name = "s_sendmsg", ht_isa_nothing}, /* that registers are free, at a kernel's end */
    {.name = "s_code_end", ht_isa_nothing},
    {.name = "s_round_mode", ht_isa_nothing},
    {.name = "s_denorm_mode", ht_isa_nothing},
    {.name = "s_nop", ht_isa_nothing},
    {.name = "s_sleep", ht_isa_nothing},
    {.name = "s_setprio", ht_isa_nothing},
    {.name = "s_sethalt", ht_isa_nothing},
    {.name = "s_inst_prefetch", ht_isa_nothing},
    {.name = "s_setreg_b32", ht_isa_nothing},       /* the mode of floating point, */
    {.name = "s_setreg_imm32_b32", ht_isa_nothing}, /* whose results are not followed so far */
    {.name = "s_icache_inv", ht_isa_nothing},
    {.name = "s_dcache_wb", ht_isa_nothing},
    {.name = "s_dcache_inv", ht_isa_nothing},
    {.name = "global_inv", ht_isa_nothing},
    {.name = "global_wb", ht_isa_nothing},
    {.name = "global_wbinv", ht_isa_nothing},
    {.name = "buffer_gl0_inv", ht_isa_nothing},
    {.name = "buffer_gl1_inv", ht_isa_nothing},
    {.name = "buffer_wbl2", ht_isa_nothing},
    {.name = "buffer_invl2", ht_isa_nothing},
    {.name = "buffer_wbinvl1", ht_isa_nothing},
    {.name = "buffer_wbinvl1_vol", ht_isa_nothing},
    {0},
};
