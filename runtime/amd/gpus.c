#include "runtime/amd/gpus.h"

#include "runtime/amd/code_object/symbols.h"

#include <stdio.h>
#include <string.h>

/* hipDeviceAttribute_t. These numbers are the same in ROCm 5, 6 and 7: a version that drops an
 * attribute leaves a placeholder in its place. */
enum {
    ATTRIBUTE_MAX_BLOCK_X = 26,
    ATTRIBUTE_MAX_BLOCK_Y = 27,
    ATTRIBUTE_MAX_BLOCK_Z = 28,
    ATTRIBUTE_MAX_GRID_X = 29,
    ATTRIBUTE_MAX_GRID_Y = 30,
    ATTRIBUTE_MAX_GRID_Z = 31,
    ATTRIBUTE_MAX_THREADS = 56,
    ATTRIBUTE_UNITS = 63,
    ATTRIBUTE_LDS_BLOCK = 74,
    ATTRIBUTE_WAVEFRONT = 87,
    ATTRIBUTE_LDS_UNIT = 10002
};

/* Leaves *value as it is when the runtime does not answer. */
static void attribute(const ht_hip *hip, int number, int ordinal, int64_t *value) {
    int answer = 0;
    if (hip->hipDeviceGetAttribute(&answer, number, ordinal) == HT_HIP_SUCCESS && answer > 0)
        *value = answer;
}

static void read_fields(const ht_hip *hip, ht_amd_gpu *gpu) {
    const ht_amd_target *target = ht_amd_target_find(gpu->arch);
    /* For an architecture without a table: fields that every GPU since gfx9 has. */
    gpu->fields = ht_amd_target_fields(target ? target : ht_amd_target_find("gfx906"));
    struct {
        int number;
        int64_t *value;
    } wanted[] = {
        {ATTRIBUTE_MAX_BLOCK_X, &gpu->fields.max_block_x},
        {ATTRIBUTE_MAX_BLOCK_Y, &gpu->fields.max_block_y},
        {ATTRIBUTE_MAX_BLOCK_Z, &gpu->fields.max_block_z},
        {ATTRIBUTE_MAX_GRID_X, &gpu->fields.max_grid_x},
        {ATTRIBUTE_MAX_GRID_Y, &gpu->fields.max_grid_y},
        {ATTRIBUTE_MAX_GRID_Z, &gpu->fields.max_grid_z},
        {ATTRIBUTE_MAX_THREADS, &gpu->fields.max_threads},
        {ATTRIBUTE_UNITS, &gpu->fields.units},
        {ATTRIBUTE_LDS_BLOCK, &gpu->fields.max_static_lds},
        {ATTRIBUTE_LDS_BLOCK, &gpu->fields.max_dynamic_lds},
        {ATTRIBUTE_WAVEFRONT, &gpu->fields.wavefront},
        {ATTRIBUTE_LDS_UNIT, &gpu->fields.lds_per_unit},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        attribute(hip, wanted[i].number, gpu->ordinal, wanted[i].value);
}

/* Returns true for texts such as "gfx90a:sramecc+:xnack-", which a field of another layout would
 * hardly look like. */
static bool looks_like_arch(const char *text) {
    return strncmp(text, "gfx", 3) == 0 && strspn(text + 3, "0123456789abcdef") >= 3;
}

/* Reads the architecture in one way. The layout is believed when it has an architecture in its
 * place, and in the wavefront's place the number that the runtime gives by itself. */
static bool read_arch(const ht_hip *hip, const ht_amd_properties *way, ht_amd_gpu *gpu) {
    static char properties[HT_AMD_PROPERTIES_SIZE];
    memset(properties, 0, sizeof properties);
    if (way->get(properties, gpu->ordinal) != HT_HIP_SUCCESS)
        return false;
    const char *arch = properties + way->arch_offset;
    int warp, known;
    memcpy(&warp, properties + way->warp_offset, sizeof warp);
    if (!looks_like_arch(arch) || strnlen(arch, 256) >= sizeof gpu->arch)
        return false;
    if (hip->hipDeviceGetAttribute(&known, ATTRIBUTE_WAVEFRONT, gpu->ordinal) == HT_HIP_SUCCESS &&
        known != warp)
        return false;
    snprintf(gpu->arch, sizeof gpu->arch, "%s", arch);
    return true;
}

static void read_gpu(const ht_amd_symbols *symbols, int ordinal, ht_amd_gpu *out_gpu) {
    const ht_hip *hip = &symbols->hip;
    *out_gpu = (ht_amd_gpu){.ordinal = ordinal};
    bool known = false;
    for (size_t i = 0; i < symbols->properties_count && !known; i++)
        known = read_arch(hip, &symbols->properties[i], out_gpu);
    if (!known) { /* better no device than a wrong one */
        snprintf(out_gpu->failure, sizeof out_gpu->failure,
                 "%.120s tells its architecture in no known layout (%s)", symbols->runtime,
                 symbols->properties[0].symbol);
        return;
    }
    if (hip->hipDeviceGetName(out_gpu->name, sizeof out_gpu->name, ordinal) != HT_HIP_SUCCESS ||
        !out_gpu->name[0])
        snprintf(out_gpu->name, sizeof out_gpu->name, "AMD GPU");
    read_fields(hip, out_gpu);
}

void ht_amd_gpus_work(const void *unused, int fd) {
    (void)unused;
    ht_amd_symbols symbols;
    int count = 0;
    if (ht_amd_symbols_load(ht_amd_runtime_names, ht_amd_hiprtc_names, &symbols, NULL) ||
        symbols.hip.hipInit(0) != HT_HIP_SUCCESS ||
        symbols.hip.hipGetDeviceCount(&count) != HT_HIP_SUCCESS)
        return;
    for (int i = 0; i < count; i++) {
        ht_amd_gpu gpu;
        read_gpu(&symbols, i, &gpu);
        ht_child_write(fd, &gpu, sizeof gpu);
    }
}

size_t ht_amd_gpus_finish(ht_child *child, ht_amd_gpu *out_gpus, size_t capacity) {
    ht_child_result result;
    ht_child_finish(child, &result);
    size_t count = result.output_size / sizeof *out_gpus;
    if (count > capacity)
        count = capacity;
    memcpy(out_gpus, result.output, count * sizeof *out_gpus);
    ht_child_result_free(&result);
    return count;
}
