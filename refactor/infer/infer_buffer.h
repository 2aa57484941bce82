/* Elements that a kernel's buffers must have. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_BUFFER_H
#define HT_REFACTOR_INFER_INFER_BUFFER_H

#include "refactor/infer/infer.h"
#include "refactor/infer/infer_bound.h"
#include "refactor/kernel/geometry.h"

enum { HT_BUFFER_ENDS_MAX = 12 };

/* The buffer of a pointer argument. */
typedef struct ht_infer_buffer {
    size_t array; /* index in the kernel model; SIZE_MAX: the kernel does not use it */
    bool read, written;
    bool updated; /* by atomics, or in a function that is not followed */
    char *extent; /* number of elements, over fields and scalar arguments; NULL: unknown */
    char *first;  /* the smallest subscript */
    int last_line;
    const char *problem; /* why the extent is unknown; owned by the model's pool */
    int line;
    const ht_poly *highs[HT_BUFFER_ENDS_MAX], *lows[HT_BUFFER_ENDS_MAX];
    size_t high_count, low_count;
} ht_infer_buffer;

typedef struct ht_infer_buffers {
    ht_infer *in;
    ht_kernel_model *km;
    const ht_grid *grid;
    ht_infer_buffer *items; /* one for each parameter */
    ht_bounds bounds;
    char **trips; /* iterations of a thread's accesses, as expressions; owned */
    size_t trip_count;
} ht_infer_buffers;

void ht_infer_buffers_find(ht_infer *in, ht_kernel_model *km, const ht_grid *grid,
                           ht_infer_buffers *out);
void ht_infer_buffers_free(ht_infer_buffers *buffers);
/* Returns the limit below which this array's values must be, as subscripts made of them would leave
 * their bounds; 0: there is none. */
int64_t ht_infer_buffers_limit(const ht_infer_buffers *buffers, size_t array);

#endif
