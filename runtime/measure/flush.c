#include "runtime/measure/flush.h"

#include "base/memory.h"
#include "runtime/buffers/buffers.h"

#include <stdlib.h>
#include <unistd.h>

/* Twice the largest cache of a GPU that we know of (256 MB, MI300X). */
static const size_t FLUSH_MAX = (size_t)512 << 20;
static const size_t FLUSH_MIN = (size_t)64 << 20;
enum { LINE = 64 };

struct ht_flush {
    const ht_hip *hip;
    bool emulated;
    void *memory; /* device */
    size_t bytes;
    int round;
};

static size_t bytes_wanted(bool emulated) {
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (cache <= 0)
        cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (!emulated || cache <= 0)
        return emulated ? FLUSH_MIN : FLUSH_MAX;
    size_t bytes = 2 * (size_t)cache;
    return bytes > FLUSH_MAX ? FLUSH_MAX : bytes < FLUSH_MIN ? FLUSH_MIN : bytes;
}

ht_status ht_flush_create(const ht_hip *hip, bool emulated, ht_flush **out_flush, ht_error *error) {
    ht_flush *flush = ht_alloc(1, sizeof *flush);
    *flush = (ht_flush){.hip = hip, .emulated = emulated, .bytes = bytes_wanted(emulated)};
    while (hip->hipMalloc(&flush->memory, flush->bytes) != HT_HIP_SUCCESS) {
        flush->memory = NULL;
        flush->bytes /= 2;
        hip->hipGetLastError();
        if (flush->bytes < FLUSH_MIN) {
            free(flush);
            return ht_error_set(error, HT_ERROR_LAUNCH,
                                "no %zu MiB of device memory to empty the caches with; use "
                                "--cache hot or free some",
                                FLUSH_MIN >> 20);
        }
    }
    *out_flush = flush;
    return HT_OK;
}

void ht_flush_free(ht_flush *flush) {
    if (flush == NULL)
        return;
    flush->hip->hipFree(flush->memory);
    free(flush);
}

size_t ht_flush_bytes(const ht_flush *flush) {
    return flush->bytes;
}

/* Writes over it on each core, as each has caches of its own. One byte of a line is enough, and
 * unlike memset such writes cannot pass the caches by. */
static void write_over_on_cores(ht_flush *flush) {
    volatile unsigned char *memory = flush->memory;
    size_t bytes = flush->bytes;
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < bytes; at += LINE)
        memory[at] = (unsigned char)(memory[at] + 1);
}

ht_status ht_flush_run(ht_flush *flush, ht_error *error) {
    const ht_hip *hip = flush->hip;
    if (flush->emulated) {
        write_over_on_cores(flush);
        return HT_OK;
    }
    ht_status status =
        ht_hip_check(hip, hip->hipMemset(flush->memory, ++flush->round & 0xFF, flush->bytes),
                     "emptying the caches", error);
    return status == HT_OK
               ? ht_hip_check(hip, hip->hipDeviceSynchronize(), "emptying the caches", error)
               : status;
}
