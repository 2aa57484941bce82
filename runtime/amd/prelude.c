#include "runtime/amd/prelude.h"

#include "runtime/prelude/prelude.h"

extern const char ht_amd_core[];     /* prelude/ht_core.h */
extern const char ht_amd_bfloat16[]; /* prelude/ht_bfloat16.h */

static hiprtcResult (*real_create)(hiprtcProgram *program, const char *source, const char *name,
                                   int header_count, const char **headers,
                                   const char **include_names);

static const ht_prelude_header provided[] = {
    {"ht_core.h", ht_amd_core},
    {"hip/hip_bfloat16.h", ht_amd_bfloat16},
    /* hiprtc's own. */
    {"ht_vector.h", "\n"},
    {"ht_half.h", "\n"},
    {"ht_wave.h", "\n"},
};
enum { PROVIDED = sizeof provided / sizeof *provided };

static hiprtcResult create_program(hiprtcProgram *program, const char *source, const char *name,
                                   int header_count, const char **headers,
                                   const char **include_names) {
    ht_prelude_unit unit;
    ht_prelude_unit_make(provided, PROVIDED, source, name, header_count, headers, include_names,
                         &unit);
    hiprtcResult result =
        real_create(program, unit.source, name, unit.count, unit.texts, unit.names);
    ht_prelude_unit_free(&unit);
    return result;
}

void ht_amd_prelude_hash(char out_hex[HT_HASH_SIZE]) {
    ht_prelude_hash(provided, PROVIDED, out_hex);
}

void ht_amd_prelude_install(ht_hip *hip) {
    real_create = hip->hiprtcCreateProgram;
    hip->hiprtcCreateProgram = create_program;
}
