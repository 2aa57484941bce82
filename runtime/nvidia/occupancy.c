#include "runtime/nvidia/occupancy.h"

static int round_up(int value, int granule) {
    return (value + granule - 1) / granule * granule;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* Returns the blocks by registers: each scheduler has a quarter of them, and a warp stays with
 * one. */
static int blocks_by_registers(const ht_nvidia_usage *usage, int warps) {
    int a_warp = round_up(usage->registers * HT_NVIDIA_WARP, HT_NVIDIA_REGISTER_GRANULE);
    int a_scheduler = HT_NVIDIA_REGISTERS / HT_NVIDIA_SCHEDULERS / a_warp;
    return a_scheduler * HT_NVIDIA_SCHEDULERS / warps;
}

int ht_nvidia_blocks_per_unit(const ht_nvidia_target *target, const ht_nvidia_usage *usage) {
    if (usage->threads <= 0 || usage->threads > 1024 || usage->shared < 0 ||
        usage->shared > target->shared_block || usage->registers > HT_NVIDIA_THREAD_REGISTERS + 1)
        return 0;
    int warps = (usage->threads + HT_NVIDIA_WARP - 1) / HT_NVIDIA_WARP;
    int blocks = smaller(target->max_blocks, target->max_warps / warps);
    int shared = round_up(usage->shared + target->reserved, target->granule);
    if (shared > 0)
        blocks = smaller(blocks, target->shared / shared);
    return usage->registers > 0 ? smaller(blocks, blocks_by_registers(usage, warps)) : blocks;
}
