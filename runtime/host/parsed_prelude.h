/* The prelude as clang has parsed it, kept from run to run in the folder that $HIPTEMPER_CACHE
 * names: a compile of a small unit takes half the time with it, and makes the same object. Nothing
 * of a unit goes into it. */
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

/* Removes one that clang did not take. */
void ht_parsed_prelude_refuse(const char *path);

#endif
