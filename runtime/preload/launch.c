/* A launch between the program and the real runtime. */
#include "runtime/preload/preload.h"

#include <string.h>

/* The runtime calls its own functions, which may come by here. */
static __thread bool inside;
static int graphs; /* that are recorded now */

void ht_preload_graph(bool begins) {
    __atomic_add_fetch(&graphs, begins ? 1 : -1, __ATOMIC_SEQ_CST);
}

typedef struct clock {
    hipEvent_t events[2]; /* of this thread */
    int device;           /* that they are of */
    bool there;
} clock;

#define REAL(result, name, parameters)                                                             \
    static void *name##_slot;                                                                      \
    typedef result(*name##_function) parameters;                                                   \
    static name##_function name##_real(void) {                                                     \
        return (name##_function)ht_preload_real(#name, &name##_slot);                              \
    }
REAL(hipError_t, hipGetDevice, (int *device))
REAL(hipError_t, hipEventCreate, (hipEvent_t * event))
REAL(hipError_t, hipEventRecord, (hipEvent_t event, hipStream_t stream))
REAL(hipError_t, hipEventSynchronize, (hipEvent_t event))
REAL(hipError_t, hipEventElapsedTime, (float *milliseconds, hipEvent_t start, hipEvent_t stop))

static __thread clock own;

/* Begins to measure. False where the runtime has no events. */
static bool begin(hipStream_t stream) {
    int device = 0;
    if (!hipEventCreate_real() || !hipEventRecord_real() || !hipEventSynchronize_real() ||
        !hipEventElapsedTime_real())
        return false;
    if (hipGetDevice_real() && hipGetDevice_real()(&device) != HT_HIP_SUCCESS)
        return false;
    if (!own.there || own.device != device) { /* those of another device stay with it */
        own.device = device;
        own.there = hipEventCreate_real()(&own.events[0]) == HT_HIP_SUCCESS &&
                    hipEventCreate_real()(&own.events[1]) == HT_HIP_SUCCESS;
    }
    return own.there && hipEventRecord_real()(own.events[0], stream) == HT_HIP_SUCCESS;
}

static double end(hipStream_t stream) {
    float milliseconds = 0;
    bool good =
        hipEventRecord_real()(own.events[1], stream) == HT_HIP_SUCCESS &&
        hipEventSynchronize_real()(own.events[1]) == HT_HIP_SUCCESS &&
        hipEventElapsedTime_real()(&milliseconds, own.events[0], own.events[1]) == HT_HIP_SUCCESS;
    return good ? 1e-3 * (double)milliseconds : 0.0;
}

/* Finds the arguments one by one where they come in one block. False: their place is not known. */
static bool arguments_find(const ht_preload_kernel *kernel, const ht_preload_launch *launch,
                           void **out) {
    void *const pointer_follows = (void *)1, *const ends = (void *)3; /* HIP_LAUNCH_PARAM_... */
    char *block = NULL;
    if (launch->arguments != NULL) {
        memcpy(out, launch->arguments, kernel->argument_count * sizeof *out);
        return true;
    }
    for (void **at = launch->extra; at != NULL && *at != ends; at += 2)
        if (*at == pointer_follows)
            block = at[1];
    for (uint32_t i = 0; i < kernel->argument_count && block != NULL; ++i)
        out[i] = block + kernel->offsets[i];
    return block != NULL || kernel->argument_count == 0;
}

static ht_captured_launch *note(const ht_preload_launch *launch, void **arguments,
                                bool *out_first) {
    ht_preload_kernel kernel;
    if (ht_preload_capture() == NULL || !ht_preload_kernel_find(launch->handle, &kernel) ||
        !arguments_find(&kernel, launch, arguments))
        return NULL;
    ht_capture_request request = {.name = kernel.name,
                                  .sizes = kernel.sizes,
                                  .argument_count = kernel.argument_count,
                                  .lds = launch->lds,
                                  .arguments = arguments};
    memcpy(request.grid, launch->grid, sizeof request.grid);
    memcpy(request.block, launch->block, sizeof request.block);
    return ht_capture_launch(&request, out_first);
}

hipError_t ht_preload_launched(const ht_preload_launch *launch, ht_preload_call call,
                               void *context) {
    void *arguments[HT_CAPTURE_ARGUMENTS];
    bool first = false;
    if (inside || __atomic_load_n(&graphs, __ATOMIC_SEQ_CST) > 0)
        return call(context);
    inside = true;
    ht_captured_launch *captured = note(launch, arguments, &first);
    bool timed = captured != NULL && begin(launch->stream);
    hipError_t error = call(context);
    /* After an error nothing is asked of the runtime: the program has to see it as the last. */
    if (error == HT_HIP_SUCCESS && timed)
        ht_capture_time(captured, end(launch->stream));
    if (error == HT_HIP_SUCCESS && first)
        ht_capture_compare(captured, arguments);
    inside = false;
    return error;
}
