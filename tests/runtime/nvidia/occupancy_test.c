/* Occupancy against CUDA's own calculator, cuda_occupancy.h, where the toolkit is there. */
#include "base/random.h"
#include "runtime/nvidia/occupancy.h"

#include <criterion/criterion.h>

#ifdef HT_CUDA_OCCUPANCY
#include <cuda_occupancy.h>

static int calculator(const ht_nvidia_target *target, const ht_nvidia_usage *usage) {
    cudaOccDeviceProp properties = {
        .computeMajor = target->capability / 10,
        .computeMinor = target->capability % 10,
        .maxThreadsPerBlock = 1024,
        .maxThreadsPerMultiprocessor = target->max_warps * 32,
        .regsPerBlock = 65536,
        .regsPerMultiprocessor = 65536,
        .warpSize = 32,
        .sharedMemPerBlock = 49152,
        .sharedMemPerMultiprocessor = (size_t)target->shared,
        .numSms = target->units,
        .sharedMemPerBlockOptin = (size_t)target->shared_block,
        .reservedSharedMemPerBlock = (size_t)target->reserved,
    };
    cudaOccFuncAttributes attributes = {
        .maxThreadsPerBlock = 1024,
        .numRegs = usage->registers,
        .sharedSizeBytes = 0,
        .maxDynamicSharedSizeBytes = (size_t)target->shared_block,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
    };
    cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult result;
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &properties, &attributes, &state, usage->threads, (size_t)usage->shared);
    cr_assert_eq(error, CUDA_OCC_SUCCESS, "sm_%d: %d", target->capability, error);
    return result.activeBlocksPerMultiprocessor;
}
#endif

Test(occupancy, is_the_calculators) {
#ifndef HT_CUDA_OCCUPANCY
    cr_skip_test("no cuda_occupancy.h on this machine (it is in the CUDA toolkit)");
#else
    ht_random random;
    ht_random_seed(&random, 3);
    for (size_t t = 0; t < ht_nvidia_target_count; t++)
        for (int i = 0; i < 20000; i++) {
            const ht_nvidia_target *target = &ht_nvidia_targets[t];
            ht_nvidia_usage usage = {
                .registers = 1 + (int)ht_random_below(&random, 255),
                .shared = i % 3 ? (int)ht_random_below(&random, (uint64_t)target->shared_block) : 0,
                .threads = 1 + (int)ht_random_below(&random, 1024),
            };
            cr_assert_eq(ht_nvidia_blocks_per_unit(target, &usage), calculator(target, &usage),
                         "sm_%d, %d registers, %d bytes, %d threads", target->capability,
                         usage.registers, usage.shared, usage.threads);
        }
#endif
}

Test(occupancy, known_cases) {
    const ht_nvidia_target *a100 = ht_nvidia_target_find(80);
    cr_assert_not_null(a100);
    ht_nvidia_usage light = {.registers = 32, .threads = 256};
    cr_expect_eq(ht_nvidia_blocks_per_unit(a100, &light), 8); /* all 2048 threads */
    ht_nvidia_usage heavy = {.registers = 255, .threads = 1024};
    cr_expect_eq(ht_nvidia_blocks_per_unit(a100, &heavy), 0);
    ht_nvidia_usage large = {.registers = 32, .threads = 256, .shared = 100 << 10};
    cr_expect_eq(ht_nvidia_blocks_per_unit(a100, &large), 1);
    large.shared = 164 << 10;
    cr_expect_eq(ht_nvidia_blocks_per_unit(a100, &large), 0);
    cr_expect_null(ht_nvidia_target_find(999));
    cr_expect_eq(ht_nvidia_capability("sm_90a"), 90);
    cr_expect_eq(ht_nvidia_capability("compute_120"), 120);
    cr_expect_eq(ht_nvidia_capability("gfx90a"), 0);
}
