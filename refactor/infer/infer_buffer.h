/* Elements that a kernel's buffers must have. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_BUFFER_H
#define HT_REFACTOR_INFER_INFER_BUFFER_H

#include "refactor/infer/infer.h"

enum { HT_BUFFER_ENDS_MAX = 12 };

/* Of one pointer argument. */
typedef struct ht_infer_buffer {
    size_t array; /* of the kernel model; SIZE_MAX: never named */
    bool read, written;
    bool updated; /* by atomics, or by a function that is not followed */
    char *extent; /* elements, over fields and scalar arguments; NULL: unknown */
    char *first;  /* the least subscript */
    int last_line;
    const char *problem; /* why it is unknown; owned by the model's pool */
    int line;
    const ht_poly *highs[HT_BUFFER_ENDS_MAX], *lows[HT_BUFFER_ENDS_MAX];
    size_t high_count, low_count;
} ht_infer_buffer;

typedef struct ht_infer_buffers {
    ht_infer *in;
    ht_kernel_model *km;
    const ht_grid *grid;
    ht_infer_buffer *items; /* one a parameter */
    ht_bounds bounds;
    char **trips; /* how often accesses run in a thread, expressions; owned */
    size_t trip_count;
} ht_infer_buffers;

void ht_infer_buffers_find(ht_infer *in, ht_kernel_model *km, const ht_grid *grid,
                           ht_infer_buffers *out);
void ht_infer_buffers_free(ht_infer_buffers *buffers);
/* Values of this array lie in 0 .. limit - 1, or subscripts leave their bounds; 0: anything. */
int64_t ht_infer_buffers_limit(const ht_infer_buffers *buffers, size_t array);

#endif
