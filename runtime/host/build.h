/* From a unit's source to the bytes of a shared object: clang, then the linker. */
#ifndef HT_RUNTIME_HOST_BUILD_H
#define HT_RUNTIME_HOST_BUILD_H

#include "base/text.h"
#include "runtime/provider/hip.h"

#include <stdbool.h>
#include <stddef.h>

/* Entry symbols are this with the index of the name expression after it. */
#define HT_BUILD_ENTRY "ht_entry_"
/* Thread-local symbols of an image: a byte to find the shared arrays by, and the block after
 * `extern __shared__`. */
#define HT_BUILD_ANCHOR "ht_lds_anchor"
#define HT_BUILD_DYNAMIC "ht_lds_dynamic"
/* A symbol that only images compiled for checking have; there the arrays are no thread-local
 * symbols. */
#define HT_BUILD_CHECKED "ht_image_checked"

/* Clang's instrumentation by which checking mode sees accesses. */
#define HT_BUILD_SANITIZERS "-fsanitize=thread,array-bounds,integer-divide-by-zero"

enum { HT_STATIC_LDS_MAX = 65536, HT_DYNAMIC_LDS_MAX = 65536 };

typedef struct ht_build_header {
    char *name, *text;
} ht_build_header;

/* All owned by whoever made it. */
typedef struct ht_build_input {
    char *source;
    char *name; /* the unit's file name in messages */
    ht_build_header *headers;
    size_t header_count;
    char **expressions;
    size_t expression_count;
} ht_build_input;

/* *out_code (free()) only on success; messages of clang and linker are appended to `log`. */
hiprtcResult ht_build_run(const ht_build_input *input, size_t option_count, const char **options,
                          char **out_code, size_t *out_size, ht_text *log);

/* Does beforehand what compiles with these options share and may not do themselves in a sandbox. */
void ht_build_prepare(size_t option_count, const char *const *options);

/* A kernel's entry in an object. */
typedef struct ht_build_entry {
    char *symbol;
    const char *words; /* the kernel's name in messages */
} ht_build_entry;

/* The last step alone: from FOLDER/unit.o, clang's object with these entries, to an image. `name`
 * is the file's in messages. */
hiprtcResult ht_build_finish(const char *folder, const char *name, const ht_build_entry *entries,
                             size_t count, bool checked, char **out_code, size_t *out_size,
                             ht_text *log);

/* The compiler flags that every unit gets, as text; free(). */
char *ht_build_flags(void);

#endif
