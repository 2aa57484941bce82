/* Launches whose block or grid is computed in ways that are not followed. */
#include "infer_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define HOST                                                                                       \
    HEAD "#include <math.h>\nint blocks_of(int n);\n"                                              \
         "inline int threads_for(int n) {\n"                                                       \
         "  const int power = log((double)n) / log(2.0);\n"                                        \
         "  return max(min(1 << power, 512), 1);\n}\n"

/* Threads share out the columns of a row. */
#define ROWS                                                                                       \
    "__global__ void k(float *a, const float *b, int n, int m) {\n"                                \
    "  for (int j = threadIdx.x; j < m; j += blockDim.x)\n"                                        \
    "    a[blockIdx.x * m + j] = b[blockIdx.x * m + j] * n;\n}\n"

static ht_refactor *read_tried(const char *body, const char *launch, bool tries) {
    char *text =
        ht_format(HOST "%svoid run(float *a, float *b, int n, int m) { %s; }\n", body, launch);
    ht_refactor *refactor = refactor_tried(text, tries);
    free(text);
    return refactor;
}

/* PyTorch extensions take a power of two for the threads of a block. Where any block does, 256
 * threads stand for it in a template; the source's launch stays as it is. */
Test(infer_open, a_block_that_is_not_followed_gets_a_usual_value) {
    for (int tries = 0; tries < 2; ++tries) {
        ht_refactor *refactor = read_tried(ROWS, "k<<<n, threads_for(m)>>>(a, b, n, m)", tries);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        if (tries) {
            cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
            const char *unit = kernel->template->unit;
            cr_expect(strstr(unit, "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 256)"), "%s",
                      unit);
            cr_expect(strstr(unit, "grid(n)"), "%s", unit);
        } else
            cr_expect_neq(kernel->status, HT_KERNEL_TEMPLATED);
        ht_refactor_free(refactor);
    }
}

/* An argument that is computed from the block would have to change with it. */
Test(infer_open, a_block_that_arguments_follow_gets_none) {
    static const char *const launches[] = {
        "k<<<n, threads_for(m)>>>(a, b, threads_for(m), m)",
        "int t = threads_for(m); k<<<n, threads_for(m)>>>(a, b, t, m)"};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; ++i) {
        ht_refactor *refactor = read_tried(ROWS, launches[i], true);
        cr_expect_neq(kernel_named(refactor, "k", NULL)->status, HT_KERNEL_TEMPLATED, "%s",
                      launches[i]);
        ht_refactor_free(refactor);
    }
}

/* Blocks of a grid that another file's function computes are a size of the template's own, where no
 * guard says how many there must be. */
Test(infer_open, a_grid_that_is_not_followed_has_sizes_of_its_own) {
    static const char body[] = "__global__ void k(float *a, const float *b, int n, int m) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  a[blockIdx.y * m + i] = b[blockIdx.y * m + i] * 2;\n}\n";
    static const char launch[] = "k<<<dim3(blocks_of(n), m), 64>>>(a, b, n, m)";
    for (int tries = 0; tries < 2; ++tries) {
        ht_refactor *refactor = read_tried(body, launch, tries);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        if (tries) {
            cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
            const char *unit = kernel->template->unit;
            cr_expect(strstr(unit, "baseline(k__original)\n#pragma tune block(64)\n"
                                   "#pragma tune grid(problem.blocks_x, m)"),
                      "%s", unit);
            /* a new block must make the same threads */
            cr_expect(strstr(unit, "grid(problem.blocks_x * (64 / BLOCK_X), m)"), "%s", unit);
        } else
            cr_expect_eq(kernel->status, HT_KERNEL_NEEDS_PROBLEM);
        ht_refactor_free(refactor);
    }
}

/* The host counts before it allocates: the number that the counter begins with is no size. */
Test(infer_open, a_counter_has_counted_where_a_buffer_would_be_empty) {
    inferred of = infer(HEAD "__global__ void k(const int *in, int *out, int rows, int cols) {\n"
                             "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (x < rows * cols) out[x] = in[x] + 1;\n}\n"
                             "int count(int rows);\n"
                             "void run(int rows) {\n  int total = 0;\n  total = count(rows);\n"
                             "  int cols = total / rows, *in, *out;\n"
                             "  hipMalloc(&in, rows * cols * sizeof(int));\n"
                             "  hipMalloc(&out, rows * cols * sizeof(int));\n"
                             "  k<<<(rows * cols + 63) / 64, 64>>>(in, out, rows, cols);\n}\n");
    cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
    cr_expect_geq(instance_value(&of, "total"), instance_value(&of, "rows"));
    done(&of);
}
