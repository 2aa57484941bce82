/* CUDA's device functions that HIP does not have. */
#include "tree_support.h"

#include "base/memory.h"
#include "refactor/source/cuda_device_names.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(cuda_device, .init = tree_folder_make, .fini = tree_folder_remove);

/* They are cut out with the kernel, also one that stands at the file's very begin. */
Test(cuda_device, a_kernel_that_calls_them_is_cut_out_with_them) {
    char *path =
        tree_put("k.cu", "__global__ void k(const unsigned *in, unsigned *out, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) out[i] = umin(__vcmpgtu2(in[i], 7u), __ldcs(in + i));\n}\n"
                         "void run(const unsigned *in, unsigned *out, int n) {\n"
                         "  k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    const char *unit = kernel->template->unit;
    const char *kernels = strstr(unit, "__global__"), *macro = strstr(unit, "#define umin ");
    cr_expect(macro && macro < kernels, "%s", unit);
    cr_expect(strstr(unit, "#define __vcmpgtu2 ") && strstr(unit, "#define __ldcs "), "%s", unit);
    cr_expect(!strstr(unit, "__vmaxs4"), "what is not called is left out: %s", unit);
    ht_refactor_free(refactor);
    free(path);
}

/* Values worked out by hand. */
Test(cuda_device, they_compute_what_cuda_says) {
    static const char checks[] =
        "\nint main() {\n"
        "  const unsigned a = 0x8001fff0u, b = 0x7fff0010u;\n"
        "  bool good = umin(3u, 4294967295u) == 3u && llmax(-1, 1) == 1;\n"
        "  good = good && __vcmpgtu2(a, b) == 0xffffffffu && __vcmpgts2(a, b) == 0;\n"
        "  good = good && __vseteq4(0x01020304u, 0x01ff03ffu) == 0x01000100u;\n"
        "  good = good && __vadd2(a, b) == 0x00000000u && __vaddus2(a, b) == 0xffffffffu;\n"
        "  good = good && __vsubss2(a, b) == 0x8000ffe0u && __vsubus2(a, b) == 0x0002ffe0u;\n"
        "  good = good && __vmaxs2(a, b) == 0x7fff0010u && __vminu4(0x10ff0080u, 0x20010070u) == "
        "0x10010070u;\n"
        "  good = good && __vabsdiffu2(b, a) == 0x0002ffe0u && __vsads2(0xffff0003u, 0x00010001u) "
        "== 4;\n"
        "  good = good && __vabsss2(0x8000fffdu) == 0x7fff0003u && __vneg4(0x01ff8000u) == "
        "0xff018000u;\n"
        "  good = good && __vavgu4(0x01020304u, 0x02020405u) == 0x02020405u;\n"
        "  good = good && __dp4a(0x0102ff03, 0x01010102, 10) == 18 && __dp4a(255u, 255u, 1u) == "
        "65026u;\n"
        /* a warp is half of a wavefront of 64 lanes, unless the mask has 64 bits */
        "  good = good && __shfl_sync(0xffffffffu, 1, 7) == 10732;\n"
        "  good = good && __shfl_down_sync(-1, 2.0f, 16) == 21632;\n"
        "  good = good && __shfl_up_sync(0xffu, 3, 1, 8) == 30108;\n"
        "  good = good && __shfl_xor_sync(~0ull, 4u, 32) == 43264u;\n"
        "  votes = 0x00000001f0f00000ull;\n"
        "  for (lane = 0; lane < 64; lane += 40) {\n"
        "    const unsigned half = lane ? 1u : 0xf0f00000u;\n"
        "    good = good && __ballot_sync(0xffffffffu, 1) == half;\n"
        "    good = good && __ballot_sync(0xffff, 1) == (half & 0xffff);\n"
        "    good = good && __ballot_sync(~0ull, 1) == votes;\n"
        "    good = good && __any_sync(0xffff, 1) == (lane != 0) && __any_sync(~0ul, 1);\n"
        "    good = good && __all_sync(half, 1) && !__all_sync(half | 2, 1);\n  }\n"
        "  __syncwarp();\n"
        "  return good && met == 1 ? 0 : 1;\n}\n";
    /* HIP's: a shuffle says what it was asked for */
    static const char lanes[] =
        "#define __host__\n#define __device__\n"
        "static const int warpSize = 64;\nstatic int met;\nstatic unsigned lane;\n"
        "static unsigned long long votes;\n"
        "static unsigned __lane_id() { return lane; }\n"
        "static unsigned long long __ballot(int vote) { return vote ? votes : ~votes; }\n"
        "static float __int_as_float(int) { return 0; }\n"
        "static int __float_as_int(float) { return 0; }\n"
        "static int __any(int) { return ++met; }\nstatic void __threadfence_block() {}\n"
        "#define LANES(name) template <class T> static T name(T value, unsigned by, int width) { "
        "\\\n"
        "    return (T)(value * 10000 + by * 100 + width); }\n"
        "LANES(__shfl) LANES(__shfl_up) LANES(__shfl_down) LANES(__shfl_xor)\n";
    char *text = ht_format("%s%s%s", lanes, strchr(ht_cuda_device_names, '\n') + 1, checks);
    char *path = tree_put("check.cpp", text);
    char *command = ht_format("clang++-19 -std=c++17 -o %s/check %s && %s/check", tree_folder, path,
                              tree_folder);
    cr_expect_eq(system(command), 0, "%s", text);
    free(command);
    free(path);
    free(text);
}

/* Directed rounding is compared with the machine's own, for numbers of all sizes. */
Test(cuda_device, they_round_as_cuda_says) {
    static const char before[] =
        "#include <cfenv>\n#include <cstdio>\n#include <cstring>\n"
        "#define __host__\n#define __device__\n#define warpSize 64\n"
        "static unsigned long long __ballot(int) { return 0; }\n"
        "static unsigned __lane_id() { return 0; }\n"
        "static int __any(int) { return 0; }\nstatic void __threadfence_block() {}\n"
        "#define LANES(name) template <class T> static T name(T value, int, int) { return value; "
        "}\n"
        "LANES(__shfl) LANES(__shfl_up) LANES(__shfl_down) LANES(__shfl_xor)\n"
        "static float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }\n"
        "static int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }\n";
    static const char checks[] =
        "\n#define IS(call, way, own) \\\n"
        "    fesetround(FE_TONEAREST); got = call; fesetround(way); \\\n"
        "    wanted = own; fesetround(FE_TONEAREST); \\\n"
        "    bad += memcmp((void *)&got, (void *)&wanted, 4) && !(got != got && wanted != "
        "wanted);\n"
        "int main() {\n"
        "  volatile float a, b, got, wanted;\n  unsigned bits = 1;\n  int bad = 0;\n"
        "  const unsigned special[] = {0, 0x80000000u, 1, 0x80000001u, 0x7f800000u, 0xff800000u,\n"
        "                              0x7f7fffffu, 0xff7fffffu, 0x3f800000u, 0x7fc00000u};\n"
        "  for (int i = 0; i < 20000; ++i) {\n"
        "    bits = bits * 1664525u + 1013904223u;\n"
        "    a = __int_as_float(i < 100 ? special[i / 10] : (int)bits);\n"
        "    bits = bits * 1664525u + 1013904223u;\n"
        "    b = __int_as_float(i < 100 ? special[i % 10] : (int)bits);\n"
        "    IS(__fmul_ru(a, b), FE_UPWARD, a * b)\n"
        "    IS(__fmul_rd(a, b), FE_DOWNWARD, a * b)\n"
        "    IS(__fmul_rz(a, b), FE_TOWARDZERO, a * b)\n"
        "    IS(__frcp_ru(a), FE_UPWARD, 1 / a)\n"
        "    IS(__frcp_rd(a), FE_DOWNWARD, 1 / a)\n"
        "    IS(__frcp_rz(a), FE_TOWARDZERO, 1 / a)\n"
        "  }\n"
        "  printf(\"%d differ\\n\", bad);\n  return bad != 0;\n}\n";
    char *text = ht_format("%s%s%s", before, strchr(ht_cuda_device_names, '\n') + 1, checks);
    char *path = tree_put("round.cpp", text);
    char *command = ht_format("clang++-19 -std=c++17 -frounding-math -o %s/round %s && %s/round",
                              tree_folder, path, tree_folder);
    cr_expect_eq(system(command), 0);
    free(command);
    free(path);
    free(text);
}

/* A trap has no place in memory, so that the block may be any; outputs next to each other are not
 * offered, as one would end before the others. */
Test(cuda_device, a_kernel_that_may_trap_is_read) {
    char *path = tree_put("k.cu", "__device__ float root(float x) {\n"
                                  "  if (x < -1e30f) __trap();\n  return x / 2;\n}\n"
                                  "__global__ void k(const float *in, float *out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) out[i] = root(in[i]);\n}\n"
                                  "void run(const float *in, float *out, int n) {\n"
                                  "  k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    const char *unit = kernel->template->unit;
    cr_expect(strstr(unit, "#define __trap ") && strstr(unit, "__builtin_trap()"), "%s", unit);
    cr_expect(strstr(unit, "param(BLOCK_X"), "%s", unit);
    ht_refactor_free(refactor);
    free(path);
}

/* HIP's compiler has another name than CUDA's, which headers ask for. */
Test(cuda_device, what_stands_there_for_cudas_compiler_alone_is_read) {
    free(tree_put("twice.h", "#ifdef __CUDACC__\n"
                             "__device__ inline float twice(float x) { return 2 * x; }\n"
                             "#endif\n"));
    char *path = tree_put("k.cu", "#include \"twice.h\"\n"
                                  "__global__ void k(const float *in, float *out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) out[i] = twice(in[i]);\n}\n"
                                  "void run(const float *in, float *out, int n) {\n"
                                  "  k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    free(path);
}

/* A library's headers ask for its build for a GPU; the file itself does not. */
Test(cuda_device, what_a_header_keeps_for_a_build_for_a_gpu_is_read) {
    free(tree_put("types.h", "#ifdef WITH_CUDA\n#include <hip/hip_runtime.h>\n"
                             "typedef float scalar;\n#endif\n"));
    char *path = tree_put("k.cu", "#include \"types.h\"\n"
                                  "__global__ void k(const scalar *in, scalar *out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) out[i] = in[i];\n}\n"
                                  "void run(const scalar *in, scalar *out, int n) {\n"
                                  "  k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_free(refactor);
    free(path);
}

/* Where that brings other errors, or an argument says otherwise, the source is read as HIP's. */
Test(cuda_device, cudas_compiler_is_not_taken_where_no_error_goes_away) {
    free(tree_put("inner.h", "#ifdef __CUDACC__\n#error only for CUDA\n#endif\n"));
    char *path = tree_put("k.cu", "#include \"inner.h\"\n"
                                  "__global__ void k(float *out) { out[threadIdx.x] = unknown; }\n"
                                  "__global__ void good(const float *in, float *out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) out[i] = in[i];\n}\n"
                                  "void run(const float *in, float *out, int n) {\n"
                                  "  good<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    cr_expect_eq(kernel_named(refactor, "k", NULL)->status, HT_KERNEL_UNPARSED);
    const ht_kernel *kernel = kernel_named(refactor, "good", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect(!strstr(kernel->template->unit, "__CUDACC__"));
    ht_refactor_free(refactor);
    free(path);
}

/* The lanes of a warp are not followed through a mask: the block stays, and the rest is found. */
Test(cuda_device, a_kernel_that_shuffles_with_a_mask_keeps_its_block) {
    char *path =
        tree_put("k.cu", "__device__ float sum_of(float v) {\n"
                         "  for (int d = 16; d > 0; d /= 2)\n"
                         "    v += __shfl_down_sync(0xffffffff, v, d);\n  return v;\n}\n"
                         "__global__ void k(const float *in, float *out, int n) {\n"
                         "  __shared__ float s[8];\n  float v = 0;\n"
                         "  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];\n"
                         "  v = sum_of(v);\n"
                         "  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;\n"
                         "  __syncthreads();\n  v = 0;\n"
                         "  for (int i = 0; i < 8; ++i) v += s[i];\n"
                         "  __syncwarp();\n  out[blockIdx.x] = v;\n}\n"
                         "void run(const float *in, float *out, int n) {\n"
                         "  k<<<16, 256>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    const char *unit = kernel->template->unit;
    cr_expect(strstr(unit, "#define __shfl_down_sync ") && strstr(unit, "#define __syncwarp "),
              "%s", unit);
    cr_expect(strstr(unit, "param(UNROLL_I") && !strstr(unit, "param(BLOCK_X") &&
                  !strstr(unit, "param(REDUCE"),
              "%s", unit);
    ht_refactor_free(refactor);
    free(path);
}
