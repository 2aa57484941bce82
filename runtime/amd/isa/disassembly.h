/* Machine code to instructions, by ROCm's own disassembler: libamd_comgr, which HIP's runtime
 * needs too, opened with dlopen. */
#ifndef HT_RUNTIME_AMD_ISA_DISASSEMBLY_H
#define HT_RUNTIME_AMD_ISA_DISASSEMBLY_H

#include "runtime/amd/code_object/code_object.h"
#include "runtime/amd/isa/program.h"

/* Of the code of one function at `address`, for architecture `arch`. HT_ERROR_MISSING without the
 * library; HT_ERROR_COMPILE for bytes that are no code. */
ht_status ht_isa_disassemble(ht_amd_bytes code, uint64_t address, const char *arch,
                             ht_isa_program *out_program, ht_error *error);

#endif
