#include "runtime/nvidia/resources.h"

#include "runtime/nvidia/hip.h"
#include "runtime/nvidia/occupancy.h"
#include "runtime/nvidia/ptxas.h"

#include <limits.h>

static const ht_resources unknown = {-1, -1, -1, -1, -1, -1, -1, -1, HT_NVIDIA_WARP, -1, -1};

/* Returns the warps that a scheduler holds: those of whole blocks, dealt out evenly. */
static int warps_of_blocks(int blocks, unsigned threads) {
    int warps = (int)((threads + HT_NVIDIA_WARP - 1) / HT_NVIDIA_WARP);
    return (blocks * warps + HT_NVIDIA_SCHEDULERS - 1) / HT_NVIDIA_SCHEDULERS;
}

ht_status ht_nvidia_resources(const ht_device *device, const void *code, size_t code_size,
                              const char *lowered_name, unsigned threads, unsigned dynamic_lds,
                              ht_resources *out_resources, ht_error *error) {
    const ht_nvidia_target *target = ht_nvidia_target_find(ht_nvidia_capability(device->arch));
    ht_ptxas_kernel kernel;
    if (!ht_ptxas_find(code, code_size, lowered_name, &kernel))
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "the compiled image says nothing of a kernel '%s'", lowered_name);
    *out_resources = unknown;
    out_resources->vgprs = kernel.registers;
    out_resources->agprs = 0;
    out_resources->vgpr_spills = (kernel.spill_stores + 3) / 4;
    out_resources->lds = kernel.shared;
    out_resources->scratch = kernel.stack;
    if (!target)
        return HT_OK;
    uint64_t shared = (uint64_t)kernel.shared + dynamic_lds;
    ht_nvidia_usage usage = {
        .registers = kernel.registers,
        .shared = shared > INT_MAX ? INT_MAX : (int)shared,
        .threads = threads > INT_MAX ? INT_MAX : (int)threads,
    };
    out_resources->waves_per_simd =
        warps_of_blocks(ht_nvidia_blocks_per_unit(target, &usage), threads);
    out_resources->max_waves_per_simd = target->max_warps / HT_NVIDIA_SCHEDULERS;
    return HT_OK;
}

ht_status ht_nvidia_loaded_resources(hipFunction_t function, unsigned threads, unsigned dynamic_lds,
                                     ht_resources *out_resources, ht_error *error) {
    const ht_nvidia_symbols *cuda = ht_nvidia_driver();
    int blocks = 0;
    *out_resources = unknown;
    if (!cuda)
        return ht_error_set(error, HT_ERROR_MISSING, "no CUDA driver");
    ht_cu_result result =
        cuda->cuFuncGetAttribute(&out_resources->vgprs, HT_CU_FUNC_REGISTERS, function);
    if (!result)
        result = cuda->cuFuncGetAttribute(&out_resources->lds, HT_CU_FUNC_SHARED, function);
    if (!result)
        result = cuda->cuFuncGetAttribute(&out_resources->scratch, HT_CU_FUNC_LOCAL, function);
    if (!result)
        result =
            cuda->cuFuncGetAttribute(&out_resources->max_block, HT_CU_FUNC_MAX_THREADS, function);
    if (!result)
        result = cuda->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)threads,
                                                                   dynamic_lds);
    if (result)
        return ht_error_set(error, HT_ERROR_LAUNCH, "asking for a kernel's resources failed (%d)",
                            result);
    out_resources->waves_per_simd = warps_of_blocks(blocks, threads);
    return HT_OK;
}
