#include "pipeline/roofline.h"

#include "pipeline/stop.h"

enum { BLOCKS = 24 }; /* of a launch, followed */

ht_roofline ht_roofline_of(const ht_gpu *gpu, const ht_inspection *inspection,
                           size_t launch_count) {
    double bytes = 0;
    for (size_t i = 0; i < launch_count; ++i) {
        const ht_accesses *a = &inspection->launches[i].accesses;
        bytes +=
            (double)a->input_bytes + (double)a->counts.global_store_bytes * ht_accesses_share(a);
    }
    return (ht_roofline){.bytes = bytes, .seconds = bytes / gpu->memory_rate};
}

ht_status ht_roofline_find(const ht_gpu *gpu, const ht_device *device, const ht_binding *binding,
                           ht_roofline *out_roofline, ht_error *error) {
    const ht_inspect_options options = {.original = true, .count = true, .blocks_max = BLOCKS};
    const ht_config config = ht_config_default(binding->template);
    ht_inspection found = {0};
    size_t launches;
    *out_roofline = (ht_roofline){0};
    ht_inspect_launches(binding->template, true, &launches);
    ht_status status =
        ht_inspect(device, binding, &config, 1, &options, &ht_stopped, &found, error);
    bool counted = status == HT_OK && found.launches != NULL;
    for (size_t i = 0; counted && i < launches; ++i)
        counted = found.launches[i].counted;
    if (counted)
        *out_roofline = ht_roofline_of(gpu, &found, launches);
    ht_inspection_free(&found);
    return status;
}
