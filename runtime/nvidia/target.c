#include "runtime/nvidia/target.h"

#include <stdlib.h>
#include <string.h>

#define KIB(n) ((n) * 1024)

const ht_nvidia_target ht_nvidia_targets[] = {
    /* sm, warps, blocks, shared, a block's most, granule, reserved, units of a board */
    {70, 64, 32, KIB(96), KIB(96), 256, 0, 80, "V100"},
    {75, 32, 16, KIB(64), KIB(64), 256, 0, 40, "T4"},
    {80, 64, 32, KIB(164), KIB(163), 128, 1024, 108, "A100"},
    {86, 48, 16, KIB(100), KIB(99), 128, 1024, 84, "A40"},
    {87, 48, 16, KIB(164), KIB(163), 128, 1024, 16, "Jetson Orin"},
    {89, 48, 24, KIB(100), KIB(99), 128, 1024, 142, "L40"},
    {90, 64, 32, KIB(228), KIB(227), 128, 1024, 132, "H100"},
    {100, 64, 32, KIB(228), KIB(227), 128, 1024, 148, "B200"},
    {103, 64, 32, KIB(228), KIB(227), 128, 1024, 160, "B300"},
    {120, 48, 24, KIB(100), KIB(99), 128, 1024, 170, "RTX 5090"},
};
const size_t ht_nvidia_target_count = sizeof ht_nvidia_targets / sizeof *ht_nvidia_targets;

const ht_nvidia_target *ht_nvidia_target_find(int capability) {
    for (size_t i = 0; i < ht_nvidia_target_count; i++)
        if (ht_nvidia_targets[i].capability == capability)
            return &ht_nvidia_targets[i];
    return NULL;
}

int ht_nvidia_capability(const char *arch) {
    const char *number = strncmp(arch, "sm_", 3) == 0        ? arch + 3
                         : strncmp(arch, "compute_", 8) == 0 ? arch + 8
                                                             : "";
    return (int)strtol(number, NULL, 10);
}

ht_device_fields ht_nvidia_target_fields(const ht_nvidia_target *target) {
    return (ht_device_fields){
        .max_threads = 1024,
        .max_block_x = 1024,
        .max_block_y = 1024,
        .max_block_z = 64,
        .max_grid_x = 2147483647,
        .max_grid_y = 65535,
        .max_grid_z = 65535,
        .max_static_lds = HT_NVIDIA_STATIC_SHARED,
        .max_dynamic_lds = target->shared_block,
        .lds_per_unit = target->shared,
        .wavefront = HT_NVIDIA_WARP,
        .units = target->units,
        .registers = HT_NVIDIA_THREAD_REGISTERS,
    };
}
