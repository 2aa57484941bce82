/* Contents of buffers that come from files: found next to the files that name them, checked, and
 * copied into a job's folder, where its workers, which see no other, read them. */
#ifndef HT_RUNTIME_BUFFERS_INPUT_FILES_H
#define HT_RUNTIME_BUFFERS_INPUT_FILES_H

#include "base/text.h"
#include "runtime/buffers/layout.h"

/* Copies the contents of each argument of the layout that has files, of the one that has its size.
 * Where none has: random values within the bounds of the first, from this seed, for sizes that the
 * files were not made for; with a NULL seed, and for a file that is not there, HT_ERROR_INPUT. */
ht_status ht_input_files_copy(const ht_layout *layout, const char *folder, const uint64_t *seed,
                              ht_error *error);

/* The bytes of the layout's argument `index` in a folder that the above has filled, mapped; NULL
 * without an error for an argument without files. Unmap ht_layout_bytes of it. */
ht_status ht_input_files_map(const ht_layout_arg *arg, size_t index, const char *folder,
                             const void **out_bytes, ht_error *error);

/* Appends what identifies the contents of a template's files, for keys of measurements. */
void ht_input_files_key(const ht_template *template, ht_text *out);

#endif
