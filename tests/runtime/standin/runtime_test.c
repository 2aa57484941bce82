/* amd's run path, from the libraries' names to a kernel's results: hiprtc compiles for gfx targets,
 * a stand-in for HIP's runtime executes the host twin of the same source. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/amd/code_object/symbols.h"
#include "runtime/amd/probe.h"
#include "runtime/compile/compile.h"
#include "tests/runtime/standin/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char scale_text[] = "#pragma tune unit\n"
                                 "#pragma tune kernel(scale)\n"
                                 "#pragma tune problem(line : n)\n"
                                 "#pragma tune param(BLOCK : 64, 128 = 64)\n"
                                 "#pragma tune block(BLOCK)\n"
                                 "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
                                 "#pragma tune arg(in : in float[problem.n])\n"
                                 "#pragma tune arg(out : out float[problem.n])\n"
                                 "#pragma tune arg(n : int = problem.n)\n"
                                 "#pragma tune arg(weights : constant float[4])\n"
                                 "__constant__ float weights[4];\n"
                                 "template <unsigned BLOCK>\n"
                                 "__global__ void scale(const float *in, float *out, int n) {\n"
                                 "    __shared__ float tile[BLOCK];\n"
                                 "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                                 "    tile[threadIdx.x] = i < n ? in[i] : 0;\n"
                                 "    __syncthreads();\n"
                                 "    if (i < n) out[i] = tile[threadIdx.x ^ 1] * weights[i % 4];\n"
                                 "}\n";
enum { N = 256 };

#define OK(call) cr_assert_eq(call, 0, "%s", #call)

/* Device memory, a constant and a loaded kernel, of a program. */
typedef struct loaded {
    const ht_hip *hip;
    hipModule_t module;
    hipFunction_t function;
    void *in, *out;
} loaded;

static void load(loaded *l, const ht_hip *hip, const ht_program *program) {
    static const float weights[4] = {1, 2, 3, 4};
    hipDeviceptr_t constant;
    size_t size;
    float values[N];
    l->hip = hip;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    OK(hip->hipModuleLoadData(&l->module, program->code));
    OK(hip->hipModuleGetFunction(&l->function, l->module, program->kernels[0]));
    OK(hip->hipModuleGetGlobal(&constant, &size, l->module, program->constants[0]));
    cr_assert_eq(size, sizeof weights);
    OK(hip->hipMemcpy(constant, weights, sizeof weights, HT_HIP_COPY_HOST_TO_DEVICE));
    OK(hip->hipMalloc(&l->in, sizeof values));
    OK(hip->hipMalloc(&l->out, sizeof values));
    OK(hip->hipMemcpy(l->in, values, sizeof values, HT_HIP_COPY_HOST_TO_DEVICE));
    OK(hip->hipMemset(l->out, 0xFF, sizeof values));
}

static hipError_t launch(loaded *l, unsigned block) {
    int n = N;
    void *arguments[] = {&l->in, &l->out, &n};
    return l->hip->hipModuleLaunchKernel(l->function, N / block, 1, 1, block, 1, 1, 0, NULL,
                                         arguments, NULL);
}

static void unload(loaded *l) {
    OK(l->hip->hipFree(l->in));
    OK(l->hip->hipFree(l->out));
    OK(l->hip->hipModuleUnload(l->module));
}

static ht_program compile(const standin_bound *bound, size_t choice) {
    ht_program program;
    ht_error error = {0};
    ht_config config = ht_config_default(bound->templates);
    config.choice[0] = (uint16_t)choice;
    cr_assert_eq(
        ht_program_compile(&bound->device, &bound->binding, &config, false, &program, &error),
        HT_OK, "%s", error.message);
    return program;
}

static const ht_hip *open_device(const standin_bound *bound) {
    const ht_hip *hip;
    ht_error error = {0};
    cr_assert_eq(ht_provider_amd.open(&hip, &error), HT_OK, "%s", error.message);
    OK(hip->hipInit(0));
    OK(hip->hipSetDevice(bound->device.ordinal));
    return hip;
}

/* Launches between two events, and reads back. */
static void launch_and_check(const ht_hip *hip, const ht_program *program, unsigned block) {
    loaded l;
    hipEvent_t start, stop;
    float ms = -1, values[N];
    load(&l, hip, program);
    OK(hip->hipEventCreate(&start));
    OK(hip->hipEventCreate(&stop));
    OK(hip->hipEventRecord(start, NULL));
    OK(launch(&l, block));
    OK(hip->hipEventRecord(stop, NULL));
    OK(hip->hipEventSynchronize(stop));
    OK(hip->hipEventElapsedTime(&ms, start, stop));
    OK(hip->hipDeviceSynchronize());
    cr_expect_gt(ms, 0);
    OK(hip->hipMemcpy(values, l.out, sizeof values, HT_HIP_COPY_DEVICE_TO_HOST));
    for (int i = 0; i < N; i++)
        cr_expect_eq(values[i], (float)((i ^ 1) * (i % 4 + 1)), "%d", i);
    OK(hip->hipEventDestroy(start));
    OK(hip->hipEventDestroy(stop));
    unload(&l);
}

static void a_kernel_runs(const char *version, const char *gpus) {
    standin_bound bound;
    standin_use(version);
    setenv("HT_STANDIN_GPUS", gpus, 1);
    standin_bind(&bound, scale_text, "n=256", "amd:0");
    cr_expect(bound.device.can_run && !bound.device.emulated);
    cr_expect_str_eq(bound.device.arch, gpus);
    cr_expect_eq(bound.device.fields.wavefront, strncmp(gpus, "gfx1", 4) == 0 ? 32 : 64);
    const ht_hip *hip = open_device(&bound);
    for (unsigned choice = 0; choice < 2; choice++) {
        ht_program program = compile(&bound, choice);
        launch_and_check(hip, &program, 64u << choice);
        ht_program_free(&program);
    }
    standin_unbind(&bound);
    standin_end();
}

Test(standin, a_kernel_runs_on_rocm_5) {
    a_kernel_runs("5", "gfx90a:sramecc+:xnack-");
}
Test(standin, a_kernel_runs_on_rocm_6) {
    a_kernel_runs("6", "gfx908");
}
Test(standin, a_kernel_runs_on_rocm_7_with_hiprtc_in_a_library_of_its_own) {
    a_kernel_runs("7", "gfx90a");
}
Test(standin, a_kernel_runs_with_wavefronts_of_32) {
    a_kernel_runs("6", "gfx1030");
}

static void put(const char *folder, const char *name, const void *data, size_t size) {
    char *path = ht_path_join(folder, name), *parent = ht_path_folder(path);
    cr_assert_eq(ht_dir_make(parent, NULL), HT_OK);
    cr_assert_eq(ht_file_write(path, data, size, NULL), HT_OK);
    free(parent);
    free(path);
}

static ht_clocks clocks_of(int ordinal) {
    const ht_device device = {.provider = "amd", .ordinal = ordinal};
    ht_clocks clocks;
    ht_provider_amd.clocks(&device, &clocks);
    return clocks;
}

/* Writes gpu_metrics of the revision, with a number at an offset. */
static void put_metrics(const char *gpu, char revision, size_t offset, uint64_t number) {
    char metrics[256] = {120, 0, 1, revision};
    memcpy(metrics + offset, &number, revision == 6 ? 4 : 8);
    put(gpu, "gpu_metrics", metrics, sizeof metrics);
}

/* The files of two GPUs, as their driver writes them, under a root of the test's own. */
Test(standin, clocks_come_from_the_folder_of_the_pci_device) {
    static const char steps[] = "0: 500Mhz\n1: 1502Mhz *\n2: 1700Mhz\n";
    char *root = NULL;
    const ht_hip *hip;
    cr_assert_eq(ht_dir_temporary("test", &root, NULL), HT_OK);
    char *first = ht_format("%s/bus/pci/devices/0000:c0:00.0", root);
    char *second = ht_format("%s/bus/pci/devices/0000:c1:00.0", root);
    standin_use("6");
    setenv("HT_STANDIN_GPUS", "gfx90a,gfx90a", 1);
    setenv("HIPTEMPER_SYSFS", root, 1);
    cr_expect_eq(clocks_of(0).mhz, -1, "the libraries are not open");
    cr_assert_eq(ht_provider_amd.open(&hip, NULL), HT_OK);
    cr_expect_eq(clocks_of(0).mhz, -1, "no files");
    cr_expect_eq(clocks_of(0).throttled, -1);
    put(first, "pp_dpm_sclk", steps, strlen(steps));
    cr_expect_eq(clocks_of(0).mhz, 1502);
    put(first, "hwmon/hwmon7/freq1_input", "1423000000\n", 11);
    cr_expect_eq(clocks_of(0).mhz, 1423, "the sensor knows better than the step");
    put_metrics(first, 3, 112, 0);
    long long before = clocks_of(0).throttled;
    cr_expect_geq(before, 0);
    put_metrics(first, 3, 112, 1);
    cr_expect_eq(clocks_of(0).throttled, before, "a limit of power is no heat");
    put_metrics(first, 3, 112, (uint64_t)1 << 36);
    cr_expect_eq(clocks_of(0).throttled, before + 1);
    put_metrics(first, 3, 112, UINT64_MAX);
    cr_expect_eq(clocks_of(0).throttled, -1, "not told");
    put_metrics(first, 2, 112, 0);
    cr_expect_eq(clocks_of(0).throttled, -1, "a revision without it");
    put(second, "pp_dpm_sclk", "nothing of the kind\n", 20);
    put_metrics(second, 6, 116, 4711);
    cr_expect_eq(clocks_of(1).mhz, -1);
    cr_expect_eq(clocks_of(1).throttled, 4711);
    put(second, "gpu_metrics", "\0\0\1\6short", 9);
    cr_expect_eq(clocks_of(1).throttled, -1);
    setenv("HT_STANDIN_FAULTS", "hipDeviceGetPCIBusId=1", 1);
    cr_expect_eq(clocks_of(0).mhz, -1, "a place that nobody tells");
    free(second);
    free(first);
    ht_dir_remove(root);
    free(root);
    standin_end();
}

/* The files and layouts that each version's symbols lead to. */
Test(standin, versions_are_told_apart_by_their_symbols) {
    static const struct {
        const char *version, *first;
        size_t ways;
        bool one_file;
    } known[] = {{"5", "hipGetDeviceProperties", 2, true},
                 {"6", "hipGetDevicePropertiesR0600", 3, true},
                 {"7", "hipGetDevicePropertiesR0600", 3, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ht_amd_symbols symbols;
        ht_error error = {0};
        standin_use(known[i].version);
        cr_assert_eq(
            ht_amd_symbols_load(ht_amd_runtime_names, ht_amd_hiprtc_names, &symbols, &error), HT_OK,
            "%s", error.message);
        char *folder = ht_format("%s/rocm%s/", HT_STANDIN_ROOT, known[i].version);
        cr_expect_str_eq(symbols.properties[0].symbol, known[i].first);
        cr_expect_eq(symbols.properties_count, known[i].ways);
        cr_expect(strstr(symbols.runtime, folder), "%s", symbols.runtime);
        cr_expect(strstr(symbols.hiprtc, folder), "%s", symbols.hiprtc);
        cr_expect_eq(strcmp(symbols.hiprtc, symbols.runtime) == 0, known[i].one_file);
        free(folder);
        standin_end();
    }
}

Test(standin, a_missing_function_is_named_with_its_file) {
    ht_amd_symbols symbols;
    ht_error error = {0};
    standin_use("6-broken");
    cr_assert_eq(ht_amd_symbols_load(ht_amd_runtime_names, ht_amd_hiprtc_names, &symbols, &error),
                 HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "hipModuleLaunchKernel") &&
                  strstr(error.message, "rocm6-broken/libamdhip64.so.6"),
              "%s", error.message);
    standin_end();
}

Test(standin, a_folder_without_libraries_is_named) {
    ht_device device;
    ht_error error = {0};
    setenv("HIPTEMPER_ROCM", "/nowhere/rocm", 1);
    cr_assert_eq(ht_device_find("amd:0", &device, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "/nowhere/rocm") && strstr(error.message, "libamdhip64.so.7"),
              "%s", error.message);
}

static size_t gpus_listed(void) {
    const ht_amd_probe *probe = ht_amd_probe_get();
    if (probe->error.status == HT_ERROR_MISSING || probe->error.status == HT_ERROR_COMPILE)
        cr_skip_test("%s", probe->error.message);
    size_t listed = 0;
    for (size_t i = 0; i < probe->gpu_count; i++)
        listed += probe->gpus[i].failure[0] == '\0';
    return listed;
}

Test(standin, every_gpu_is_listed_in_order) {
    standin_use("6");
    setenv("HT_STANDIN_GPUS", "gfx906,gfx1030,gfx90a:sramecc+:xnack-", 1);
    cr_expect_eq(gpus_listed(), 3);
    ht_device device = standin_device("amd:2");
    cr_expect_str_eq(device.arch, "gfx90a:sramecc+:xnack-");
    cr_expect_eq(device.ordinal, 2);
    cr_expect(strstr(device.description, "Stand-in 2"), "%s", device.description);
    cr_expect_eq(device.fields.wavefront, 64);
    cr_expect_eq(standin_device("amd:1").fields.wavefront, 32);
    standin_end();
}

/* Expects no GPU: a driver that fails, dies or has no device is not one; the targets stay. */
static void no_gpu(const char *faults, const char *gpus) {
    standin_use("6");
    setenv("HT_STANDIN_FAULTS", faults, 1);
    setenv("HT_STANDIN_GPUS", gpus, 1);
    cr_expect_eq(gpus_listed(), 0);
    cr_expect_not(standin_device("amd:gfx90a").can_run);
    standin_end();
}

Test(standin, a_driver_that_does_not_start_is_no_gpu) {
    no_gpu("hipInit=100", "gfx90a");
}
Test(standin, a_driver_that_dies_is_no_gpu) {
    no_gpu("hipGetDeviceCount=segv", "gfx90a");
}
Test(standin, a_machine_without_gpus_has_none) {
    no_gpu("", "");
}

static void refused(const char *wanted, const char *gpus) {
    ht_device device;
    ht_error error = {0};
    setenv("HT_STANDIN_GPUS", gpus, 1);
    cr_expect_eq(gpus_listed(), 0);
    cr_expect_eq(ht_device_find("amd:0", &device, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, wanted), "%s", error.message);
    standin_end();
}

Test(standin, an_unknown_layout_is_no_gpu_and_says_so) {
    standin_use("6");
    setenv("HT_STANDIN_LAYOUT", "none", 1);
    refused("in no known layout (hipGetDevicePropertiesR0600)", "gfx90a");
}
Test(standin, properties_that_fail_are_no_gpu) {
    standin_use("5");
    setenv("HT_STANDIN_FAULTS", "hipGetDeviceProperties=1", 1);
    refused("in no known layout", "gfx90a");
}
/* The old function still answers where the new one fails. */
Test(standin, the_other_layout_is_tried) {
    standin_use("6");
    setenv("HT_STANDIN_FAULTS", "hipGetDevicePropertiesR0600=1", 1);
    setenv("HT_STANDIN_GPUS", "gfx90a", 1);
    cr_expect_eq(gpus_listed(), 1);
    standin_end();
}
Test(standin, a_gpu_that_the_compiler_does_not_know_is_refused_with_its_end) {
    standin_use("6");
    refused("gfx0ff", "gfx0ff");
}
Test(standin, a_compiler_that_dies_for_a_gpu_is_told) {
    standin_use("6");
    setenv("HT_STANDIN_FAULTS", "hiprtcCompileProgram:probe=abort", 1);
    ht_device device;
    ht_error error = {0};
    cr_expect_eq(ht_device_find("amd:0", &device, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "signal 6"), "%s", error.message);
    standin_end();
}

/* The answers of a broken device reach the caller. */
Test(standin, errors_come_through) {
    standin_bound bound;
    static loaded l; /* never unloaded: a device that faulted frees nothing */
    standin_use("6");
    standin_bind(&bound, scale_text, "n=256", "amd:0");
    const ht_hip *hip = open_device(&bound);
    ht_program program = compile(&bound, 0);
    char garbage[256] = "\177ELF";
    hipModule_t module;
    hipFunction_t function;
    load(&l, hip, &program);
    cr_expect_neq(hip->hipModuleLoadData(&module, garbage), 0);
    cr_expect_neq(hip->hipModuleGetFunction(&function, l.module, "no_such_kernel"), 0);
    cr_expect_neq(launch(&l, 4096), 0, "more threads than a block may have");
    cr_expect(strlen(hip->hipGetErrorString(719)) > 0);
    setenv("HT_STANDIN_FAULTS", "hipMalloc=2;hipModuleLaunchKernel@2=719!", 1);
    void *pointer = NULL;
    cr_expect_eq(hip->hipMalloc(&pointer, 64), 2);
    OK(launch(&l, 64));
    cr_expect_eq(launch(&l, 64), 719);
    cr_expect_eq(hip->hipDeviceSynchronize(), 719, "a device that faulted stays so");
    ht_program_free(&program);
    standin_unbind(&bound);
    standin_end();
}
