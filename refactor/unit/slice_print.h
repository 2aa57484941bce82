/* Prints a slice; ht_slice_file. */
#ifndef HT_REFACTOR_UNIT_SLICE_PRINT_H
#define HT_REFACTOR_UNIT_SLICE_PRINT_H

#include "refactor/unit/slice.h"

/* Prints includes and items. `replace` may print an item in another way and then returns true; may
 * be NULL. */
void ht_slice_print(const ht_slice *slice,
                    bool (*replace)(void *context, const ht_slice_item *item, ht_text *out),
                    void *context, ht_text *out);
void ht_line_directive(const ht_source *source, size_t file, int line, ht_text *out);

#endif
