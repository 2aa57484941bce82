#include "runtime/amd/model/gpu.h"

#include <string.h>
#include <strings.h>

/* Sizes and counts are those of AMD's table of GPU specifications (rocm.docs.amd.com, reference,
 * gpu-specs), clocks and memory bandwidths those of each board's data sheet (amd.com). The work of
 * a unit in a cycle is in the white papers of the architectures (GCN, CDNA, CDNA 2, CDNA 3, RDNA)
 * and in the instruction set manuals. Latencies are rounded from published microbenchmarks
 * (chipsandcheese.com, "Measuring GPU Memory Latency" and the articles on MI210, MI300X, RDNA 3 and
 * RDNA 4); they differ by a tenth between methods. */

/* SIMDs of 16 lanes: 4 cycles for a wave of 64. */
#define GCN_UNIT                                                                                   \
    .vector_cycles = 4, .slow_cycles = 16, .scalar_rate = 1, .step = 4, .lds_rate = 1,             \
    .l1_rate = 64, .lds_latency = 64, .scalar_latency = 100, .cached_latency = 120,                \
    .l2_latency = 300
/* SIMDs of 32 lanes, two compute units in a WGP. */
#define RDNA_UNIT                                                                                  \
    .vector_cycles = 1, .slow_cycles = 4, .scalar_rate = 4, .step = 1, .lds_rate = 2,              \
    .l1_rate = 256, .lds_latency = 50, .scalar_latency = 50, .cached_latency = 80,                 \
    .l2_latency = 200, .lds = 65536

#define KIB 1024.0
#define MIB 1048576.0

const ht_gpu ht_gpus[] = {
    {.name = "mi50",
     .board = "AMD Instinct MI50",
     .arch = "gfx906",
     .like = "gfx906",
     .units = 60,
     .lds = 65536,
     .mhz = 1725,
     GCN_UNIT,
     .double_cycles = 8,
     .l1_size = 16 * KIB,
     .l2_rate = 1024,
     .cache_size = 4 * MIB,
     .memory_rate = 1024e9,
     .memory_latency = 600,
     .source = "data sheet: 60 compute units, 1725 MHz, 13.3 TFLOPS of float32 and 6.6 of float64, "
               "1024 GB/s; L2: 4 MiB, 16 channels of 64 bytes"},
    {.name = "mi100",
     .board = "AMD Instinct MI100",
     .arch = "gfx908",
     .like = "gfx908",
     .units = 120,
     .lds = 65536,
     .mhz = 1502,
     GCN_UNIT,
     .double_cycles = 8,
     .l1_size = 16 * KIB,
     .l2_rate = 2048,
     .cache_size = 8 * MIB,
     .memory_rate = 1228.8e9,
     .memory_latency = 600,
     .source = "data sheet: 120 compute units, 1502 MHz, 23.1 TFLOPS of float32 and 11.5 of "
               "float64, 1228.8 GB/s; CDNA white paper: L2 of 8 MiB, 2 KB a clock"},
    {.name = "mi250x",
     .board = "AMD Instinct MI250X, one of its two dies",
     .arch = "gfx90a",
     .like = "gfx90a",
     .units = 110,
     .lds = 65536,
     .mhz = 1700,
     GCN_UNIT,
     .double_cycles = 4,
     .l1_size = 16 * KIB,
     .l2_rate = 4096,
     .cache_size = 8 * MIB,
     .memory_rate = 1638.4e9,
     .memory_latency = 650,
     .source = "data sheet, halved: 220 compute units, 1700 MHz, 47.9 TFLOPS of float64, 3276.8 "
               "GB/s; CDNA 2 white paper: L2 of 8 MiB a die, 32 channels of 128 bytes"},
    {.name = "mi300x",
     .board = "AMD Instinct MI300X",
     .arch = "gfx942",
     .like = "gfx942",
     .units = 304,
     .lds = 65536,
     .mhz = 2100,
     GCN_UNIT,
     .double_cycles = 4,
     .l1_size = 32 * KIB,
     .l2_rate = 16384,
     .cache_size = 256 * MIB,
     .memory_rate = 5300e9,
     .memory_latency = 750,
     .source = "data sheet: 304 compute units, 2100 MHz, 81.7 TFLOPS of float64, 5.3 TB/s, 256 MB "
               "of Infinity Cache; CDNA 3 white paper: L1 of 32 KB, L2 of 2 KB a clock in each of "
               "8 dies"},
    {.name = "mi355x",
     .board = "AMD Instinct MI355X",
     .arch = "gfx950",
     .like = "gfx942",
     .units = 256,
     .lds = 163840,
     .mhz = 2400,
     GCN_UNIT,
     .double_cycles = 4,
     .l1_size = 32 * KIB,
     .l2_rate = 16384,
     .cache_size = 256 * MIB,
     .memory_rate = 8000e9,
     .memory_latency = 800,
     .source = "data sheet: 256 compute units, 2400 MHz, 78.6 TFLOPS of float64, 8 TB/s, 256 MB of "
               "Infinity Cache; gpu-specs: LDS of 160 KiB, L1 of 32 KiB; L2's rate as MI300X"},
    {.name = "w6600",
     .board = "AMD Radeon PRO W6600",
     .arch = "gfx1030", /* it is a gfx1032, whose instructions and limits are the same */
     .like = "gfx1030",
     .units = 14,
     .mhz = 2900,
     RDNA_UNIT,
     .double_cycles = 16,
     .l1_size = 32 * KIB,
     .l2_rate = 1024,
     .cache_size = 32 * MIB,
     .memory_rate = 224e9,
     .memory_latency = 600,
     .source = "data sheet: 28 compute units, 10.4 TFLOPS of float32 (2.9 GHz), 224 GB/s, 32 MB of "
               "Infinity Cache; RDNA white paper: L0 of 16 KB a compute unit, 128 bytes a clock"},
    {.name = "w7800",
     .board = "AMD Radeon PRO W7800",
     .arch = "gfx1100",
     .like = "gfx1100",
     .units = 35,
     .mhz = 2525,
     RDNA_UNIT,
     .double_cycles = 32,
     .l1_size = 64 * KIB,
     .l2_rate = 3072,
     .cache_size = 64 * MIB,
     .memory_rate = 576e9,
     .memory_latency = 650,
     .source = "data sheet: 70 compute units, 45.2 TFLOPS of float32 by dual issue (2525 MHz), 576 "
               "GB/s, 64 MB of Infinity Cache; gpu-specs: L0 of 32 KiB a compute unit"},
    {.name = "rx7900",
     .board = "AMD Radeon RX 7900 XTX",
     .arch = "gfx1100",
     .like = "gfx1100",
     .units = 48,
     .mhz = 2500,
     RDNA_UNIT,
     .double_cycles = 32,
     .l1_size = 64 * KIB,
     .l2_rate = 3072,
     .cache_size = 96 * MIB,
     .memory_rate = 960e9,
     .memory_latency = 650,
     .source = "data sheet: 96 compute units, up to 2500 MHz, 61.4 TFLOPS of float32 by dual "
               "issue, 960 GB/s, 96 MB of Infinity Cache; gpu-specs: L0 of 32 KiB a compute unit"},
    {.name = "rx9070",
     .board = "AMD Radeon RX 9070",
     .arch = "gfx1201",
     .like = "gfx1100",
     .units = 28,
     .mhz = 2520,
     RDNA_UNIT,
     .double_cycles = 32,
     .l1_size = 64 * KIB,
     .l2_rate = 4096,
     .cache_size = 64 * MIB,
     .memory_rate = 640e9,
     .memory_latency = 650,
     .source = "data sheet: 56 compute units, up to 2520 MHz, 36.1 TFLOPS of float32 by dual "
               "issue, 640 GB/s, 64 MB of Infinity Cache; gpu-specs: L0 of 32 KiB a compute unit"},
};
const size_t ht_gpu_count = sizeof ht_gpus / sizeof *ht_gpus;

const ht_gpu *ht_gpu_find(const char *name) {
    for (size_t i = 0; i < ht_gpu_count; i++)
        if (strcasecmp(ht_gpus[i].name, name) == 0)
            return &ht_gpus[i];
    return NULL;
}

const ht_gpu *ht_gpu_of_arch(const char *arch) {
    size_t length = strcspn(arch, ":");
    for (size_t i = 0; i < ht_gpu_count; i++)
        if (strlen(ht_gpus[i].arch) == length && strncmp(ht_gpus[i].arch, arch, length) == 0)
            return &ht_gpus[i];
    return NULL;
}

ht_amd_target ht_gpu_target(const ht_gpu *gpu) {
    ht_amd_target target = *ht_amd_target_find(gpu->like);
    target.arch = gpu->arch;
    target.lds = gpu->lds;
    return target;
}
