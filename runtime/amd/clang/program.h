/* hiprtc's functions with clang in their place where an option says so. */
#ifndef HT_RUNTIME_AMD_CLANG_PROGRAM_H
#define HT_RUNTIME_AMD_CLANG_PROGRAM_H

#include "runtime/provider/hip.h"

/* An option of hiprtcCompileProgram, which is not passed on: this program is compiled by clang. */
#define HT_AMD_CLANG_OPTION "--hiptemper-by-clang"

/* Wraps hip's program functions. Once a process, ahead of what changes units and finds names. */
void ht_amd_clang_install(ht_hip *hip);

#endif
