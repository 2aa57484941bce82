/* A parsed header without a list that clang reads whole at the end of each parse that uses it: of
 * functions that a later diagnostic might be about (DECLS_TO_CHECK_FOR_DEFERRED_DIAGS). HIP's
 * header has 1,400, and with what they name they are half of its declarations: 12 of the 17 ms that
 * a file of one line takes. No diagnostic of a later file is about them, since it calls them and
 * they do not call it. */
#ifndef HT_BASE_PARSED_TRIM_H
#define HT_BASE_PARSED_TRIM_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the list one of a kind that clang does not know, and so passes over, in a file that clang
 * 19 has written (LLVM's bitstream format). Returns false, with the file unchanged, if it is not
 * one, or has no list. */
bool ht_parsed_trim(unsigned char *file, size_t size);
/* The same in the file of this name, which is written anew. */
bool ht_parsed_trim_file(const char *path);

#endif
