/* hiprtc 5 looks a kernel's lowered name up by comparing the expression with demangled text, so
 * that k<16> is not found when its parameter is unsigned, nor k<ROWS>, nor one that leaves defaults
 * out. This finds those through the code object. */
#ifndef HT_RUNTIME_AMD_LOWERED_NAME_H
#define HT_RUNTIME_AMD_LOWERED_NAME_H

#include "runtime/provider/hip.h"

/* Wraps hip's name functions. Once a process. */
void ht_amd_lowered_names_install(ht_hip *hip);

#endif
