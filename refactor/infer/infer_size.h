/* Values for the fields of an inferred problem. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_SIZE_H
#define HT_REFACTOR_INFER_INFER_SIZE_H

#include "refactor/infer/infer_buffer.h"

/* Of sizes that the source has as macros; others are made smaller, as long as buffers take more
 * than 64 MiB. */
#define HT_INFERRED_BYTES_MAX (INT64_C(256) << 20)

typedef struct ht_sizes {
    ht_infer *in;
    const ht_grid *grid;
    const ht_infer_buffers *buffers;
    bool smaller; /* some of the source's values were made smaller */
} ht_sizes;

/* Chooses values that the source does not give, so that the grid has several blocks and an
 * emulation takes only a moment. Returns false if no launch is possible, which is reported as
 * missing. */
bool ht_sizes_choose(ht_sizes *sizes);
/* Returns false if other sizes should be tried, since buffers and `constants` further bytes take
 * more than 64 MiB. More than HT_INFERRED_BYTES_MAX is reported as missing. */
bool ht_sizes_check(ht_sizes *sizes, int64_t constants);
/* Returns true for a size that is small by the words in its name: a radius, a stride. */
bool ht_sizes_has_small_name(const ht_infer_field *field);
/* Evaluates an expression over fields and scalar arguments with the fields' values. Returns false
 * if it has no value. */
bool ht_sizes_value(const ht_sizes *sizes, const char *text, int64_t *out_value);
/* Returns true if `a` is at least `b` with these values and with others that are tried. */
bool ht_sizes_at_least(ht_sizes *sizes, const char *a, const char *b);

#endif
