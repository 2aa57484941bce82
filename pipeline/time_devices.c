#include "pipeline/time_devices.h"

#include "base/memory.h"
#include "runtime/amd/model/gpu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0
#define KIB 1024.0

/* NVIDIA's GPUs, from its data sheets and the white papers of the architectures (Volta, Turing,
 * Ampere, Hopper): multiprocessors, CUDA cores, boost clock, memory bandwidth, L2, shared memory a
 * multiprocessor. */
static const struct {
    const char *name;
    ht_time_device numbers;
} nvidia[] = {
    {"A100-PCIE-40GB", {32, 108, 6912, 1410, 1555e9, 40 * MIB, 164 * KIB}},
    {"H100 PCIe", {32, 114, 14592, 1755, 2000e9, 50 * MIB, 228 * KIB}},
    {"H100 80GB HBM3", {32, 132, 16896, 1830, 3350e9, 50 * MIB, 228 * KIB}},
    {"RTX A6000", {32, 84, 10752, 1800, 768e9, 6 * MIB, 100 * KIB}},
    {"RTX 2080 Ti", {32, 68, 4352, 1545, 616e9, 5.5 * MIB, 64 * KIB}},
    {"TITAN RTX", {32, 72, 4608, 1770, 672e9, 6 * MIB, 64 * KIB}},
    {"RTX 3060 Laptop GPU", {32, 30, 3840, 1425, 336e9, 3 * MIB, 100 * KIB}},
};

static void of_gpu(const ht_gpu *gpu, ht_time_device *out_device) {
    ht_amd_target target = ht_gpu_target(gpu);
    /* A SIMD takes `vector_cycles` for a wave, and a unit has four. */
    double lanes = 4 * (double)target.wavefront / gpu->vector_cycles;
    *out_device = (ht_time_device){.wavefront = (double)target.wavefront,
                                   .units = gpu->units,
                                   .lanes = gpu->units * lanes,
                                   .mhz = gpu->mhz,
                                   .memory_rate = gpu->memory_rate,
                                   .cache = gpu->cache_size,
                                   .lds = gpu->lds > 0 ? gpu->lds : target.lds};
}

/* Returns the text without anything but letters and digits, in small letters; free(). */
static char *squeezed(const char *text) {
    char *out = ht_strdup(text), *to = out;
    for (const char *at = text; *at; ++at)
        if (isalnum((unsigned char)*at))
            *to++ = (char)tolower((unsigned char)*at);
    *to = '\0';
    return out;
}

static bool has_words(const char *text, const char *words) {
    char *a = squeezed(text), *b = squeezed(words);
    bool found = strstr(a, b) != NULL;
    free(a);
    free(b);
    return found;
}

static const ht_gpu *gpu_named(const char *text) {
    for (size_t i = 0; i < ht_gpu_count; ++i)
        if (has_words(text, ht_gpus[i].name))
            return &ht_gpus[i];
    for (const char *at = text; (at = strstr(at, "gfx")) != NULL; ++at) {
        size_t length = 3 + strspn(at + 3, "0123456789abcdef");
        char *arch = ht_strndup(at, length);
        const ht_gpu *gpu = ht_gpu_of_arch(arch);
        free(arch);
        if (gpu)
            return gpu;
    }
    return NULL;
}

void ht_time_device_find(const char *text, ht_time_device *out_device) {
    const ht_gpu *gpu = gpu_named(text);
    *out_device = (ht_time_device){0};
    if (gpu)
        of_gpu(gpu, out_device);
    for (size_t i = 0; !gpu && i < sizeof nvidia / sizeof *nvidia; ++i)
        if (has_words(text, nvidia[i].name))
            *out_device = nvidia[i].numbers;
}

void ht_time_device_of(const char *text, const ht_device_fields *fields,
                       ht_time_device *out_device) {
    ht_time_device_find(text, out_device);
    if (out_device->units > 0)
        return;
    out_device->wavefront = (double)fields->wavefront;
    out_device->units = (double)fields->units;
    out_device->lds = (double)fields->lds_per_unit;
}
