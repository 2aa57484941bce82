/* The functions of the device prelude, through the real NVRTC; without it the tests skip. */
#include "kernel.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const targets[] = {"nvidia:sm_80", "nvidia:sm_90"};

static void expect_compiles(const char *source, const char *const *expressions) {
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        ht_device device = kernel_device(targets[t]);
        kernel of = kernel_build(&device, source, expressions);
        cr_expect_str_eq(of.log, "", "%s", of.log);
        kernel_free(&of);
    }
}

#define EXPECT_COMPILES(body)                                                                      \
    expect_compiles("#include <hip/hip_runtime.h>\n#include <cmath>\n#include <algorithm>\n"       \
                    "#pragma tune unit\n"                                                          \
                    "__global__ void k(float *f, float4 *v, double *d, int *n, _Float16 *h) {\n"   \
                    "    int i = threadIdx.x;\n" body "}\n",                                       \
                    (const char *const[]){"k", NULL})

Test(prelude, names_of_old_hip) {
    EXPECT_COMPILES("i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_y + hipGridDim_z;"
                    "HIP_DYNAMIC_SHARED(float, dynamic) dynamic[i] = i; f[i] = dynamic[i ^ 1];");
}

Test(prelude, shuffles_and_ballots) {
    EXPECT_COMPILES("f[i] = __shfl(f[i], 3) + __shfl_xor(f[i], 1) + __shfl_up(f[i], 2u) +"
                    "__shfl_down(f[i], 4u, 16);"
                    "d[i] = __shfl_down(d[i], 1); n[i] = __shfl(n[i], 0, 8);"
                    "struct pair { short a; float b; } p = {1, 2}; p = __shfl(p, 0); n[1] = p.a;"
                    "unsigned long long lanes = __ballot(n[i]); n[i] = __popcll(lanes) + __any(i)"
                    "+ __all(i) + __lane_id() + warpSize + (int)__popcll(__ballot64(i));");
}

Test(prelude, vectors_have_operators) {
    EXPECT_COMPILES(
        "v[0] = v[1] + v[2] * 2.0f - 1.0f / v[3] * v[4]; v[1] += v[0]; v[2] *= 3.0f;"
        "v[3] = -v[2]; if (v[0] == v[1] || v[0] != v[2]) v[4] = make_float4(1, 2, 3, 4);"
        "int2 a = make_int2(i, i) * 2 + make_int2(1, 1); n[0] = a.x + a.y;"
        "double3 e = make_double3(1, 2, 3) / 2.0; d[0] = e.z;"
        "uchar4 c = make_uchar4(1, 2, 3, 4); c += c; n[1] = c.w; float1 o = {2}; o *= o;"
        "f[0] = o.x;");
}

Test(prelude, half_precision) {
    EXPECT_COMPILES("_Float16 x = h[0], y = 1.0f, z = 2; x = x * y + h[1]; x += 2.0f; x -= y;"
                    "x /= z; f[0] = x * 2.0f; h[1] = x; h[2] = f[1]; h[3] = (_Float16)i; h[4] = -x;"
                    "if (x < y) h[5] = 0; h[6] = x > 2 ? x : y; f[1] = (float)x; h[7] = d[0];");
    expect_compiles("#include <hip/hip_fp16.h>\n__global__ void k(__half *h, half *g, float *f) {"
                    "h[0] = __float2half(f[0]); f[1] = __half2float(h[1]) + (float)g[2];"
                    "g[0] = __hfma(h[0], h[1], h[2]); g[1] = __hadd(g[0], __hmul(h[0], h[1])); }",
                    (const char *const[]){"k", NULL});
}

Test(prelude, types_limits_and_std) {
    EXPECT_COMPILES(
        "uint8_t a = 3; int64_t b = INT_MAX; uint32_t c = UINT32_MAX; uintptr_t p = 1;"
        "ushort s = 3; size_t z = SIZE_MAX; ptrdiff_t q = 0; n[0] = a + b + c + p + s + z"
        "+ q; f[0] = FLT_MAX + INFINITY + (float)M_PI + NAN;"
        "constexpr float huge = std::numeric_limits<float>::infinity(); f[1] = huge;"
        "f[2] = std::max(1, n[0]) + std::min(2.0f, f[3]) + std::sqrt(f[4]) +"
        "std::abs(f[5]) + std::numeric_limits<int>::max() + std::clamp(i, 1, 2);"
        "static_assert(std::is_same<std::conditional_t<true, int, float>, int>::value);"
        "struct two { int a, b; }; n[1] = offsetof(two, b); assert(i >= 0);"
        "f[3] = fminf(f[1], min(n[0], 2)) + __expf(f[2]) + rsqrtf(f[2]) + __ldg(f);"
        "long long t = wall_clock64(); f[4] = (float)(clock64() - t); atomicAdd(f, 1.0f);");
}

/* Helpers without __device__, constexpr ones, constants, templates: as HIP compilers take them. */
Test(prelude, host_looking_helpers_are_device_code) {
    expect_compiles(
        "__constant__ float filter[9];\nconstexpr int twice(int x) { return 2 * x; }\n"
        "static const int COUNT = 3;\nint helper(int x) { return x + COUNT; }\n"
        "template <int N, typename T> __global__ void __launch_bounds__(N) k(T *out) {\n"
        "  auto f = [&](int i) { return helper(twice(i)) + filter[i % 9]; };\n"
        "#pragma unroll N\n  for (int i = 0; i < N; ++i) out[i] = f(i);\n}\n",
        (const char *const[]){"k<64, float>", "&filter", NULL});
}

static void expect_refused(const char *source, const char *words) {
    ht_device device = kernel_device("nvidia:sm_90");
    kernel of = kernel_compile(&device, source, (const char *const[]){"k", NULL});
    cr_expect_eq(of.result, HT_HIPRTC_ERROR_COMPILATION);
    cr_expect(strstr(of.log, words), "wanted '%s' in:\n%s", words, of.log);
    kernel_free(&of);
}

#define SUPPLY "[hiptemper's device prelude for nvidia does not supply it: docs/prelude.md]"

Test(prelude, the_rest_is_refused_by_name_and_place) {
    expect_refused(
        "\n\n__global__ void k(int *n) { n[0] = __builtin_amdgcn_readfirstlane(n[1]); }",
        "unit.hip:3: error: identifier \"__builtin_amdgcn_readfirstlane\" is undefined " SUPPLY);
    expect_refused("#include <vector>\n__global__ void k(int *n) {}",
                   "unit.hip:1: catastrophic error: could not open source file \"vector\"");
    expect_refused("\n__global__ void k(float *f) { f[0] = std::lgamma(f[1]); }",
                   "unit.hip:2: error: namespace \"std\" has no member \"lgamma\" " SUPPLY);
    expect_refused("#include <hip/hip_fp16.h>\n__global__ void k(float *f) { __half2 a; }",
                   "unit.hip:2: error: identifier \"__half2\" is undefined " SUPPLY);
    expect_refused("__global__ void k(float *f) { f[0] = typo; }",
                   "unit.hip:1: error: identifier \"typo\" is undefined\n");
}

/* 48 KiB of __shared__ arrays, whatever the GPU; more only as dynamic LDS. */
Test(limits, static_lds_ends_at_48_kib) {
    static const char fits[] = "__global__ void k(float *f) { __shared__ float s[12288];"
                               "s[threadIdx.x] = f[0]; __syncthreads(); f[1] = s[f[2] > 0]; }",
                      over[] = "__global__ void k(float *f) { __shared__ float s[12289];"
                               "s[threadIdx.x] = f[0]; __syncthreads(); f[1] = s[f[2] > 0]; }";
    ht_device device = kernel_device("nvidia:sm_90");
    cr_expect_eq(device.fields.max_static_lds, 49152);
    cr_expect_eq(device.fields.max_dynamic_lds, 227 << 10);
    kernel of = kernel_build(&device, fits, (const char *const[]){"k", NULL});
    ht_resources resources;
    ht_error error = {0};
    const char *name = kernel_lowered(&of, "k");
    cr_assert_eq(
        ht_provider_nvidia.resources(&device, of.code, of.size, name, 256, 0, &resources, &error),
        HT_OK, "%s", error.message);
    cr_expect_eq(resources.lds, 49152);
    cr_expect_gt(resources.vgprs, 0);
    cr_expect_eq(resources.vgpr_spills, 0);
    cr_expect_eq(resources.waves_per_simd, 8); /* four blocks of 49 KiB in 228, of 8 warps each */
    cr_expect_eq(resources.max_waves_per_simd, 16);
    cr_expect_eq(
        ht_provider_nvidia.resources(&device, of.code, of.size, "none", 256, 0, &resources, &error),
        HT_ERROR_COMPILE);
    kernel_free(&of);
    expect_refused(over, "ptxas error: Entry function");
}

Test(limits, spills_are_told) {
    static const char source[] =
        "__global__ void __launch_bounds__(1024) k(float *f) { float a[120];\n"
        "#pragma unroll\nfor (int i = 0; i < 120; i++) a[i] = f[i * 7];\n"
        "for (int r = 0; r < 9; r++) {\n"
        "#pragma unroll\nfor (int i = 0; i < 120; i++) a[i] = a[i] * a[(i * 7 + 1) % 120] + r; }\n"
        "#pragma unroll\nfor (int i = 0; i < 120; i++) f[i] = a[i]; }";
    ht_device device = kernel_device("nvidia:sm_80");
    kernel of = kernel_build(&device, source, (const char *const[]){"k", NULL});
    ht_resources resources;
    cr_assert_eq(ht_provider_nvidia.resources(&device, of.code, of.size, kernel_lowered(&of, "k"),
                                              1024, 0, &resources, NULL),
                 HT_OK);
    cr_expect_eq(resources.vgprs, 64);
    cr_expect_gt(resources.vgpr_spills, 0);
    cr_expect_gt(resources.scratch, 0);
    kernel_free(&of);
}

/* A GPU newer than NVRTC: its driver compiles PTX, which nobody has numbers of beforehand. */
Test(limits, an_unknown_gpu_gets_ptx) {
    ht_device device = kernel_device("nvidia:sm_90");
    ht_resources resources;
    snprintf(device.arch, sizeof device.arch, "compute_90");
    kernel of = kernel_build(&device, "__global__ void k(float *f) { f[0] = 1; }",
                             (const char *const[]){"k", NULL});
    cr_expect(memmem(of.code, of.size, ".target sm_90", 13));
    cr_expect_eq(of.code[of.size - 1], '\0'); /* the driver reads PTX as a string */
    cr_expect_eq(ht_provider_nvidia.resources(&device, of.code, of.size, kernel_lowered(&of, "k"),
                                              64, 0, &resources, NULL),
                 HT_ERROR_COMPILE);
    kernel_free(&of);
}
