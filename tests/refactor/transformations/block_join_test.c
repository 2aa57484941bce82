/* Several of the original's blocks in one: kernels whose threads end at different places, whose
 * lanes exchange values, or whose blocks are one thread. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[1024]\", \"out : inout float[1024]\", \"n : int = problem.n\"], "
    "\"instances\": [{\"fields\": {\"n\": 1001}}, {\"fields\": {\"n\": 70}}]}]}";

/* A kernel of eight blocks of `threads`, with functions that it may call. */
static char *source_of(const char *body, int threads) {
    return ht_format(HEAD "__device__ int column() { return threadIdx.x %% blockDim.x; }\n"
                          "__device__ int row() { return threadIdx.y; }\n"
                          "__device__ int block() { return blockIdx.x; }\n"
                          "__global__ void k(const float *in, float *out, int n) {\n"
                          "    __shared__ float s[128];\n"
                          "    int t = threadIdx.x, g = blockIdx.x * %d + t;\n"
                          "    s[t] = in[g];\n"
                          "    %s\n"
                          "}\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "    k<<<8, %d>>>(in, out, n);\n"
                          "}\n",
                     threads, body, threads);
}

static void expect_joined(const char *body) {
    char *text = source_of(body, 128);
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "BLOCK_Y"), "%s", body);
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Y=2", "BLOCK_Y=4", NULL});
    subject_close(&of);
    free(text);
}

static void expect_kept(const char *body, int threads) {
    char *text = source_of(body, threads);
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    cr_expect_not(frees_block(kernel_named(refactor, "k", NULL)), "%s", body);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
}

#define TURN "out[g] = s[127 - t];"

/* Threads that have met their last barrier are not waited for. */
Test(block_join, threads_may_end_before_others_do) {
    expect_joined("if (g >= n) return; __syncthreads(); out[g] = s[t ^ 1] * 2;");
    expect_joined("if (blockIdx.x < 3) { __syncthreads(); " TURN " }");
    expect_joined("if (blockIdx.x < 3) { __syncthreads(); " TURN " } else out[g] = 7;");
    expect_joined("for (int i = 0; i <= blockIdx.x % 3; ++i) { __syncthreads(); " TURN " }");
}

Test(block_join, threads_that_others_wait_for_keep_the_block) {
    expect_kept("if (blockIdx.x < 3) __syncthreads(); __syncthreads(); " TURN, 128);
    expect_kept("if (blockIdx.x < 3) { __syncthreads(); " TURN " } else { __syncthreads(); "
                "__syncthreads(); out[g] = s[t]; }",
                128);
    expect_kept("for (int i = 0; i < 3; ++i) { if (blockIdx.x < i) continue; __syncthreads(); " TURN
                " }",
                128);
    expect_kept("for (int i = 0; i <= blockIdx.x % 3; ++i) __syncthreads(); __syncthreads(); " TURN,
                128);
    expect_kept("for (int i = 0; i < 3; ++i) { if (blockIdx.x > i) __syncthreads(); " TURN " }",
                128);
}

#define LANES                                                                                      \
    "float v = s[t]; for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d, 32); out[g] = v;"

/* Blocks of whole wavefronts are joined with the wavefronts that they had. */
Test(block_join, lanes_exchange_values_as_they_did) {
    expect_joined(LANES);
    expect_joined("__syncthreads(); " LANES " if (__any(v > 900)) out[g] = -v;");
    expect_kept(LANES, 32);
    expect_kept("out[g] = s[t] + __builtin_amdgcn_workitem_id_x() + __shfl(s[t], 0);", 128);
}

/* Functions see the built-in variables, which are others along the axes of blocks and grid. */
Test(block_join, functions_may_ask_for_places_along_other_axes) {
    expect_joined("__syncthreads(); out[g] = s[127 - column()];");
    expect_kept("__syncthreads(); out[g] = s[127 - t] + row();", 128);
    expect_kept("__syncthreads(); out[g] = s[127 - t] + block();", 128);
}

/* A call whose arguments' types hang on a template's names no specialisation of the function. */
Test(block_join, specialisations_of_functions_are_seen) {
    static const char text[] =
        HEAD "template <typename T> __device__ T turned(T v);\n"
             "template <> __device__ float turned(float v) { return __shfl_down(v, 1); }\n"
             "template <typename T> __global__ void k(const T *in, T *out, int n) {\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    out[i] = turned(in[i]) * n;\n"
             "}\n"
             "void run(const float *in, float *out, int n) {\n"
             "    k<float><<<16, 64>>>(in, out, n);\n"
             "}\n";
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect(!kernel->template || !ht_template_param(kernel->template, "BLOCK_X"));
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(block_join, blocks_of_one_thread_become_blocks_of_many) {
    static const char text[] = HEAD "__global__ void k(const float *in, float *out, int n) {\n"
                                    "    out[blockIdx.x] = in[blockIdx.x] * n;\n"
                                    "}\n"
                                    "void run(const float *in, float *out, int n) {\n"
                                    "    k<<<1024, 1>>>(in, out, n);\n"
                                    "}\n";
    subject of = subject_open(text, problem, "k");
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Y=64", "BLOCK_Y=256", NULL});
    subject_close(&of);
}
