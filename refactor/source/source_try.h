/* What clang says of a unit with other texts in place of its files. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_SOURCE_TRY_H
#define HT_REFACTOR_SOURCE_SOURCE_TRY_H

#include "refactor/source/source.h"

/* Parses another text as if it were the file `path` (NULL: the file looked at, in its unit), as
 * device code, with the source's arguments when `own_arguments` and `extra` ones (borrowed), and
 * returns the error messages, with file and line, in order; free each, then the array. */
size_t ht_source_try(const ht_source *source, const char *path, const char *text,
                     bool own_arguments, const char *const *extra, size_t extra_count,
                     char ***out_messages);
/* Parses the unit with some of its files changed; as ht_source_try with its own arguments. */
size_t ht_source_try_files(const ht_source *source, const ht_file_text *files, size_t count,
                           char ***out_messages);

#endif
