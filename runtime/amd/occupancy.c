#include "runtime/amd/occupancy.h"

static int least(int a, int b) {
    return a < b ? a : b;
}

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

static int waves_by_vgprs(const ht_amd_target *target, const ht_amd_usage *usage) {
    /* A wave of 64 on a machine of 32-lane SIMDs takes two slots of each register. */
    int halves = usage->wavefront > target->wavefront ? 2 : 1;
    int total = target->vgprs / halves;
    int granule = target->vgpr_granule / halves;
    int used = usage->vgprs;
    if (!target->unified_agprs && usage->agprs > used)
        used = usage->agprs; /* a file of its own, of the same size */
    if (used <= granule)
        return target->max_waves;
    return least(target->max_waves, total / (ceil_div(used, granule) * granule));
}

/* Returns the waves by scalar registers, of which a SIMD has 800. The thresholds are LLVM's, which
 * do not round up to the granule of 16. */
static int waves_by_sgprs(const ht_amd_target *target, const ht_amd_usage *usage) {
    if (!target->sgpr_limited)
        return target->max_waves;
    int waves = usage->sgprs <= 80 ? 10 : usage->sgprs <= 88 ? 9 : usage->sgprs <= 100 ? 8 : 7;
    return least(target->max_waves, waves);
}

static int units_of(const ht_amd_target *target, const ht_amd_usage *usage) {
    return usage->wgp && target->has_wgp ? 2 : 1;
}

/* Returns the work-groups that wave slots, barriers and LDS admit, which a compute unit shares, or
 * a WGP in WGP mode. */
static int groups_by_space(const ht_amd_target *target, const ht_amd_usage *usage) {
    int units = units_of(target, usage);
    int group_waves = ceil_div(usage->threads, usage->wavefront);
    int groups = target->max_waves * target->simds * units / group_waves;
    if (group_waves > 1) /* a single wave needs no barrier */
        groups = least(groups, 16 * units);
    if (usage->lds > 0) {
        int taken = ceil_div(usage->lds, target->lds_granule) * target->lds_granule;
        groups = least(groups, target->lds * units / taken);
    }
    return groups;
}

static int waves_by_groups(const ht_amd_target *target, const ht_amd_usage *usage) {
    int simds = target->simds * units_of(target, usage);
    int group_waves = ceil_div(usage->threads, usage->wavefront);
    return least(target->max_waves, ceil_div(groups_by_space(target, usage) * group_waves, simds));
}

static bool fits(const ht_amd_target *target, const ht_amd_usage *usage) {
    return usage->threads > 0 && usage->threads <= 1024 && usage->lds >= 0 &&
           usage->lds <= target->lds;
}

ht_amd_occupancy ht_amd_occupancy_compute(const ht_amd_target *target, const ht_amd_usage *usage) {
    ht_amd_occupancy result = {.max_waves = target->max_waves};
    if (!fits(target, usage))
        return result;
    result.by_vgprs = waves_by_vgprs(target, usage);
    result.by_sgprs = waves_by_sgprs(target, usage);
    result.by_groups = waves_by_groups(target, usage);
    result.waves = least(least(result.by_vgprs, result.by_sgprs), result.by_groups);
    return result;
}

int ht_amd_groups_resident(const ht_amd_target *target, const ht_amd_usage *usage) {
    if (!fits(target, usage))
        return 0;
    int group_waves = ceil_div(usage->threads, usage->wavefront);
    int waves = least(waves_by_vgprs(target, usage), waves_by_sgprs(target, usage)) *
                target->simds * units_of(target, usage);
    return least(groups_by_space(target, usage), waves / group_waves);
}
