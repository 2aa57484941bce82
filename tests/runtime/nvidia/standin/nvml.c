/* A stand-in for libnvidia-ml.so.1, for tests: one GPU whose clock is HT_STANDIN_MHZ and which has
 * been slowed down for HT_STANDIN_HEAT nanoseconds. */
#include <stdlib.h>
#include <string.h>

typedef struct violation {
    unsigned long long reference_us, violation_ns;
} violation;

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
int nvmlDeviceGetClockInfo(void *device, unsigned type, unsigned *mhz);
int nvmlDeviceGetViolationStatus(void *device, unsigned policy, violation *out);

static unsigned long long number(const char *name) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

int nvmlInit_v2(void) {
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) {
    *device = (void *)(size_t)1;
    return strcmp(bus, "0000:42:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void *device, unsigned type, unsigned *mhz) {
    *mhz = (unsigned)number("HT_STANDIN_MHZ");
    return device && type == 1 && *mhz ? 0 : 3;
}
int nvmlDeviceGetViolationStatus(void *device, unsigned policy, violation *out) {
    out->violation_ns = number("HT_STANDIN_HEAT");
    return device && policy == 1 ? 0 : 3;
}
