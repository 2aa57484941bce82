/* Launches: blocks in parallel on the cores, finished when the call returns. */
#include "runtime/host/block.h"
#include "runtime/host/build.h"
#include "runtime/host/check_internal.h"
#include "runtime/host/clock.h"
#include "runtime/host/errors.h"
#include "runtime/host/module.h"
#include "runtime/host/runtime.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* A launch is short if it takes less CPU time. The calling thread runs it alone, since to wake
 * others takes as long, and by a clock that counts what other programs take from the core: where a
 * launch takes that much longer than the one before, they did. */
enum { SHORT_NS = 20000, LONGER_TIMES = 4, LONGER_NS = 10000 };

/* The state that the OS threads of a launch share. */
typedef struct job {
    ht_block_launch launch;
    const ht_module *module;
    unsigned dynamic_lds;
    uint64_t blocks, share; /* blocks taken at a time */
    _Atomic uint64_t taken;
    _Atomic uint64_t busy; /* nanoseconds of CPU time that the threads spent */
    atomic_bool failed;
    pthread_mutex_t lock;
    int code;
    char message[HT_BLOCK_MESSAGE];
} job;

static void note_failure(job *all, int code, const char *message) {
    pthread_mutex_lock(&all->lock);
    if (!atomic_exchange(&all->failed, true)) {
        all->code = code;
        memcpy(all->message, message, HT_BLOCK_MESSAGE);
    }
    pthread_mutex_unlock(&all->lock);
}

static void run_blocks(job *all) {
    ht_block *block = ht_block_here();
    const uint32_t *grid = all->launch.grid;
    char message[HT_BLOCK_MESSAGE];
    ht_module_poison(all->module, all->dynamic_lds);
    for (;;) {
        uint64_t first = atomic_fetch_add(&all->taken, all->share);
        if (first >= all->blocks)
            return;
        uint64_t end = all->blocks - first < all->share ? all->blocks : first + all->share;
        for (uint64_t i = first; i < end; ++i) {
            if (atomic_load_explicit(&all->failed, memory_order_relaxed))
                return;
            uint32_t at[3] = {(uint32_t)(i % grid[0]), (uint32_t)(i / grid[0] % grid[1]),
                              (uint32_t)(i / grid[0] / grid[1])};
            int code;
            if (!ht_block_run(block, &all->launch, at, &code, message))
                note_failure(all, code, message);
        }
    }
}

static void work(job *all) {
    uint64_t start = ht_host_thread_time();
    run_blocks(all);
    atomic_fetch_add(&all->busy, ht_host_thread_time() - start);
}

/* Returns the time that the launch takes on a device whose cores do nothing else: the rounds of
 * blocks that each of `threads` cores runs, at the mean CPU time of a block. */
static uint64_t device_time(const job *all, uint64_t threads) {
    uint64_t rounds = (all->blocks + threads - 1) / threads;
    return (uint64_t)((double)atomic_load(&all->busy) * (double)rounds / (double)all->blocks);
}

/* Returns true if the kernel's last launch was short and had no fewer threads. */
static bool is_short(const ht_kernel *kernel, uint64_t threads) {
    return threads <= atomic_load(&kernel->threads) && atomic_load(&kernel->busy) < SHORT_NS;
}

/* Runs a launch that ought to be short. Where it is not, it counts as the one before, and the next
 * is timed by the other clock. */
static void work_shortly(job *all, ht_kernel *kernel) {
    uint64_t before = atomic_load(&kernel->busy), start = ht_host_wall_time();
    run_blocks(all);
    uint64_t took = ht_host_wall_time() - start;
    bool longer = took > LONGER_TIMES * before + LONGER_NS;
    atomic_store(&all->busy, longer ? before : took);
    atomic_store(&kernel->busy, longer ? SHORT_NS : took);
}

/* Runs all blocks; `cores` are those of the device. */
static void run_all(job *all, ht_kernel *kernel, uint64_t cores) {
    const uint32_t *size = all->launch.size;
    uint64_t threads = all->blocks * size[0] * size[1] * size[2];
    if (is_short(kernel, threads)) {
        work_shortly(all, kernel);
    } else {
        if (cores == 1) {
            work(all);
        } else {
#pragma omp parallel num_threads((int)cores) default(none) shared(all)
            work(all);
        }
        atomic_store(&kernel->busy, atomic_load(&all->busy));
    }
    atomic_store(&kernel->threads, threads);
    ht_host_clock_advance(device_time(all, cores));
}

static hipError_t check(const ht_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                        unsigned dynamic_lds) {
    static const unsigned block_max[3] = {1024, 1024, 1024},
                          grid_max[3] = {2147483647u, 65535, 65535};
    const char *name = kernel->entry->name;
    for (int i = 0; i < 3; ++i) {
        if (block[i] == 0 || block[i] > block_max[i])
            return ht_host_fail(HT_HIP_ERROR_INVALID_CONFIGURATION,
                                "%s: block size %u in %c is not between 1 and %u", name, block[i],
                                'x' + i, block_max[i]);
        if (grid[i] == 0 || grid[i] > grid_max[i])
            return ht_host_fail(HT_HIP_ERROR_INVALID_CONFIGURATION,
                                "%s: grid size %u in %c is not between 1 and %u", name, grid[i],
                                'x' + i, grid_max[i]);
    }
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > HT_BLOCK_THREADS)
        return ht_host_fail(HT_HIP_ERROR_INVALID_CONFIGURATION,
                            "%s: a block of %u x %u x %u is %llu threads, more than %d", name,
                            block[0], block[1], block[2], (unsigned long long)threads,
                            HT_BLOCK_THREADS);
    if (dynamic_lds > HT_DYNAMIC_LDS_MAX - kernel->entry->lds)
        return ht_host_fail(HT_HIP_ERROR_OUT_OF_RESOURCES,
                            "%s: %u bytes of dynamic and %u of static LDS, more than %d", name,
                            dynamic_lds, kernel->entry->lds, HT_DYNAMIC_LDS_MAX);
    return HT_HIP_SUCCESS;
}

/* Runs one block at a time, in this thread. */
static hipError_t launch_checked(const job *all, const ht_check_image *image) {
    ht_checked_launch launch = {.image = image,
                                .block = all->launch,
                                .dynamic_lds = all->dynamic_lds,
                                .blocks = all->blocks};
    launch.block.checked = true;
    int code = 0;
    char message[HT_BLOCK_MESSAGE];
    if (ht_check_launch(&launch, &code, message))
        return HT_HIP_SUCCESS;
    return ht_host_fail(code, "%s: %s", all->launch.name, message);
}

hipError_t ht_host_hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                         void **arguments, void **extra) {
    (void)stream;
    ht_kernel *kernel = function;
    if (!kernel)
        return ht_host_fail(HT_HIP_ERROR_INVALID_HANDLE, "hipModuleLaunchKernel: no function");
    if (extra)
        return ht_host_fail(HT_HIP_ERROR_NOT_SUPPORTED,
                            "hipModuleLaunchKernel: pass arguments as pointers, not in `extra`");
    if (kernel->entry->arguments && !arguments)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "%s: no arguments, where it takes %u",
                            kernel->entry->name, kernel->entry->arguments);
    const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    hipError_t error = check(kernel, grid, block, dynamic_lds);
    if (error != HT_HIP_SUCCESS)
        return error;
    job all = {.launch = {.run = kernel->entry->run,
                          .arguments = arguments,
                          .name = kernel->entry->name,
                          .grid = {grid_x, grid_y, grid_z},
                          .size = {block_x, block_y, block_z},
                          .wavefront = kernel->entry->wavefront},
               .module = kernel->module,
               .dynamic_lds = dynamic_lds,
               .blocks = (uint64_t)grid_x * grid_y * grid_z,
               .lock = PTHREAD_MUTEX_INITIALIZER};
    if (kernel->image)
        return launch_checked(&all, kernel->image);
    uint64_t cores = (uint64_t)omp_get_max_threads();
    if (cores > all.blocks)
        cores = all.blocks;
    if (cores == 0)
        cores = 1;
    /* Small shares balance uneven blocks; of very many blocks, larger ones spare the counter. */
    all.share = all.blocks / (cores * 64);
    all.share = all.share < 1 ? 1 : all.share > 64 ? 64 : all.share;
    run_all(&all, kernel, cores);
    if (atomic_load(&all.failed))
        return ht_host_fail(all.code, "%s: %s", all.launch.name, all.message);
    return HT_HIP_SUCCESS;
}
