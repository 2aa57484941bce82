/* The fields of a device that expressions can ask for, as device.NAME. The runtime fills it;
 * templates only evaluate. */
#ifndef HT_TEMPLATES_ANNOTATIONS_DEVICE_FIELDS_H
#define HT_TEMPLATES_ANNOTATIONS_DEVICE_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* X(field): every field is an int64_t and is written device.field in an expression. */
#define HT_DEVICE_FIELDS(X)                                                                        \
    X(max_threads) /* threads a block */                                                           \
    X(max_block_x)                                                                                 \
    X(max_block_y)                                                                                 \
    X(max_block_z)                                                                                 \
    X(max_grid_x)                                                                                  \
    X(max_grid_y)                                                                                  \
    X(max_grid_z)                                                                                  \
    X(max_static_lds)  /* bytes of __shared__ arrays a block */                                    \
    X(max_dynamic_lds) /* bytes of dynamic LDS a block */                                          \
    X(lds_per_unit)    /* bytes of LDS a compute unit */                                           \
    X(wavefront)       /* lanes: 32 or 64 */                                                       \
    X(units)           /* compute units */                                                         \
    X(registers)       /* vector registers a thread may use at most */

typedef struct ht_device_fields {
#define HT_DEVICE_FIELD(name) int64_t name;
    HT_DEVICE_FIELDS(HT_DEVICE_FIELD)
#undef HT_DEVICE_FIELD
} ht_device_fields;

/* The field of that name (without "device."); false when there is none. `fields` may be NULL to ask
 * just that. */
bool ht_device_field_get(const ht_device_fields *fields, const char *name, int64_t *out_value);

#endif
