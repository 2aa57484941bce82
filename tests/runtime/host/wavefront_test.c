/* Shuffles and ballots among the lanes of a wavefront, and threads that cannot go on. / */
#include "kernels.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the lane that HIP defines to be read by lane `self` of a group of `width`. */
static int lane_read(int op, int self, int argument, int width) {
    int first = self / width * width, within = self % width;
    switch (op) {
    case 0:
        return first + (argument % width + width) % width;
    case 1:
        return within - argument < 0 ? self : self - argument;
    case 2:
        return within + argument >= width ? self : self + argument;
    default:
        return (self ^ argument) >= first + width ? self : self ^ argument;
    }
}

static const char shuffles[] =
    "template <class T> __global__ void shuffle(T *out, int argument, int width) {\n"
    "  int t = threadIdx.y * blockDim.x + threadIdx.x;\n"
    "  T mine = (T)(1000 + t);\n"
    "  out[t * 4 + 0] = __shfl(mine, argument, width);\n"
    "  out[t * 4 + 1] = __shfl_up(mine, argument, width);\n"
    "  out[t * 4 + 2] = __shfl_down(mine, argument, width);\n"
    "  out[t * 4 + 3] = __shfl_xor(mine, argument, width);\n"
    "}\n";

static void check_shuffles(int wavefront) {
    kernels of = KERNELS(wavefront, shuffles, "shuffle<int>", "shuffle<double>");
    for (int width = wavefront; width >= 4; width /= 2) {
        for (int argument = 0; argument < width; argument += 1 + argument) {
            int out[192 * 4], *to = out;
            double wide[192 * 4], *wide_to = wide;
            shape how = {{1, 1, 1}, {48, 4, 1}, 0};
            RUN(&of, "shuffle<int>", how, &to, &argument, &width);
            RUN(&of, "shuffle<double>", how, &wide_to, &argument, &width);
            for (int i = 0; i < 192 * 4; ++i) {
                int t = i / 4, wave = t / wavefront * wavefront;
                int expected = 1000 + wave + lane_read(i % 4, t - wave, argument, width);
                cr_assert_eq(out[i], expected, "thread %d, operation %d, argument %d, width %d", t,
                             i % 4, argument, width);
                cr_assert_eq(wide[i], (double)expected);
            }
        }
    }
    kernels_free(&of);
}

Test(wavefront, shuffles_read_the_lane_that_hip_defines_at_64) {
    check_shuffles(64);
}

Test(wavefront, shuffles_read_the_lane_that_hip_defines_at_32) {
    check_shuffles(32);
}

static const char ballots[] =
    "__global__ void ballots(unsigned long long *out, int *size) {\n"
    "  int t = threadIdx.x;\n"
    "  *size = warpSize;\n"
    "  if (t % 5 == 0) return;\n"
    "  unsigned long long odd = __ballot(t & 1), all = __activemask();\n"
    "  int lane = __lane_id();\n"
    "  if (t % 7 == 0) return;\n"
    "  out[t * 3] = odd;\n"
    "  out[t * 3 + 1] = all;\n"
    "  out[t * 3 + 2] = __ballot(1) | (unsigned long long)__any(lane == 1) << 62 |\n"
    "    (unsigned long long)__all(t % 5) << 63;\n"
    "}\n";

static void check_ballots(int wavefront) {
    kernels of = KERNELS(wavefront, ballots, "ballots");
    enum { THREADS = 150 };
    unsigned long long out[THREADS * 3], *to = out;
    int size = 0, *size_to = &size;
    RUN(&of, "ballots", LINE(1, THREADS), &to, &size_to);
    cr_assert_eq(size, wavefront);
    for (int t = 0; t < THREADS; ++t) {
        if (t % 5 == 0 || t % 7 == 0)
            continue;
        int first = t / wavefront * wavefront;
        unsigned long long odd = 0, alive = 0, later = 0, any = 0;
        for (int i = first; i < first + wavefront && i < THREADS; ++i) {
            unsigned long long bit = 1ull << (i - first);
            alive |= i % 5 ? bit : 0;
            odd |= i % 5 && i % 2 ? bit : 0;
            later |= i % 5 && i % 7 ? bit : 0;
            any |= i % 5 && i % 7 && i - first == 1;
        }
        cr_assert_eq(out[t * 3], odd);
        cr_assert_eq(out[t * 3 + 1], alive);
        cr_assert_eq(out[t * 3 + 2], later | any << 62 | 1ull << 63);
    }
    kernels_free(&of);
}

Test(wavefront, ballots_leave_out_lanes_that_have_ended_at_64) {
    check_ballots(64);
}

Test(wavefront, ballots_leave_out_lanes_that_have_ended_at_32) {
    check_ballots(32);
}

Test(wavefront, a_reduction_by_shuffles_and_shared_memory_equals_the_serial_sum) {
    const char *source = "__global__ void sum(const int *in, int *out) {\n"
                         "  __shared__ int part[32];\n"
                         "  int t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t];\n"
                         "  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d);\n"
                         "  if (t % warpSize == 0) part[t / warpSize] = v;\n"
                         "  __syncthreads();\n"
                         "  if (t >= warpSize) return;\n"
                         "  v = t < blockDim.x / warpSize ? part[t] : 0;\n"
                         "  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_xor(v, d);\n"
                         "  if (t == 0) out[blockIdx.x] = v;\n"
                         "}\n";
    for (int wavefront = 32; wavefront <= 64; wavefront *= 2) {
        kernels of = KERNELS(wavefront, source, "sum");
        enum { THREADS = 512, BLOCKS = 20 };
        int *in = malloc(THREADS * BLOCKS * sizeof *in), out[BLOCKS], *to = out;
        for (int i = 0; i < THREADS * BLOCKS; ++i)
            in[i] = i * 31 % 257;
        RUN(&of, "sum", LINE(BLOCKS, THREADS), &in, &to);
        for (int b = 0; b < BLOCKS; ++b) {
            int sum = 0;
            for (int i = 0; i < THREADS; ++i)
                sum += in[b * THREADS + i];
            cr_assert_eq(out[b], sum);
        }
        free(in);
        kernels_free(&of);
    }
}

Test(wavefront, masked_operations_meet_among_the_lanes_of_their_mask) {
    kernels of = KERNELS(64,
                         "__global__ void halves(int *out) {\n"
                         "  int t = threadIdx.x;\n"
                         "  if (t < 16) {\n"
                         "    out[t] = __shfl_xor_sync(0xffff, t, 15);\n"
                         "    __syncwarp(0xffff);\n"
                         "  } else {\n"
                         "    out[t] = __popcll(__ballot_sync(~0xffffull, t % 2));\n"
                         "  }\n"
                         "  __syncthreads();\n"
                         "}\n",
                         "halves");
    int out[64], *to = out;
    RUN(&of, "halves", LINE(1, 64), &to);
    for (int t = 0; t < 64; ++t)
        cr_assert_eq(out[t], t < 16 ? t ^ 15 : 24);
    kernels_free(&of);
}

/* Launches a kernel that cannot finish; returns the text (static). The provider must work on
 * afterwards. */
static const char *stuck_text(int wavefront, const char *source, unsigned threads) {
    static char text[4096];
    kernels of = KERNELS(wavefront, source, "k");
    int out[1024] = {0}, *to = out;
    hipError_t error = kernels_try(&of, "k", LINE(3, threads), (void *[]){&to});
    cr_assert_eq(error, 719, "the launch gave %d", error);
    snprintf(text, sizeof text, "%s", of.hip->hipGetErrorString(error));
    cr_assert_eq(of.hip->hipGetLastError(), 719);
    cr_assert_eq(of.hip->hipGetLastError(), 0);
    kernels_free(&of);
    kernels next =
        KERNELS(64, "__global__ void k(int *out) { __syncthreads(); out[threadIdx.x] = 7; }", "k");
    RUN(&next, "k", LINE(1, 512), &to);
    for (int i = 0; i < 512; ++i)
        cr_assert_eq(out[i], 7);
    kernels_free(&next);
    return text;
}

static void expect_text(const char *text, const char *part) {
    cr_assert(strstr(text, part), "'%s' is not in: %s", part, text);
}

Test(stuck, a_shuffle_in_part_of_a_wavefront_is_reported_with_both_places) {
    const char *text = stuck_text(64,
                                  "__global__ void k(int *out) {\n"
                                  "  int v = threadIdx.x;\n"
                                  "  if (threadIdx.x < 32)\n"
                                  "    v += __shfl_down(v, 16);\n"
                                  "  __syncthreads();\n"
                                  "  out[threadIdx.x] = v;\n"
                                  "}\n",
                                  128);
    expect_text(text, "32 threads (from thread 0) at __shfl_down in unit.hip:4");
    expect_text(text, "96 threads (from thread 32) at __syncthreads in unit.hip:5");
}

Test(stuck, lanes_at_different_shuffles_are_reported) {
    const char *text = stuck_text(32,
                                  "__device__ int deep(int v) {\n"
                                  "  return __shfl_xor(v, 1);\n"
                                  "}\n"
                                  "__global__ void k(int *out) {\n"
                                  "  int v = threadIdx.x;\n"
                                  "  v = v % 2 ? deep(v) : __shfl(v, 0);\n"
                                  "  out[threadIdx.x] = v;\n"
                                  "}\n",
                                  32);
    expect_text(text, "16 threads (from thread 0) at __shfl in unit.hip:6");
    expect_text(text, "16 threads (from thread 1) at __shfl_xor in unit.hip:2");
}

Test(stuck, a_barrier_that_part_of_a_block_never_reaches_is_reported) {
    const char *text = stuck_text(64,
                                  "__global__ void k(int *out) {\n"
                                  "  if (threadIdx.x >= 200) return;\n"
                                  "  if (threadIdx.x / 64 == 1) {\n"
                                  "    if (threadIdx.x != 70) __ballot(1);\n"
                                  "    else __syncthreads();\n"
                                  "  }\n"
                                  "  __syncthreads();\n"
                                  "}\n",
                                  256);
    expect_text(text, "63 threads (from thread 64) at __ballot in unit.hip:4");
    expect_text(text, "136 threads (from thread 0) at __syncthreads in unit.hip:7");
    expect_text(text, "1 thread (from thread 70) at __syncthreads in unit.hip:5");
    expect_text(text, "56 ended");
}

Test(stuck, threads_may_meet_at_different_barriers_as_on_hardware) {
    kernels of = KERNELS(64,
                         "__global__ void k(int *out) {\n"
                         "  __shared__ int t[64];\n"
                         "  t[threadIdx.x] = threadIdx.x;\n"
                         "  if (threadIdx.x < 5) __syncthreads();\n"
                         "  else __syncthreads();\n"
                         "  out[threadIdx.x] = t[63 - threadIdx.x];\n"
                         "}\n",
                         "k");
    int out[64], *to = out;
    RUN(&of, "k", LINE(1, 64), &to);
    for (int i = 0; i < 64; ++i)
        cr_assert_eq(out[i], 63 - i);
    kernels_free(&of);
}

Test(stuck, a_failed_assertion_ends_the_launch_and_not_the_process) {
    kernels of = KERNELS(64,
                         "#include <cassert>\n"
                         "__global__ void k(int *out) {\n"
                         "  __syncthreads();\n"
                         "  assert(out[threadIdx.x] >= 0);\n"
                         "}\n",
                         "k");
    int out[64] = {0}, *to = out;
    RUN(&of, "k", LINE(1, 64), &to);
    out[9] = -1;
    cr_assert_eq(kernels_try(&of, "k", LINE(1, 64), (void *[]){&to}), 710);
    expect_text(of.hip->hipGetErrorString(710), "unit.hip:4: assertion 'out[threadIdx.x] >= 0'");
    expect_text(of.hip->hipGetErrorString(710), "thread (9, 0, 0) of block (0, 0, 0)");
    kernels_free(&of);
}
