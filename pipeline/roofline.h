/* The roofline of a kernel that computes little: the time to move each byte once that has to be
 * moved, at the full rate of the GPU's memory. */
#ifndef HT_PIPELINE_ROOFLINE_H
#define HT_PIPELINE_ROOFLINE_H

#include "runtime/measure/predicted.h"

typedef struct ht_roofline {
    double bytes;   /* of inputs that are read, each once, and of all that is stored */
    double seconds; /* to move them; 0: not known */
} ht_roofline;

/* Returns that of launches that were followed. */
ht_roofline ht_roofline_of(const ht_gpu *gpu, const ht_inspection *inspection, size_t launch_count);

/* Compiles the original for the device and follows its launches. Zeroed where they cannot be
 * followed. */
ht_status ht_roofline_find(const ht_gpu *gpu, const ht_device *device, const ht_binding *binding,
                           ht_roofline *out_roofline, ht_error *error);

#endif
