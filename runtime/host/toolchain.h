/* The compiler and linker that this provider runs, and the private folder they work in. */
#ifndef HT_RUNTIME_HOST_TOOLCHAIN_H
#define HT_RUNTIME_HOST_TOOLCHAIN_H

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/tool.h"

typedef struct ht_toolchain {
    const char *clang;      /* path */
    const char *assembler;  /* path */
    const char *linker;     /* path */
    const char *version;    /* "clang 19.1.7" */
    const char *symbolizer; /* path of addr2line; NULL: findings have no lines */
} ht_toolchain;

/* Looks for them once a process: $HIPTEMPER_CLANG, clang++-19, clang++; as and ld. HT_ERROR_MISSING
 * names the package. */
ht_status ht_toolchain_find(const ht_toolchain **out_toolchain, ht_error *error);

/* For a worker, before it looks for them: the tuner asked the compiler for its version already. */
void ht_toolchain_know(const char *version);

enum { HT_PROBE_SECONDS = 10 };

/* Runs a tool that is asked about itself, `out` being its output alone. Somebody who kills or stops
 * it says nothing of it, so it is asked again then. */
ht_status ht_toolchain_probe(const ht_tool_call *call, ht_text *out, int *out_code,
                             ht_error *error);

/* Hash of all that decides what this clang makes of a unit, as far as can be known: its file (a
 * wrapper's too), what it starts with which flags, the libraries of that, as and ld, and clang's
 * resource folder. Made once a process, in some 50 ms. */
ht_status ht_toolchain_hash(char out_hash[HT_HASH_SIZE], ht_error *error);

/* Appends what distinguishes this toolchain at a glance: clang's version, the files of clang,
 * assembler and linker, and the processor, on which -march=native depends. Wrappers and libraries
 * are not looked into. */
void ht_toolchain_describe(const ht_toolchain *toolchain, ht_text *to);

/* Sets *out_folder to clang's folder of headers, asked for once a process. HT_ERROR_MISSING: clang
 * does not name one. */
ht_status ht_toolchain_resources(const char **out_folder, ht_error *error);

/* Path of AddressSanitizer's run-time library for this clang; NULL when it is not installed, or
 * this program has one already. Looked for once a process. */
const char *ht_toolchain_sanitizer(void);

/* Runs a program as base/tool.h does, its output and what went wrong appended to `log`, and gives
 * its exit status (128 + n for signal n, -1 when it could not be started or did not end). */
int ht_toolchain_run(const char *const *arguments, ht_text *log);

/* Called when a tool was killed (SIGKILL, SIGTERM), which says nothing of what it worked on. NULL:
 * nothing is. A worker process ends in the same way, for the tuner to judge. */
extern void (*ht_toolchain_killed)(int signal);

#endif
