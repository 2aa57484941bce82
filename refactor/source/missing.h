/* Names and macros that a source lacks as it was first parsed. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_MISSING_H
#define HT_REFACTOR_SOURCE_MISSING_H

#include "refactor/source/source.h"

/* Returns the libraries, as bits, of which clang does not know a name, or that give one another
 * meaning. */
unsigned ht_missing_libraries(const ht_source *source);
/* Returns the number of error messages, but for headers that are not found. */
size_t ht_missing_errors(const ht_source *source);

enum { HT_MISSING_WAYS = 3 };

/* Returns "-DUSE_CUDA" where kernels, launches or headers of the file being analysed stand under
 * '#ifdef USE_CUDA': a macro that neither it nor an argument names otherwise, and whose name says
 * that the build is one for a GPU. `way` 1: the same for the user's headers, 2: "-D__CUDACC__=1"
 * for a CUDA source, both where there are errors. NULL: there is no such macro. free(). */
char *ht_missing_macro(const ht_source *source, size_t way, size_t errors);

#endif
