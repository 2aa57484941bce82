/* The functions of the device-side prelude, against the host's own arithmetic. */
#include "kernels.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Test(library, vectors_work_component_by_component) {
    kernels of = KERNELS(
        64,
        "union both { float4 v; float f[4]; };\n"
        "__global__ void k(float *out, const float4 *in, int *size) {\n"
        "  __shared__ float4 tile[8];\n"
        "  tile[threadIdx.x] = in[threadIdx.x]; __syncthreads();\n"
        "  float4 a = tile[7 - threadIdx.x], b(2.0f), c = {1, 2, 3, 4};\n"
        "  a += b * c; a = a * 2.0f - c / 4; a = -a; a.x += 1;\n"
        "  both u; u.v = a;\n"
        "  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = u.f[i];\n"
        "  int2 i = make_int2(7, -8); i = (i << 1) % 5 | make_int2(16, 0); ++i;\n"
        "  uchar4 bytes = make_uchar4(250, 1, 2, 3) + make_uchar4(10, 1, 1, 1);\n"
        "  double3 d = make_double3(1, 2, 3); d *= 2; ushort2 s{1, 2};\n"
        "  uint3 t = threadIdx; dim3 g = gridDim; longlong2 l = make_longlong2(1ll << 40, 2);\n"
        "  float2 big = *reinterpret_cast<const float2 *>(in);\n"
        "  size[0] = sizeof(float4) + alignof(float4) * 100; size[1] = sizeof(float3) + "
        "alignof(float3) * 100;\n"
        "  size[2] = i.x * 100 + i.y; size[3] = bytes.x * 100 + bytes.w; size[4] = (int)(d.x + d.y "
        "+ d.z);\n"
        "  size[5] = s.x + s.y + t.y + g.x + (int)(l.x >> 40) + (big.x == in[0].x) + (a == a) + (i "
        "!= i);\n"
        "}\n",
        "k");
    float in[32], out[32], *from = in, *to = out;
    int size[6] = {0}, *sizes = size;
    for (int i = 0; i < 32; ++i)
        in[i] = (float)i * 0.5f;
    RUN(&of, "k", LINE(1, 8), &to, &from, &sizes);
    for (int t = 0; t < 8; ++t)
        for (int i = 0; i < 4; ++i) {
            float a = in[(7 - t) * 4 + i], c = (float)(i + 1);
            a = -((a + 2 * c) * 2 - c / 4) + (i == 0);
            cr_assert_eq(out[t * 4 + i], a);
        }
    cr_assert_eq(size[0], 1616);
    cr_assert_eq(size[1], 412);
    cr_assert_eq(size[2], (((14 % 5) | 16) + 1) * 100 + (-16 % 5) + 1);
    cr_assert_eq(size[3], 404);
    cr_assert_eq(size[4], 12);
    cr_assert_eq(size[5], 3 + 0 + 1 + 1 + 1 + 1 + 0);
    kernels_free(&of);
}

/* HIP's half2 is made of one number, too: both halves are it. */
Test(library, a_half2_of_one_number_has_it_twice) {
    kernels of = KERNELS(64,
                         "#include <hip/hip_fp16.h>\n"
                         "__global__ void k(float *out) {\n"
                         "  half2 v = half2(0), w = half2(1.5f);\n"
                         "  out[0] = v.x; out[1] = v.y; out[2] = w.x; out[3] = w.y;\n"
                         "}\n",
                         "k");
    float out[4] = {9, 9, 9, 9}, *to = out;
    RUN(&of, "k", LINE(1, 1), &to);
    cr_assert(out[0] == 0 && out[1] == 0 && out[2] == 1.5f && out[3] == 1.5f);
    kernels_free(&of);
}

/* sync() of a block is its barrier: each thread reads what the opposite one wrote. */
Test(library, the_threads_of_a_block_are_a_cooperative_group) {
    kernels of = KERNELS(64,
                         "#include <hip/hip_cooperative_groups.h>\n"
                         "namespace cg = cooperative_groups;\n"
                         "__device__ void wait(cg::thread_block group) { cg::sync(group); }\n"
                         "__global__ void k(int *out) {\n"
                         "  __shared__ int tile[24];\n"
                         "  cg::thread_block group = cg::this_thread_block();\n"
                         "  int rank = group.thread_rank(), size = group.size();\n"
                         "  tile[rank] = rank * 10 + group.group_index().x; wait(group);\n"
                         "  int other = tile[size - 1 - rank]; group.sync();\n"
                         "  tile[rank] = other + group.thread_index().y; group.sync();\n"
                         "  out[blockIdx.x * size + rank] = tile[rank];\n"
                         "}\n",
                         "k");
    int out[48] = {0}, *to = out;
    RUN(&of, "k", ((shape){{2, 1, 1}, {8, 3, 1}, 0}), &to);
    for (int i = 0; i < 48; ++i) {
        int rank = i % 24, block = i / 24;
        cr_assert_eq(out[i], (23 - rank) * 10 + block + rank / 8);
    }
    kernels_free(&of);
}

Test(library, every_half_survives_a_round_trip_and_arithmetic_rounds_to_nearest) {
    kernels of = KERNELS(
        64,
        "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n"
        "__global__ void round_trip(const unsigned short *in, float *wide, unsigned short *out) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  wide[i] = __half2float(__ushort_as_half(in[i]));\n"
        "  out[i] = __half_as_ushort(__float2half(wide[i]));\n"
        "}\n"
        "__global__ void arithmetic(const half *a, const half *b, half *out) {\n"
        "  __shared__ half2 tile[64];\n"
        "  int t = threadIdx.x; tile[t] = __halves2half2(a[t], b[t]); __syncthreads();\n"
        "  half2 v = tile[t], w = __lowhigh2highlow(v);\n"
        "  out[t * 6 + 0] = __hadd(v.x, v.y); out[t * 6 + 1] = v.x * v.y;\n"
        "  out[t * 6 + 2] = __hfma(v.x, v.y, v.x); out[t * 6 + 3] = __high2half(v - w);\n"
        "  half m = v.x; m += v.y; if (m < half(0) || m > 2.0f) m = -m; m *= __float2half(0.5f);\n"
        "  out[t * 6 + 4] = m; out[t * 6 + 5] = __shfl_xor(v.x, 1);\n"
        "}\n",
        "round_trip", "arithmetic");
    unsigned short *in = malloc(65536 * 2), *out = malloc(65536 * 2);
    float *wide = malloc(65536 * sizeof *wide);
    for (int i = 0; i < 65536; ++i)
        in[i] = (unsigned short)i;
    RUN(&of, "round_trip", LINE(256, 256), &in, &wide, &out);
    for (int i = 0; i < 65536; ++i) {
        int exponent = i >> 10 & 31, fraction = i & 1023;
        if (exponent == 31 && fraction)
            continue; /* NaN */
        cr_assert_eq(out[i], in[i]);
        double value = exponent == 31  ? INFINITY
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(1024 + fraction, exponent - 25);
        cr_assert_eq(wide[i], (float)(i & 0x8000 ? -value : value));
    }
    /* Halves below are multiples of 1/64, so sums and small products are exact in float and round
     * once. */
    unsigned short a[64], b[64], results[64 * 6], *ap = a, *bp = b, *rp = results;
    for (int i = 0; i < 64; ++i) {
        a[i] = (unsigned short)(0x3c00 + i * 37);
        b[i] = (unsigned short)(0xb800 + i * 53);
    }
    RUN(&of, "arithmetic", LINE(1, 64), &ap, &bp, &rp);
    for (int i = 0; i < 64; ++i) {
        double x = wide[a[i]], y = wide[b[i]];
        double m = x + y;
        double exact[6] = {x + y, x * y, x * y + x, y - x, 0, wide[a[i ^ 1]]};
        double rounded_m = wide[results[i * 6]];
        m = rounded_m < 0 || rounded_m > 2 ? -rounded_m : rounded_m;
        exact[4] = m * 0.5;
        for (int k = 0; k < 6; ++k) {
            double got = wide[results[i * 6 + k]];
            cr_assert_leq(fabs(got - exact[k]), fabs(exact[k]) * 0x1p-11 + 0x1p-25,
                          "operation %d of %g and %g gave %g", k, x, y, got);
        }
    }
    free(in);
    free(out);
    free(wide);
    kernels_free(&of);
}

Test(library, bfloat16_rounds_to_nearest_even) {
    kernels of = KERNELS(64,
                         "#include <hip/hip_bfloat16.h>\n"
                         "__global__ void k(const float *in, float *out) {\n"
                         "  hip_bfloat16 v(in[threadIdx.x]); out[threadIdx.x] = float(v);\n"
                         "}\n",
                         "k");
    float in[] = {1.0f, 1.00390625f, 1.01171875f, 3.0e38f, -0.0f, 1.0f / 3}, out[6];
    float *from = in, *to = out;
    RUN(&of, "k", LINE(1, 6), &from, &to);
    cr_assert_eq(out[0], 1.0f);
    cr_assert_eq(out[1], 1.0f, "a tie goes to the even neighbour below");
    cr_assert_eq(out[2], 1.015625f, "a tie goes to the even neighbour above");
    cr_assert_leq(fabsf(out[3] - in[3]), in[3] * 0x1p-8f);
    cr_assert(out[4] == 0 && signbit(out[4]));
    cr_assert_leq(fabsf(out[5] - in[5]), in[5] * 0x1p-8f);
    kernels_free(&of);
}

Test(library, mathematics_agree_with_the_hosts) {
    kernels of = KERNELS(
        64,
        "__global__ void k(const float *x, float *out, double *wide) {\n"
        "  int t = threadIdx.x; float v = x[t]; double d = v; float *o = out + t * 12;\n"
        "  o[0] = sinf(v); o[1] = __expf(v); o[2] = sqrt(v); o[3] = rsqrtf(v); o[4] = powf(v, "
        "1.5f);\n"
        "  o[5] = fmaf(v, v, v); o[6] = floor(v); o[7] = fmin(v, 2.0f); o[8] = tanh(v);\n"
        "  o[9] = log(v); o[10] = __fmul_rn(v, v) + v; o[11] = max(v, 1);\n"
        "  wide[t * 3] = sin(d); wide[t * 3 + 1] = sqrt(d); wide[t * 3 + 2] = fma(d, d, 1.0);\n"
        "}\n",
        "k");
    enum { COUNT = 64 };
    float x[COUNT], out[COUNT * 12], *from = x, *to = out;
    double wide[COUNT * 3], *wide_to = wide;
    for (int i = 0; i < COUNT; ++i)
        x[i] = 0.07f + (float)i * 0.11f;
    RUN(&of, "k", LINE(1, COUNT), &from, &to, &wide_to);
    for (int i = 0; i < COUNT; ++i) {
        double v = x[i];
        double expected[12] = {sin(v),   exp(v),     sqrt(v), 1 / sqrt(v), pow(v, 1.5), v * v + v,
                               floor(v), fmin(v, 2), tanh(v), log(v),      v * v + v,   fmax(v, 1)};
        for (int k = 0; k < 12; ++k)
            cr_assert_leq(fabs(out[i * 12 + k] - expected[k]), fabs(expected[k]) * 4e-7 + 1e-7,
                          "function %d of %g gave %g", k, v, (double)out[i * 12 + k]);
        cr_assert_eq(out[i * 12 + 5], fmaf(x[i], x[i], x[i]));
        volatile float product = x[i] * x[i];
        cr_assert_eq(out[i * 12 + 10], product + x[i], "__fmul_rn was contracted");
        cr_assert_eq(wide[i * 3 + 1], sqrt(v));
        cr_assert_leq(fabs(wide[i * 3] - sin(v)), 1e-15);
    }
    kernels_free(&of);
}

/* nanf kept a whole kernel (one that starts a lattice) from being compiled. */
Test(library, rarer_mathematics_agree_with_the_hosts_in_both_precisions) {
    enum { COUNT = 32, EACH = 14 };
    kernels of =
        KERNELS(64,
                "__global__ void narrow(const float *x, float *out) {\n"
                "  int t = threadIdx.x, bits; float v = x[t], *o = out + t * 14;\n"
                "  o[0] = rcbrtf(v); o[1] = sinpif(v); o[2] = cospif(v); o[3] = exp10f(v);\n"
                "  o[4] = normcdff(v); o[5] = norm3df(v, 1, 2); o[6] = norm4df(v, 1, 2, 3);\n"
                "  o[7] = rhypotf(v, 2); o[8] = rnorm3df(v, 1, 2); o[9] = rnorm4df(v, 1, 2, 3);\n"
                "  o[10] = scalbnf(v, 3) + ilogbf(v); o[11] = remquof(v, 0.3f, &bits);\n"
                "  o[12] = isnan(nanf(\"\")); o[13] = j0f(v) + j1f(v) + y0f(v) + y1f(v);\n"
                "}\n"
                "__global__ void wide(const double *x, double *out) {\n"
                "  int t = threadIdx.x, bits; double v = x[t], *o = out + t * 14;\n"
                "  o[0] = rcbrt(v); o[1] = sinpi(v); o[2] = cospi(v); o[3] = exp10(v);\n"
                "  o[4] = normcdf(v); o[5] = norm3d(v, 1, 2); o[6] = norm4d(v, 1, 2, 3);\n"
                "  o[7] = rhypot(v, 2); o[8] = rnorm3d(v, 1, 2); o[9] = rnorm4d(v, 1, 2, 3);\n"
                "  o[10] = scalbn(v, 3) + ilogb(v); o[11] = remquo(v, 0.3, &bits);\n"
                "  o[12] = isnan(nan(\"\")); o[13] = j0(v) + j1(v) + y0(v) + y1(v);\n"
                "}\n",
                "narrow", "wide");
    float narrow[COUNT], narrow_out[COUNT * EACH], *from = narrow, *to = narrow_out;
    double wide[COUNT], wide_out[COUNT * EACH], *wide_from = wide, *wide_to = wide_out;
    for (int i = 0; i < COUNT; ++i)
        wide[i] = narrow[i] = 0.07f + (float)i * 0.11f;
    RUN(&of, "narrow", LINE(1, COUNT), &from, &to);
    RUN(&of, "wide", LINE(1, COUNT), &wide_from, &wide_to);
    for (int i = 0; i < COUNT; ++i) {
        double v = wide[i], pi = 3.14159265358979323846;
        double expected[EACH] = {1 / cbrt(v),
                                 sin(pi * v),
                                 cos(pi * v),
                                 pow(10, v),
                                 (1 + erf(v / sqrt(2))) / 2,
                                 sqrt(v * v + 5),
                                 sqrt(v * v + 14),
                                 1 / sqrt(v * v + 4),
                                 1 / sqrt(v * v + 5),
                                 1 / sqrt(v * v + 14),
                                 v * 8 + floor(log2(v)),
                                 remainder(v, 0.3),
                                 1,
                                 j0(v) + j1(v) + y0(v) + y1(v)};
        for (int k = 0; k < EACH; ++k) {
            cr_assert_leq(fabs(wide_out[i * EACH + k] - expected[k]),
                          fabs(expected[k]) * 1e-13 + 1e-14, "function %d of %g gave %g", k, v,
                          wide_out[i * EACH + k]);
            if (k != 11) /* 0.3 is another number there */
                cr_assert_leq(fabs(narrow_out[i * EACH + k] - expected[k]),
                              fabs(expected[k]) * 2e-6 + 3e-6, "function %d of %g gave %g", k, v,
                              (double)narrow_out[i * EACH + k]);
        }
        cr_assert_eq(narrow_out[i * EACH + 11], remainderf(narrow[i], 0.3f));
    }
    kernels_free(&of);
}

Test(library, bit_operations_have_their_defined_results) {
    kernels of = KERNELS(
        64,
        "__global__ void k(unsigned *out, const float *f) {\n"
        "  out[0] = __popc(0xf0f0f0f1u); out[1] = __clz(0x00ffffff); out[2] = __clz(0);\n"
        "  out[3] = __ffs(8); out[4] = __ffs(0); out[5] = __brev(1u); out[6] = "
        "__float_as_uint(f[0]);\n"
        "  out[7] = __umulhi(0x80000000u, 6); out[8] = (unsigned)__mul24(-3, 5);\n"
        "  out[9] = __byte_perm(0x33221100u, 0x77665544u, 0x7250); out[10] = __popcll(~0ull);\n"
        "  out[11] = (unsigned)__float2int_rn(2.5f); out[12] = (unsigned)__float2int_rz(-2.9f);\n"
        "  out[13] = __uint_as_float(__float_as_uint(f[0])) == f[0]; out[14] = __ldg(out + 13);\n"
        "  __builtin_nontemporal_store(77u, &out[15]);\n"
        "}\n",
        "k");
    unsigned out[16], *to = out;
    float f = 1.0f, *from = &f;
    RUN(&of, "k", LINE(1, 1), &to, &from);
    const unsigned expected[16] = {
        17, 8, 32,           4, 0, 0x80000000u, 0x3f800000u, 3, (unsigned)-15, 0x77225500u,
        64, 2, (unsigned)-2, 1, 1, 77};
    for (int i = 0; i < 16; ++i)
        cr_assert_eq(out[i], expected[i], "result %d is %u", i, out[i]);
    kernels_free(&of);
}

Test(library, bits_are_cut_out_and_put_in) {
    kernels of =
        KERNELS(64,
                "__global__ void k(unsigned long *out, const unsigned long *in) {\n"
                "  unsigned long x = in[0]; unsigned low = (unsigned)x;\n"
                "  out[0] = __bitextract_u32(low, 4, 8); out[1] = __bitextract_u64(x, 36, 8);\n"
                "  out[2] = __bitinsert_u32(low, 0xfff, 8, 4);\n"
                "  out[3] = __bitinsert_u64(x, 0, 32, 16);\n"
                "  out[4] = __bitextract_u32(low, 4, 0); out[5] = __lastbit_u32_u64(x << 40);\n"
                "  out[6] = __funnelshift_lc(1, 2, 32); out[7] = __funnelshift_rc(1, 2, 40);\n"
                "  out[8] = __uhadd(~0u, ~0u); out[9] = __urhadd(~0u - 1, ~0u);\n"
                "  out[10] = (unsigned long)__rhadd(-3, -4);\n"
                "}\n",
                "k");
    uint64_t x = 0x0123456789abcdef, out[11], *from = &x, *to = out;
    RUN(&of, "k", LINE(1, 1), &to, &from);
    const uint64_t expected[11] = {0xde, x >> 36 & 0xff, 0x89abcfef, 0x0123000089abcdef, 0, 40, 1,
                                   2,    0xffffffff,     0xffffffff, (uint64_t)-3};
    for (int i = 0; i < 11; ++i)
        cr_expect_eq(out[i], expected[i], "result %d is %lx", i, (unsigned long)out[i]);
    kernels_free(&of);
}

Test(library, conversions_round_as_their_names_say) {
    kernels of = KERNELS(
        64,
        "#include <hip/hip_fp16.h>\n"
        "#define ALL(name) *out++ = name##_rn(x); *out++ = name##_rz(x); *out++ = name##_ru(x); "
        "*out++ = name##_rd(x);\n"
        "__global__ void k(double *out, const double *in) {\n"
        "  out += threadIdx.x * 40;\n"
        "  { double x = in[threadIdx.x]; ALL(__double2int) ALL(__double2uint) ALL(__double2ll) "
        "ALL(__double2ull) }\n"
        "  { float x = (float)in[threadIdx.x]; ALL(__float2int) ALL(__float2uint) ALL(__float2ll) "
        "ALL(__float2ull) }\n"
        "  { half x = (half)(float)in[threadIdx.x]; ALL(__half2int) ALL(__half2ushort) }\n"
        "}\n",
        "k");
    double in[4] = {0.5, 1.5, 2.25, 1000.75}, out[160], *from = in, *to = out;
    double (*const roundings[4])(double) = {rint, trunc, ceil, floor};
    RUN(&of, "k", LINE(1, 4), &to, &from);
    for (int t = 0; t < 4; ++t)
        for (int i = 0; i < 40; ++i) {
            double x = i < 32 || t < 3 ? in[t] : 1001; /* a half has 11 bits */
            cr_expect_eq(out[t * 40 + i], roundings[i % 4](x), "%d of %g gave %g", i, in[t],
                         out[t * 40 + i]);
        }
    kernels_free(&of);
}

Test(library, functions_of_halves_are_those_of_numbers) {
    kernels of =
        KERNELS(64,
                "#include <hip/hip_fp16.h>\n"
                "__global__ void k(float *out, const float *in) {\n"
                "  half2 a(in[0], in[1]), b(in[2], in[3]);\n"
                "  half2 r[] = {h2sqrt(a), h2exp2(a), h2log2(a), h2floor(b), h2ceil(b), h2rint(b), "
                "h2trunc(b),\n"
                "    h2rcp(a), __hadd2_sat(a, b), __hsub2_sat(b, a), __heq2(a, a), __hne2(a, a), "
                "__hltu2(a, "
                "b),\n"
                "    __lows2half2(a, b), __highs2half2(a, b), __low2half2(a), __high2half2(b), "
                "__habs2(b)};\n"
                "  for (half2 v : r) { *out++ = v.x; *out++ = v.y; }\n"
                "  float none = in[4]; half n(none);\n"
                "  *out++ = __hgtu(n, n); *out++ = __hequ(n, n); *out++ = __heq(n, n); *out++ = "
                "__hne(n, n);\n"
                "  *out++ = __hbeq2(a, a); *out++ = __hbne2(a, half2(a.x, b.y)); *out++ = "
                "__hadd_sat(n, n);\n"
                "}\n",
                "k");
    float in[5] = {4, 0.25f, -1.5f, 2.5f, NAN}, out[43], *from = in, *to = out;
    RUN(&of, "k", LINE(1, 1), &to, &from);
    const float expected[43] = {2,    0.5f, 16,   1.189207f, 2, -2,    -2,    2,    -1, 3, -2,
                                2,    -1,   2,    0.25f,     4, 1,     1,     0,    1,  1, 1,
                                0,    0,    0,    1,         4, -1.5f, 0.25f, 2.5f, 4,  4, 2.5f,
                                2.5f, 1.5f, 2.5f, 1,         1, 0,     1,     1,    0,  0};
    for (int i = 0; i < 43; ++i)
        cr_expect_float_eq(out[i], expected[i], 1e-3, "result %d is %g, not %g", i, (double)out[i],
                           (double)expected[i]);
    kernels_free(&of);
}

Test(library, memory_and_events_behave_as_in_hip) {
    const ht_hip *hip;
    ht_error error;
    cr_assert_eq(ht_provider_host.open(&hip, &error), HT_OK);
    void *buffer, *other;
    cr_assert_eq(hip->hipMalloc(&buffer, 1000), 0);
    cr_assert_eq(hip->hipMalloc(&other, 1000), 0);
    cr_assert_eq((uintptr_t)buffer % 256, 0);
    cr_assert_eq(hip->hipMemset(buffer, 0xab, 1000), 0);
    cr_assert_eq(hip->hipMemcpy(other, buffer, 1000, HT_HIP_COPY_DEVICE_TO_DEVICE), 0);
    cr_assert_eq(((unsigned char *)other)[999], 0xab);
    cr_assert_eq(hip->hipMemcpy(NULL, buffer, 1, 1), 1);
    cr_assert_eq(hip->hipFree(buffer), 0);
    cr_assert_eq(hip->hipFree(other), 0);
    hipEvent_t start, stop;
    float ms = -1;
    cr_assert_eq(hip->hipEventCreate(&start), 0);
    cr_assert_eq(hip->hipEventCreate(&stop), 0);
    cr_assert_eq(hip->hipEventRecord(start, NULL), 0);
    cr_assert_eq(hip->hipEventElapsedTime(&ms, start, stop), 400);
    cr_assert_eq(hip->hipEventRecord(stop, NULL), 0);
    cr_assert_eq(hip->hipEventSynchronize(stop), 0);
    cr_assert_eq(hip->hipEventElapsedTime(&ms, start, stop), 0);
    cr_assert_geq(ms, 0);
    hip->hipEventDestroy(start);
    hip->hipEventDestroy(stop);
    cr_assert_eq(hip->hipSetDevice(1), 0);
    cr_assert_eq(hip->hipSetDevice(2), 101);
    cr_assert_str_eq(hip->hipGetErrorString(0), "no error");
}

/* Short launches are timed by another clock than long ones, and run by one thread (launch.c). */
Test(library, a_kernel_that_was_short_counts_in_full_when_it_is_long) {
    kernels of = KERNELS(64,
                         "__global__ void spin(float *out, int n) {\n"
                         "    float x = blockIdx.x;\n"
                         "    for (int i = 0; i < n; ++i) x = x * 0.5f + i;\n"
                         "    out[blockIdx.x] = x;\n"
                         "}\n",
                         "&spin");
    enum { LAUNCHES = 4, BLOCKS = 3 };
    static const int turns[] = {10, 3000000, 10};
    float out[BLOCKS], *to = out, ms[3][LAUNCHES];
    hipEvent_t start, stop;
    cr_assert_eq(of.hip->hipEventCreate(&start), 0);
    cr_assert_eq(of.hip->hipEventCreate(&stop), 0);
    for (int length = 0; length < 3; ++length) {
        for (int i = 0; i < LAUNCHES; ++i) {
            int n = turns[length];
            memset(out, 0, sizeof out);
            cr_assert_eq(of.hip->hipEventRecord(start, NULL), 0);
            RUN(&of, "&spin", LINE(BLOCKS, 1), &to, &n);
            cr_assert_eq(of.hip->hipEventRecord(stop, NULL), 0);
            cr_assert_eq(of.hip->hipEventElapsedTime(&ms[length][i], start, stop), 0);
            for (int block = 0; block < BLOCKS; ++block)
                cr_expect_gt(out[block], 0);
        }
    }
    /* The first long one may count as the short one before; none after it. */
    for (int i = 1; i < LAUNCHES; ++i)
        cr_expect_gt(ms[1][i], 100 * ms[0][LAUNCHES - 1], "launch %d: %g and %g ms", i,
                     (double)ms[1][i], (double)ms[0][LAUNCHES - 1]);
    cr_expect_lt(ms[2][LAUNCHES - 1], ms[1][LAUNCHES - 1] / 100);
    of.hip->hipEventDestroy(start);
    of.hip->hipEventDestroy(stop);
    kernels_free(&of);
}
