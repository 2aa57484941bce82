/* Threads of a block: indices, barriers, ends, shared memory. */
#include "kernels.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(threads, every_thread_of_a_3d_grid_runs_once_with_its_own_indices) {
    kernels of =
        KERNELS(64,
                "#include <hip/hip_runtime.h>\n"
                "__global__ void mark(int *out) {\n"
                "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  int y = hipBlockIdx_y * hipBlockDim_y + hipThreadIdx_y;\n"
                "  int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
                "  int at = (z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x;\n"
                "  atomicAdd(&out[at], at + 1);\n"
                "}\n",
                "mark");
    enum { TOTAL = 3 * 5 * 2 * 4 * 3 * 7 };
    int *out = calloc(TOTAL, sizeof *out);
    RUN(&of, "mark", ((shape){{3, 2, 3}, {5, 4, 7}, 0}), &out);
    for (int i = 0; i < TOTAL; ++i)
        cr_assert_eq(out[i], i + 1);
    free(out);
    kernels_free(&of);
}

/* The compiler stores vectors to the stack as the ABI lets it: on stacks of 16-byte steps. */
Test(threads, stacks_of_threads_that_wait_are_aligned_as_the_abi_says) {
    kernels of = KERNELS(64,
                         "__global__ void k(unsigned *out) {\n"
                         "  __syncthreads();\n"
                         "  out[threadIdx.x] = (unsigned long)__builtin_frame_address(0) % 16;\n"
                         "  __syncthreads();\n"
                         "}\n",
                         "k");
    unsigned *out = malloc(100 * sizeof *out);
    memset(out, 0xff, 100 * sizeof *out);
    RUN(&of, "k", LINE(1, 100), &out);
    for (int i = 0; i < 100; ++i)
        cr_assert_eq(out[i], 0, "thread %d is off by %u bytes", i, out[i]);
    free(out);
    kernels_free(&of);
}

/* Sums in[block * N + ...] by a tree over barriers. */
static const char reduction[] =
    "template <int N> __global__ void reduce(const float *in, double *out) {\n"
    "  __shared__ double part[N];\n"
    "  int t = threadIdx.x;\n"
    "  part[t] = in[blockIdx.x * N + t];\n"
    "  for (int step = N / 2; step > 0; step /= 2) {\n"
    "    __syncthreads();\n"
    "    if (t < step) part[t] += part[t + step];\n"
    "  }\n"
    "  if (t == 0) out[blockIdx.x] = part[0];\n"
    "}\n";

static void check_reduction(const kernels *of, const char *name, unsigned width) {
    enum { COUNT = 64 * 1024 };
    float *in = malloc(COUNT * sizeof *in);
    for (int i = 0; i < COUNT; ++i)
        in[i] = (float)((i * 7919) % 1009);
    unsigned blocks = COUNT / width;
    double *out = malloc(blocks * sizeof *out);
    RUN(of, name, LINE(blocks, width), &in, &out);
    for (unsigned b = 0; b < blocks; ++b) {
        double sum = 0;
        for (unsigned i = 0; i < width; ++i)
            sum += in[b * width + i];
        cr_assert_eq(out[b], sum, "block %u of %u threads", b, width);
    }
    free(out);
    free(in);
}

Test(threads, a_tree_reduction_over_barriers_equals_the_serial_sum) {
    kernels of = KERNELS(64, reduction, "reduce<2>", "reduce<64>", "reduce<1024>");
    check_reduction(&of, "reduce<2>", 2);
    check_reduction(&of, "reduce<64>", 64);
    check_reduction(&of, "reduce<1024>", 1024);
    check_reduction(&of, "reduce<64>", 64);
    kernels_free(&of);
}

Test(threads, barriers_in_device_functions_and_lambdas_join_the_whole_block) {
    kernels of = KERNELS(
        64,
        "__device__ float neighbour(float *tile, int t, int n) {\n"
        "  __syncthreads();\n"
        "  float v = tile[(t + 1) % n];\n"
        "  __syncthreads();\n"
        "  return v;\n"
        "}\n"
        "__global__ void turn(float *out, int rounds) {\n"
        "  __shared__ float tile[128];\n"
        "  int t = threadIdx.x, n = blockDim.x;\n"
        "  float v = t;\n"
        "  auto step = [&](float x) { __shared__ float other[128]; other[t] = x; __syncthreads();\n"
        "    float y = other[(t + 1) % n]; __syncthreads(); return y; };\n"
        "  for (int i = 0; i < rounds; ++i) { tile[t] = v; v = neighbour(tile, t, n); v = step(v); "
        "}\n"
        "  out[t] = v;\n"
        "}\n",
        "turn");
    float out[100], *to = out;
    int rounds = 17;
    RUN(&of, "turn", LINE(1, 100), &to, &rounds);
    for (int i = 0; i < 100; ++i)
        cr_assert_eq(out[i], (float)((i + 2 * rounds) % 100));
    kernels_free(&of);
}

Test(threads, a_thread_that_has_returned_does_not_hold_up_a_barrier) {
    /* Some return before anyone waits, some while others wait, some between barriers. */
    kernels of = KERNELS(64,
                         "__global__ void leave(int *out) {\n"
                         "  __shared__ int alive;\n"
                         "  int t = threadIdx.x;\n"
                         "  if (t == 40) alive = 0;\n"
                         "  if (t < 10 || t == 99) return;\n"
                         "  __syncthreads();\n"
                         "  if (t % 3 == 0 && t != 60) return;\n"
                         "  __syncthreads();\n"
                         "  atomicAdd(&alive, 1);\n"
                         "  if (t == 98) return;\n"
                         "  __syncthreads();\n"
                         "  if (t == 50) *out = alive;\n"
                         "}\n",
                         "leave");
    int expected = 0;
    for (int t = 10; t < 99; ++t)
        expected += t % 3 != 0 || t == 60;
    int out = -1, *to = &out;
    RUN(&of, "leave", LINE(1, 100), &to);
    cr_assert_eq(out, expected);
    kernels_free(&of);
}

Test(threads, barrier_votes_count_the_threads_that_arrive) {
    kernels of =
        KERNELS(64,
                "__global__ void vote(int *out) {\n"
                "  int t = threadIdx.x;\n"
                "  if (t >= 90) return;\n"
                "  int many = __syncthreads_count(t % 2);\n"
                "  int some = __syncthreads_or(t == 77), none = __syncthreads_or(t == 95);\n"
                "  int each = __syncthreads_and(t < 90), not_each = __syncthreads_and(t != 3);\n"
                "  out[t] = many * 16 + some * 8 + none * 4 + each * 2 + not_each;\n"
                "}\n",
                "vote");
    int out[90], *to = out;
    RUN(&of, "vote", LINE(1, 100), &to);
    for (int i = 0; i < 90; ++i)
        cr_assert_eq(out[i], 45 * 16 + 8 + 2);
    kernels_free(&of);
}

Test(threads, dynamic_shared_arrays_of_all_forms_are_one_block_of_memory) {
    kernels of = KERNELS(
        64,
        "extern __shared__ float at_file_scope[];\n"
        "namespace inner {\n"
        "template <class T> __device__ T *scratch() { extern __shared__ __align__(16) unsigned\n"
        "  char raw[]; return reinterpret_cast<T *>(raw); }\n"
        "}\n"
        "template <int N> __global__ void rotate(float *out, int *same) {\n"
        "  HIP_DYNAMIC_SHARED(float, mine)\n"
        "  int t = threadIdx.x, n = blockDim.x;\n"
        "  mine[t] = t * N;\n"
        "  __syncthreads();\n"
        "  out[blockIdx.x * n + t] = inner::scratch<float>()[(t + 1) % n];\n"
        "  *same = at_file_scope == mine && inner::scratch<float>() == mine;\n"
        "}\n",
        "rotate<3>");
    float out[3 * 200], *to = out;
    int same = 0, *same_to = &same;
    RUN(&of, "rotate<3>", ((shape){{3, 1, 1}, {200, 1, 1}, 200 * sizeof(float)}), &to, &same_to);
    cr_assert_eq(same, 1);
    for (int i = 0; i < 600; ++i)
        cr_assert_eq(out[i], (float)((i % 200 + 1) % 200 * 3));
    kernels_free(&of);
}

Test(threads, shared_memory_is_poisoned_before_a_launch) {
    kernels of = KERNELS(64,
                         "__global__ void peek(unsigned *out) {\n"
                         "  extern __shared__ unsigned dynamic[];\n"
                         "  __shared__ unsigned fixed[32];\n"
                         "  out[threadIdx.x] = fixed[threadIdx.x] & dynamic[threadIdx.x];\n"
                         "  fixed[threadIdx.x] = dynamic[threadIdx.x] = 0;\n"
                         "}\n",
                         "peek");
    for (int launch = 0; launch < 2; ++launch) {
        unsigned out[32], *to = out;
        RUN(&of, "peek", ((shape){{1, 1, 1}, {32, 1, 1}, 128}), &to);
        for (int i = 0; i < 32; ++i)
            cr_assert_eq(out[i], 0xffffffffu);
    }
    kernels_free(&of);
}

Test(threads, blocks_do_not_see_each_others_shared_memory) {
    kernels of =
        KERNELS(64,
                "__global__ void own(int *wrong) {\n"
                "  __shared__ int mark[64];\n"
                "  for (int i = 0; i < 50; ++i) {\n"
                "    mark[threadIdx.x] = blockIdx.x * 64 + i;\n"
                "    __syncthreads();\n"
                "    if (mark[63 - threadIdx.x] != blockIdx.x * 64 + i) atomicAdd(wrong, 1);\n"
                "    __syncthreads();\n"
                "  }\n"
                "}\n",
                "own");
    int wrong = 0, *to = &wrong;
    RUN(&of, "own", LINE(200, 64), &to);
    cr_assert_eq(wrong, 0);
    kernels_free(&of);
}

Test(threads, atomics_across_blocks_lose_nothing) {
    kernels of =
        KERNELS(64,
                "struct totals { int i; unsigned u, wrapped, low, high; unsigned long long l; "
                "float f; double d;\n"
                "  int smallest, bits; float largest; unsigned swaps; };\n"
                "__global__ void add(totals *t, int *seen) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  seen[atomicAdd(&t->i, 1)] += 1;\n"
                "  atomicSub(&t->u, 2u); atomicInc(&t->wrapped, 6); atomicAdd(&t->l, 1ull << 32);\n"
                "  atomicAdd(&t->f, 1); unsafeAtomicAdd(&t->d, 0.5); atomicMin(&t->smallest, -i);\n"
                "  atomicMax(&t->largest, (float)i); atomicOr(&t->bits, 1 << i % 31); "
                "atomicDec(&t->low, 9);\n"
                "  unsigned old = t->swaps, was;\n"
                "  while ((was = atomicCAS(&t->swaps, old, old + 3)) != old) old = was;\n"
                "}\n",
                "add");
    struct {
        int i;
        unsigned u, wrapped, low, high;
        unsigned long long l;
        float f;
        double d;
        int smallest, bits;
        float largest;
        unsigned swaps;
    } totals = {0}, *to = &totals;
    enum { BLOCKS = 64, THREADS = 100, ALL = BLOCKS * THREADS };
    int *seen = calloc(ALL, sizeof *seen);
    RUN(&of, "add", LINE(BLOCKS, THREADS), &to, &seen);
    cr_assert_eq(totals.i, ALL);
    for (int i = 0; i < ALL; ++i)
        cr_assert_eq(seen[i], 1);
    cr_assert_eq(totals.u, 0u - 2u * ALL);
    cr_assert_eq(totals.wrapped, ALL % 7);
    cr_assert_eq(totals.low, 9 - (ALL - 1) % 10);
    cr_assert_eq(totals.l, (unsigned long long)ALL << 32);
    cr_assert_eq(totals.f, (float)ALL);
    cr_assert_eq(totals.d, ALL * 0.5);
    cr_assert_eq(totals.smallest, -(ALL - 1));
    cr_assert_eq(totals.largest, (float)(ALL - 1));
    cr_assert_eq(totals.bits, 0x7fffffff);
    cr_assert_eq(totals.swaps, 3u * ALL);
    free(seen);
    kernels_free(&of);
}

Test(threads, shared_arrays_of_classes_with_constructors_are_one_a_block) {
    kernels of = KERNELS(
        64,
        "struct empty { float re, im; __device__ empty() {} empty(float a) : re(a), im(-a) {} };\n"
        "struct trivial { int v[3]; trivial() = default; trivial(int a) : v{a, a, a} {} };\n"
        "static __shared__ int at_file_scope[64];\n"
        "template <class T> __global__ void k(float *out) {\n"
        "  __shared__ empty e[64]; static __shared__ T t[2][64];\n"
        "  __shared__ union { double d; int i[2]; } u;\n"
        "  int i = threadIdx.x;\n"
        "  e[i] = empty(i); t[1][i] = T(i); at_file_scope[i] = i; if (i == 0) u.d = 1.0;\n"
        "  __syncthreads();\n"
        "  int j = 63 - i;\n"
        "  out[i] = e[j].re - e[j].im + t[1][j].v[2] + at_file_scope[j] + (float)u.d;\n"
        "}\n",
        "k<trivial>");
    float out[64], *to = out;
    for (int launch = 0; launch < 2; ++launch) {
        RUN(&of, "k<trivial>", LINE(1, 64), &to);
        for (int i = 0; i < 64; ++i)
            cr_assert_eq(out[i], (float)(4 * (63 - i) + 1));
    }
    kernels_free(&of);
}
