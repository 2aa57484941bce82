/* A loaded image and its kernels. */
#ifndef HT_RUNTIME_HOST_MODULE_H
#define HT_RUNTIME_HOST_MODULE_H

#include "runtime/host/prelude/ht_state.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ht_module ht_module;

/* A kernel of a module, as hipFunction_t points to it; owned by the module. */
typedef struct ht_kernel {
    const struct ht_device_entry *entry; /* in the image */
    const ht_module *module;
    struct ht_kernel *next;
    const struct ht_check_image *image; /* of a checked image; NULL: it is not one */
    /* The last launch: its threads, and the nanoseconds of CPU time that they took. */
    _Atomic uint64_t threads, busy;
} ht_kernel;

/* Fills this OS thread's shared arrays with 0xFF bytes: NaN as float, -1 as integer. */
void ht_module_poison(const ht_module *module, size_t dynamic_lds);

#endif
