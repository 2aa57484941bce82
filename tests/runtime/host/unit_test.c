/* Compiling units: names, messages, options, headers, limits. */
#include "kernels.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/sanitizer.h"
#include "runtime/host/options.h"
#include "runtime/host/toolchain.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_log(const char *source, const char *name, const char *part) {
    char *log;
    hiprtcResult result = kernels_compile(source, NAMES(name), NULL, &log);
    cr_assert_eq(result, 6, "result %d", result);
    cr_assert(strstr(log, part), "'%s' is not in: %s", part, log);
    free(log);
}

Test(unit, compile_errors_name_the_units_own_file_and_line) {
    expect_log("__global__ void k(int *out) {\n"
               "  out[0] = 1;\n"
               "  out[1] = nowhere;\n"
               "}\n",
               "k", "unit.hip:3:12: error: use of undeclared identifier 'nowhere'");
    expect_log("__global__ void k(int *out) {}\n#line 70 \"other.h\"\nint x = y;\n", "k",
               "other.h:70:9: error:");
    expect_log(
        "template <int N> __global__ void k(int *out) { static_assert(N < 4, \"too many\"); }",
        "k<5>", "too many");
    expect_log(
        "__global__ void k(int *out) { *out = __builtin_amdgcn_workitem_id_x(); }", "k",
        "unit.hip:1:38: error: use of undeclared identifier '__builtin_amdgcn_workitem_id_x'");
}

Test(unit, a_name_expression_that_names_nothing_is_a_compile_error) {
    expect_log("__global__ void k(int *out) {}", "missing<3>", "name expression missing<3>");
    expect_log("__global__ void k(int *out) {}", "3", "name expression 3");
}

/* HIP's header brings them along: sources use them without a header of their own. */
Test(unit, null_and_the_memory_functions_are_there_with_and_without_their_headers) {
    const char *const includes[] = {"", "#include <cstring>\n#include <cstddef>\n"};
    for (size_t i = 0; i < 2; ++i) {
        char *source = ht_format("%s__global__ void k(int *out, const int *none) {\n"
                                 "    int three[3] = {1, 2, 3}, copy[3];\n"
                                 "    memcpy(copy, three, sizeof copy);\n"
                                 "    memmove(copy, copy + 1, 2 * sizeof *copy);\n"
                                 "    memset(three, 0, sizeof three);\n"
                                 "    *out = none != NULL ? -1 : copy[0] * 100 + copy[1] * 10 + "
                                 "three[2];\n}\n",
                                 includes[i]);
        kernels of = KERNELS(64, source, "k");
        int out = 0, *to = &out, *none = NULL;
        RUN(&of, "k", LINE(1, 1), &to, &none);
        cr_expect_eq(out, 230, "%d with %s", out, includes[i]);
        kernels_free(&of);
        free(source);
    }
}

Test(unit, kernels_are_found_in_namespaces_as_statics_and_by_template_arguments_of_all_kinds) {
    const char *source =
        "namespace a { namespace { template <class T, bool B, char C, int... I>\n"
        "__global__ void k(T *out) { *out = T(B * 1000 + C + (0 + ... + I)); } } }\n"
        "static __global__ void plain(int *out) { *out = 5; }\n"
        "extern \"C\" __global__ void c_name(int *out) noexcept { assert(out); *out = 6; }\n"
        "template <class T> __global__ void typed(T *out) { *out = T(7.5); }\n"
        "template __global__ void typed<float>(float *);\n";
    kernels of = KERNELS(64, source, "a::k<float, true, 'x', 1, 2>", "plain", "c_name",
                         "typed<int>", "typed<float>");
    float f = 0, *f_to = &f;
    int i = 0, *i_to = &i;
    RUN(&of, "a::k<float, true, 'x', 1, 2>", LINE(1, 1), &f_to);
    cr_assert_eq(f, 1123.0f);
    RUN(&of, "plain", LINE(1, 1), &i_to);
    cr_assert_eq(i, 5);
    RUN(&of, "c_name", LINE(1, 1), &i_to);
    cr_assert_eq(i, 6);
    RUN(&of, "typed<int>", LINE(1, 1), &i_to);
    cr_assert_eq(i, 7);
    RUN(&of, "typed<float>", LINE(1, 1), &f_to);
    cr_assert_eq(f, 7.5f);
    kernels_free(&of);
}

Test(unit, arguments_of_all_sizes_arrive_and_stay_private_to_a_thread) {
    kernels of =
        KERNELS(64,
                "struct big { double d[5]; char c; };\n"
                "__global__ void k(char c, const big b, long long l, bool yes, float3 v, int n,\n"
                "                  double *__restrict__ out) {\n"
                "  n += 1; c += 1;\n"
                "  out[threadIdx.x] = c + b.d[4] + b.c + l + yes + v.z + n;\n"
                "}\n",
                "k");
    struct {
        double d[5];
        char c;
    } b = {{0, 0, 0, 0, 0.25}, 3};
    char c = 10;
    long long l = 1ll << 40;
    _Bool yes = 1;
    float v[3] = {1, 2, 0.5f};
    int n = 100;
    double out[8], *to = out;
    RUN(&of, "k", LINE(1, 8), &c, &b, &l, &yes, v, &n, &to);
    for (int i = 0; i < 8; ++i)
        cr_assert_eq(out[i], 11 + 0.25 + 3 + 0x1p40 + 1 + 0.5 + 101);
    kernels_free(&of);
}

Test(unit, constants_are_reached_by_their_address_in_each_module) {
    const char *source = "__constant__ float filter[9];\n"
                         "namespace n { static __constant__ int scale = 3; }\n"
                         "__device__ unsigned long long counter;\n"
                         "__global__ void k(float *out) {\n"
                         "  out[threadIdx.x] = filter[threadIdx.x] * n::scale;\n"
                         "  atomicAdd(&counter, 1ull);\n"
                         "}\n";
    kernels one = KERNELS(64, source, "k", "&filter", "&n::scale", "&counter");
    kernels two = KERNELS(64, source, "k", "&filter", "&n::scale", "&counter");
    float *values[2];
    kernels *both[2] = {&one, &two};
    for (int i = 0; i < 2; ++i) {
        const ht_hip *hip = both[i]->hip;
        const char *lowered;
        hipDeviceptr_t at;
        size_t size;
        cr_assert_eq(hip->hiprtcGetLoweredName(both[i]->program, "&filter", &lowered), 0);
        cr_assert_eq(hip->hipModuleGetGlobal(&at, &size, both[i]->module, lowered), 0);
        cr_assert_eq(size, 9 * sizeof(float));
        values[i] = at;
        for (int k = 0; k < 9; ++k) {
            float v = (float)(k + 100 * i);
            cr_assert_eq(hip->hipMemcpy((float *)at + k, &v, sizeof v, 1), 0);
        }
        hipFunction_t function;
        cr_assert_eq(hip->hipModuleGetFunction(&function, both[i]->module, lowered), 500,
                     "a constant is no kernel");
    }
    cr_assert_neq(values[0], values[1]);
    for (int i = 0; i < 2; ++i) {
        float out[9], *to = out;
        RUN(both[i], "k", LINE(1, 9), &to);
        for (int k = 0; k < 9; ++k)
            cr_assert_eq(out[k], (float)(k + 100 * i) * 3);
        const char *lowered;
        hipDeviceptr_t at;
        const ht_hip *hip = both[i]->hip;
        hip->hiprtcGetLoweredName(both[i]->program, "&counter", &lowered);
        cr_assert_eq(hip->hipModuleGetGlobal(&at, NULL, both[i]->module, lowered), 0);
        cr_assert_eq(*(unsigned long long *)at, 9);
    }
    kernels_free(&two);
    kernels_free(&one);
}

Test(unit, units_may_include_hip_and_standard_headers_in_any_order) {
    const char *body =
        "__global__ void k(float *out, int n) {\n"
        "  int64_t big = INT_MAX; uint32_t u = 3;\n"
        "  float v = std::sqrt(4.0f) + sqrt(4.0f) + std::min(1.0f, 2.0f) + min(n, 7) + max(1, "
        "2u);\n"
        "  v += std::abs(-1.0f) + abs(-2) + abs(-3.0f) + fabs(-4.0f) + std::max(n, 1) + pow(2.0f, "
        "2);\n"
        "  v += std::is_same<decltype(sqrt(1.0f)), float>::value + (isnan(v) ? 1 : 0);\n"
        "  v += std::numeric_limits<float>::max() == FLT_MAX && big > 0 && u == 3;\n"
        "  out[threadIdx.x] = v;\n"
        "}\n";
    const char *const orders[] = {
        "#include <hip/hip_runtime.h>\n#include <cstdint>\n#include <cmath>\n#include <cfloat>\n"
        "#include <climits>\n#include <type_traits>\n#include <algorithm>\n#include <limits>\n",
        "#include <math.h>\n#include <stdint.h>\n#include <float.h>\n#include <limits.h>\n"
        "#include <limits>\n#include <algorithm>\n#include <cstdlib>\n#include <cstdio>\n"
        "#include <stdlib.h>\n#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n",
        "#include <vector>\n#include <iostream>\n#include <complex>\n#include <climits>\n"
        "#include <cfloat>\n#include <cuda_runtime.h>\n#include <algorithm>\nusing namespace "
        "std;\n"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
        char *source = malloc(strlen(orders[i]) + strlen(body) + 1);
        strcat(strcpy(source, orders[i]), body);
        kernels of = KERNELS(64, source, "k");
        float out[3], *to = out;
        int n = 5;
        RUN(&of, "k", LINE(1, 3), &to, &n);
        cr_assert_eq(out[2], 2 + 2 + 1 + 5 + 2 + 1 + 2 + 3 + 4 + 5 + 4 + 1 + 1);
        kernels_free(&of);
        free(source);
    }
}

Test(unit, options_define_include_and_choose) {
    /* T is a name that the prelude uses too. */
    const char *source = "#include \"values.h\"\n#include <hip/hip_fp16.h>\n"
                         "__global__ void k(int *out) { *out = T(1) + B + VALUE + warpSize; }";
    const ht_hip *hip;
    ht_error error;
    cr_assert_eq(ht_provider_host.open(&hip, &error), HT_OK);
    const char *header = "#define VALUE 1000\n", *name = "values.h", *lowered;
    const char *options[] = {"-DT(x)=x",
                             "-D",
                             "B=10",
                             "-O1",
                             "-std=c++20",
                             "--offload-arch=gfx90a",
                             "-mno-wavefrontsize64"};
    hiprtcProgram program;
    cr_assert_eq(hip->hiprtcCreateProgram(&program, source, NULL, 1, &header, &name), 0);
    cr_assert_eq(hip->hiprtcAddNameExpression(program, "k"), 0);
    cr_assert_eq(hip->hiprtcGetLoweredName(program, "k", &lowered), 9);
    int result = hip->hiprtcCompileProgram(program, 7, options);
    char log[4096] = "";
    hip->hiprtcGetProgramLog(program, log);
    cr_assert_eq(result, 0, "%s", log);
    kernels of = {.hip = hip, .program = program};
    size_t size;
    hip->hiprtcGetCodeSize(program, &size);
    char *code = malloc(size);
    hip->hiprtcGetCode(program, code);
    cr_assert_eq(hip->hipModuleLoadData(&of.module, code), 0);
    free(code);
    int out = 0, *to = &out;
    RUN(&of, "k", LINE(1, 1), &to);
    cr_assert_eq(out, 1043);
    cr_assert_eq(hip->hiprtcGetLoweredName(program, "other", &lowered), 10);
    cr_assert_eq(hip->hiprtcAddNameExpression(program, "k2"), 8);
    const char *bad[] = {"-march=gfx90a"};
    cr_assert_eq(hip->hiprtcCompileProgram(program, 1, bad), 5);
    kernels_free(&of);
    name = "../../values.h";
    cr_assert_eq(hip->hiprtcCreateProgram(&program, source, NULL, 1, &header, &name), 0);
    cr_assert_eq(hip->hiprtcCompileProgram(program, 0, NULL), 3);
    cr_assert_eq(hip->hiprtcDestroyProgram(&program), 0);
}

Test(unit, static_lds_is_limited_for_each_kernel_and_not_for_the_unit) {
    const char *source =
        "template <int N> __device__ float *tile() { __shared__ float t[N]; return t; }\n"
        "template <int N> __global__ void k(float *out) {\n"
        "  float *t = tile<N>(); t[threadIdx.x] = 1; __syncthreads();\n"
        "  out[threadIdx.x] = t[N - 1 - threadIdx.x];\n"
        "}\n";
    char *log;
    cr_assert_eq(kernels_compile(source, NAMES("k<16000>", "k<15000>", "k<16384>"), NULL, &log), 0,
                 "%s", log);
    free(log);
    cr_assert_eq(kernels_compile(source, NAMES("k<16>", "k<16385>"), NULL, &log), 6);
    cr_assert(strstr(log, "'k<16385>' needs 65540 bytes of LDS, more than 65536"), "%s", log);
    free(log);
}

Test(unit, launches_beyond_the_devices_limits_are_refused_with_hips_codes) {
    kernels of =
        KERNELS(64,
                "__global__ void k(int *out) { extern __shared__ int d[]; __shared__ int s[256];\n"
                "  d[threadIdx.x] = s[threadIdx.x] = 1; __syncthreads();\n"
                "  *out = d[threadIdx.x ^ 1] + s[threadIdx.x ^ 1]; }",
                "k");
    int out = 0, *to = &out;
    void *arguments[] = {&to};
    static const struct {
        shape how;
        int error;
    } cases[] = {
        {{{1, 1, 1}, {1025, 1, 1}, 0}, 9},
        {{{1, 1, 1}, {32, 33, 1}, 0}, 9},
        {{{1, 1, 1}, {0, 1, 1}, 0}, 9},
        {{{0, 1, 1}, {32, 1, 1}, 0}, 9},
        {{{1, 65536, 1}, {32, 1, 1}, 0}, 9},
        {{{1, 1, 1}, {32, 1, 1}, 65536}, 701},
        {{{1, 1, 1}, {4, 4, 2}, 65536 - 1024}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        cr_assert_eq(kernels_try(&of, "k", cases[i].how, arguments), cases[i].error, "case %zu", i);
    cr_assert_eq(out, 2);
    cr_assert_eq(kernels_try(&of, "k", LINE(1, 1), NULL), 1);
    hipFunction_t function;
    cr_assert_eq(of.hip->hipModuleGetFunction(&function, of.module, "printf"), 500);
    cr_assert_eq(
        of.hip->hipModuleLoadData(&of.module, "no image at all, just some text that is longer"),
        200);
    kernels_free(&of);
}

static size_t entries(const char *folder) {
    DIR *directory = opendir(folder);
    size_t count = 0;
    while (readdir(directory))
        ++count;
    closedir(directory);
    return count - 2;
}

Test(unit, the_folder_of_a_killed_process_is_removed_by_the_next_and_a_living_ones_is_not) {
    char *folder, *log;
    ht_error error;
    cr_assert_eq(ht_dir_temporary("killed", &folder, &error), HT_OK);
    setenv("TMPDIR", folder, 1);
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        kernels_compile("__global__ void k() {}", NAMES("k"), NULL, &log);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    char byte;
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    cr_assert_eq(entries(folder), 1);
    pid_t second = fork();
    if (second == 0) {
        kernels_compile("__global__ void k() {}", NAMES("k"), NULL, &log);
        _exit(entries(folder) == 2 ? 0 : 1);
    }
    int status;
    waitpid(second, &status, 0);
    cr_assert_eq(status, 0, "the folder of a living process was removed");
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    cr_assert_eq(kernels_compile("__global__ void k() {}", NAMES("k"), NULL, &log), 0, "%s", log);
    free(log);
    cr_assert_eq(entries(folder), 1, "only this process's folder is left");
    ht_dir_remove(folder);
    free(folder);
}

/* Compiles in two processes at once; each must succeed and leave no files. */
Test(unit, processes_compile_in_parallel_and_leave_no_files) {
    char *folder;
    ht_error error;
    cr_assert_eq(ht_dir_temporary("parallel", &folder, &error), HT_OK);
    pid_t children[2];
    fflush(NULL);
    for (int i = 0; i < 2; ++i) {
        children[i] = fork();
        if (children[i] == 0) {
            setenv("TMPDIR", folder, 1);
            char source[256], *log;
            int failed = 0;
            for (int k = 0; k < 3; ++k) {
                snprintf(source, sizeof source,
                         "__global__ void k(int *out) { extern __shared__ int d[]; *out = d[%d]; }",
                         i * 10 + k);
                failed += kernels_compile(source, NAMES("k"), NULL, &log) != 0;
                free(log);
            }
            exit(failed);
        }
    }
    for (int i = 0; i < 2; ++i) {
        int status;
        cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
        cr_assert_eq(status, 0);
    }
    cr_assert_eq(entries(folder), 0);
    ht_dir_remove(folder);
    free(folder);
}

/* Options of a unit are no way to run code in the compiler. */
Test(unit, options_load_no_code_into_the_compiler) {
    static const char *const loading[] = {
        "-fplugin=/e.so", "-fpass-plugin=/e.so", "-Xclang", "-load", "-mllvm",
        "-B/e",           "--config=/e",         "@/e"};
    for (size_t i = 0; i < sizeof loading / sizeof *loading; ++i) {
        ht_option_list list = {0};
        ht_text log = {0};
        cr_expect_not(ht_options_read(1, &loading[i], &list, &log), "%s is taken", loading[i]);
        ht_options_free(&list);
        ht_text_free(&log);
    }
}

Test(unit, compilers_run_with_large_pages) {
    const char *arguments[] = {"/bin/sh", "-c", "printf %s \"$GLIBC_TUNABLES\"", NULL};
    ht_text said = {0};
    unsetenv("GLIBC_TUNABLES");
    cr_assert_eq(ht_toolchain_run(arguments, &said), 0);
    cr_expect_str_eq(said.data, "glibc.malloc.hugetlb=1");
    ht_text_free(&said);
}

Test(unit, a_missing_compiler_names_the_package_to_install) {
    const ht_hip *hip;
    ht_error error;
    setenv("HIPTEMPER_CLANG", "/nowhere/clang++", 1);
    cr_assert_eq(ht_provider_host.open(&hip, &error), HT_ERROR_MISSING);
    cr_assert(strstr(error.message, "/nowhere/clang++"));
    unsetenv("HIPTEMPER_CLANG");
    setenv("PATH", "/nowhere", 1);
    ht_device *devices;
    size_t count;
    cr_assert_eq(ht_provider_host.devices(&devices, &count, &error), HT_ERROR_MISSING);
    cr_assert(strstr(error.message, "clang-19"), "%s", error.message);
}

Test(unit, both_devices_are_listed_and_compile_for_their_wavefront) {
    ht_device *devices;
    size_t count;
    ht_error error;
    cr_assert_eq(ht_provider_host.devices(&devices, &count, &error), HT_OK, "%s", error.message);
    cr_assert_eq(count, 2);
    for (size_t i = 0; i < count; ++i) {
        const ht_device *device = &devices[i];
        cr_assert(device->can_run && device->emulated);
        cr_assert_eq(device->fields.wavefront, i ? 32 : 64);
        cr_assert_gt(device->fields.units, 0);
        cr_assert_str_eq(device->name, i ? "host:wave32" : "host");
        const ht_hip *hip;
        int threads = 0, wavefront = 0, nothing = 0;
        cr_assert_eq(ht_provider_host.open(&hip, &error), HT_OK);
        cr_assert_eq(hip->hipDeviceGetAttribute(&threads, 56, device->ordinal), 0);
        cr_assert_eq(hip->hipDeviceGetAttribute(&wavefront, 87, device->ordinal), 0);
        cr_assert_eq(hip->hipDeviceGetAttribute(&nothing, -7, device->ordinal), 1);
        cr_assert_eq(threads, device->fields.max_threads);
        cr_assert_eq(wavefront, device->fields.wavefront);
        const char *options[9] = {0};
        size_t option_count = ht_provider_host.compile_options(device, options);
        options[option_count] = NULL;
        char source[128], *log;
        snprintf(source, sizeof source,
                 "static_assert(warpSize == %d, \"\"); __global__ void k(int *) {}",
                 (int)device->fields.wavefront);
        cr_assert_eq(kernels_compile(source, NAMES("k"), options, &log), 0, "%s", log);
        free(log);
    }
    free(devices);
}

static bool needs(const kernels *of, const char *library) {
    size_t size;
    cr_assert_eq(of->hip->hiprtcGetCodeSize(of->program, &size), 0);
    char *code = ht_alloc(size, 1);
    cr_assert_eq(of->hip->hiprtcGetCode(of->program, code), 0);
    bool found = memmem(code, size, library, strlen(library)) != NULL;
    free(code);
    return found;
}

/* Under AddressSanitizer this program has functions of the C library itself. */
Test(unit, an_image_needs_the_libraries_whose_functions_it_calls) {
    static const char *const bodies[][2] = {
        {"*out = *out * 2;", ""},
        {"*out = sinf(*out) + expf(*out);", "libm.so.6"},
        {"*out = std::stof(std::to_string(*out));", "libstdc++.so.6"}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        char *source =
            ht_format("#include <string>\n__global__ void k(float *out) { %s }", bodies[i][0]);
        kernels of = KERNELS(64, source, "k");
        float out = 1, *to = &out;
        cr_expect(needs(&of, bodies[i][1]), "%s", source);
        if (!HT_ADDRESS_SANITIZED)
            cr_expect_eq(needs(&of, "libstdc++.so.6"), i == 2, "%s", source);
        RUN(&of, "k", LINE(1, 1), &to);
        float wanted = i == 0 ? 2.0f : i == 1 ? sinf(1.0f) + expf(1.0f) : 1.0f;
        cr_expect_float_eq(out, wanted, 1e-5, "%g: %s", out, source);
        kernels_free(&of);
        free(source);
    }
}
