/* The prelude as clang has parsed it, kept from run to run in ht_cache_folder(): a compile of
 * a small unit takes half the time with it, and makes the same object. Nothing of a unit goes into
 * it. */
#ifndef HT_RUNTIME_HOST_PARSED_PRELUDE_H
#define HT_RUNTIME_HOST_PARSED_PRELUDE_H

#include "runtime/host/toolchain.h"

#include <stddef.h>

/* Returns the parsed prelude's path for -include-pch, borrowed, for a compile with these `count`
 * arguments; makes it if there is none. NULL: there is no such folder, or it cannot be made, as in
 * a sandbox; then the prelude is to be included as text. A file that has changed since it was
 * written is not used. */
const char *ht_parsed_prelude(const ht_toolchain *toolchain, const char *const *arguments,
                              size_t count);

/* Text that programs include first, embedded in this one. */
typedef struct ht_parsed_text {
    const char *name; /* of its folder, with a hash */
    void (*hash)(char out_hash[HT_HASH_SIZE]);
    ht_status (*unpack)(const char *root, ht_error *error); /* makes the folder */
} ht_parsed_text;

/* Returns the folder that keeps a text, with the text in it; free(). NULL: it cannot be kept. */
char *ht_parsed_folder(const ht_parsed_text *text);

/* Returns what clang has parsed with these `count` arguments, which include the text in `folder`,
 * as ht_parsed_prelude does: its path, made if there is none; NULL. Of one text `most` are kept;
 * the oldest makes room for another. */
const char *ht_parsed(const ht_toolchain *toolchain, const char *folder,
                      const char *const *arguments, size_t count, size_t most);

/* Removes one that clang did not take. */
void ht_parsed_prelude_refuse(const char *path);

#endif
