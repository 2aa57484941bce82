/* Where hiptemper's own files are: found from where the program or library lies that runs, so that
 * an installation may be moved, and a build tree works without one. */
#ifndef HT_BASE_INSTALLED_H
#define HT_BASE_INSTALLED_H

#include "base/error.h"

/* Returns the first share/hiptemper/NAME that exists in the folder of the program or library that
 * this code is part of, or in one of the two above it: PREFIX/bin and PREFIX/lib/TRIPLE lead to
 * PREFIX/share, programs of a build tree to the build's. NULL: there is none. free(). */
char *ht_installed_data(const char *name);

/* Returns the program whose processes do the work: the one that runs, or, where this code is part
 * of a shared library, `hiptemper` in bin/ next to it (in a build tree, its top). free().
 * HT_ERROR_MISSING when the library is alone. */
ht_status ht_installed_program(char **out_path, ht_error *error);

#endif
