#include "runtime/nvidia/clocks.h"

#include "runtime/nvidia/hip.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_SM = 1, POLICY_THERMAL = 1 }; /* nvmlClockType_t, nvmlPerfPolicyType_t */

typedef struct violation {
    unsigned long long reference_us, violation_ns;
} violation;

/* X(name, parameters); every one returns nvmlReturn_t, 0 for success. */
#define NVML_FUNCTIONS(X)                                                                          \
    X(nvmlInit_v2, (void))                                                                         \
    X(nvmlDeviceGetHandleByPciBusId_v2, (const char *bus, void **device))                          \
    X(nvmlDeviceGetClockInfo, (void *device, unsigned type, unsigned *mhz))                        \
    X(nvmlDeviceGetViolationStatus, (void *device, unsigned policy, violation *out))

#define SLOT(name, parameters) static int(*name) parameters;
NVML_FUNCTIONS(SLOT)
#undef SLOT

static bool load_nvml(void) {
    const char *given = getenv("HIPTEMPER_NVML");
    void *library = dlopen(given && *given ? given : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    bool whole = library != NULL;
    void *symbol;
#define LOAD(name, parameters)                                                                     \
    symbol = library ? dlsym(library, #name) : NULL;                                               \
    memcpy(&name, &symbol, sizeof symbol);                                                         \
    whole = whole && symbol;
    NVML_FUNCTIONS(LOAD)
#undef LOAD
    return whole && nvmlInit_v2() == 0;
}

/* Finds a device of NVML, which counts GPUs in an order of its own, so they are matched by their
 * place on the bus. */
static void *find_device(int ordinal) {
    const ht_nvidia_symbols *cuda = ht_nvidia_driver();
    ht_cu_device device;
    char bus[64];
    void *found = NULL;
    if (!cuda || cuda->cuDeviceGet(&device, ordinal) ||
        cuda->cuDeviceGetPCIBusId(bus, (int)sizeof bus, device) || !load_nvml() ||
        nvmlDeviceGetHandleByPciBusId_v2(bus, &found))
        return NULL;
    return found;
}

void ht_nvidia_clocks(const ht_device *device, ht_clocks *out_clocks) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *handle;
    static int ordinal = -1; /* a worker serves one device */
    unsigned mhz = 0;
    violation heat = {0};
    *out_clocks = (ht_clocks){.mhz = -1, .throttled = -1};
    pthread_mutex_lock(&lock);
    if (device->ordinal != ordinal)
        handle = find_device(device->ordinal);
    ordinal = device->ordinal;
    if (handle && nvmlDeviceGetClockInfo(handle, CLOCK_SM, &mhz) == 0)
        out_clocks->mhz = mhz;
    if (handle && nvmlDeviceGetViolationStatus(handle, POLICY_THERMAL, &heat) == 0)
        out_clocks->throttled = (long long)heat.violation_ns;
    pthread_mutex_unlock(&lock);
}
