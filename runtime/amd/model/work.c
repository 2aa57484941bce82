#include "runtime/amd/model/time.h"

#include "runtime/amd/occupancy.h"

enum { LINE = 64 };

static ht_amd_usage usage_of(const ht_amd_target *target, const ht_resources *resources,
                             const ht_geometry *geometry) {
    return (ht_amd_usage){
        .vgprs = resources->vgprs,
        .agprs = resources->agprs,
        .sgprs = resources->sgprs,
        .lds = resources->lds + (int)geometry->lds,
        .threads = (int)(geometry->block[0] * geometry->block[1] * geometry->block[2]),
        .wavefront = resources->wavefront > 0 ? resources->wavefront : target->wavefront,
        .wgp = target->has_wgp, /* the compilers' default */
    };
}

ht_status ht_gpu_work_make(const ht_gpu *gpu, const ht_accesses *accesses,
                           const ht_resources *resources, const ht_geometry *geometry,
                           ht_gpu_work *out_work, ht_error *error) {
    ht_amd_target target = ht_gpu_target(gpu);
    ht_amd_usage usage = usage_of(&target, resources, geometry);
    const ht_access_counts *counts = &accesses->counts;
    int resident = ht_amd_groups_resident(&target, &usage);
    *out_work = (ht_gpu_work){0};
    if (resident == 0)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "%s holds no block of %d threads with %d registers each and %d bytes "
                            "of LDS",
                            gpu->board, usage.threads, usage.vgprs, usage.lds);
    if (counts->blocks == 0)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED, "no block was followed");
    double share = 1 / (double)counts->blocks;
    *out_work = (ht_gpu_work){
        .blocks = accesses->working,
        .resident = resident,
        .input_bytes = (double)accesses->input_bytes,
        .scratch = (double)(resources->scratch > 0 ? resources->scratch : 0) * usage.threads,
        .waves = share * (double)counts->waves,
        .instructions = share * (double)counts->instructions,
        .vector = share * (double)counts->vector_instructions,
        .slow = share * (double)counts->slow_instructions,
        .doubles = share * (double)counts->double_instructions,
        .matrix_cycles = share * (double)counts->matrix_cycles,
        .scalar = share * (double)counts->scalar_instructions,
        .lds_passes = share * (double)counts->lds_passes,
        .l1_bytes = share * (double)counts->l1_bytes,
        .lines_bytes = share * (double)counts->block_lines * LINE,
        .load_bytes = share * (double)counts->global_load_lines * LINE,
        .store_bytes = share * (double)counts->global_store_bytes,
        .scratch_bytes = share * (double)counts->scratch_bytes,
        .memory_waits = share * (double)counts->memory_waits,
        .scratch_waits = share * (double)counts->scratch_waits,
        .cached_waits = share * (double)counts->cached_waits,
        .scalar_waits = share * (double)counts->scalar_waits,
        .lds_waits = share * (double)counts->lds_waits,
    };
    return HT_OK;
}
