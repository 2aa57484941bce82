/* The resources that configurations need, found by compiling them and running nothing. */
#ifndef HT_RUNTIME_MEASURE_INSPECT_H
#define HT_RUNTIME_MEASURE_INSPECT_H

#include "runtime/provider/provider.h"

/* One launch of one configuration. */
typedef struct ht_inspection_launch {
    ht_geometry geometry;
    ht_resources resources; /* waves_per_simd is for this block and its dynamic LDS */
    bool counted;           /* accesses are valid */
    ht_accesses accesses;
    char uncounted[512]; /* why they were not counted, when they were asked for; "" */
} ht_inspection_launch;

typedef struct ht_inspection {
    ht_status status; /* HT_OK: launches are valid. HT_ERROR_COMPILE, _CRASH, _TIMEOUT: the
                         compiler's fault */
    char *reason;     /* owned; NULL when ok */
    ht_inspection_launch
        *launches; /* one per launch of the template, in order; owned; NULL unless ok */
} ht_inspection;

typedef struct ht_inspect_options {
    bool original;       /* the template's reference launches, where it has a reference kernel; its
                            launches are then these */
    bool count;          /* accesses too */
    uint64_t blocks_max; /* of a launch, for counting; 0: all */
} ht_inspect_options;

/* Compiles in child processes, several at once and many configurations to a program; halves what
 * fails until the culprits are alone, so that neither an error nor a compiler that dies costs more
 * than its own configuration. Fails only when nothing can be inspected at all (a provider without
 * resources, no processes); HT_ERROR_INTERRUPTED when *interrupted (may be NULL) became non-zero:
 * then what is done is valid and the rest has that status too. `options` may be NULL. Free each of
 * the `count` results with ht_inspection_free, also after a failure. */
ht_status ht_inspect(const ht_device *device, const ht_binding *binding, const ht_config *configs,
                     size_t count, const ht_inspect_options *options,
                     const volatile int *interrupted, ht_inspection *out_inspections,
                     ht_error *error);
/* The launches that an inspection with these options has. */
const ht_launch *ht_inspect_launches(const ht_template *template, bool original, size_t *out_count);
void ht_inspection_free(ht_inspection *inspection);

#endif
