#include "runtime/amd/resources.h"

#include "runtime/amd/bytes.h"
#include "runtime/amd/metadata.h"
#include "runtime/amd/occupancy.h"

#include <limits.h>

/* Finds WGP mode, which is in the metadata from code object version 5; before, only in the
 * descriptor: bit 29 of compute_pgm_rsrc1, at byte 48. */
static ht_status kernel_is_wgp(ht_amd_bytes elf, const ht_amd_kernel *kernel, bool *out_wgp,
                               ht_error *error) {
    ht_amd_bytes descriptor;
    uint32_t rsrc1 = 0;
    *out_wgp = kernel->workgroup_processor_mode == 1;
    if (kernel->workgroup_processor_mode >= 0)
        return HT_OK;
    ht_status status = ht_amd_elf_descriptor(elf, kernel->symbol, &descriptor, error);
    if (status)
        return status;
    bytes_read(descriptor, 48, &rsrc1, sizeof rsrc1);
    *out_wgp = rsrc1 >> 29 & 1;
    return HT_OK;
}

static int or_zero(int value) {
    return value < 0 ? 0 : value;
}

static ht_resources kernel_resources(const ht_amd_target *target, const ht_amd_kernel *kernel,
                                     bool wgp, unsigned threads, unsigned dynamic_lds) {
    ht_resources resources = {
        .vgprs = kernel->vgpr_count,
        .agprs = or_zero(kernel->agpr_count), /* absent where there are none */
        .sgprs = kernel->sgpr_count,
        .vgpr_spills = kernel->vgpr_spill_count,
        .sgpr_spills = kernel->sgpr_spill_count,
        .lds = kernel->group_segment_fixed_size,
        .scratch = kernel->private_segment_fixed_size,
        .max_block = kernel->max_flat_workgroup_size,
        .wavefront = kernel->wavefront_size,
        .waves_per_simd = -1,
        .max_waves_per_simd = -1,
    };
    if (!target)
        return resources;
    uint64_t lds = (uint64_t)kernel->group_segment_fixed_size + dynamic_lds;
    ht_amd_usage usage = {
        .vgprs = resources.vgprs,
        .agprs = resources.agprs,
        .sgprs = resources.sgprs,
        .lds = lds > INT_MAX ? INT_MAX : (int)lds,
        .threads = threads > (unsigned)resources.max_block ? 0 : (int)threads,
        .wavefront = resources.wavefront,
        .wgp = wgp,
    };
    ht_amd_occupancy occupancy = ht_amd_occupancy_compute(target, &usage);
    resources.waves_per_simd = occupancy.waves;
    resources.max_waves_per_simd = occupancy.max_waves;
    return resources;
}

ht_status ht_amd_resources(const ht_device *device, const void *code, size_t code_size,
                           const char *lowered_name, unsigned threads, unsigned dynamic_lds,
                           ht_resources *out_resources, ht_error *error) {
    const ht_amd_target *target = ht_amd_target_find(device->arch);
    ht_amd_bytes elf, note;
    ht_status status =
        ht_amd_bundle_find((ht_amd_bytes){code, code_size}, device->arch, &elf, error);
    if (!status)
        status = ht_amd_elf_metadata(elf, &note, error);
    if (status)
        return status;
    ht_amd_metadata metadata;
    status = ht_amd_metadata_parse(note, &metadata, error);
    const ht_amd_kernel *kernel = NULL;
    bool wgp = false;
    if (!status)
        kernel = ht_amd_metadata_kernel(&metadata, lowered_name);
    if (!status && !kernel)
        status = ht_error_set(error, HT_ERROR_COMPILE, "the code object has no kernel '%s'",
                              lowered_name);
    if (!status && target && target->has_wgp)
        status = kernel_is_wgp(elf, kernel, &wgp, error);
    if (!status)
        *out_resources = kernel_resources(target, kernel, wgp, threads, dynamic_lds);
    ht_amd_metadata_free(&metadata);
    return status;
}
