/* Reductions over a block: whichever way threads combine their values, they may do it in another,
 * in blocks of any size; unless they do not combine all of them. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : R, n\", \"tolerance\": \"1e-5\", \"args\": ["
    "\"in : in float[problem.R * problem.n]\", "
    "\"out : inout float[problem.R * problem.n]\", "
    "\"total : inout float[problem.R]\", \"n : int = problem.n\"], "
    "\"host\": {\"rows\": \"problem.R\"}, "
    "\"instances\": [{\"fields\": {\"R\": 3, \"n\": 777}}]}]}";

typedef struct shape {
    const char *functions; /* ahead of the kernel */
    const char *front;     /* declarations of the kernel's */
    const char *loop;      /* what an iteration adds to `v` */
    const char *reduce;
    const char *after;
} shape;

#define NORMALIZE                                                                                  \
    "for (int i = threadIdx.x; i < n; i += blockDim.x)\n        "                                  \
    "out[row * n + i] = in[row * n + i] * "
#define BY_FIRST                                                                                   \
    "__shared__ float scale;\n    if (threadIdx.x == 0)\n        scale = v / n;\n    "             \
    "__syncthreads();\n    " NORMALIZE "scale;"

static char *source_of(const shape *of) {
    return ht_format(HEAD
                     "%s__global__ void k(const float *in, float *out, float *total, int n) {\n"
                     "    const int row = blockIdx.x;\n"
                     "    %s\n"
                     "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                     "        %s\n"
                     "    %s\n"
                     "    %s\n"
                     "}\n"
                     "void run(const float *in, float *out, float *total, int rows, int n) {\n"
                     "    k<<<rows, 128>>>(in, out, total, n);\n"
                     "}\n",
                     of->functions ? of->functions : "", of->front ? of->front : "float v = 0.0f;",
                     of->loop ? of->loop : "v += in[row * n + i];", of->reduce,
                     of->after ? of->after : BY_FIRST);
}

static const char *const ways[] = {"",
                                   "REDUCE=1",
                                   "REDUCE=2",
                                   "REDUCE=1 BLOCK_X=32",
                                   "REDUCE=2 BLOCK_X=32 VECTOR_STRIDE=4",
                                   "REDUCE=1 BLOCK_X=512 VECTOR_STRIDE=2",
                                   "REDUCE=2 BLOCK_X=1024",
                                   NULL};

static void expect_ways(const shape *of) {
    char *text = source_of(of);
    subject subject = subject_open(text, problem, "k");
    cr_assert(ht_template_param(subject.kernel->template, "REDUCE"), "%s", text);
    expect_equal(&subject, "k", ways);
    char *same = apply_config(&subject, "");
    cr_expect_str_eq(same, text);
    free(same);
    subject_close(&subject);
    free(text);
}

#define TREE                                                                                       \
    "__shared__ float s[128];\n    s[threadIdx.x] = v;\n    __syncthreads();\n    "                \
    "for (int h = blockDim.x / 2; h > 0; h /= 2) {\n        if (threadIdx.x < h)\n            "    \
    "s[threadIdx.x] += s[threadIdx.x + h];\n        __syncthreads();\n    }"
#define WAVE                                                                                       \
    "__device__ float wave(float v) {\n    for (int d = warpSize / 2; d > 0; d /= 2)\n        "    \
    "v += __shfl_down(v, d);\n    return v;\n}\n"
#define LANE                                                                                       \
    "float v = 0.0f;\n    const int lane = threadIdx.x % warpSize, of = threadIdx.x / warpSize;"
#define WAVES                                                                                      \
    "__shared__ float p[32];\n    v = wave(v);\n    if (lane == 0)\n        p[of] = v;\n    "      \
    "__syncthreads();\n    if (of == 0) {\n        "                                               \
    "v = lane < blockDim.x / warpSize ? p[lane] : 0.0f;\n        v = wave(v);\n    }"

Test(block_sums, a_tree_in_shared_memory_is_read_by_all) {
    expect_ways(&(shape){.reduce = TREE, .after = NORMALIZE "s[0];"});
}

Test(block_sums, shuffles_and_shared_memory_give_it_to_the_first_thread) {
    expect_ways(&(shape){.functions = WAVE, .front = LANE, .reduce = WAVES});
}

Test(block_sums, a_function_returns_it_to_all) {
    expect_ways(&(shape){
        .functions = "__device__ float sum_of(float v) {\n    __shared__ float p[64], all;\n"
                     "    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d, 32);\n"
                     "    if ((threadIdx.x & 31) == 0) p[threadIdx.x >> 5] = v;\n"
                     "    __syncthreads();\n"
                     "    if (threadIdx.x == 0) {\n        float t = 0.0f;\n"
                     "        for (int w = 0; w < blockDim.x / 32; ++w) t += p[w];\n"
                     "        all = t;\n    }\n    __syncthreads();\n    return all;\n}\n",
        .reduce = "const float whole = sum_of(v);",
        .after = NORMALIZE "whole;\n    if (threadIdx.x == 0)\n        total[row] = whole;"});
}

/* A maximum, and after it a sum that uses it, in the same array. */
Test(block_sums, a_softmax_has_two) {
#define MAXIMUM                                                                                    \
    "__shared__ float s[128];\n    s[threadIdx.x] = v;\n    __syncthreads();\n    "                \
    "for (int h = 64; h > 0; h /= 2) {\n        if (threadIdx.x < h)\n            "                \
    "s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + h]);\n        __syncthreads();\n    }"
    expect_ways(&(shape){.front = "float v = -3.402823466e+38f, sum = 0.0f;",
                         .loop = "v = fmaxf(v, in[row * n + i]);",
                         .reduce = MAXIMUM
                         "\n    const float most = s[0];\n    __syncthreads();\n    "
                         "for (int i = threadIdx.x; i < n; i += blockDim.x)\n        "
                         "sum += expf(in[row * n + i] - most);\n    s[threadIdx.x] = sum;\n    "
                         "__syncthreads();\n    for (int h = 64; h > 0; h /= 2) {\n        "
                         "if (threadIdx.x < h)\n            "
                         "s[threadIdx.x] += s[threadIdx.x + h];\n        __syncthreads();\n    }",
                         .after = "for (int i = threadIdx.x; i < n; i += blockDim.x)\n        "
                                  "out[row * n + i] = expf(in[row * n + i] - most) / s[0];"});
}

/* ---- those that only look like it ---- */

static bool reduces(const shape *of) {
    char *text = source_of(of);
    bool has = has_parameter(text, problem, "REDUCE") || has_parameter(text, problem, "BLOCK_X") ||
               has_parameter(text, problem, "VECTOR_STRIDE");
    free(text);
    return has;
}

/* The line of the first remark that block-size left, which must have these words. */
static int refused_at(const shape *of, const char *words) {
    ht_problem_file *problems;
    char *text = source_of(of);
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    int line = 0;
    for (size_t i = 0; i < kernel->remark_count && !line; ++i)
        if (strstr(kernel->remarks[i].message, words))
            line = kernel->remarks[i].line;
    cr_expect(line > 0, "no remark with \"%s\" for\n%s", words, text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
    return line;
}

#define OWN_TREE(from, test, element, barrier)                                                     \
    "__shared__ float s[256];\n    s[threadIdx.x] = v;\n    __syncthreads();\n    "                \
    "for (int h = " from "; h > 0; h /= 2) {\n        if (" test ")\n            "                 \
    "s[threadIdx.x] += s[" element "];\n        " barrier "\n    }"
#define READ_ALL NORMALIZE "s[0];"

/* Maxima and minima that are written as choices. */
Test(block_sums, choices_are_maxima) {
#define CHOOSE(statement)                                                                          \
    "__shared__ float s[128];\n    s[threadIdx.x] = v;\n    __syncthreads();\n    "                \
    "for (int h = 64; h > 0; h /= 2) {\n        if (threadIdx.x < h)\n            " statement      \
    "\n        __syncthreads();\n    }"
#define LEAST                                                                                      \
    "s[threadIdx.x] = s[threadIdx.x] < s[threadIdx.x + h] ? s[threadIdx.x] : "                     \
    "s[threadIdx.x + h];"
    static const struct {
        const char *loop, *reduce;
        bool reduces;
    } cases[] = {
        {"if (in[row * n + i] > v) v = in[row * n + i];",
         CHOOSE("if (s[threadIdx.x + h] > s[threadIdx.x]) s[threadIdx.x] = s[threadIdx.x + h];"),
         true},
        {"v = v < in[row * n + i] ? v : in[row * n + i];", CHOOSE(LEAST), true},
        {"v = v > in[row * n + i] ? v : in[row * n + i];", CHOOSE(LEAST), false},
        {"if (in[row * n + i] > v) v = in[row * n + i] + 1;",
         CHOOSE("if (s[threadIdx.x + h] > s[threadIdx.x]) s[threadIdx.x] = s[threadIdx.x + h];"),
         false},
        {"if (in[row * n + i] > v) v = in[row * n + i];",
         CHOOSE("if (s[threadIdx.x + h] > s[threadIdx.x]) s[threadIdx.x] = s[threadIdx.x + 1];"),
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        cr_expect_eq(reduces(&(shape){.front = "float v = 0.5f;",
                                      .loop = cases[i].loop,
                                      .reduce = cases[i].reduce,
                                      .after = READ_ALL}),
                     cases[i].reduces, "%s", cases[i].loop);
}

Test(block_sums, trees_that_leave_threads_out_or_meet_too_rarely_are_refused) {
    const char *const trees[] = {
        OWN_TREE("32", "threadIdx.x < h", "threadIdx.x + h", "__syncthreads();"),
        OWN_TREE("64", "threadIdx.x + 1 < h", "threadIdx.x + h", "__syncthreads();"),
        OWN_TREE("64", "threadIdx.x < h", "threadIdx.x + h", ""),
        OWN_TREE("64", "threadIdx.x < h", "threadIdx.x + h - 1", "__syncthreads();"),
        OWN_TREE("64", "threadIdx.x <= h", "threadIdx.x + h", "__syncthreads();"),
        OWN_TREE("64", "threadIdx.x < h", "threadIdx.x + h",
                 "if (threadIdx.x < 64) __syncthreads();"),
        OWN_TREE("64", "threadIdx.x < h", "2 * h - threadIdx.x", "__syncthreads();"),
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; ++i)
        cr_expect_not(reduces(&(shape){.reduce = trees[i], .after = READ_ALL}), "%s", trees[i]);
    cr_expect(reduces(
        &(shape){.reduce = OWN_TREE("64", "threadIdx.x < h", "threadIdx.x + h", "__syncthreads();"),
                 .after = READ_ALL}));
    cr_expect_eq(
        refused_at(&(shape){.reduce = trees[2], .after = READ_ALL}, "with no barrier between"), 12);
    cr_expect_eq(refused_at(&(shape){.reduce = trees[5], .after = READ_ALL},
                            "not all threads of the block reach a barrier"),
                 13);
    cr_expect_eq(refused_at(&(shape){.reduce = trees[0], .after = READ_ALL},
                            "does not hold all threads' values"),
                 16);
}

Test(block_sums, shuffles_that_leave_lanes_out_are_refused) {
#define HALF(from, call)                                                                           \
    "__device__ float wave(float v) {\n    for (int d = " from "; d > 0; d /= 2)\n        "        \
    "v += " call ";\n    return v;\n}\n"
    const char *const functions[] = {
        HALF("warpSize / 4", "__shfl_down(v, d)"),
        HALF("warpSize / 2", "__shfl_down(v, d, 16)"),
        HALF("16", "__shfl_down(v, d)"), /* of 64 lanes, the first has 32 */
        HALF("32", "__shfl_down(v, d)"), /* of 32 lanes, its own twice */
        HALF("warpSize / 2", "__shfl_up(v, d)"),
        HALF("warpSize / 2", "__shfl_down_sync(0xffff, v, d)")};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
        cr_expect_not(reduces(&(shape){.functions = functions[i], .front = LANE, .reduce = WAVES}),
                      "%s", functions[i]);
}

Test(block_sums, readers_that_do_not_have_the_result_are_refused) {
    cr_expect_not(reduces(
        &(shape){.functions = WAVE, .front = LANE, .reduce = WAVES, .after = NORMALIZE "v;"}));
    cr_expect_eq(
        refused_at(
            &(shape){.functions = WAVE, .front = LANE, .reduce = WAVES, .after = NORMALIZE "v;"},
            "threads read a result that only some of them have"),
        23);
    /* it is in shared memory, but no barrier comes before it is read */
    cr_expect_not(reduces(&(shape){
        .functions = WAVE,
        .front = LANE,
        .reduce = WAVES "\n    __shared__ float t;\n    if (lane == 0 && of == 0)\n        t = v;",
        .after = NORMALIZE "t;"}));
    /* another element than the result's */
    cr_expect_not(reduces(&(shape){.reduce = TREE, .after = NORMALIZE "s[1];"}));
    /* an element that another name leads to */
    cr_expect_not(reduces(
        &(shape){.front = "float v = 0.0f;\n    __shared__ float s[128];\n    const float *q = s;",
                 .reduce = "s[threadIdx.x] = v;\n    __syncthreads();\n    "
                           "for (int h = 64; h > 0; h /= 2) {\n        if (threadIdx.x < h)\n"
                           "            s[threadIdx.x] += s[threadIdx.x + h];\n        "
                           "__syncthreads();\n    }",
                 .after = NORMALIZE "(s[0] + q[5]);"}));
    /* each thread's own sum */
    cr_expect_not(reduces(&(shape){.reduce = TREE, .after = NORMALIZE "v;"}));
    cr_expect_not(reduces(&(shape){.reduce = "total[row] += v;"}));
}

/* Combined by another operation than in each thread, the result depends on the block. */
Test(block_sums, sums_that_the_block_decides_are_refused) {
    cr_expect_not(reduces(&(shape){.reduce = MAXIMUM, .after = READ_ALL}));
    cr_expect_not(reduces(&(shape){.front = "float v = 1.0f;", .reduce = TREE, .after = READ_ALL}));
    cr_expect_not(reduces(
        &(shape){.loop = "v = v * 0.5f + in[row * n + i];", .reduce = TREE, .after = READ_ALL}));
    cr_expect_not(reduces(&(shape){.loop = "{ v += in[row * n + i]; out[row * n + i] = v; }",
                                   .reduce = TREE,
                                   .after = "if (threadIdx.x == 0) total[row] = s[0];"}));
    cr_expect_not(reduces(&(shape){.reduce = TREE, .after = NORMALIZE "(s[0] + threadIdx.x);"}));
    cr_expect_not(reduces(&(shape){.reduce = TREE, .after = NORMALIZE "(s[0] / blockDim.x);"}));
}

/* Other wavefront operations of the kernel keep it as it is. */
Test(block_sums, other_exchanges_between_lanes_are_refused) {
    cr_expect_not(reduces(&(shape){.functions = WAVE,
                                   .front = LANE,
                                   .reduce = WAVES,
                                   .after = BY_FIRST "\n    total[row] = __shfl(scale, 0);"}));
    cr_expect_not(reduces(&(shape){
        .functions = WAVE, .front = LANE, .loop = "v += wave(in[row * n + i]);", .reduce = WAVES}));
    cr_expect_not(reduces(&(shape){.functions = WAVE,
                                   .front = LANE,
                                   .loop = "v += in[row * n + i] * lane;",
                                   .reduce = WAVES}));
    cr_expect_not(reduces(&(shape){.functions = WAVE,
                                   .front = LANE,
                                   .loop = "if (__any(i > 5)) v += in[row * n + i];",
                                   .reduce = WAVES}));
}

Test(block_sums, a_tuned_source_reads_like_a_source) {
    char *text = source_of(&(shape){.functions = WAVE, .front = LANE, .reduce = WAVES});
    subject of = subject_open(text, problem, "k");
    expect_pieces(
        &of, "REDUCE=1 BLOCK_X=64",
        (const char *const[]){
            "    // the sum of v over the block\n    {\n", "        __shared__ float parts[32];\n",
            "        for (int offset = 16; offset > 0; offset /= 2)\n",
            "            v += __shfl_xor(v, offset, 32);\n", "        if (threadIdx.x % 32 == 0)\n",
            "            parts[threadIdx.x / 32] = v;\n", "        __syncthreads();\n",
            "        v = parts[0];\n", "            v += parts[part];\n    }\n", "scale = v / n;",
            "k<<<rows, 64>>>", NULL});
    char *tuned = apply_config(&of, "REDUCE=2 BLOCK_X=64");
    cr_expect_not(strstr(tuned, "p[32]"), "%s", tuned);
    cr_expect(strstr(tuned, "parts[threadIdx.x] += parts[threadIdx.x + half];"), "%s", tuned);
    free(tuned);
    /* the author's own reduction works for blocks of other sizes, too */
    cr_expect(is_legal(&of, "k", "BLOCK_X=512"));
    subject_close(&of);
    free(text);
}

/* An array of the author's that is too small for a block keeps that block from it. */
Test(block_sums, the_authors_reduction_is_kept_only_where_it_holds) {
    char *text = source_of(&(shape){.reduce = TREE, .after = READ_ALL});
    subject of = subject_open(text, problem, "k");
    cr_expect(is_legal(&of, "k", "BLOCK_X=64"));
    cr_expect_not(is_legal(&of, "k", "BLOCK_X=256"));
    cr_expect(is_legal(&of, "k", "BLOCK_X=256 REDUCE=1"));
    subject_close(&of);
    free(text);
}
