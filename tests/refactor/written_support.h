/* Tuned sources as texts. */
#ifndef HT_TESTS_REFACTOR_WRITTEN_SUPPORT_H
#define HT_TESTS_REFACTOR_WRITTEN_SUPPORT_H

#include "support.h"

/* A kernel along x with a launch. */
#define KERNEL(body)                                                                               \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int n, int m) {\n"                             \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" body "}\n"                        \
    "void run(const float *in, float *out, int n, int m) {\n"                                      \
    "    k<<<(n + 255) / 256, 256>>>(in, out, n, m);\n}\n"

/* Returns the source with a configuration of its first kernel, which must be a template and
 * compile; free(). */
char *apply_to(const ht_refactor *refactor, const char *config);
/* The same of a file of examples/kernels, and of a text. */
char *example(const char *name, const char *config);
char *written(const char *source, const char *config);

void expect_part(const char *text, const char *part);
void expect_none(const char *text, const char *part);

#endif
