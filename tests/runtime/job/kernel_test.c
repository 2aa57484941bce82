/* Kinds of kernels that templates can describe, each through the whole path: references, arguments,
 * checking, timing. */
#include "tests/runtime/job/support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(kernels, .init = use_test_worker, .timeout = 250);

/* Runs a template's good configurations and its wrong ones. `wrong` lists configurations that must
 * be mismatches: checks that can fail mean something when they pass. */
static void check(const char *text, const char *problem, const char *source, const char *good,
                  const char *wrong) {
    bound b;
    bind_text(&b, text, problem);
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    cr_expect_str_eq(ht_job_reference_source(job), source);
    ht_outcome outcome = evaluate(job, &b, good);
    cr_expect_eq(outcome.status, HT_OK, "%s: %s", good, outcome.reason);
    cr_expect_gt(outcome.cost, 0);
    outcome = evaluate(job, &b, wrong);
    cr_expect_eq(outcome.status, HT_ERROR_MISMATCH, "%s: %s %s", wrong,
                 ht_status_name(outcome.status), outcome.reason);
    ht_job_free(job);
    unbind(&b);
}

Test(kernels, several_launches_share_scratch) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(blur)\n"
          "#pragma tune problem(image : W, H)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(WRONG : false, true = false)\n"
          "#pragma tune arg(in : in float[problem.W * problem.H])\n"
          "#pragma tune arg(half_way : temp float[problem.W * problem.H])\n"
          "#pragma tune arg(out : out float[problem.W * problem.H])\n"
          "#pragma tune arg(W : int = problem.W)\n"
          "#pragma tune arg(H : int = problem.H)\n"
          "#pragma tune launch(rows : in, half_way, W, H) block(BLOCK) "
          "grid(ceil_div(problem.W * problem.H, BLOCK))\n"
          "#pragma tune launch(columns : half_way, out, W, H) block(BLOCK) "
          "grid(ceil_div(problem.W * problem.H, BLOCK))\n"
          "#pragma tune reference(whole : in, out, W, H) block(64) "
          "grid(ceil_div(problem.W * problem.H, 64))\n"
          "__global__ void whole(const float *in, float *out, int W, int H) {\n"
          "    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % W, y = i / W;\n"
          "    if (i >= W * H) return;\n"
          "    float sum = 0;\n"
          "    for (int v = -1; v <= 1; ++v) for (int u = -1; u <= 1; ++u)\n"
          "        if (x + u >= 0 && x + u < W && y + v >= 0 && y + v < H)\n"
          "            sum += in[(y + v) * W + x + u] * (2 - u * u) * (2 - v * v);\n"
          "    out[i] = sum;\n"
          "}\n"
          "template <int BLOCK> __global__ void rows(const float *in, float *out, int W, int H) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x, x = i % W;\n"
          "    if (i >= W * H) return;\n"
          "    out[i] = 2 * in[i] + (x > 0 ? in[i - 1] : 0) + (x + 1 < W ? in[i + 1] : 0);\n"
          "}\n"
          "template <int BLOCK, bool WRONG>\n"
          "__global__ void columns(const float *in, float *out, int W, int H) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x, y = i / W;\n"
          "    if (i >= W * H) return;\n"
          "    out[i] = 2 * in[i] + (y > 0 ? in[i - W] : 0) +\n"
          "             (y + 1 < H && !WRONG ? in[i + W] : 0);\n"
          "}\n",
          "W=33 H=21", "float64 twin with tracked sums", "BLOCK=64", "WRONG=true");
}

Test(kernels, a_zeroing_pass_comes_before_sums) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(histogram)\n"
          "#pragma tune problem(line : n)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(CLEAR : 0, 16 = 16)\n"
          "#pragma tune arg(in : in unsigned char[problem.n] integers(0, 15))\n"
          "#pragma tune arg(bins : out unsigned int[16])\n"
          "#pragma tune arg(n : int = problem.n)\n"
          "#pragma tune launch(clear : bins) block(16) grid(1)\n"
          "#pragma tune launch(count : in, bins, n) block(BLOCK) grid(ceil_div(problem.n, BLOCK))\n"
          "template <int CLEAR> __global__ void clear(unsigned int *bins) {\n"
          "    if (threadIdx.x < CLEAR) bins[threadIdx.x] = 0;\n"
          "}\n"
          "template <int BLOCK>\n"
          "__global__ void count(const unsigned char *in, unsigned int *bins, int n) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "    if (i < n) atomicAdd(&bins[in[i]], 1u);\n"
          "}\n",
          "n=5000", "the original's own outputs", "BLOCK=64", "CLEAR=0");
}

Test(kernels, inout_buffers_are_restored) {
    check(
        "#include <hip/hip_runtime.h>\n"
        "#pragma tune kernel(axpy)\n"
        "#pragma tune param(BLOCK : 32, 64 = 32)\n"
        "#pragma tune param(TIMES : 1, 2 = 1)\n"
        "#pragma tune block(BLOCK)\n"
        "#pragma tune grid(ceil_div(500, BLOCK))\n"
        "#pragma tune arg(a : float = -1.25)\n"
        "#pragma tune arg(x : in float4[500])\n"
        "#pragma tune arg(y : inout float4[500] uniform(0, 1))\n"
        "template <int BLOCK, int TIMES>\n"
        "__global__ void axpy(float a, const float4 *x, float4 *y) {\n"
        "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "    if (i >= 500) return;\n"
        "    for (int t = 0; t < TIMES; ++t) {\n"
        "        float4 v = x[i], w = y[i];\n"
        "        y[i] = make_float4(a * v.x + w.x, a * v.y + w.y, a * v.z + w.z, a * v.w + w.w);\n"
        "    }\n"
        "}\n",
        NULL, "float64 twin with tracked sums", "BLOCK=64", "TIMES=2");
}

Test(kernels, constants_are_set) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(filter)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(TAPS : 4, 5 = 5)\n"
          "#pragma tune block(BLOCK)\n"
          "#pragma tune grid(ceil_div(300, BLOCK))\n"
          "#pragma tune arg(taps : constant float[5])\n"
          "#pragma tune arg(in : in float[304])\n"
          "#pragma tune arg(out : out float[300])\n"
          "__constant__ float taps[5];\n"
          "template <int BLOCK, int TAPS> __global__ void filter(const float *in, float *out) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "    if (i >= 300) return;\n"
          "    float sum = 0.0f;\n"
          "    for (int t = 0; t < TAPS; ++t) sum += taps[t] * in[i + t];\n"
          "    out[i] = sum;\n"
          "}\n",
          NULL, "float64 twin with tracked sums", "BLOCK=64", "TAPS=4");
}

Test(kernels, half_precision_is_compared_with_its_own_rounding) {
    check("#include <hip/hip_runtime.h>\n"
          "#include <hip/hip_fp16.h>\n"
          "#pragma tune kernel(dot)\n"
          "#pragma tune param(STEPS : 1, 2, 4 = 1)\n"
          "#pragma tune param(SHIFT : 0, 1 = 0)\n"
          "#pragma tune block(64)\n"
          "#pragma tune grid(2)\n"
          "#pragma tune arg(a : in __half[2048])\n"
          "#pragma tune arg(b : in __half[2048])\n"
          "#pragma tune arg(out : out __half[128])\n"
          "template <int STEPS, int SHIFT>\n"
          "__global__ void dot(const __half *a, const __half *b, __half *out) {\n"
          "    int i = blockIdx.x * 64 + threadIdx.x;\n"
          "    float sum[STEPS] = {};\n"
          "    for (int t = 0; t < 16; t += STEPS)\n"
          "        for (int s = 0; s < STEPS; ++s)\n"
          "            sum[s] += __half2float(a[i * 16 + t + s]) *\n"
          "                      __half2float(b[(i * 16 + t + s + SHIFT) % 2048]);\n"
          "    for (int s = 1; s < STEPS; ++s) sum[0] += sum[s];\n"
          "    out[i] = __float2half(sum[0]);\n"
          "}\n",
          NULL, "float64 twin", "STEPS=4", "SHIFT=1");
}

Test(kernels, parameters_bind_to_macros_and_types) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(sum)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(OFF : 0, 1 = 0)\n"
          "#pragma tune param(ACC : type float, double = float)\n"
          "#pragma tune block(BLOCK)\n"
          "#pragma tune grid(ceil_div(200, BLOCK))\n"
          "#pragma tune arg(in : in float[3200])\n"
          "#pragma tune arg(out : out float[200])\n"
          "#ifndef BLOCK\n#define BLOCK 32\n#endif\n"
          "#ifndef OFF\n#define OFF 0\n#endif\n"
          "template <typename ACC> __global__ void sum(const float *in, float *out) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "    if (i >= 200) return;\n"
          "    ACC total = 0;\n"
          "    for (int t = OFF; t < 16; ++t) total += in[i * 16 + t] * 0.3f;\n"
          "    out[i] = (float)total;\n"
          "}\n",
          NULL, "float64 twin with tracked sums", "BLOCK=64 ACC=double", "OFF=1 BLOCK=64");
}

Test(kernels, a_type_parameter_may_be_the_type_of_a_buffer) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(copy)\n"
          "#pragma tune param(T : type int, short = int)\n"
          "#pragma tune param(PLUS : 0, 1 = 0)\n"
          "#pragma tune block(32)\n"
          "#pragma tune grid(4)\n"
          "#pragma tune arg(in : in T[128])\n"
          "#pragma tune arg(out : out long[128])\n"
          "#pragma tune arg(size : uint2 = (4, 32))\n"
          "template <typename T, int PLUS>\n"
          "__global__ void copy(const T *in, long *out, uint2 size) {\n"
          "    unsigned i = blockIdx.x * size.y + threadIdx.x;\n"
          "    if (i < size.x * size.y) out[i] = in[i] + PLUS;\n"
          "}\n",
          NULL, "the original's own outputs", "T=short", "PLUS=1");
}

Test(kernels, dynamic_lds_grows_with_the_twin) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(reverse)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(WRONG : false, true = false)\n"
          "#pragma tune block(BLOCK)\n"
          "#pragma tune grid(256 / BLOCK)\n"
          "#pragma tune lds(BLOCK * sizeof(float))\n"
          "#pragma tune arg(in : in float[256])\n"
          "#pragma tune arg(out : out float[256])\n"
          "template <int BLOCK, bool WRONG>\n"
          "__global__ void reverse(const float *in, float *out) {\n"
          "    extern __shared__ float tile[];\n"
          "    tile[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];\n"
          "    __syncthreads();\n"
          "    int from = threadIdx.x ^ 31;\n"
          "    out[blockIdx.x * BLOCK + threadIdx.x] = tile[WRONG ? threadIdx.x : from];\n"
          "}\n",
          NULL, "float64 twin with tracked sums", "BLOCK=64", "WRONG=true");
}

/* A kernel that needs float bits has no twin; it is checked against itself. */
Test(kernels, without_a_twin_the_original_is_the_reference) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(bits)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(WRONG : false, true = false)\n"
          "#pragma tune block(BLOCK)\n"
          "#pragma tune grid(256 / BLOCK)\n"
          "#pragma tune arg(in : in float[256])\n"
          "#pragma tune arg(out : out float[256])\n"
          "template <int BLOCK, bool WRONG>\n"
          "__global__ void bits(const float *in, float *out) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "    union { float f; unsigned u; } v;\n"
          "    v.f = in[i];\n"
          "    v.u ^= WRONG ? 1u << 12 : 0x80000000u;\n"
          "    out[i] = v.f;\n"
          "}\n",
          NULL, "the original's own outputs", "BLOCK=64", "WRONG=true");
}

/* Differences cancel: the allowed error follows the terms, not the result. */
Test(kernels, cancellation_is_no_mismatch) {
    check(
        "#include <hip/hip_runtime.h>\n"
        "#pragma tune kernel(laplace)\n"
        "#pragma tune param(ORDER : 0, 1 = 0)\n"
        "#pragma tune param(WEIGHT : 4, 5 = 4)\n"
        "#pragma tune block(64)\n"
        "#pragma tune grid(64)\n"
        "#pragma tune arg(in : in float[4098] uniform(0.999, 1.001))\n"
        "#pragma tune arg(out : out float[4096])\n"
        "#pragma tune tolerance(3e-7)\n"
        "template <int ORDER, int WEIGHT>\n"
        "__global__ void laplace(const float *in, float *out) {\n"
        "    int i = blockIdx.x * 64 + threadIdx.x;\n"
        "    float a = in[i] * 1.1f, b = in[i + 1] * 1.3f, c = in[i + 2] * 1.7f;\n"
        "    out[i] = ORDER ? (c * 3 - b * WEIGHT) + a * 0.1f : (a * 0.1f - b * WEIGHT) + c * 3;\n"
        "}\n",
        NULL, "float64 twin with tracked sums", "ORDER=1", "WEIGHT=5");
}

Test(kernels, exact_tolerance_asks_for_the_same_bits) {
    check("#include <hip/hip_runtime.h>\n"
          "#pragma tune kernel(sum)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(BACKWARD : false, true = false)\n"
          "#pragma tune block(BLOCK)\n"
          "#pragma tune grid(256 / BLOCK)\n"
          "#pragma tune arg(in : in float[4096])\n"
          "#pragma tune arg(out : out float[256])\n"
          "#pragma tune tolerance(exact)\n"
          "template <int BLOCK, bool BACKWARD>\n"
          "__global__ void sum(const float *in, float *out) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "    float total = 0;\n"
          "    for (int t = 0; t < 16; ++t) total += in[i * 16 + (BACKWARD ? 15 - t : t)];\n"
          "    out[i] = total;\n"
          "}\n",
          NULL, "the original's own outputs", "BLOCK=64", "BACKWARD=true");
}

#define CONV                                                                                       \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "#pragma tune kernel(conv)\n"                                                                  \
    "#pragma tune problem(conv2d)\n"                                                               \
    "#pragma tune param(BLOCK : 32, 64 = 32)\n"                                                    \
    "#pragma tune param(SKIP : 0, 1 = 0)\n"                                                        \
    "#pragma tune block(BLOCK)\n"                                                                  \
    "#pragma tune grid(ceil_div(problem.P * problem.Q, BLOCK), problem.K, problem.N)\n"            \
    "#pragma tune arg(in : in float[problem.N * problem.C * problem.H * problem.W])\n"             \
    "#pragma tune arg(weights : in float[problem.K * problem.C * problem.R * problem.S])\n"        \
    "#pragma tune arg(out : out float[problem.N * problem.K * problem.P * problem.Q])\n"           \
    "#pragma tune arg(C : int = problem.C)\n"                                                      \
    "#pragma tune arg(H : int = problem.H)\n"                                                      \
    "#pragma tune arg(W : int = problem.W)\n"                                                      \
    "#pragma tune arg(R : int = problem.R)\n"                                                      \
    "#pragma tune arg(S : int = problem.S)\n"                                                      \
    "#pragma tune arg(P : int = problem.P)\n"                                                      \
    "#pragma tune arg(Q : int = problem.Q)\n"                                                      \
    "#pragma tune arg(pad : int = problem.pad_h)\n"                                                \
    "#pragma tune reference(conv2d : in, weights, out)\n"                                          \
    "template <int BLOCK, int SKIP>\n"                                                             \
    "__global__ void conv(const float *in, const float *weights, float *out, int C, int H,\n"      \
    "                     int W, int R, int S, int P, int Q, int pad) {\n"                         \
    "    int at = blockIdx.x * BLOCK + threadIdx.x, k = blockIdx.y, n = blockIdx.z;\n"             \
    "    if (at >= P * Q) return;\n"                                                               \
    "    float sum = 0;\n"                                                                         \
    "    for (int c = 0; c < C; ++c) for (int r = SKIP; r < R; ++r) for (int s = 0; s < S; ++s) "  \
    "{\n"                                                                                          \
    "        int h = at / Q + r - pad, w = at % Q + s - pad;\n"                                    \
    "        if (h >= 0 && h < H && w >= 0 && w < W)\n"                                            \
    "            sum += in[((n * C + c) * H + h) * W + w] * weights[((k * C + c) * R + r) * S + "  \
    "s];\n"                                                                                        \
    "    }\n"                                                                                      \
    "    out[((n * gridDim.y + k) * P + at / Q) * Q + at % Q] = sum;\n"                            \
    "}\n"

Test(kernels, the_built_in_convolution_judges) {
    check(CONV, "N=2 C=5 H=13 W=11 K=4 R=3 S=3 pad_h=1 pad_w=1", "float64 conv2d", "BLOCK=64",
          "SKIP=1");
}

/* Each field lies where the compiler has it, in float64 references too, and what a kernel writes
 * through a pointer in a structure is compared like any output. */
Test(kernels, structures_are_made_of_their_fields) {
    check("#include <hip/hip_runtime.h>\n"
          "namespace shapes { struct Box { float lo, hi; }; }\n"
          "template <class T> struct Params {\n"
          "    char first; double wide; T scale; bool flip; const shapes::Box box; float3 low;\n"
          "    short taps[3]; T table[2][5]; const T *__restrict__ in;\n"
          "    T *const __restrict__ out; int n;\n"
          "};\n"
          "struct Twice { __device__ float operator()(float a) const { return 2 * a; } };\n"
          "#pragma tune kernel(k)\n"
          "#pragma tune problem(line : n)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(WRONG : false, true = false)\n"
          "#pragma tune block(BLOCK) grid(ceil_div(p.n, BLOCK))\n"
          "#pragma tune arg(op : struct Twice)\n"
          "#pragma tune arg(p : struct Params<float>)\n"
          "#pragma tune arg(p.n : int = problem.n)\n"
          "#pragma tune arg(p.wide : double = 0.75) arg(p.scale : float = -2.5)\n"
          "#pragma tune arg(p.first : char = 3) arg(p.flip : bool = 1)\n"
          "#pragma tune arg(p.box.lo : float = -1.5) arg(p.box.hi : float = 1.25)\n"
          "#pragma tune arg(p.low : float3 = (1, 2, 3)) arg(p.taps[2] : short = -7)\n"
          "#pragma tune arg(p.table : in float[10] fill(4))\n"
          "#pragma tune arg(p.in : in float[p.n]) arg(p.out : out float[p.n])\n"
          "template <int BLOCK, bool WRONG> __global__ void k(Twice op, Params<float> p) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "    if (i >= p.n || p.first != 3 || p.taps[0] || p.taps[1]) return;\n"
          "    float v = op(p.in[i] * p.scale);\n"
          "    v = v < p.box.lo ? p.box.lo : v > p.box.hi ? p.box.hi : v;\n"
          "    p.out[i] = (p.flip ? p.low.z : p.low.x) * v + float(p.wide) + p.table[1][4] + "
          "p.taps[WRONG ? 1 : "
          "2];\n"
          "}\n",
          "n=1000", "float64 twin with tracked sums", "BLOCK=64", "WRONG=true");
}

/* A pointer may lead to a structure that leads to buffers; the kernel may not change it. */
Test(kernels, a_pointer_leads_to_a_structure) {
    check("#include <hip/hip_runtime.h>\n"
          "struct Lists { int n; float scale; const float *in; float *out; };\n"
          "#pragma tune kernel(k)\n"
          "#pragma tune problem(line : n)\n"
          "#pragma tune param(BLOCK : 32, 64 = 32)\n"
          "#pragma tune param(WRONG : false, true = false)\n"
          "#pragma tune block(BLOCK) grid(ceil_div(problem.n, BLOCK))\n"
          "#pragma tune arg(p : in struct Lists)\n"
          "#pragma tune arg(p.n : int = problem.n) arg(p.scale : float = -2.5)\n"
          "#pragma tune arg(p.in : in float[problem.n]) arg(p.out : out float[problem.n])\n"
          "template <int BLOCK, bool WRONG> __global__ void k(Lists *p) {\n"
          "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "    if (i < p->n) p->out[i] = p->in[i] * p->scale;\n"
          "    if (WRONG && i == 999) p->n = 1;\n"
          "}\n",
          "n=1000", "float64 twin with tracked sums", "BLOCK=64", "WRONG=true");
}

/* Returns the reason for which the original of a template with this argument does not run. */
static char *why_not(const char *arguments) {
    bound b;
    char *text = ht_format(
        "#include <hip/hip_runtime.h>\n"
        "struct P { int n; float *out, w[3]; union { int a; float b; }; };\n"
        "struct Q { __device__ Q(const Q &o) : n(o.n), out(o.out) {} int n; float *out; };\n"
        "struct R { int n; float *out; private: int hidden; };\n"
        "#pragma tune kernel(k)\n"
        "#pragma tune param(BLOCK : 32, 64 = 32)\n"
        "#pragma tune block(BLOCK) grid(1)\n"
        "#pragma tune %s\n"
        "template <class T> __device__ void run(T p) {\n"
        "    p.out[threadIdx.x] = p.n;\n"
        "}\n"
        "template <int BLOCK> __global__ void k(%c p) { run(p); }\n",
        arguments, strstr(arguments, "(p : struct ")[12]);
    bind_text(&b, text, NULL);
    ht_job_options options = quick_options();
    ht_job *job = NULL;
    ht_error error = {0};
    cr_expect_neq(ht_job_start(&b.binding, &b.device, &options, &job, &error), HT_OK, "%s",
                  arguments);
    ht_job_free(job);
    unbind(&b);
    free(text);
    return ht_strdup(error.message);
}

Test(kernels, a_structure_that_is_described_wrongly_is_refused) {
    static const struct {
        const char *arguments, *because;
    } cases[] = {
        {"arg(p : struct P) arg(p.n : float = 1.0) arg(p.out : out partial float[64])",
         "argument 'p.n': the field has another type than it is declared"},
        {"arg(p : struct P) arg(p.n : long = 1) arg(p.out : out partial float[64])",
         "argument 'p.n': the field has another type than it is declared"},
        {"arg(p : struct P) arg(p.n : int = 1) arg(p.out : out partial int[64])",
         "argument 'p.out': it is declared a buffer, but the field points to another type"},
        {"arg(p : struct P) arg(p.n : in int[4]) arg(p.out : out partial float[64])",
         "argument 'p.n': it is declared a buffer, but the field is no pointer"},
        {"arg(p : struct P) arg(p.a : int = 1) arg(p.b : float = 1.0) arg(p.out : out partial "
         "float[64])",
         "argument 'p.b': it shares bytes with another field"},
        {"arg(p : struct P) arg(p.out : out partial float[64]) arg(p.w : out float[3])",
         "argument 'p.w': the field is an array, which is passed by value: declare it in"},
        {"arg(p : struct P) arg(p.out : out partial float[64]) arg(p.w : in float[4])",
         "argument 'p.w': the field is an array of another type or of another number of elements"},
        {"arg(p : struct P) arg(p.out : out partial float[64]) arg(p.w : in int[3])",
         "argument 'p.w': the field is an array of another type or of another number of elements"},
        {"arg(p : struct P) arg(p.m : int = 1) arg(p.out : out partial float[64])",
         "no member named 'm' in 'P'"},
        {"arg(p : struct R) arg(p.hidden : int = 1) arg(p.out : out partial float[64])",
         "'hidden' is a private member of 'R'"},
        {"arg(p : struct Q) arg(p.n : int = 1) arg(p.out : out partial float[64])",
         "argument 'p': its type is not trivially copyable"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *reason = why_not(cases[i].arguments);
        cr_expect(strstr(reason, cases[i].because), "%s: %s", cases[i].arguments, reason);
        free(reason);
    }
}
