#include "runtime/amd/prelude.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char ht_amd_prelude[]; /* prelude/hiprtc_prelude.h */

#define PRELUDE_NAME "hiptemper_prelude.h"

/* Headers that hiprtc has built in, cannot read, or that the prelude replaces: including them is
 * allowed and gives nothing more. */
static const char *const answered_headers[] = {
    "hip/hip_runtime.h",
    "hip/hip_runtime_api.h",
    "hip/hip_fp16.h",
    "hip/hip_vector_types.h",
    "hip/hip_math_constants.h",
    "hip/math_functions.h",
    "hip/device_functions.h",
    "stdint.h",
    "cstdint",
    "stddef.h",
    "cstddef",
    "math.h",
    "cmath",
    "float.h",
    "cfloat",
    "limits.h",
    "climits",
    "assert.h",
    "cassert",
    "stdio.h",
    "cstdio",
    "stdlib.h",
    "cstdlib",
    "string.h",
    "cstring",
    "stdbool.h",
    "type_traits",
    "utility",
    "algorithm",
    "limits",
};
enum { ANSWERED_COUNT = sizeof answered_headers / sizeof *answered_headers };

static hiprtcResult (*real_create)(hiprtcProgram *program, const char *source, const char *name,
                                   int header_count, const char **headers,
                                   const char **include_names);

static void append_quoted(ht_text *out, const char *text) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            ht_text_append_n(out, "\\", 1);
        ht_text_append_n(out, *text == '\n' ? " " : text, 1);
    }
}

static hiprtcResult create_program(hiprtcProgram *program, const char *source, const char *name,
                                   int header_count, const char **headers,
                                   const char **include_names) {
    size_t given = header_count > 0 ? (size_t)header_count : 0;
    size_t count = given + 1 + ANSWERED_COUNT;
    const char **texts = ht_alloc(count, sizeof *texts);
    const char **names = ht_alloc(count, sizeof *names);
    for (size_t i = 0; i < given; i++) {
        texts[i] = headers[i];
        names[i] = include_names[i];
    }
    texts[given] = ht_amd_prelude;
    names[given] = PRELUDE_NAME;
    for (size_t i = 0; i < ANSWERED_COUNT; i++) {
        texts[given + 1 + i] = "\n";
        names[given + 1 + i] = answered_headers[i];
    }
    ht_text whole = {0};
    ht_text_append(&whole, "#include \"" PRELUDE_NAME "\"\n#line 1 \"");
    append_quoted(&whole, name ? name : "kernel.hip");
    ht_text_append(&whole, "\"\n");
    ht_text_append(&whole, source);
    hiprtcResult result = real_create(program, whole.data, name, (int)count, texts, names);
    ht_text_free(&whole);
    free(texts);
    free(names);
    return result;
}

void ht_amd_prelude_hash(char out_hex[HT_HASH_SIZE]) {
    ht_hash_bytes(ht_amd_prelude, strlen(ht_amd_prelude), out_hex);
}

void ht_amd_prelude_install(ht_hip *hip) {
    real_create = hip->hiprtcCreateProgram;
    hip->hiprtcCreateProgram = create_program;
}
