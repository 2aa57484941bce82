/* The part of the HIP that ordinary compilers read which a runtime compiler lacks. */
#ifndef HT_RUNTIME_AMD_PRELUDE_H
#define HT_RUNTIME_AMD_PRELUDE_H

#include "base/hash.h"
#include "runtime/provider/hip.h"

/* Makes hip->hiprtcCreateProgram put the prelude in front of each source (line numbers and the file
 * name in messages stay the source's own: `name`) and answer the headers that the prelude stands
 * for. Once a process. */
void ht_amd_prelude_install(ht_hip *hip);

/* Hash of the prelude. */
void ht_amd_prelude_hash(char out_hex[HT_HASH_SIZE]);

#endif
