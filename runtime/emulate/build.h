/* From a HIP program's sources to one shared object that holds the whole of it: host code, compiled
 * as clang compiles HIP's, against HIP's own headers; for each file an image of its device code,
 * compiled for the machine's cores; and a link to this program for every HIP function. */
#ifndef HT_RUNTIME_EMULATE_BUILD_H
#define HT_RUNTIME_EMULATE_BUILD_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* The compiler's options for one file. */
typedef struct ht_emulate_options {
    const char *const *items;
    size_t count;
} ht_emulate_options;

typedef struct ht_emulate_build {
    const char *const *files;
    size_t file_count;
    const char *const *options; /* for clang, both sides: -I, -D, -std */
    size_t option_count;
    const ht_emulate_options *own_options; /* one a file, before the others; NULL: none */
    const char *const *texts;   /* one a file: the file that has its text; NULL: each has its own */
    const char *const *overlay; /* for clang, options that let files stand for others */
    size_t overlay_count;
    const char *folder; /* to work in; PROGRAM is made there */
    unsigned wavefront; /* 32 or 64 */
    bool checked;       /* device code for checking mode */
    bool sanitized;     /* both sides with AddressSanitizer */
} ht_emulate_build;

#define HT_EMULATE_PROGRAM "program.so"

/* Parses HIP's header for the files that begin with it, where that is kept and was not done before
 * (runtime/emulate/parsed_hip.h). A build that may not write there then finds it. */
void ht_emulate_program_prepare(const ht_emulate_build *build);

/* Appends the messages of the compiler to `log`. HT_ERROR_COMPILE: it refused the program. */
ht_status ht_emulate_program_build(const ht_emulate_build *build, ht_text *log, ht_error *error);

#endif
