/* Kernels whose threads compute several outputs each, as many as a named constant says, as tuned
 * sources have it:
 *
 *     const int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * kOutputsPerThread;
 *     for (int x = x0; x < width && x < x0 + kOutputsPerThread; ++x) { ... }
 *
 * Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_OWN_OUTPUTS_H
#define HT_REFACTOR_KERNEL_OWN_OUTPUTS_H

#include "refactor/kernel/syntax.h"

typedef struct ht_own_outputs {
    size_t first, counter;  /* x0 and x, in the body's tree */
    const ht_syntax *loop;  /* the FOR */
    const ht_syntax *bound; /* of x; NULL: there is none */
    bool inclusive;         /* x <= bound */
    const ht_syntax *test;  /* x - x0 < COUNT, or x < x0 + COUNT */
    char *name;             /* of the constant; owned */
    int64_t count;          /* its value */
} ht_own_outputs;

/* Finds the loop over a thread's outputs along an axis. Nothing outside of it has an effect, and
 * the counter serves no other purpose than to number the outputs; what the loop's iterations have
 * to do with each other is not asked. Returns false, with nothing to free, where the kernel has no
 * such form. */
bool ht_own_outputs_find(const ht_model *model, int axis, ht_own_outputs *out);
/* Returns the number of threads that have an output, ceil_div(width, COUNT), as a template
 * expression; `count` in place of the number. free(). NULL: it is not known. */
char *ht_own_outputs_threads(const ht_own_outputs *of, const char *count);

#endif
