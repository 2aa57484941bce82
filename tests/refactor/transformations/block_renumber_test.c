/* Blocks of another size for kernels that use their indices in ways of their own, and several of
 * the original's blocks as one for kernels whose threads share memory. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEM(args, tolerance)                                                                   \
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "       \
    "\"problem\": \"p : n, m\", \"tolerance\": \"" tolerance "\", \"args\": [" args "], "          \
    "\"instances\": [{\"fields\": {\"n\": 6, \"m\": 4}}]}]}"

/* ---- threads that have nothing to do with each other */

/* Each thread writes down all that it sees. */
static const char seen[] =
    HEAD "__global__ void k(unsigned *out) {\n"
         "    unsigned lane = threadIdx.y * blockDim.x + threadIdx.x;\n"
         "    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n"
         "    unsigned *own = out + (block * blockDim.x * blockDim.y + lane) * 4;\n"
         "    own[0] = threadIdx.x * 1000 + threadIdx.y;\n"
         "    own[1] = (blockIdx.x * 100 + blockIdx.y) * 100 + blockIdx.z;\n"
         "    own[2] = blockDim.x * 100 + blockDim.y;\n"
         "    own[3] = (gridDim.x * 100 + gridDim.y) * 100 + gridDim.z;\n"
         "}\n"
         "void run(int n, int m) {\n"
         "    unsigned *out;\n"
         "    hipMalloc(&out, 16 * n * m * 3 * 128);\n"
         "    dim3 grid(n, m, 3), block(16, 8);\n"
         "    k<<<grid, block>>>(out);\n"
         "}\n";
static const char seen_problem[] =
    PROBLEM("\"out : out uint32_t[problem.n * problem.m * 3 * 128 * 4]\"", "exact");

Test(block_renumber, threads_see_what_they_saw) {
    subject of = subject_open(seen, seen_problem, "k");
    cr_expect(applied(&of, "block-size"));
    cr_expect(remarked(&of, "computes its place in the original's blocks"));
    expect_equal(&of, "k",
                 (const char *const[]){"", "BLOCK_X=4", "BLOCK_X=8 BLOCK_Y=16", "BLOCK_X=32",
                                       "BLOCK_X=32 BLOCK_Y=16", "BLOCK_X=4 BLOCK_Y=32",
                                       "BLOCK_X=32 GRID_ORDER=4", NULL});
    /* as many threads as before: 6 * 16 along x, 4 * 8 along y */
    cr_expect_not(is_legal(&of, "k", "BLOCK_X=64"));
    cr_expect(is_legal(&of, "k", "BLOCK_Y=16"));
    /* a grid of more rows than devices launch, for sizes that the original serves */
    cr_expect_not(is_legal(&of, "k", "BLOCK_X=32 BLOCK_Y=4"));
    subject_close(&of);
}

Test(block_renumber, a_tuned_source_launches_it_where_it_divides) {
    subject of = subject_open(seen, seen_problem, "k");
    expect_pieces(&of, "BLOCK_X=32",
                  (const char *const[]){"const dim3 launched_thread(threadIdx.x",
                                        "const dim3 threadIdx(launched_thread.x % 16, "
                                        "launched_thread.y",
                                        "unsigned lane", NULL});
    expect_pieces(
        &of, "BLOCK_X=32 BLOCK_Y=4",
        (const char *const[]){"1LL * grid.x * block.x % 32 == 0 ? 1LL * grid.x * 16 / 32 : "
                              "grid.x",
                              "1LL * grid.x * block.x % 32 == 0 ? 32 : block.x", NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, seen);
    free(text);
    subject_close(&of);
}

static bool has_block(char *text, const char *problem) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    bool has = false;
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        has = has || strcmp(kernel->transformations[i], "block-size") == 0;
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
    return has;
}

/* Returns a line kernel; `front` stands ahead of it, `body` in it. */
static char *line_of(const char *front, const char *body) {
    return ht_format(HEAD "%s__global__ void k(int *out, const int *in, int n) {\n%s\n}\n"
                          "void run(const int *in, int n, int m) {\n"
                          "    int *out;\n"
                          "    hipMalloc(&out, 4 * 64 * n);\n"
                          "    k<<<n, 64>>>(out, in, n);\n}\n",
                     front, body);
}

static const char line_problem[] =
    PROBLEM("\"out : inout int[problem.n * 64 + 64]\", \"in : in int[problem.n * 64 + 64]\", "
            "\"n : int = problem.n\"",
            "exact");

#define PLACE "out[blockIdx.x * 64 + 63 - threadIdx.x] = in[threadIdx.x];"

Test(block_renumber, the_names_must_answer_everywhere) {
    cr_expect(has_block(line_of("", PLACE), line_problem));
    cr_expect_not(has_block(line_of("__device__ int lane() { return 63 - threadIdx.x; }\n",
                                    "out[blockIdx.x * 64 + lane()] = in[0];"),
                            line_problem));
    cr_expect_not(has_block(
        line_of("#define LANE hipThreadIdx_x\n", "out[blockIdx.x * 64 + 63 - LANE] = in[0];"),
        line_problem));
}

Test(block_renumber, the_old_spelling_becomes_the_new) {
    char *text = line_of("", "out[hipBlockIdx_x * hipBlockDim_x + 63 - hipThreadIdx_x] = in[5];");
    subject of = subject_open(text, line_problem, "k");
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_X=32", "BLOCK_X=128", NULL});
    expect_pieces(&of, "BLOCK_X=32",
                  (const char *const[]){"out[blockIdx.x * blockDim.x + 63 - threadIdx.x]", NULL});
    subject_close(&of);
    free(text);
}

Test(block_renumber, who_may_wait_for_others_keeps_the_block) {
    cr_expect_not(has_block(
        line_of("", "while (atomicAdd(out + n, 0) < (int)threadIdx.x);\n" PLACE), line_problem));
}

Test(block_renumber, votes_are_of_a_block) {
    cr_expect_not(has_block(line_of("", "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                        "out[i] = __syncthreads_count(in[i] > 0);"),
                            line_problem));
}

/* ---- threads that share memory */

#define SUM                                                                                        \
    "    __shared__ int sums[64], first;\n"                                                        \
    "    int i = threadIdx.x;\n"                                                                   \
    "    sums[i] = in[blockIdx.x * 64 + i];\n"                                                     \
    "    if (i == 0) first = sums[0];\n"                                                           \
    "    __syncthreads();\n"                                                                       \
    "    for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n"                                         \
    "        if (i < s) sums[i] += sums[i + s];\n"                                                 \
    "        __syncthreads();\n"                                                                   \
    "    }\n"                                                                                      \
    "    if (i == 0) out[blockIdx.x] = sums[0] * 3 + first + (int)gridDim.x;\n"

Test(block_group, blocks_together_have_arrays_of_their_own) {
    char *text = line_of("", SUM);
    subject of = subject_open(text, line_problem, "k");
    cr_expect(remarked(&of, "each with shared memory of its own"));
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Y=2", NULL});
    cr_expect_not(is_legal(&of, "k", "BLOCK_Y=4")); /* six blocks are not fours */
    expect_pieces(&of, "BLOCK_Y=2",
                  (const char *const[]){"__shared__ int sums_of_blocks[2][64]; int (&sums)[64] = "
                                        "sums_of_blocks[block_of_these];",
                                        "n % 2 == 0 ? n / 2 : n", "dim3(64, n % 2 == 0 ? 2 : 1, 1)",
                                        NULL});
    subject_close(&of);
    free(text);
}

Test(block_group, dynamic_memory_is_cut_into_as_many_pieces) {
    const char *text =
        HEAD "__global__ void k(int *out, const int *in, int n) {\n"
             "    extern __shared__ int turned[];\n"
             "    turned[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];\n"
             "    __syncthreads();\n"
             "    out[blockIdx.x * 64 + threadIdx.x] = turned[63 - threadIdx.x] * n;\n}\n"
             "void run(const int *in, int n) {\n"
             "    int *out;\n    hipMalloc(&out, 4 * 64 * n);\n"
             "    k<<<n, 64, 64 * sizeof(int)>>>(out, in, n);\n}\n";
    subject of = subject_open(text, line_problem, "k");
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Y=2", NULL});
    expect_pieces(&of, "BLOCK_Y=2",
                  (const char *const[]){"turned = turned_of_blocks + block_of_these * (256 / "
                                        "sizeof(int))",
                                        "(64 * sizeof(int)) * 2", NULL});
    subject_close(&of);
}

Test(block_group, of_two_axes_along_the_third) {
    const char *text =
        HEAD "__global__ void k(int *out, const int *in, int n) {\n"
             "    __shared__ int tile[8][9];\n"
             "    int at = (blockIdx.y * gridDim.x + blockIdx.x) * 64;\n"
             "    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];\n"
             "    __syncthreads();\n"
             "    out[at + threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + at;\n"
             "}\n"
             "void run(const int *in, int n, int m) {\n"
             "    int *out;\n    hipMalloc(&out, 4 * 64 * n * m);\n"
             "    k<<<dim3(n, m), dim3(8, 8)>>>(out, in, n);\n}\n";
    subject of = subject_open(
        text,
        PROBLEM("\"out : inout int[problem.n * problem.m * 64]\", \"in : in int[64]\", "
                "\"n : int = problem.n\"",
                "exact"),
        "k");
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Z=2", NULL});
    subject_close(&of);
}

static bool groups(const char *front, const char *body) {
    return has_block(line_of(front, body), line_problem);
}

#define SHARED "__shared__ int s[64];\ns[threadIdx.x] = in[threadIdx.x];\n"
#define READ "out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];"

/* A barrier waits for all threads of a block, which would be those of other blocks too. */
Test(block_group, blocks_must_come_to_the_same_barriers) {
    cr_expect(groups("", SHARED "__syncthreads();\n" READ));
    cr_expect(groups("", SHARED "for (int i = 0; i < n; i++) {\n  if (i == n - 1) break;\n"
                                "  __syncthreads();\n}\n" READ));
    cr_expect(groups("", SHARED "for (int i = n; i > 0; i /= 3) __syncthreads();\n" READ));
    cr_expect(groups("", SHARED "if (blockIdx.x > 1) return;\n__syncthreads();\n" READ));
    cr_expect(groups("", SHARED "for (int i = 0; i < in[0]; i++) __syncthreads();\n" READ));
    cr_expect_not(
        groups("", SHARED "if (blockIdx.x > 1) __syncthreads();\n__syncthreads();\n" READ));
    cr_expect_not(groups("", SHARED "for (int i = blockIdx.x; i < n; i++) __syncthreads();\n"
                                    "__syncthreads();\n" READ));
    cr_expect_not(groups("", SHARED "int e = n;\nif (blockIdx.x == 2) e = 3;\n"
                                    "for (int i = e; i > 0; i /= 3) __syncthreads();\n"
                                    "__syncthreads();\n" READ));
    cr_expect_not(groups("", SHARED "int e = n, *p = &e;\n*p = blockIdx.x;\n"
                                    "for (int i = e; i > 0; i /= 3) __syncthreads();\n"
                                    "__syncthreads();\n" READ));
    cr_expect_not(groups("", SHARED "for (int i = n; i > 0; i /= 3) {\n"
                                    "  if (blockIdx.x == 2) break;\n  __syncthreads();\n}\n" READ));
    cr_expect_not(groups("", SHARED "while (n-- > 0) {\n  if (in[n] > 5) continue;\n"
                                    "  __syncthreads();\n}\n" READ));
}

/* The values that a grid was computed from may have changed by the time of the launch. */
Test(block_group, a_copied_grid_is_asked_itself) {
    const char *text =
        HEAD "__global__ void k(int *out, const int *in, int n) {\n" SHARED
             "__syncthreads();\n" READ "\n}\n"
             "void run(const int *in, int n) {\n"
             "    int *out, m = n;\n    hipMalloc(&out, 4 * 64 * n);\n"
             "    dim3 grid(m), block(64);\n    m = 5;\n"
             "    hipLaunchKernelGGL(k, dim3(grid), dim3(block), 0, 0, out, in, n);\n}\n";
    subject of = subject_open(text, line_problem, "k");
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Y=2", NULL});
    expect_pieces(&of, "BLOCK_Y=2", (const char *const[]){"grid", ".x % 2 == 0 ? ", NULL});
    char *applied_text = apply_config(&of, "BLOCK_Y=2");
    cr_expect(!strstr(applied_text, "(m) %"), "%s", applied_text);
    free(applied_text);
    subject_close(&of);
}

Test(block_group, what_a_block_has_for_itself) {
    cr_expect_not(groups("__device__ int turned(int v) {\n  __shared__ int t[64];\n"
                         "  t[v & 63] = v;\n  __syncthreads();\n  return t[63 - (v & 63)];\n}\n",
                         SHARED "__syncthreads();\ns[threadIdx.x] += turned(threadIdx.x);\n" READ));
    cr_expect_not(
        groups("", SHARED "int c = __syncthreads_or(in[threadIdx.x]);\n" READ " out[0] = c;"));
    cr_expect_not(groups("#define ARRAY __shared__ int s[64]\n",
                         "ARRAY;\ns[threadIdx.x] = in[threadIdx.x];\n__syncthreads();\n" READ));
}

/* Blocks that the program chooses at run time go on to be its own: several of them are one. */
Test(block_group, of_any_size) {
    const char *text = HEAD "__global__ void k(int *out, const int *in, int n) {\n"
                            "    __shared__ int most;\n"
                            "    if (threadIdx.x == 0) most = 0;\n"
                            "    __syncthreads();\n"
                            "    atomicMax(&most, in[blockIdx.x * blockDim.x + threadIdx.x]);\n"
                            "    __syncthreads();\n"
                            "    if (threadIdx.x == 0) out[blockIdx.x] = most + n;\n}\n"
                            "void run(const int *in, int n, int threads) {\n"
                            "    int *out;\n    hipMalloc(&out, 4 * n);\n"
                            "    k<<<n, threads>>>(out, in, n);\n}\n";
    subject of =
        subject_open(text,
                     PROBLEM("\"out : inout int[problem.n]\", \"in : in int[problem.n * 256]\", "
                             "\"n : int = problem.n\"",
                             "exact"),
                     "k");
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Y=2", NULL});
    expect_pieces(&of, "BLOCK_Y=2",
                  (const char *const[]){"n % 2 == 0 && threads * 2 <= 1024 ? n / 2 : n",
                                        "dim3(threads, n % 2 == 0 && threads * 2 <= 1024", NULL});
    cr_expect_not(remarked(&of, "__launch_bounds__ of the block's threads became a choice"));
    subject_close(&of);
}

Test(block_renumber, blocks_of_any_size_lie_in_one) {
    const char *text =
        HEAD "__global__ void k(int *out, const int *in, int n) {\n"
             "    for (int first = 0; first < n; first += blockDim.x)\n"
             "        if (first + threadIdx.x < n)\n"
             "            out[blockIdx.x * n + first + threadIdx.x] = in[threadIdx.x];\n}\n"
             "void run(const int *in, int n, int m) {\n"
             "    int *out;\n    hipMalloc(&out, 4 * n * m);\n"
             "    for (int threads = 64; threads <= 256; threads *= 2)\n"
             "        k<<<m, threads>>>(out, in, n);\n}\n";
    subject of =
        subject_open(text,
                     PROBLEM("\"out : inout int[problem.n * problem.m]\", \"in : in int[1024]\", "
                             "\"n : int = problem.n\"",
                             "exact"),
                     "k");
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_Y=2", "BLOCK_Y=4", NULL});
    subject_close(&of);
}
