/* What configurations need of a device, found by compiling them and running nothing. */
#ifndef HT_RUNTIME_INSPECT_H
#define HT_RUNTIME_INSPECT_H

#include "runtime/provider.h"

/* One launch of one configuration. */
typedef struct ht_inspection_launch {
    ht_geometry geometry;
    ht_resources resources; /* waves_per_simd is for this block and its dynamic LDS */
} ht_inspection_launch;

typedef struct ht_inspection {
    ht_status status; /* HT_OK: launches are valid. HT_ERROR_COMPILE, _CRASH, _TIMEOUT: the
                         compiler's fault */
    char *reason;     /* owned; NULL when ok */
    ht_inspection_launch
        *launches; /* one per launch of the template, in order; owned; NULL unless ok */
} ht_inspection;

/* Compiles in child processes, several at once and many configurations to a program; halves what
 * fails until the culprits are alone, so that neither an error nor a compiler that dies costs more
 * than its own configuration. Fails only when nothing can be inspected at all (a provider without
 * resources, no processes); HT_ERROR_INTERRUPTED when *interrupted (may be NULL) became non-zero:
 * then what is done is valid and the rest has that status too. Free each of the `count` results
 * with ht_inspection_free, also after a failure. */
ht_status ht_inspect(const ht_device *device, const ht_binding *binding, const ht_config *configs,
                     size_t count, const volatile int *interrupted, ht_inspection *out_inspections,
                     ht_error *error);
void ht_inspection_free(ht_inspection *inspection);

#endif
