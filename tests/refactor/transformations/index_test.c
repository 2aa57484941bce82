/* Kernels whose threads depend on their global index alone, in the ways in which this is written;
 * any block does the same. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.n]\", \"out : out float[problem.n + 1]\", \"n : int = problem.n\"], "
    "\"instances\": [{\"fields\": {\"n\": 1024}}]}]}";

static char *line(const char *body) {
    return ht_format(HEAD "#define SIDE 64\n"
                          "__global__ void k(const float *in, float *out, int n) {\n"
                          "%s"
                          "}\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "    k<<<(n + SIDE - 1) / SIDE, SIDE>>>(in, out, n);\n"
                          "}\n",
                     body);
}

static void expect_any_block(const char *body) {
    char *text = line(body);
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "BLOCK_X"), "%s", body);
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_X=32", NULL});
    subject_close(&of);
    free(text);
}

static bool keeps_block(const char *body) {
    char *text = line(body);
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    bool keeps = !frees_block(kernel);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
    return keeps;
}

#define FIRST "    if (threadIdx.x == 0 && blockIdx.x == 0) out[n] = 1.0f;\n"
#define COPY                                                                                       \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (i < n) out[i] = in[i];\n"

Test(index, products_of_24_bits_are_products) {
    expect_any_block("    int i = __mul24(blockDim.x, blockIdx.x) + threadIdx.x;\n" FIRST
                     "    if (i < n) out[i] = in[i];\n");
}

Test(index, the_first_of_all_threads_is_the_first_in_any_block) {
    expect_any_block(COPY FIRST);
    cr_expect(keeps_block(COPY "    if (threadIdx.x == 0) out[n] = 1.0f;\n"));
    cr_expect(keeps_block(COPY "    if (threadIdx.x == 1 && blockIdx.x == 0) out[n] = 1.0f;\n"));
}

Test(index, the_number_of_threads_follows_a_constant_block) {
    expect_any_block(FIRST "    for (int i = blockIdx.x * SIDE + threadIdx.x; i < n; "
                           "i += gridDim.x * SIDE)\n"
                           "        out[i] = in[i];\n");
    expect_any_block(FIRST "    for (int i = blockIdx.x * SIDE + threadIdx.x; i < n; "
                           "i += __mul24(gridDim.x, SIDE))\n"
                           "        out[i] = in[i];\n");
}

Test(index, numbers_that_nobody_asks_for_pin_nothing) {
    expect_any_block("    int place = threadIdx.x;\n" COPY FIRST);
}

/* Nothing after the barrier is read that another thread wrote; here something is. */
Test(index, a_barrier_between_threads_that_meet_nowhere_orders_nothing) {
    expect_any_block(COPY FIRST "    __syncthreads();\n");
    cr_expect(keeps_block("    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    out[i] = in[i];\n"
                          "    __syncthreads();\n"
                          "    if (threadIdx.x == 0) out[i] = out[i + 1];\n"));
    cr_expect(keeps_block("    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    out[i] = in[i];\n"
                          "    __syncthreads();\n"
                          "    out[i] = out[i ^ 1];\n"));
}

/* The first thread's work must not be done once for each of its outputs. */
Test(index, the_first_of_all_threads_is_not_coarsened) {
    static const char *const plane = HEAD
        "__global__ void k(const float *in, float *out, int w, int h) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (x < w && y < h) {\n"
        "        out[y * w + x] = in[y * w + x];\n"
        "        if (threadIdx.x == 0 && threadIdx.y == 0 && blockIdx.x == 0 && blockIdx.y == 0)\n"
        "            out[w * h] += 1.0f;\n"
        "    }\n"
        "}\n"
        "void run(const float *in, float *out, int w, int h) {\n"
        "    k<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(in, out, w, h);\n"
        "}\n";
    static const char *const sizes =
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
        "\"problem\": \"plane : w, h\", \"tolerance\": \"exact\", \"args\": ["
        "\"in : in float[problem.w * problem.h]\", "
        "\"out : inout float[problem.w * problem.h + 1]\", "
        "\"w : int = problem.w\", \"h : int = problem.h\"], "
        "\"instances\": [{\"fields\": {\"w\": 50, \"h\": 37}}]}]}";
    subject of = subject_open(plane, sizes, "k");
    cr_expect(applied(&of, "block-size"));
    cr_expect_not(applied(&of, "coarsen-x") || applied(&of, "register-tile"));
    expect_equal(&of, "k", (const char *const[]){"BLOCK_X=32 BLOCK_Y=4", "BLOCK_Y=16", NULL});
    subject_close(&of);
}
