/* The amd provider over the real hiprtc; without ROCm these tests skip, with a message. */
#include "tools.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/amd/code_object/symbols.h"
#include "runtime/amd/probe.h"
#include "runtime/process/child.h"
#include "runtime/provider/provider.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ht_hip *hip;

/* Skips the calling test when there is no hiprtc. */
#define NEED_HIPRTC()                                                                              \
    do {                                                                                           \
        ht_error missing;                                                                          \
        if (ht_provider_amd.open(&hip, &missing) != HT_OK)                                         \
            cr_skip_test("no hiprtc: %s", missing.message);                                        \
    } while (0)

/* Everything one compile gives. */
typedef struct compiled {
    hiprtcResult result;
    char *log;
    char *code;
    size_t size;
    char *lowered[8]; /* NULL where the lookup failed */
} compiled;

static compiled compile(const char *source, const char *arch, const char *const *names) {
    compiled out = {0};
    ht_device device = {0};
    const char *options[8];
    hiprtcProgram program;
    size_t log_size = 0;
    snprintf(device.arch, sizeof device.arch, "%s", arch);
    size_t count = ht_provider_amd.compile_options(&device, options);
    cr_assert_eq(hip->hiprtcCreateProgram(&program, source, "my unit.hip", 0, NULL, NULL), 0);
    for (size_t i = 0; names && names[i]; i++)
        cr_assert_eq(hip->hiprtcAddNameExpression(program, names[i]), 0);
    out.result = hip->hiprtcCompileProgram(program, (int)count, options);
    hip->hiprtcGetProgramLogSize(program, &log_size);
    out.log = ht_alloc(log_size + 1, 1);
    if (log_size)
        hip->hiprtcGetProgramLog(program, out.log);
    if (out.result == 0) {
        cr_assert_eq(hip->hiprtcGetCodeSize(program, &out.size), 0);
        out.code = ht_alloc(out.size, 1);
        cr_assert_eq(hip->hiprtcGetCode(program, out.code), 0);
        for (size_t i = 0; names && names[i]; i++) {
            const char *lowered = NULL;
            if (hip->hiprtcGetLoweredName(program, names[i], &lowered) == 0)
                out.lowered[i] = ht_strdup(lowered);
        }
    }
    cr_assert_eq(hip->hiprtcDestroyProgram(&program), 0);
    return out;
}

static void compiled_free(compiled *compiled) {
    free(compiled->log);
    free(compiled->code);
    for (size_t i = 0; i < sizeof compiled->lowered / sizeof *compiled->lowered; i++)
        free(compiled->lowered[i]);
}

/* Registers, LDS, scratch and a small block in one kernel; enough of each not to be a
 * coincidence. */
static const char busy_source[] =
    "template <int N, int BLOCK> __global__ __launch_bounds__(BLOCK) void busy(const float *in, "
    "float *out, int n) {\n"
    "    __shared__ float tile[N * 16];\n"
    "    float sums[N], kept[64];\n"
    "    for (int i = 0; i < N; i++) sums[i] = in[i * 64 + threadIdx.x];\n"
    "    for (int i = 0; i < 64; i++) kept[i] = in[i];\n"
    "    for (int k = 0; k < n; k++)\n"
    "        #pragma unroll\n"
    "        for (int i = 0; i < N; i++) sums[i] += sums[(i + 1) % N] * in[k * N + i];\n"
    "    for (int i = 0; i < N; i++) tile[(i * 7 + threadIdx.x) % (N * 16)] = sums[i];\n"
    "    __syncthreads();\n"
    "    for (int i = 0; i < N; i++) out[i] = tile[i + threadIdx.x] + kept[(n + i) % 64];\n"
    "}\n";

static void expect_number(const char *kernel_notes, const char *label, int got) {
    int expected = number_after(kernel_notes, label);
    cr_expect_eq(got, expected, "%s is %d, llvm-readelf says %d", label, got, expected);
}

/* Compares every number with llvm-readelf's reading of the same bytes. */
static void compare_with_readelf(const char *arch) {
    NEED_HIPRTC();
    if (!tool_exists("llvm-readelf-19"))
        cr_skip_test("llvm-readelf-19 is not installed (Debian: apt-get install llvm-19)");
    static const char *const names[] = {"busy<4, 64>", "busy<24, 256>", "busy<60, 1024>", NULL};
    compiled compiled = compile(busy_source, arch, names);
    cr_assert_eq(compiled.result, 0, "%s", compiled.log);
    char *folder;
    cr_assert_eq(ht_dir_temporary("notes", &folder, NULL), HT_OK);
    char *path = ht_path_join(folder, "kernel.co");
    cr_assert_eq(ht_file_write(path, compiled.code, compiled.size, NULL), HT_OK);
    char *notes = tool_output("llvm-readelf-19 --notes '%s'", path);
    ht_device device = {0};
    snprintf(device.arch, sizeof device.arch, "%s", arch);
    for (size_t i = 0; names[i]; i++) {
        ht_resources r;
        ht_error error;
        cr_assert_not_null(compiled.lowered[i]);
        cr_assert_eq(ht_provider_amd.resources(&device, compiled.code, compiled.size,
                                               compiled.lowered[i], 64, 0, &r, &error),
                     HT_OK, "%s", error.message);
        /* A kernel's keys are sorted; .agpr_count, where there is one, comes first and
         * .wavefront_size last. */
        char *at = strstr(notes, compiled.lowered[i]);
        cr_assert_not_null(at);
        while (at > notes && strncmp(at, "\n  - ", 5) != 0)
            at--;
        int agprs = number_after(at, ".agpr_count:");
        cr_expect_eq(r.agprs, strstr(arch, "gfx90") && strcmp(arch, "gfx906") ? agprs : 0);
        expect_number(at, ".vgpr_count:", r.vgprs);
        expect_number(at, ".sgpr_count:", r.sgprs);
        expect_number(at, ".vgpr_spill_count:", r.vgpr_spills);
        expect_number(at, ".sgpr_spill_count:", r.sgpr_spills);
        expect_number(at, ".private_segment_fixed_size:", r.scratch);
        expect_number(at, ".group_segment_fixed_size:", r.lds);
        expect_number(at, ".max_flat_workgroup_size:", r.max_block);
        expect_number(at, ".wavefront_size:", r.wavefront);
        cr_expect_gt(r.waves_per_simd, 0);
        cr_expect_leq(r.waves_per_simd, r.max_waves_per_simd);
    }
    ht_dir_remove(folder);
    free(folder);
    free(path);
    free(notes);
    compiled_free(&compiled);
}

Test(provider, gfx906_resources_as_readelf) {
    compare_with_readelf("gfx906");
}
Test(provider, gfx90a_resources_as_readelf) {
    compare_with_readelf("gfx90a");
}
Test(provider, gfx1030_resources_as_readelf) {
    compare_with_readelf("gfx1030");
}

/* Expressions that hiprtc 5 compiles but cannot look up. */
Test(provider, every_name_expression_is_found) {
    NEED_HIPRTC();
    static const char source[] =
        "enum Order { ROWS, COLUMNS };\n"
        "template <Order O> __global__ void e(float *p) { p[0] = O; }\n"
        "template <unsigned U, int D = 4> __global__ void u(float *p) { p[0] = U + D; }\n"
        "template <typename T> __global__ void t(T *p) { p[1] = p[0]; }\n"
        "__constant__ float weights[9];\n"
        "__global__ void plain(float *p) { p[0] = weights[threadIdx.x]; }\n";
    static const char *const names[] = {"e<COLUMNS>", "u<16>",    "t<float4>", "t<unsigned>",
                                        "plain",      "&weights", NULL};
    static const char *const symbols[] = {"_Z1eIL5Order1EEvPf", "_Z1uILj16ELi4EEvPf", NULL,
                                          "_Z1tIjEvPT_",        "_Z5plainPf",         "weights"};
    compiled compiled = compile(source, "gfx90a", names);
    cr_assert_eq(compiled.result, 0, "%s", compiled.log);
    for (size_t i = 0; names[i]; i++) {
        cr_assert_not_null(compiled.lowered[i], "%s", names[i]);
        if (symbols[i])
            cr_expect_str_eq(compiled.lowered[i], symbols[i]);
    }
    cr_expect(strstr(compiled.lowered[2], "HIP_vector_type"));
    compiled_free(&compiled);
}

/* Names that ordinary HIP sources use, and hiprtc alone refuses. */
Test(provider, the_prelude_gives_what_ordinary_sources_use) {
    NEED_HIPRTC();
    static const char source[] =
        "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <cmath>\n#include "
        "<stdint.h>\n"
        "#include <cstdint>\n#include <algorithm>\n#include <limits>\n#include <float.h>\n#include "
        "<cstdio>\n"
        "#include <cassert>\n#include <type_traits>\n#include <hip/hip_bfloat16.h>\n"
        "extern \"C\" __global__ void k(float *p, const uint8_t *a, int16_t *b, int64_t *c, size_t "
        "n, __half *h, hip_bfloat16 *e) {\n"
        "    HIP_DYNAMIC_SHARED(float, s)\n"
        "    int i = hipThreadIdx_x + hipBlockIdx_x * hipBlockDim_x;\n"
        "    assert(i >= 0);\n"
        "    s[hipThreadIdx_x] = p[i] + a[i] + b[i] + c[i] + (float)n + __half2float(h[i]);\n"
        "    __syncthreads();\n"
        "    float m = std::max(s[0], std::min(s[1], FLT_MAX)) + "
        "std::numeric_limits<float>::lowest();\n"
        "    std::conditional<true, float, int>::type q = std::sqrt(m) + std::fabs(m) + "
        "std::pow(m, 2.f) + INFINITY;\n"
        "    static_assert(std::is_same<decltype(q), float>::value, \"\");\n"
        "    static_assert(std::numeric_limits<int>::max() == INT_MAX && sizeof(intptr_t) == 8, "
        "\"\");\n"
        "    e[i] = e[i] * hip_bfloat16(q);\n"
        "    e[i] += hip_bfloat16(float(e[i]) < m ? 1.0f : m);\n"
        "    p[i] = q + M_PI + (float)std::numeric_limits<double>::epsilon() + INT_MAX;\n"
        "}\n";
    for (size_t t = 0; t < ht_amd_target_count; t++) {
        if (ht_amd_targets[t].needs_probe)
            continue;
        compiled compiled = compile(source, ht_amd_targets[t].arch, NULL);
        cr_expect_eq(compiled.result, 0, "%s: %s", ht_amd_targets[t].arch, compiled.log);
        compiled_free(&compiled);
    }
}

Test(provider, errors_name_the_file_and_line_of_the_source) {
    NEED_HIPRTC();
    compiled compiled = compile("// one\n// two\n__global__ void k(float *p) { p[0] = nothing; }\n",
                                "gfx90a", NULL);
    cr_expect_eq(compiled.result, HT_HIPRTC_ERROR_COMPILATION);
    cr_expect_eq(strncmp(compiled.log, "my unit.hip:3:", 14), 0, "%s", compiled.log);
    cr_expect(strstr(compiled.log, "'nothing'"), "%s", compiled.log);
    compiled_free(&compiled);
}

/* A compiler that does not know a target may end its process; that must stay in the child. */
Test(provider, an_aborting_compiler_is_contained) {
    NEED_HIPRTC();
    ht_error error = {0};
    cr_expect_eq(ht_amd_probe_compile("gfx90a", &error), HT_OK, "%s", error.message);
    cr_expect_eq(ht_amd_probe_compile("gfx000", &error), HT_ERROR_COMPILE);
    cr_expect(strstr(error.message, "gfx000"), "%s", error.message);
}

Test(provider, lists_what_it_can_compile_for) {
    NEED_HIPRTC();
    ht_device *devices;
    size_t count, compile_only = 0;
    ht_error error;
    cr_assert_eq(ht_provider_amd.devices(&devices, &count, &error), HT_OK, "%s", error.message);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(devices[i].provider, "amd");
        cr_expect_eq(strncmp(devices[i].name, "amd:", 4), 0);
        cr_expect(strstr(devices[i].compiler, "hiprtc"), "%s", devices[i].compiler);
        cr_expect_eq(devices[i].can_run, devices[i].ordinal >= 0);
        cr_expect_gt(devices[i].fields.max_threads, 0);
        const ht_amd_target *target = ht_amd_target_find(devices[i].arch);
        if (devices[i].can_run || !target)
            continue;
        if (strncmp(devices[i].compiler, "clang ", 6) == 0) /* tests/runtime/amd/clang_test.c */
            continue;
        compile_only++;
        /* Newer targets are listed exactly when their probe compile succeeds. */
        cr_expect_eq(ht_amd_probe_compile(devices[i].arch, &error), HT_OK, "%s", error.message);
    }
    for (size_t t = 0; t < ht_amd_target_count; t++)
        if (ht_amd_probe_compile(ht_amd_targets[t].arch, NULL) == HT_OK)
            compile_only--;
    cr_expect_eq(compile_only, 0, "listed and working targets differ by %zd",
                 (ssize_t)compile_only);
    free(devices);
}

Test(symbols, a_missing_library_or_symbol_says_what_to_install) {
    static const char *const none[] = {"libno-such-library.so.1", NULL};
    static const char *const other[] = {"libm.so.6", NULL};
    ht_amd_symbols symbols;
    ht_error error = {0};
    cr_expect_eq(ht_amd_symbols_load(none, none, &symbols, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "libno-such-library.so.1") && strstr(error.message, "apt-get"),
              "%s", error.message);
    cr_expect_eq(ht_amd_symbols_load(other, none, &symbols, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "hipInit") && strstr(error.message, "libm.so.6"), "%s",
              error.message);
}

static void child_hangs(const void *context, int fd) {
    ht_child_write(fd, "partial", 7);
    (void)context;
    for (;;)
        pause();
}
static void child_aborts(const void *context, int fd) {
    ht_child_write(fd, context, strlen(context));
    abort();
}
static void child_answers(const void *context, int fd) {
    char *big = ht_alloc(1 << 20, 1);
    (void)context;
    ht_child_write(fd, big, 1 << 20);
    free(big);
}

Test(child, ends_are_told_apart_and_output_is_kept) {
    ht_child hanging, aborting, answering;
    ht_child_result result;
    cr_assert_eq(ht_child_start(child_hangs, NULL, 0.3, &hanging, NULL), HT_OK);
    cr_assert_eq(ht_child_start(child_aborts, "before", 60, &aborting, NULL), HT_OK);
    cr_assert_eq(ht_child_start(child_answers, NULL, 60, &answering, NULL), HT_OK);
    ht_child_finish(&hanging, &result);
    cr_expect(result.timed_out);
    cr_expect_str_eq(result.output, "partial");
    ht_child_result_free(&result);
    ht_child_finish(&aborting, &result);
    cr_expect_eq(result.signal, SIGABRT);
    cr_expect_str_eq(result.output, "before");
    ht_child_result_free(&result);
    ht_child_finish(&answering, &result);
    char *failure = ht_child_result_failure(&result);
    cr_expect_null(failure, "%s", failure);
    cr_expect_eq(result.output_size, (size_t)1 << 20);
    ht_child_result_free(&result);
}
