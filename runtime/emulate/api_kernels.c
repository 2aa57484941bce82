/* Kernels and variables: what host code registers, and launches. */
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/emulate/api_internal.h"
#include "runtime/emulate/capture.h"
#include "runtime/emulate/device_ir.h"
#include "runtime/emulate/run.h"
#include "runtime/host/block.h"
#include "runtime/host/build.h"
#include "runtime/host/errors.h"
#include "runtime/host/module.h"
#include "runtime/host/runtime.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hipFuncAttributes */
struct ht_emulate_function {
    int binary_version, cache_mode;
    size_t constant_bytes, local_bytes;
    int dynamic_shared, threads, registers, carveout, ptx_version;
    size_t shared_bytes;
};

/* A file's image, loaded when something of it is first asked for. */
typedef struct image {
    const void *data;
    hipModule_t module;
    bool tried;
} image;

typedef enum kind { KERNEL, VARIABLE, MANAGED } kind;

/* A kernel or variable that host code knows by an address. */
typedef struct item {
    const void *handle;
    char *name;
    image *image;
    kind kind;
    size_t size;   /* of a variable */
    void *initial; /* MANAGED */
    hipFunction_t function;
    void *address;
} item;

static item *items;
static size_t item_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* HIP's __CudaFatBinaryWrapper. */
typedef struct wrapper {
    unsigned magic, version;
    const void *data, *unused;
} wrapper;

void **ht_emulate___hipRegisterFatBinary(const void *given) {
    image *made = ht_alloc(1, sizeof *made);
    made->data = ((const wrapper *)given)->data;
    return (void **)made;
}

/* Images stay: a thread of the program may still run when its constructors' counterparts do. */
void ht_emulate___hipUnregisterFatBinary(void **module) {
    (void)module;
}

static void add(item fresh, const char *name) {
    pthread_mutex_lock(&lock);
    HT_GROW(items, item_count);
    fresh.name = ht_format(HT_EMULATE_ENTRY "%s", name);
    items[item_count++] = fresh;
    pthread_mutex_unlock(&lock);
}

void ht_emulate___hipRegisterFunction(void **module, const void *handle, char *host_name,
                                      const char *name, unsigned threads, void *thread, void *block,
                                      void *block_size, void *grid_size, int *wavefront) {
    (void)host_name, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size,
        (void)wavefront;
    add((item){.handle = handle, .image = (image *)module, .kind = KERNEL}, name);
}

void ht_emulate___hipRegisterVar(void **module, void *variable, char *host_name, char *name,
                                 int external, size_t size, int constant, int global) {
    (void)host_name, (void)external, (void)constant, (void)global;
    add((item){.handle = variable, .image = (image *)module, .kind = VARIABLE, .size = size}, name);
}

/* Host code reaches a managed variable through a pointer, device code through another. Both get the
 * address now; the second when its image is loaded. */
void ht_emulate___hipRegisterManagedVar(void **module, void **pointer, void *initial,
                                        const char *name, size_t size, unsigned alignment) {
    (void)alignment;
    if (ht_emulate_hipMallocManaged(pointer, size, 1) != HT_HIP_SUCCESS)
        return;
    memcpy(*pointer, initial, size);
    add((item){.handle = pointer,
               .image = (image *)module,
               .kind = MANAGED,
               .size = size,
               .initial = initial,
               .address = *pointer},
        name);
}

/* Lets device code find the managed variables of its image. */
static void point_to_managed(const image *loaded) {
    for (size_t i = 0; i < item_count; ++i) {
        void *pointer;
        size_t size;
        if (items[i].image == loaded && items[i].kind == MANAGED &&
            ht_host_hipModuleGetGlobal(&pointer, &size, loaded->module, items[i].name) ==
                HT_HIP_SUCCESS)
            memcpy(pointer, &items[i].address, sizeof items[i].address);
    }
}

static bool load(image *wanted) {
    if (!wanted->tried) {
        wanted->tried = true;
        if (ht_host_hipModuleLoadData(&wanted->module, wanted->data) != HT_HIP_SUCCESS) {
            wanted->module = NULL;
            fprintf(stderr, "hiptemper emulate: device code cannot be loaded: %s\n",
                    ht_host_error_string(ht_host_last_error()));
        } else {
            point_to_managed(wanted);
        }
    }
    return wanted->module != NULL;
}

static item *find(const void *handle, bool kernel) {
    for (size_t i = item_count; i-- > 0;)
        if (items[i].handle == handle && (items[i].kind == KERNEL) == kernel)
            return &items[i];
    return NULL;
}

bool ht_emulate_variable(const void *symbol, void **out_address, size_t *out_size) {
    pthread_mutex_lock(&lock);
    item *found = find(symbol, false);
    size_t size;
    if (found != NULL && found->address == NULL && load(found->image))
        ht_host_hipModuleGetGlobal(&found->address, &size, found->image->module, found->name);
    bool good = found != NULL && found->address != NULL;
    if (good) {
        *out_address = found->address;
        *out_size = found->size;
    }
    pthread_mutex_unlock(&lock);
    return good;
}

/* Finds the kernel of a handle; NULL when there is none, or its image cannot be loaded. */
static const ht_kernel *find_kernel(const void *handle) {
    pthread_mutex_lock(&lock);
    item *found = find(handle, true);
    if (found != NULL && found->function == NULL && load(found->image) &&
        ht_host_hipModuleGetFunction(&found->function, found->image->module, found->name) !=
            HT_HIP_SUCCESS)
        found->function = NULL;
    const ht_kernel *kernel = found != NULL ? found->function : NULL;
    pthread_mutex_unlock(&lock);
    return kernel;
}

/* The configurations of <<< >>> between a push and the stub's pop; calls of kernels nest in
 * arguments. */
typedef struct configuration {
    ht_dim3 grid, block;
    size_t shared;
    hipStream_t stream;
} configuration;

static __thread configuration *pushed;
static __thread size_t pushed_count;

hipError_t ht_emulate___hipPushCallConfiguration(ht_dim3 grid, ht_dim3 block, size_t shared,
                                                 hipStream_t stream) {
    HT_GROW(pushed, pushed_count);
    pushed[pushed_count++] = (configuration){grid, block, shared, stream};
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate___hipPopCallConfiguration(ht_dim3 *grid, ht_dim3 *block, size_t *shared,
                                                hipStream_t *stream) {
    if (pushed_count == 0)
        return ht_emulate_result(HT_HIP_MISSING_CONFIGURATION);
    const configuration *top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *stream = top->stream;
    return HT_HIP_SUCCESS;
}

/* Says why a kernel failed: programs rarely do. */
static void report_failure(hipError_t error, bool found) {
    fflush(stdout);
    fprintf(stderr, "hiptemper emulate: %s\n", ht_host_error_string(error));
    ht_emulate_report_failure(ht_host_error_string(error), found);
}

static ht_captured_launch *capture(const ht_kernel *kernel, ht_dim3 grid, ht_dim3 block,
                                   void **arguments, size_t shared) {
    const ht_capture_request request = {.name = kernel->entry->name,
                                        .sizes = kernel->entry->address,
                                        .argument_count = kernel->entry->arguments,
                                        .grid = {grid.x, grid.y, grid.z},
                                        .block = {block.x, block.y, block.z},
                                        .lds = shared,
                                        .arguments = arguments};
    return ht_capture_launch(&request, NULL);
}

/* Launches, in checking mode with a plan: each block is run once, and watched until the launch has
 * made as many accesses as `hiptemper check` looks at. */
static hipError_t launch(const ht_kernel *kernel, ht_dim3 grid, ht_dim3 block, void **arguments,
                         size_t shared, hipStream_t stream, bool *out_found) {
    enum { ACCESSES = 4000000 };
    ht_check_buffer *buffers = NULL;
    size_t count = kernel->image != NULL ? ht_emulate_buffers(&buffers) : 0;
    const ht_check_plan plan = {
        .accesses = ACCESSES, .complete = true, .buffers = buffers, .buffer_count = count};
    ht_check_outcome outcome = {0};
    if (kernel->image != NULL)
        ht_check_begin(&plan);
    ht_captured_launch *captured =
        ht_capture_wanted() ? capture(kernel, grid, block, arguments, shared) : NULL;
    double begun = captured != NULL ? ht_clock_seconds() : 0.0;
    hipError_t error =
        ht_host_hipModuleLaunchKernel((hipFunction_t)kernel, grid.x, grid.y, grid.z, block.x,
                                      block.y, block.z, (unsigned)shared, stream, arguments, NULL);
    if (captured != NULL)
        ht_capture_time(captured, ht_clock_seconds() - begun);
    if (kernel->image != NULL)
        ht_check_end(&outcome);
    ht_emulate_report_here()->findings += outcome.found;
    *out_found = outcome.found;
    ht_emulate_buffers_free(buffers, count);
    return error;
}

hipError_t ht_emulate_hipLaunchKernel(const void *handle, ht_dim3 grid, ht_dim3 block,
                                      void **arguments, size_t shared, hipStream_t stream) {
    if (ht_emulate_poisoned() != HT_HIP_SUCCESS)
        return ht_emulate_poisoned();
    const ht_kernel *kernel = find_kernel(handle);
    if (kernel == NULL)
        return ht_emulate_result(HT_HIP_INVALID_FUNCTION);
    if (shared > HT_DYNAMIC_LDS_MAX)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    ++ht_emulate_report_here()->launches;
    bool found = false;
    hipError_t error = launch(kernel, grid, block, arguments, shared, stream, &found);
    if (error == HT_HIP_SUCCESS)
        return HT_HIP_SUCCESS;
    report_failure(error, found);
    /* A kernel that fails while it runs fails all that comes after, as on a GPU. */
    if (error == HT_HIP_ERROR_ASSERT || error == HT_HIP_ERROR_LAUNCH_FAILURE)
        ht_emulate_poison(error);
    return ht_emulate_result(error);
}

hipError_t ht_emulate_hipExtLaunchKernel(const void *handle, ht_dim3 grid, ht_dim3 block,
                                         void **arguments, size_t shared, hipStream_t stream,
                                         hipEvent_t start, hipEvent_t stop, int flags) {
    (void)flags;
    if (start != NULL)
        ht_host_hipEventRecord(start, stream);
    hipError_t error = ht_emulate_hipLaunchKernel(handle, grid, block, arguments, shared, stream);
    if (stop != NULL)
        ht_host_hipEventRecord(stop, stream);
    return error;
}

hipError_t ht_emulate_hipFuncGetAttributes(ht_emulate_function *attributes, const void *handle) {
    const ht_kernel *kernel = find_kernel(handle);
    if (kernel == NULL || attributes == NULL)
        return ht_emulate_result(attributes == NULL ? HT_HIP_INVALID_VALUE
                                                    : HT_HIP_INVALID_FUNCTION);
    *attributes =
        (ht_emulate_function){.dynamic_shared = (int)(HT_DYNAMIC_LDS_MAX - kernel->entry->lds),
                              .threads = HT_BLOCK_THREADS,
                              .registers = 32,
                              .shared_bytes = kernel->entry->lds};
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipFuncSetAttribute(const void *handle, int attribute, int value) {
    (void)handle, (void)attribute;
    return value >= 0 && value <= HT_DYNAMIC_LDS_MAX ? HT_HIP_SUCCESS
                                                     : ht_emulate_result(HT_HIP_INVALID_VALUE);
}

hipError_t ht_emulate_hipFuncSetCacheConfig(const void *handle, int config) {
    (void)handle, (void)config;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipFuncSetSharedMemConfig(const void *handle, int config) {
    (void)handle, (void)config;
    return HT_HIP_SUCCESS;
}

/* As many blocks as their threads and shared memory leave room for. */
hipError_t ht_emulate_hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *handle,
                                                                   int threads, size_t shared) {
    enum { UNIT_THREADS = 2048 };
    const ht_kernel *kernel = find_kernel(handle);
    if (kernel == NULL || blocks == NULL || threads <= 0)
        return ht_emulate_result(kernel == NULL ? HT_HIP_INVALID_FUNCTION : HT_HIP_INVALID_VALUE);
    size_t bytes = shared + kernel->entry->lds;
    int by_threads = threads > HT_BLOCK_THREADS ? 0 : UNIT_THREADS / threads;
    int by_memory = bytes == 0 ? by_threads : (int)(HT_STATIC_LDS_MAX / bytes);
    *blocks = by_threads < by_memory ? by_threads : by_memory;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *handle, int threads, size_t shared, unsigned flags) {
    (void)flags;
    return ht_emulate_hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, threads, shared);
}

hipError_t ht_emulate_hipOccupancyMaxPotentialBlockSize(int *grid, int *threads, const void *handle,
                                                        size_t shared, int limit) {
    int most = limit > 0 && limit < HT_BLOCK_THREADS ? limit : HT_BLOCK_THREADS, blocks = 0;
    hipError_t error =
        ht_emulate_hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle, most, shared);
    if (error != HT_HIP_SUCCESS || grid == NULL || threads == NULL)
        return error != HT_HIP_SUCCESS ? error : ht_emulate_result(HT_HIP_INVALID_VALUE);
    *grid = blocks * omp_get_num_procs();
    *threads = most;
    return HT_HIP_SUCCESS;
}
