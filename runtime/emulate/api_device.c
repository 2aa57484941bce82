/* The one device: this machine's cores. */
#include "base/machine_memory.h"
#include "runtime/emulate/api_internal.h"
#include "runtime/emulate/run.h"
#include "runtime/host/block.h"
#include "runtime/host/build.h"
#include "runtime/host/runtime.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum {
    MAJOR = 9, /* as gfx90a has: programs choose code by it */
    MINOR = 0,
    CLOCK_KHZ = 1000000,
    CONSTANT_BYTES = 65536,
    REGISTERS = 65536,
    THREADS_PER_UNIT = 2048,
    CACHE_BYTES = 8 << 20,
    BUS_BITS = 64,
    VERSION = 50220730, /* of the HIP whose structures these are */
    GRID_X = 2147483647,
    GRID_YZ = 65535,
    HEAP_BYTES = 8 << 20
};

/* hipDeviceProp_t */
struct ht_emulate_properties {
    char name[256];
    size_t global_memory, shared_per_block;
    int registers, wavefront, threads_per_block, block[3], grid[3], clock, memory_clock, bus_width;
    size_t constant_memory;
    int major, minor, units, cache, threads_per_unit, compute_mode, instruction_clock;
    unsigned arch;
    int concurrent_kernels, pci_domain, pci_bus, pci_device;
    size_t shared_per_unit;
    int multi_gpu_board, maps_host_memory, gcn_arch;
    char gcn_arch_name[256];
    int integrated, cooperative, cooperative_multi, texture_1d_linear, texture_1d, texture_2d[2],
        texture_3d[3];
    unsigned *flush_memory, *flush_registers;
    size_t pitch, texture_alignment, texture_pitch_alignment;
    int timeout, ecc, tcc, unmatched[4], large_bar, revision, managed, direct_managed,
        concurrent_managed, pageable, pageable_tables;
};

/* All that an hipDeviceArch_t can claim but dynamic parallelism and surfaces. */
enum { ARCH_FEATURES = 0x5FFF };

static hipError_t check_device(int device) {
    return device == 0 ? HT_HIP_SUCCESS : ht_emulate_result(HT_HIP_INVALID_DEVICE_ORDINAL);
}

hipError_t ht_emulate_hipInit(unsigned flags) {
    (void)flags;
    return HT_HIP_SUCCESS;
}

/* Stores a value, or refuses a null pointer. */
static hipError_t give(int *to, int value) {
    if (to == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *to = value;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipGetDeviceCount(int *count) {
    return give(count, 1);
}

hipError_t ht_emulate_hipSetDevice(int device) {
    return check_device(device);
}

hipError_t ht_emulate_hipGetDevice(int *device) {
    return give(device, 0);
}

hipError_t ht_emulate_hipDeviceGet(int *device, int ordinal) {
    return check_device(ordinal) == HT_HIP_SUCCESS ? give(device, 0)
                                                   : HT_HIP_INVALID_DEVICE_ORDINAL;
}

hipError_t ht_emulate_hipChooseDevice(int *device, const ht_emulate_properties *properties) {
    (void)properties;
    return give(device, 0);
}

hipError_t ht_emulate_hipGetDeviceProperties(ht_emulate_properties *properties, int device) {
    if (properties == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_INVALID_DEVICE_ORDINAL;
    *properties =
        (ht_emulate_properties){.name = "host emulation",
                                .global_memory = (size_t)ht_machine_memory(),
                                .shared_per_block = HT_STATIC_LDS_MAX,
                                .registers = REGISTERS,
                                .wavefront = (int)ht_emulate_wavefront(),
                                .threads_per_block = HT_BLOCK_THREADS,
                                .block = {HT_BLOCK_THREADS, HT_BLOCK_THREADS, HT_BLOCK_THREADS},
                                .grid = {GRID_X, GRID_YZ, GRID_YZ},
                                .clock = CLOCK_KHZ,
                                .memory_clock = CLOCK_KHZ,
                                .bus_width = BUS_BITS,
                                .constant_memory = CONSTANT_BYTES,
                                .major = MAJOR,
                                .minor = MINOR,
                                .units = omp_get_num_procs(),
                                .cache = CACHE_BYTES,
                                .threads_per_unit = THREADS_PER_UNIT,
                                .instruction_clock = CLOCK_KHZ,
                                .arch = ARCH_FEATURES,
                                .concurrent_kernels = 1,
                                .shared_per_unit = HT_STATIC_LDS_MAX,
                                .maps_host_memory = 1,
                                .gcn_arch_name = "host",
                                .pitch = GRID_X,
                                .texture_alignment = 256,
                                .texture_pitch_alignment = 256,
                                .large_bar = 1,
                                .managed = 1,
                                .direct_managed = 1,
                                .concurrent_managed = 1,
                                .pageable = 1};
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDeviceGetAttribute(int *value, int attribute, int device) {
    const struct {
        int attribute, value;
    } known[] = {{0, 0},
                 {2, 1},
                 {3, 1},
                 {5, CLOCK_KHZ},
                 {6, 0},
                 {8, 1},
                 {9, 1},
                 {10, 0},
                 {13, 1},
                 {16, 0},
                 {19, CACHE_BYTES},
                 {23, MAJOR},
                 {24, 1},
                 {25, THREADS_PER_UNIT / 64},
                 {26, HT_BLOCK_THREADS},
                 {27, HT_BLOCK_THREADS},
                 {28, HT_BLOCK_THREADS},
                 {29, GRID_X},
                 {30, GRID_YZ},
                 {31, GRID_YZ},
                 {56, HT_BLOCK_THREADS},
                 {57, THREADS_PER_UNIT},
                 {58, GRID_X},
                 {59, BUS_BITS},
                 {60, CLOCK_KHZ},
                 {61, MINOR},
                 {63, omp_get_num_procs()},
                 {65, 1},
                 {71, REGISTERS},
                 {72, REGISTERS},
                 {74, HT_STATIC_LDS_MAX},
                 {75, HT_STATIC_LDS_MAX},
                 {76, HT_STATIC_LDS_MAX},
                 {83, CONSTANT_BYTES},
                 {85, 1},
                 {87, (int)ht_emulate_wavefront()},
                 {88, 0},
                 {10000, CLOCK_KHZ},
                 {10002, HT_STATIC_LDS_MAX}};
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_INVALID_DEVICE_ORDINAL;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (known[i].attribute == attribute)
            return give(value, known[i].value);
    return ht_emulate_result(HT_HIP_INVALID_VALUE);
}

hipError_t ht_emulate_hipDeviceGetName(char *name, int length, int device) {
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_INVALID_DEVICE_ORDINAL;
    if (name == NULL || length <= 0)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    snprintf(name, (size_t)length, "host emulation");
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDeviceTotalMem(size_t *size, int device) {
    if (size == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *size = (size_t)ht_machine_memory();
    return check_device(device);
}

hipError_t ht_emulate_hipDeviceComputeCapability(int *major, int *minor, int device) {
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_INVALID_DEVICE_ORDINAL;
    hipError_t error = give(major, MAJOR);
    return error == HT_HIP_SUCCESS ? give(minor, MINOR) : error;
}

hipError_t ht_emulate_hipDeviceGetPCIBusId(char *id, int length, int device) {
    if (check_device(device) != HT_HIP_SUCCESS)
        return HT_HIP_INVALID_DEVICE_ORDINAL;
    if (id == NULL || length <= 0)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    snprintf(id, (size_t)length, "0000:00:00.0");
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDriverGetVersion(int *version) {
    return give(version, VERSION);
}

hipError_t ht_emulate_hipRuntimeGetVersion(int *version) {
    return give(version, VERSION);
}

hipError_t ht_emulate_hipDeviceSynchronize(void) {
    return ht_emulate_poisoned();
}

hipError_t ht_emulate_hipDeviceReset(void) {
    ht_emulate_poison(HT_HIP_SUCCESS);
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipSetDeviceFlags(unsigned flags) {
    (void)flags;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipGetDeviceFlags(unsigned *flags) {
    return give((int *)flags, 0);
}

hipError_t ht_emulate_hipDeviceGetLimit(size_t *value, int limit) {
    enum { HEAP_LIMIT = 2 };
    if (value == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    if (limit != HEAP_LIMIT)
        return ht_emulate_result(HT_HIP_UNSUPPORTED_LIMIT);
    *value = HEAP_BYTES;
    return HT_HIP_SUCCESS;
}

/* The heap of kernels is the process's, without a limit of its own. */
hipError_t ht_emulate_hipDeviceSetLimit(int limit, size_t value) {
    (void)limit, (void)value;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDeviceSetCacheConfig(int config) {
    (void)config;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDeviceGetCacheConfig(int *config) {
    return give(config, 0);
}

hipError_t ht_emulate_hipDeviceSetSharedMemConfig(int config) {
    (void)config;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDeviceGetSharedMemConfig(int *config) {
    return give(config, 0);
}

hipError_t ht_emulate_hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least != NULL)
        *least = 1;
    if (greatest != NULL)
        *greatest = -1;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDeviceCanAccessPeer(int *can, int device, int peer) {
    if (check_device(device) != HT_HIP_SUCCESS || check_device(peer) != HT_HIP_SUCCESS)
        return HT_HIP_INVALID_DEVICE_ORDINAL;
    return give(can, 0);
}

hipError_t ht_emulate_hipProfilerStart(void) {
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipProfilerStop(void) {
    return HT_HIP_SUCCESS;
}
