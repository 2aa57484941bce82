#include "runtime/amd/target.h"

#include <string.h>

const ht_amd_target ht_amd_targets[] = {
    {.arch = "gfx906",
     .wavefront = 64,
     .max_waves = 10,
     .simds = 4,
     .vgprs = 256,
     .vgpr_granule = 4,
     .sgpr_limited = true,
     .lds = 65536,
     .lds_granule = 512,
     .units = 60,
     .registers = 256},
    {.arch = "gfx908",
     .wavefront = 64,
     .max_waves = 10,
     .simds = 4,
     .vgprs = 256,
     .vgpr_granule = 4,
     .sgpr_limited = true,
     .lds = 65536,
     .lds_granule = 512,
     .units = 120,
     .registers = 256},
    {.arch = "gfx90a",
     .wavefront = 64,
     .max_waves = 8,
     .simds = 4,
     .vgprs = 512,
     .vgpr_granule = 8,
     .unified_agprs = true,
     .sgpr_limited = true,
     .lds = 65536,
     .lds_granule = 512,
     .units = 104,
     .registers = 512},
    {.arch = "gfx942",
     .needs_probe = true,
     .wavefront = 64,
     .max_waves = 8,
     .simds = 4,
     .vgprs = 512,
     .vgpr_granule = 8,
     .unified_agprs = true,
     .sgpr_limited = true,
     .lds = 65536,
     .lds_granule = 512,
     .units = 304,
     .registers = 512},
    {.arch = "gfx1030",
     .wavefront = 32,
     .max_waves = 16,
     .simds = 2,
     .vgprs = 1024,
     .vgpr_granule = 16,
     .has_wgp = true,
     .lds = 65536,
     .lds_granule = 1024,
     .units = 40,
     .registers = 256},
    {.arch = "gfx1100",
     .needs_probe = true,
     .wavefront = 32,
     .max_waves = 16,
     .simds = 2,
     .vgprs = 1536,
     .vgpr_granule = 24,
     .has_wgp = true,
     .lds = 65536,
     .lds_granule = 1024,
     .units = 48,
     .registers = 256},
};
const size_t ht_amd_target_count = sizeof ht_amd_targets / sizeof *ht_amd_targets;

const ht_amd_target *ht_amd_target_find(const char *arch) {
    size_t length = strcspn(arch, ":");
    for (size_t i = 0; i < ht_amd_target_count; i++) {
        const char *known = ht_amd_targets[i].arch;
        if (strlen(known) == length && strncmp(known, arch, length) == 0)
            return &ht_amd_targets[i];
    }
    return NULL;
}

ht_device_fields ht_amd_target_fields(const ht_amd_target *target) {
    return (ht_device_fields){
        .max_threads = 1024,
        .max_block_x = 1024,
        .max_block_y = 1024,
        .max_block_z = 1024,
        .max_grid_x = 2147483647,
        .max_grid_y = 65535, /* what ROCm 6 and later accept; earlier ones take more */
        .max_grid_z = 65535,
        .max_static_lds = target->lds,
        .max_dynamic_lds = target->lds,
        .lds_per_unit = target->lds,
        .wavefront = target->wavefront,
        .units = target->units,
        .registers = target->registers,
    };
}
