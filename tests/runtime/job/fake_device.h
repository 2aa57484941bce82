/* A device made of arithmetic: its kernels take the times that a test says, on a clock that only
 * they move. Everything else (memory, copies) is real. */
#ifndef HT_TESTS_RUNTIME_JOB_FAKE_DEVICE_H
#define HT_TESTS_RUNTIME_JOB_FAKE_DEVICE_H

#include "runtime/measure/timing.h"
#include "tests/runtime/job/support.h"

typedef struct fake_kernel {
    double ms;
    unsigned launches; /* so far */
} fake_kernel;

typedef struct fake_device {
    double clock;        /* ms */
    double step;         /* of the timer; 0: none */
    double slow_from;    /* from this time on everything takes twice as long */
    double noise;        /* relative, uniform */
    double mhz;          /* -1: not known */
    double throttle_end; /* until then the counter rises and kernels take three times as long */
    long long throttled;
    size_t memory_left;  /* for hipMalloc */
    unsigned big_writes; /* of 64 MiB and more */
    const fake_kernel *last;
} fake_device;

extern fake_device fake;
extern const ht_hip fake_hip;
extern const ht_provider fake_provider; /* has clocks */

/* A fresh device with a clock of its own. */
void fake_reset(void);
/* A variant with an in and an out buffer (inout with `inout`) that runs `kernel`. */
typedef struct fake_variant {
    bound bound;
    ht_buffers *buffers;
    ht_variant *variant;
} fake_variant;
void fake_load(fake_variant *out, fake_kernel *kernel, bool inout);
void fake_unload(fake_variant *variant);

#endif
