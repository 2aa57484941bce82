/* The maximum and the sum of an online softmax over a block: found by what they compute, and
 * combined in another way; unless they are something else. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : R, n\", \"tolerance\": \"1e-5\", \"args\": ["
    "\"in : in float[problem.R * problem.n]\", "
    "\"out : inout float[problem.R * problem.n]\", \"n : int = problem.n\"], "
    "\"host\": {\"rows\": \"problem.R\"}, "
    "\"instances\": [{\"fields\": {\"R\": 3, \"n\": 777}}]}]}";

typedef struct softmax {
    const char *front, *loop, *combine, *after; /* NULL: as below */
} softmax;

#define FRONT "float m = -3.0e38f, s = 0.0f;"
#define ONLINE                                                                                     \
    "const float most = fmaxf(m, x);\n        s = s * expf(m - most) + expf(x - most);\n"          \
    "        m = most;"
/* By shuffles, and then by each thread. */
#define COMBINE(other, rescale)                                                                    \
    "for (int d = warpSize / 2; d > 0; d /= 2) {\n"                                                \
    "        const float o = __shfl_xor(m, d), t = __shfl_xor(s, d);\n"                            \
    "        const float most = " other ";\n        s = " rescale ";\n        m = most;\n    }\n"  \
    "    if (threadIdx.x % warpSize == 0) {\n        a[threadIdx.x / warpSize] = m;\n"             \
    "        b[threadIdx.x / warpSize] = s;\n    }\n    __syncthreads();\n"                        \
    "    m = a[0];\n    s = b[0];\n"                                                               \
    "    for (int w = 1; w < blockDim.x / warpSize; ++w) {\n"                                      \
    "        const float most = fmaxf(m, a[w]);\n"                                                 \
    "        s = s * expf(m - most) + b[w] * expf(a[w] - most);\n        m = most;\n    }"
#define USUAL COMBINE("fmaxf(m, o)", "s * expf(m - most) + t * expf(o - most)")
#define DIVIDE                                                                                     \
    "for (int i = threadIdx.x; i < n; i += blockDim.x)\n"                                          \
    "        out[row * n + i] = expf(in[row * n + i] - m) / s;"

static char *source_of(const softmax *of) {
    return ht_format(HEAD "__global__ void k(const float *in, float *out, int n) {\n"
                          "    __shared__ float a[128], b[128];\n"
                          "    const int row = blockIdx.x;\n"
                          "    %s\n"
                          "    for (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
                          "        const float x = in[row * n + i];\n"
                          "        %s\n"
                          "    }\n"
                          "    %s\n"
                          "    %s\n"
                          "}\n"
                          "void run(const float *in, float *out, int rows, int n) {\n"
                          "    k<<<rows, 128>>>(in, out, n);\n"
                          "}\n",
                     of->front ? of->front : FRONT, of->loop ? of->loop : ONLINE,
                     of->combine ? of->combine : USUAL, of->after ? of->after : DIVIDE);
}

Test(online_softmax, it_is_combined_in_other_ways) {
    static const char *const ways[] = {"REDUCE=1 VECTOR_STRIDE=4 KEEP=2", "REDUCE=2 BLOCK_X=32",
                                       NULL};
    char *text = source_of(&(softmax){0});
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "REDUCE"), "%s", text);
    expect_equal(&of, "k", ways);
    expect_pieces(&of, "REDUCE=1",
                  (const char *const[]){"const float own_maximum = m;", "the maximum of m",
                                        "s *= expf(own_maximum - m);", "the sum of s", NULL});
    subject_close(&of);
    free(text);
}

static bool combines(const softmax *of) {
    static const char *const names[] = {"REDUCE", "BLOCK_X", NULL};
    char *text = source_of(of);
    bool has = has_parameters(text, problem, names) != 0;
    free(text);
    return has;
}

Test(online_softmax, loops_are_read_however_they_are_written) {
    static const char *const loops[] = {
        "if (x > m) {\n            s *= expf(m - x);\n            m = x;\n        }\n"
        "        s += expf(x - m);",
        "if (x > m) {\n            s = s * expf(m - x) + 1.0f;\n            m = x;\n"
        "        } else\n            s += expf(x - m);",
        "const float old = m;\n        m = m >= x ? m : x;\n"
        "        s = fmaf(s, expf(old - m), expf(x - m));",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i)
        cr_expect(combines(&(softmax){.loop = loops[i]}), "%s", loops[i]);
}

Test(online_softmax, the_threads_maximum_may_come_first) {
#define MOST                                                                                       \
    "a[threadIdx.x] = m;\n    __syncthreads();\n    for (int h = 64; h > 0; h /= 2) {\n"           \
    "        if (threadIdx.x < h)\n"                                                               \
    "            a[threadIdx.x] = fmaxf(a[threadIdx.x], a[threadIdx.x + h]);\n"                    \
    "        __syncthreads();\n    }\n    "
#define TREE(scaled)                                                                               \
    MOST "b[threadIdx.x] = " scaled ";\n    __syncthreads();\n"                                    \
         "    for (int h = 64; h > 0; h /= 2) {\n        if (threadIdx.x < h)\n"                   \
         "            b[threadIdx.x] += b[threadIdx.x + h];\n        __syncthreads();\n    }"
#define BY_TREE                                                                                    \
    "for (int i = threadIdx.x; i < n; i += blockDim.x)\n"                                          \
    "        out[row * n + i] = expf(in[row * n + i] - a[0]) / b[0];"
    cr_expect(combines(&(softmax){.combine = TREE("s * expf(m - a[0])"), .after = BY_TREE}));
    cr_expect_not(combines(&(softmax){.combine = TREE("s"), .after = BY_TREE}));
    cr_expect_not(combines(&(softmax){.combine = TREE("s * expf(a[0] - m)"), .after = BY_TREE}));
    cr_expect_not(combines(&(softmax){.combine = TREE("s * exp2f(m - a[0])"), .after = BY_TREE}));
}

Test(online_softmax, loops_that_only_look_like_it_are_refused) {
    static const char *const loops[] = {
        /* not scaled; scaled by another's maximum; twice; to another base; the old sum is lost */
        "const float most = fmaxf(m, x);\n        s = s + expf(x - most);\n        m = most;",
        "const float most = fmaxf(m, x);\n        s = s * expf(m - x) + expf(x - most);\n"
        "        m = most;",
        "const float most = fmaxf(m, x);\n"
        "        s = s * expf(m - most) * expf(m - most) + expf(x - most);\n        m = most;",
        "const float most = fmaxf(m, x);\n        s = s * exp2f(m - most) + expf(x - most);\n"
        "        m = most;",
        "const float most = fmaxf(m, x);\n        s = expf(x - most);\n        m = most;",
        /* the least; the maximum is set too early; one way only; used in between */
        "const float most = fminf(m, x);\n        s = s * expf(m - most) + expf(x - most);\n"
        "        m = most;",
        "m = fmaxf(m, x);\n        s = s * expf(m - m) + expf(x - m);",
        "if (x < m) {\n            s *= expf(m - x);\n            m = x;\n        }\n"
        "        s += expf(x - m);",
        ONLINE "\n        out[row * n + i] = m;",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i)
        cr_expect_not(combines(&(softmax){.loop = loops[i]}), "%s", loops[i]);
}

Test(online_softmax, combinations_that_only_look_like_it_are_refused) {
    static const char *const combinations[] = {
        COMBINE("fmaxf(m, o)", "s * expf(m - most) + t"),
        COMBINE("fmaxf(m, o)", "s * expf(o - most) + t * expf(m - most)"),
        COMBINE("fmaxf(m, o)", "s + t * expf(o - m)"),
        COMBINE("fmaxf(m, m)", "s * expf(m - most) + t * expf(o - most)"),
        COMBINE("fmaxf(m, o)", "s * expf(m - most) + s * expf(m - most)"),
    };
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; ++i)
        cr_expect_not(combines(&(softmax){.combine = combinations[i]}), "%s", combinations[i]);
    /* threads without a value would give no number */
    cr_expect_not(combines(&(softmax){.front = "float m = -INFINITY, s = 0.0f;"}));
    cr_expect_not(combines(&(softmax){.front = "float m = -3.0e38f, s = 1.0f;"}));
}
