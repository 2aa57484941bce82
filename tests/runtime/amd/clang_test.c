/* Compiling by clang in place of hiprtc: the same names, resources and libraries, for the targets
 * that hiprtc is too old for too. Skipped, with the reason, where a piece is missing. */
#include "base/memory.h"
#include "runtime/amd/clang/program.h"
#include "runtime/amd/clang/route.h"
#include "runtime/amd/target.h"
#include "runtime/provider/provider.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compiled {
    hiprtcResult result;
    char *log, *code, *lowered;
    size_t size;
} compiled;

static const ht_hip *hip;

static const ht_amd_clang *need_clang(void) {
    const ht_amd_clang *clang;
    ht_error error;
    if (ht_provider_amd.open(&hip, &error) != HT_OK)
        cr_skip_test("no hiprtc: %s", error.message);
    if (ht_amd_clang_find(&clang, &error) != HT_OK)
        cr_skip_test("%s", error.message);
    return clang;
}

static ht_device device_of(const char *arch, const char *compiler) {
    ht_device device = {0};
    snprintf(device.arch, sizeof device.arch, "%s", arch);
    snprintf(device.compiler, sizeof device.compiler, "%s", compiler);
    return device;
}

static compiled compile(const char *source, const ht_device *device, const char *name) {
    static const char *headers[] = {"#define OWN 3.0f\n"}, *names[] = {"own/own.h"};
    compiled out = {0};
    const char *options[8];
    hiprtcProgram program;
    size_t length = 0, count = ht_provider_amd.compile_options(device, options);
    cr_assert_eq(hip->hiprtcCreateProgram(&program, source, "my unit.hip", 1, headers, names), 0);
    if (name)
        cr_assert_eq(hip->hiprtcAddNameExpression(program, name), 0);
    out.result = hip->hiprtcCompileProgram(program, (int)count, options);
    cr_assert_eq(hip->hiprtcGetProgramLogSize(program, &length), 0);
    out.log = ht_alloc(length + 1, 1);
    cr_assert_eq(hip->hiprtcGetProgramLog(program, out.log), 0);
    if (out.result == 0) {
        const char *lowered = "";
        cr_assert_eq(hip->hiprtcGetCodeSize(program, &out.size), 0);
        out.code = ht_alloc(out.size, 1);
        cr_assert_eq(hip->hiprtcGetCode(program, out.code), 0);
        if (name)
            cr_expect_eq(hip->hiprtcGetLoweredName(program, name, &lowered), 0);
        out.lowered = ht_strdup(lowered);
    }
    cr_assert_eq(hip->hiprtcDestroyProgram(&program), 0);
    return out;
}

static void compiled_free(compiled *of) {
    free(of->log);
    free(of->code);
    free(of->lowered);
}

/* Of hiprtc's text and of the libraries: vectors, half, shuffles, fences, functions of libm. */
static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "#include <hip/hip_fp16.h>\n"
    "#include \"own/own.h\"\n"
    "template <int ITEMS, typename T> __global__ __launch_bounds__(64) void own(const T *in,\n"
    "                                              T *out, const __half *h, int n) {\n"
    "    __shared__ float s[64 * ITEMS];\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float4 v = make_float4(in[i], OWN, __half2float(h[i]), rsqrtf(in[i + 1]));\n"
    "    s[threadIdx.x] = v.x + v.y * v.z + __shfl_xor(v.w, 1) + powf(v.x, v.y) + sinf(v.w);\n"
    "    __syncthreads();\n"
    "    __threadfence();\n"
    "    atomicAdd(&out[n], s[(threadIdx.x + 1) % 64]);\n"
    "    if (i < n) out[i] = expf(s[threadIdx.x]) + (float)__popc(i) + floorf(v.x);\n"
    "}\n";

Test(amd_clang, a_kernel_is_named_and_laid_out_as_hiprtc_does) {
    const ht_amd_clang *clang = need_clang();
    ht_device by_hiprtc = device_of("gfx90a", "hiprtc"), by_clang = device_of("gfx90a", "");
    snprintf(by_clang.compiler, sizeof by_clang.compiler, "%s", clang->compiler);
    compiled one = compile(source, &by_hiprtc, "own<2, float>");
    compiled other = compile(source, &by_clang, "own<2, float>");
    cr_assert_eq(one.result, 0, "%s", one.log);
    cr_assert_eq(other.result, 0, "%s", other.log);
    cr_expect_str_eq(other.lowered, one.lowered);
    ht_resources a, b;
    ht_error error;
    cr_assert_eq(
        ht_provider_amd.resources(&by_hiprtc, one.code, one.size, one.lowered, 64, 0, &a, &error),
        HT_OK, "%s", error.message);
    cr_assert_eq(ht_provider_amd.resources(&by_clang, other.code, other.size, other.lowered, 64, 0,
                                           &b, &error),
                 HT_OK, "%s", error.message);
    cr_expect_eq(b.lds, a.lds);
    cr_expect_eq(b.lds, 64 * 2 * 4);
    cr_expect_eq(b.max_block, a.max_block);
    cr_expect_eq(b.wavefront, a.wavefront);
    compiled_free(&one);
    compiled_free(&other);
}

Test(amd_clang, targets_that_hiprtc_may_not_know_have_all_of_hiprtc) {
    need_clang();
    size_t tried = 0;
    for (size_t i = 0; i < ht_amd_target_count; ++i) {
        const ht_amd_clang *clang;
        const ht_amd_target *target = &ht_amd_targets[i];
        if (!target->clang || ht_amd_clang_for(target->arch, target->clang, &clang, NULL) != HT_OK)
            continue;
        ht_device device = device_of(target->arch, clang->compiler);
        compiled made = compile(source, &device, "own<1, float>");
        cr_expect_eq(made.result, 0, "%s: %s", target->arch, made.log);
        cr_expect_str_eq(made.log, "", "no warnings of the header: %s", made.log);
        ++tried;
        compiled_free(&made);
    }
    cr_expect_gt(tried, 0);
}

Test(amd_clang, errors_name_file_and_line_of_the_source) {
    const ht_amd_clang *clang = need_clang();
    ht_device device = device_of("gfx942", clang->compiler);
    compiled made =
        compile("// one\n// two\n__global__ void k(float *p) { p[0] = nothing; }\n", &device, NULL);
    cr_expect_eq(made.result, HT_HIPRTC_ERROR_COMPILATION);
    cr_expect_eq(strncmp(made.log, "my unit.hip:3:", 14), 0, "%s", made.log);
    compiled_free(&made);
}

Test(amd_clang, a_piece_that_is_missing_is_named_with_its_package) {
    const ht_amd_clang *clang;
    ht_error error;
    setenv("HIPTEMPER_CLANG", "/nowhere/clang++", 1);
    cr_expect_eq(ht_amd_clang_find(&clang, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "clang-19"), "%s", error.message);
}
