/* Disassembling by LLVM's own library, for architectures that ROCm's is too old for. */
#ifndef HT_RUNTIME_AMD_ISA_LLVM_H
#define HT_RUNTIME_AMD_ISA_LLVM_H

#include "runtime/amd/code_object/code_object.h"
#include "runtime/amd/isa/program.h"

/* As ht_isa_disassemble; HT_ERROR_MISSING when no library is there that knows the architecture. */
ht_status ht_isa_llvm_disassemble(ht_amd_bytes code, uint64_t address, const char *arch,
                                  ht_isa_program *out_program, ht_error *error);

#endif
