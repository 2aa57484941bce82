/* HIP's header as clang has parsed it, kept from run to run as the prelude of the host provider is
 * (runtime/host/parsed_prelude.h): each side of a file takes half a second to read it as text. */
#ifndef HT_RUNTIME_EMULATE_PARSED_HIP_H
#define HT_RUNTIME_EMULATE_PARSED_HIP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if HIP's header, read ahead of a file, comes to the same as where the file includes
 * it: nothing stands before that but comments, guards and headers of the C++ library. `nested`: a
 * header next to the file that it includes in quotes may be the one that includes HIP's. */
bool ht_begins_with_hip(const char *path, bool nested);

/* Returns true if a compiler's options mean the same for HIP's header by itself: none names a
 * folder to search or a file to include. */
bool ht_options_are_plain(const char *const *options, size_t count);

/* Writes the prelude and HIP's changed headers into ROOT/prelude and ROOT/changed. */
ht_status ht_emulate_text_unpack(const char *root, ht_error *error);

/* Returns such a root that is kept from run to run, free(); NULL: none can be. */
char *ht_emulate_text_kept(void);

#endif
