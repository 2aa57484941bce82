/* Shared by the suites of single transformations: two kernels with the meaning of their arguments,
 * and configurations compared with the original on the host provider. */
#ifndef HT_TESTS_TRANSFORMATIONS_SUBJECT_H
#define HT_TESTS_TRANSFORMATIONS_SUBJECT_H

#include "tests/refactor/support.h"

#include <stdbool.h>

#define HEAD "#include <hip/hip_runtime.h>\n"

/* blur: a guarded image kernel in two dimensions with a loop over R, without a launch. */
#define BLUR                                                                                       \
    HEAD "__global__ void blur(float *in, const float *w, float *out, int W, int H, int R) {\n"    \
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"                                    \
         "    if (x >= W || y >= H)\n"                                                             \
         "        return;\n"                                                                       \
         "    float sum = 0.0f;\n"                                                                 \
         "    for (int r = 0; r < R; ++r)\n"                                                       \
         "        sum += w[r] * in[y * (W + R) + x + r];\n"                                        \
         "    out[y * W + x] = sum;\n"                                                             \
         "}\n"

extern const char *const blur_problem;
extern const char *const blur_source; /* BLUR, launched with allocations */
/* volume: three dimensions, no loop. */
extern const char *const volume_problem;
extern const char *const volume_source;

typedef struct subject {
    ht_refactor *refactor;
    ht_problem_file *problems;
    const ht_kernel *kernel;
    size_t index;
} subject;

/* The named kernel must get a template. */
subject subject_open(const char *text, const char *problems, const char *name);
/* The same of a source among tests/refactor/sources. */
subject subject_open_file(const char *name, const char *problems, const char *kernel);
void subject_close(subject *of);
bool applied(const subject *of, const char *transformation);
bool remarked(const subject *of, const char *words);

/* Runs every configuration (NULL ends) on the host provider; outputs must equal the original's. */
void expect_equal(const subject *of, const char *name, const char *const *texts);
/* The same with as little shared memory as a block has on an NVIDIA GPU, where wide accesses are
 * aligned. */
void expect_equal_aligned(const subject *of, const char *name, const char *const *texts);
/* Returns true if a configuration is legal for the first instance on the host. */
bool is_legal(const subject *of, const char *name, const char *config);
/* The source with a configuration applied; free(). */
char *apply_config(const subject *of, const char *config);
/* The applied source compiles, for the GPU and its host, and holds the pieces in order. */
void expect_pieces(const subject *of, const char *config, const char *const *pieces);

#endif
