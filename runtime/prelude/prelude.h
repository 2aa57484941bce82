/* The device prelude in front of a unit, for compilers that read no files: docs/prelude.md. */
#ifndef HT_RUNTIME_PRELUDE_PRELUDE_H
#define HT_RUNTIME_PRELUDE_PRELUDE_H

#include "base/hash.h"

#include <stddef.h>

/* A header that the compiler is given: what stands between the quotes, and its text. */
typedef struct ht_prelude_header {
    const char *name;
    const char *text;
} ht_prelude_header;

/* Arguments for hiprtcCreateProgram or nvrtcCreateProgram. Texts and names are borrowed. */
typedef struct ht_prelude_unit {
    char *source; /* owned */
    const char **texts, **names;
    int count;
} ht_prelude_unit;

/* Joins the provider's headers, the shared ones, the caller's own, and empty answers for the
 * standard headers that the prelude stands for, unless the provider gives them a text. Line numbers
 * and the file name in messages stay the source's own: `name`, NULL for "kernel.hip". Free with
 * ht_prelude_unit_free. */
void ht_prelude_unit_make(const ht_prelude_header *provided, size_t provided_count,
                          const char *source, const char *name, int header_count,
                          const char *const *headers, const char *const *include_names,
                          ht_prelude_unit *out);
void ht_prelude_unit_free(ht_prelude_unit *unit);

/* A hash of every text that the prelude puts in front of units: part of database keys. */
void ht_prelude_hash(const ht_prelude_header *provided, size_t provided_count,
                     char out_hex[HT_HASH_SIZE]);

#endif
