/* Compiling by clang in place of hiprtc, for targets that this machine's hiprtc is too old for: the
 * pieces that it takes. The code means the same as by hiprtc, with its own header text and ROCm's
 * device libraries; only the code generator is a newer one. docs/amd-provider.md has more. */
#ifndef HT_RUNTIME_AMD_CLANG_ROUTE_H
#define HT_RUNTIME_AMD_CLANG_ROUTE_H

#include "base/error.h"

typedef struct ht_amd_clang {
    char *clang;        /* path */
    char *linker;       /* path of its LLVM's ld.lld: another one does not know its arguments */
    char *bitcode;      /* folder of the device libraries */
    char *header;       /* the text that hiprtc puts in front of units */
    char compiler[128]; /* "clang 19.1.7 in place of hiprtc, header 5d41..." */
    int version;        /* 19 */
} ht_amd_clang;

/* Looks for them once a process. HT_ERROR_MISSING names the first that is not there, and its
 * package. */
ht_status ht_amd_clang_find(const ht_amd_clang **out_clang, ht_error *error);

/* The same for an architecture, which takes a clang of `version`: one that is older is
 * HT_ERROR_MISSING too. */
ht_status ht_amd_clang_for(const char *arch, int version, const ht_amd_clang **out_clang,
                           ht_error *error);

#endif
