/* Compiling one source through the nvidia provider. */
#ifndef TESTS_RUNTIME_NVIDIA_KERNEL_H
#define TESTS_RUNTIME_NVIDIA_KERNEL_H

#include "runtime/provider/provider.h"

typedef struct kernel {
    const ht_hip *hip;
    hiprtcProgram program;
    hiprtcResult result; /* of hiprtcCompileProgram */
    char *log, *code;    /* owned */
    size_t size;
} kernel;

/* The device, or a skipped test where there is no NVRTC. */
ht_device kernel_device(const char *name);

/* `expressions` ends in NULL. Asserts nothing about the result. */
kernel kernel_compile(const ht_device *device, const char *source, const char *const *expressions);
/* The same; a compile error fails the test. */
kernel kernel_build(const ht_device *device, const char *source, const char *const *expressions);
const char *kernel_lowered(const kernel *kernel, const char *expression);
void kernel_free(kernel *kernel);

#endif
