/* Compiling and launching kernels that a test holds as text, through the provider's table alone. */
#ifndef HT_TESTS_HOST_KERNELS_H
#define HT_TESTS_HOST_KERNELS_H

#include "runtime/provider/provider.h"

#include <stddef.h>

typedef struct kernels {
    const ht_hip *hip;
    hiprtcProgram program;
    hipModule_t module;
} kernels;

typedef struct shape {
    unsigned grid[3], block[3], lds;
} shape;

/* Compiles `source` with the name expressions (NULL ends) for wavefronts of 64 or 32 and loads it;
 * fails the test with the compiler's text otherwise. */
kernels kernels_load(int wavefront, const char *source, const char *const *expressions);
/* The same, compiled for checking. */
kernels kernels_load_checked(const char *source, const char *const *expressions);
#define KERNELS(wavefront, source, ...)                                                            \
    kernels_load(wavefront, source, (const char *const[]){__VA_ARGS__, NULL})
void kernels_free(kernels *of);

/* Compiles only; the log (free()) in *out_log. */
hiprtcResult kernels_compile(const char *source, const char *const *expressions,
                             const char *const *options, char **out_log);

hipFunction_t kernels_function(const kernels *of, const char *expression);
hipError_t kernels_try(const kernels *of, const char *expression, shape how, void **arguments);
/* Launches and fails the test on an error. */
#define RUN(of, expression, how, ...)                                                              \
    kernels_run(of, expression, how, (void *[]){__VA_ARGS__, NULL})
void kernels_run(const kernels *of, const char *expression, shape how, void **arguments);

#define LINE(blocks, threads) ((shape){{blocks, 1, 1}, {threads, 1, 1}, 0})

#endif
