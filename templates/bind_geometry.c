/* Launch geometry and the device's limits on it. */
#include "templates/bind.h"
#include "templates/bind_check.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

static const char axis_names[] = "xyz";

/* Values as computed, not yet known to be sensible. */
typedef struct raw_geometry {
    int64_t block[3], grid[3], lds;
} raw_geometry;

static ht_status evaluate_axes(const ht_binding *binding, const ht_config *config,
                               ht_expr *const axes[3], int64_t *out, ht_error *error) {
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = 1;
        if (!axes[axis])
            continue;
        ht_status status = ht_binding_evaluate(binding, config, axes[axis], &out[axis], error);
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

static ht_status evaluate(const ht_binding *binding, const ht_config *config,
                          const ht_launch *launch, raw_geometry *out, ht_error *error) {
    out->lds = 0;
    ht_status status = evaluate_axes(binding, config, launch->block, out->block, error);
    if (status == HT_OK)
        status = evaluate_axes(binding, config, launch->grid, out->grid, error);
    if (status == HT_OK && launch->lds)
        status = ht_binding_evaluate(binding, config, launch->lds, &out->lds, error);
    return status;
}

/* Returns NULL when the value is in range, else the reason; free(). */
static char *range(const ht_launch *launch, const char *what, char axis, int64_t value,
                   int64_t least, int64_t most) {
    char name[16] = {0};
    if (value >= least && value <= most)
        return NULL;
    name[0] = axis ? ' ' : 0;
    name[1] = axis;
    if (value < least)
        return ht_format("%s%s of %s is %" PRId64 ": must be %s", what, name, launch->kernel, value,
                         least ? "positive" : "0 or more");
    return ht_format("%s%s of %s is %" PRId64 ": the limit is %" PRId64, what, name, launch->kernel,
                     value, most);
}

/* Says what no device could launch: sizes that are not positive, or beyond the 32 bits that HIP
 * passes. */
static char *impossible(const ht_launch *launch, const raw_geometry *raw) {
    char *reason = NULL;
    for (int axis = 0; !reason && axis < 3; ++axis) {
        reason = range(launch, "block", axis_names[axis], raw->block[axis], 1, INT32_MAX);
        if (!reason)
            reason = range(launch, "grid", axis_names[axis], raw->grid[axis], 1, INT32_MAX);
        /* HIP counts the threads of an axis in 32 bits. */
        if (!reason)
            reason = range(launch, "block times grid", axis_names[axis],
                           raw->block[axis] * raw->grid[axis], 1, UINT32_MAX);
    }
    return reason ? reason : range(launch, "lds", 0, raw->lds, 0, INT32_MAX);
}

static char *beyond_device(const ht_launch *launch, const raw_geometry *raw,
                           const ht_device_fields *device) {
    const int64_t blocks[] = {device->max_block_x, device->max_block_y, device->max_block_z};
    const int64_t grids[] = {device->max_grid_x, device->max_grid_y, device->max_grid_z};
    int64_t threads = 1;
    char *reason = NULL;
    for (int axis = 0; !reason && axis < 3; ++axis) {
        reason = range(launch, "block", axis_names[axis], raw->block[axis], 1, blocks[axis]);
        if (!reason)
            reason = range(launch, "grid", axis_names[axis], raw->grid[axis], 1, grids[axis]);
        if (!reason && __builtin_mul_overflow(threads, raw->block[axis], &threads))
            threads = INT64_MAX;
    }
    if (!reason)
        reason = range(launch, "threads a block", 0, threads, 1, device->max_threads);
    return reason ? reason : range(launch, "lds", 0, raw->lds, 0, device->max_dynamic_lds);
}

ht_status ht_binding_geometry(const ht_binding *binding, const ht_config *config,
                              const ht_launch *launch, ht_geometry *out_geometry, ht_error *error) {
    raw_geometry raw;
    ht_status status = evaluate(binding, config, launch, &raw, error);
    if (status != HT_OK)
        return status;
    char *reason = impossible(launch, &raw);
    if (reason) {
        status = ht_error_set_at(error, HT_ERROR_INPUT, launch->place.file, launch->place.line,
                                 launch->place.column, "%s", reason);
        free(reason);
        return status;
    }
    for (int axis = 0; axis < 3; ++axis) {
        out_geometry->block[axis] = (uint32_t)raw.block[axis];
        out_geometry->grid[axis] = (uint32_t)raw.grid[axis];
    }
    out_geometry->lds = (uint32_t)raw.lds;
    return HT_OK;
}

ht_status ht_binding_launch_fits(const ht_binding *binding, const ht_config *config,
                                 const ht_launch *launch, bool *out_fits, char **out_reason,
                                 ht_error *error) {
    raw_geometry raw;
    *out_fits = false;
    ht_status status = evaluate(binding, config, launch, &raw, error);
    if (status != HT_OK)
        return status;
    char *reason = impossible(launch, &raw);
    if (!reason && binding->device)
        reason = beyond_device(launch, &raw, binding->device);
    *out_fits = !reason;
    if (out_reason)
        *out_reason = reason;
    else
        free(reason);
    return HT_OK;
}
