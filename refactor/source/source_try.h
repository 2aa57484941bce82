/* Messages of clang about a unit with other texts in place of its files. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_SOURCE_TRY_H
#define HT_REFACTOR_SOURCE_SOURCE_TRY_H

#include "refactor/source/source.h"

/* Parses another text as device code, as if it were the file `path` (NULL: the file being analysed,
 * in its unit), with the source's arguments if `own_arguments`, and `extra` ones (borrowed).
 * Returns the number of error messages, and the messages with file and line, in order; free each,
 * then the array. */
size_t ht_source_try(const ht_source *source, const char *path, const char *text,
                     bool own_arguments, const char *const *extra, size_t extra_count,
                     char ***out_messages);
/* Parses the unit with some of its files changed; like ht_source_try with the source's own
 * arguments. */
size_t ht_source_try_files(const ht_source *source, const ht_file_text *files, size_t count,
                           char ***out_messages);
/* Checks that clang read these texts in place of files: one that it ignored would seem to change
 * nothing. */
ht_status ht_source_check(const ht_source *source, const ht_file_text *files, size_t count,
                          ht_error *error);

#endif
