#include "runtime/prelude/prelude.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/compile/compile_log.h"

#include <stdlib.h>
#include <string.h>

extern const char ht_shared_prelude[], ht_shared_names[], ht_shared_types[], ht_shared_std[];

/* Headers that compilers have built in, cannot read, or that the prelude stands for: including them
 * is allowed and gives nothing more. */
static const char *const answered[] = {
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
enum { ANSWERED = sizeof answered / sizeof *answered };

static const ht_prelude_header shared[] = {{"ht_prelude.h", ht_shared_prelude},
                                           {"ht_names.h", ht_shared_names},
                                           {"ht_types.h", ht_shared_types},
                                           {"ht_std.h", ht_shared_std}};
enum { SHARED = sizeof shared / sizeof *shared };

static void add(ht_prelude_unit *unit, const char *name, const char *text) {
    for (int i = 0; i < unit->count; i++)
        if (strcmp(unit->names[i], name) == 0)
            return; /* the first one counts */
    unit->names[unit->count] = name;
    unit->texts[unit->count++] = text;
}

static void append_quoted(ht_text *out, const char *text) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            ht_text_append_n(out, "\\", 1);
        ht_text_append_n(out, *text == '\n' ? " " : text, 1);
    }
}

void ht_prelude_unit_make(const ht_prelude_header *provided, size_t provided_count,
                          const char *source, const char *name, int header_count,
                          const char *const *headers, const char *const *include_names,
                          ht_prelude_unit *out) {
    size_t given = header_count > 0 ? (size_t)header_count : 0;
    size_t most = given + provided_count + SHARED + ANSWERED;
    *out = (ht_prelude_unit){.texts = ht_alloc(most, sizeof *out->texts),
                             .names = ht_alloc(most, sizeof *out->names)};
    for (size_t i = 0; i < given; i++)
        add(out, include_names[i], headers[i]);
    for (size_t i = 0; i < provided_count; i++)
        add(out, provided[i].name, provided[i].text);
    for (size_t i = 0; i < SHARED; i++)
        add(out, shared[i].name, shared[i].text);
    for (size_t i = 0; i < ANSWERED; i++)
        add(out, answered[i], "\n");
    ht_text whole = {0};
    ht_text_append(&whole, "#include \"ht_prelude.h\"\n#line 1 \"");
    append_quoted(&whole, name ? name : "kernel.hip");
    ht_text_append(&whole, "\"\n");
    ht_text_append(&whole, source);
    /* The compiler puts a line for each name expression here. */
    ht_text_append(&whole, "\n#line 1 \"" HT_NAME_EXPRESSIONS "\"\n");
    out->source = ht_text_take(&whole);
}

void ht_prelude_unit_free(ht_prelude_unit *unit) {
    free(unit->source);
    free(unit->texts);
    free(unit->names);
    *unit = (ht_prelude_unit){0};
}

static void headers_append(ht_text *out, const ht_prelude_header *headers, size_t count) {
    for (size_t i = 0; i < count; i++)
        ht_text_printf(out, "%s\n%s\n", headers[i].name, headers[i].text);
}

void ht_prelude_hash(const ht_prelude_header *provided, size_t provided_count,
                     char out_hex[HT_HASH_SIZE]) {
    ht_text all = {0};
    headers_append(&all, provided, provided_count);
    headers_append(&all, shared, SHARED);
    ht_hash_bytes(all.data, all.length, out_hex);
    ht_text_free(&all);
}
