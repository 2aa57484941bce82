/* The provider's whole run path on the stand-in driver (standin/): units go through the real NVRTC
 * too, where there is one, and runs on the host provider. */
#include "kernel.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
    "#include <hip/hip_runtime.h>\n__constant__ float filter[2];\n"
    "__global__ void scale(const float *in, float *out, int n) {\n"
    "    extern __shared__ float tile[];\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    tile[threadIdx.x] = i < n ? in[i] : 0;\n    __syncthreads();\n"
    "    float other = __shfl_xor(tile[threadIdx.x], 1);\n"
    "    if (i < n) out[i] = filter[0] * other + filter[1];\n}\n"
    "__global__ void bad(float *out) { assert(out == nullptr); }\n";
static const char *const names[] = {"scale", "bad", "&filter", NULL};

/* Uses the stand-in. The environment must be there before the first probe, once a process:
 * Criterion gives each test its own. */
static void use_standin(void) {
    static const char *const places[] = {"/usr/local/cuda/lib64/libnvrtc.so",
                                         "/usr/local/cuda/lib/libnvrtc.so"};
    setenv("HIPTEMPER_CUDA_DRIVER", HT_STANDIN_CUDA, 1);
    setenv("HIPTEMPER_NVRTC", HT_STANDIN_LIBNVRTC, 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        setenv("HT_STANDIN_NVRTC", places[i], !access(places[i], R_OK));
}
TestSuite(run, .init = use_standin);
TestSuite(errors, .init = use_standin);

typedef struct loaded {
    kernel kernel;
    hipModule_t module;
} loaded;

static void check(const ht_hip *hip, hipError_t error) {
    cr_assert_eq(error, 0, "%s", hip->hipGetErrorString(error));
}

static loaded load(void) {
    ht_device device = kernel_device("nvidia:0");
    loaded of = {.kernel = kernel_build(&device, source, names)};
    const ht_hip *hip = of.kernel.hip;
    check(hip, hip->hipInit(0));
    check(hip, hip->hipSetDevice(0));
    check(hip, hip->hipModuleLoadData(&of.module, of.kernel.code));
    return of;
}

static void unload(loaded *of) {
    check(of->kernel.hip, of->kernel.hip->hipModuleUnload(of->module));
    kernel_free(&of->kernel);
}

static hipFunction_t function(const loaded *of, const char *expression) {
    hipFunction_t found = NULL;
    const ht_hip *hip = of->kernel.hip;
    check(hip,
          hip->hipModuleGetFunction(&found, of->module, kernel_lowered(&of->kernel, expression)));
    return found;
}

static hipError_t launch(const loaded *of, const char *expression, unsigned lds, void **arguments) {
    return of->kernel.hip->hipModuleLaunchKernel(function(of, expression), 4, 1, 1, 64, 1, 1, lds,
                                                 NULL, arguments, NULL);
}

Test(run, gpus_are_listed_before_targets) {
    ht_device device = kernel_device("nvidia");
    cr_expect_str_eq(device.name, "nvidia:0");
    cr_expect_str_eq(device.arch, "sm_90");
    cr_expect_str_eq(device.description, "Stand-in GPU 0, sm_90");
    cr_expect(device.can_run && !device.emulated);
    cr_expect_eq(device.fields.wavefront, 32);
    cr_expect_eq(device.fields.max_static_lds, 49152);
    cr_expect_eq(device.fields.max_dynamic_lds, 65536);
    cr_expect_eq(device.fields.lds_per_unit, 228 << 10);
    char *settings = ht_provider_nvidia.settings(&device);
    cr_expect(strstr(settings, "driver for CUDA 13.0"), "%s", settings);
    free(settings);
    ht_error error = {0};
    cr_expect_eq(ht_device_find("nvidia:1", &device, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "nvidia:0"), "%s", error.message);
}

Test(run, a_kernel_with_constants_and_dynamic_lds) {
    enum { N = 250 };
    loaded of = load();
    const ht_hip *hip = of.kernel.hip;
    float in[256], out[256], filter[2] = {2, 3};
    float *device_in = NULL, *device_out = NULL;
    hipDeviceptr_t constant = NULL;
    size_t size = 0;
    int n = N;
    for (int i = 0; i < 256; i++)
        in[i] = (float)i;
    check(hip, hip->hipMalloc((void **)&device_in, sizeof in));
    check(hip, hip->hipMalloc((void **)&device_out, sizeof out));
    check(hip, hip->hipMemcpy(device_in, in, sizeof in, HT_HIP_COPY_HOST_TO_DEVICE));
    check(hip, hip->hipMemset(device_out, 0, sizeof out));
    check(hip, hip->hipModuleGetGlobal(&constant, &size, of.module,
                                       kernel_lowered(&of.kernel, "&filter")));
    cr_expect_eq(size, sizeof filter);
    check(hip, hip->hipMemcpy(constant, filter, sizeof filter, HT_HIP_COPY_HOST_TO_DEVICE));
    hipEvent_t start, stop;
    float milliseconds = -1;
    check(hip, hip->hipEventCreate(&start));
    check(hip, hip->hipEventCreate(&stop));
    check(hip, hip->hipEventRecord(start, NULL));
    void *arguments[] = {&device_in, &device_out, &n};
    check(hip, launch(&of, "scale", 256, arguments));
    check(hip, hip->hipEventRecord(stop, NULL));
    check(hip, hip->hipEventSynchronize(stop));
    check(hip, hip->hipEventElapsedTime(&milliseconds, start, stop));
    cr_expect_geq(milliseconds, 0);
    check(hip, hip->hipMemcpy(out, device_out, sizeof out, HT_HIP_COPY_DEVICE_TO_HOST));
    for (int i = 0; i < 256; i++)
        cr_expect_eq(out[i], i < N ? 2 * (float)(i ^ 1 ? (i ^ 1) < N ? i ^ 1 : 0 : 0) + 3 : 0,
                     "%d: %g", i, (double)out[i]);
    ht_resources resources;
    cr_assert_eq(
        ht_provider_nvidia.loaded_resources(function(&of, "scale"), 64, 256, &resources, NULL),
        HT_OK);
    cr_expect_eq(resources.vgprs, 32);
    cr_expect_eq(resources.waves_per_simd, 16);
    check(hip, hip->hipEventDestroy(start));
    check(hip, hip->hipEventDestroy(stop));
    check(hip, hip->hipFree(device_in));
    check(hip, hip->hipFree(device_out));
    check(hip, hip->hipFree(NULL));
    check(hip, hip->hipDeviceSynchronize());
    unload(&of);
}

Test(run, clocks_are_nvmls) {
    ht_device device = kernel_device("nvidia:0");
    ht_clocks clocks;
    setenv("HIPTEMPER_NVML", "/nowhere/libnvidia-ml.so.1", 1);
    loaded of = load();
    ht_provider_nvidia.clocks(&device, &clocks);
    cr_expect_eq(clocks.mhz, -1);
    cr_expect_eq(clocks.throttled, -1);
    setenv("HIPTEMPER_NVML", HT_STANDIN_NVML, 1);
    setenv("HT_STANDIN_MHZ", "1980", 1);
    device.ordinal = 5; /* another device is looked up anew */
    ht_provider_nvidia.clocks(&device, &clocks);
    device.ordinal = 0;
    ht_provider_nvidia.clocks(&device, &clocks);
    cr_expect_eq(clocks.mhz, 1980);
    cr_expect_eq(clocks.throttled, 0);
    setenv("HT_STANDIN_HEAT", "77", 1);
    ht_provider_nvidia.clocks(&device, &clocks);
    cr_expect_eq(clocks.throttled, 77);
    unload(&of);
}

Test(errors, a_failed_launch_stays_with_the_context) {
    static loaded of; /* a failed context frees nothing: both stay until the process ends */
    static float *out;
    of = load();
    const ht_hip *hip = of.kernel.hip;
    check(hip, hip->hipMalloc((void **)&out, 64));
    void *more, *arguments[] = {&out};
    hipError_t error = launch(&of, "bad", 0, arguments);
    cr_assert_neq(error, 0);
    cr_expect(strstr(hip->hipGetErrorString(error), "CUDA_ERROR_"), "%s",
              hip->hipGetErrorString(error));
    cr_expect_eq(hip->hipDeviceSynchronize(), error);
    cr_expect_eq(hip->hipMalloc(&more, 64), error);
    cr_expect_eq(hip->hipGetLastError(), error);
    cr_expect_eq(hip->hipGetLastError(), 0);
    kernel_free(&of.kernel);
}

Test(errors, numbers_and_words_are_the_drivers) {
    loaded of = load();
    const ht_hip *hip = of.kernel.hip;
    void *pointer;
    setenv("HT_STANDIN_FAIL", "cuMemAlloc_v2:2 cuModuleGetFunction:500 cuEventCreate:3", 1);
    cr_expect_eq(hip->hipMalloc(&pointer, 64), 2);
    cr_expect_str_eq(hip->hipGetErrorString(2), "CUDA_ERROR_OUT_OF_MEMORY: stand-in error");
    hipFunction_t found;
    cr_expect_eq(hip->hipModuleGetFunction(&found, of.module, "scale"), 500);
    hipEvent_t event;
    cr_expect_eq(hip->hipEventCreate(&event), 3);
    cr_expect_eq(hip->hipSetDevice(7), 101);
    cr_expect_eq(hip->hipSetDevice(-1), 101);
    int value;
    cr_expect_eq(hip->hipDeviceGetAttribute(&value, 12345, 0), 1);
    cr_expect(strstr(hip->hipGetErrorString(1), "not mapped"));
    cr_expect_eq(hip->hipMemcpy(&value, &value, 4, 99), 1);
    hipModule_t module;
    cr_expect_eq(hip->hipModuleLoadData(&module, "no image, and long enough to look into it"), 200);
    cr_expect(strstr(hip->hipGetErrorString(200), "not an image of the stand-in") &&
                  strstr(hip->hipGetErrorString(200), "HIPTEMPER_NVRTC"),
              "%s", hip->hipGetErrorString(200));
    unload(&of);
}

Test(errors, a_driver_that_does_not_start_leaves_the_targets) {
    setenv("HT_STANDIN_FAIL", "cuInit:100", 1);
    ht_device device = kernel_device("nvidia");
    cr_expect_not(device.can_run);
    ht_error error = {0};
    cr_expect_eq(ht_device_find("nvidia:0", &device, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "does not start"), "%s", error.message);
}

Test(errors, an_old_driver_is_named_with_what_it_lacks) {
    setenv("HIPTEMPER_CUDA_DRIVER", HT_STANDIN_CUDA_OLD, 1);
    ht_device device;
    ht_error error = {0};
    cr_expect_eq(ht_device_find("nvidia:0", &device, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "no function cuFuncSetAttribute"), "%s", error.message);
    const ht_hip *hip;
    void *pointer;
    cr_assert_eq(ht_provider_nvidia.open(&hip, &error), HT_OK);
    cr_expect_eq(hip->hipInit(0), 100);
    cr_expect_eq(hip->hipMalloc(&pointer, 1), 100);
    cr_expect(strstr(hip->hipGetErrorString(100), "cuFuncSetAttribute"));
}

Test(errors, a_missing_nvrtc_says_what_to_install) {
    ht_device device;
    ht_error error = {0};
    setenv("HIPTEMPER_NVRTC", "/nowhere/libnvrtc.so", 1);
    cr_expect_eq(ht_device_find("nvidia", &device, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "/nowhere/libnvrtc.so, which is not there") &&
                  strstr(error.message, "CUDA_HOME"),
              "%s", error.message);
    setenv("HIPTEMPER_NVRTC", HT_STANDIN_CUDA, 1); /* a library, but another one */
    const ht_hip *hip;
    cr_expect_eq(ht_provider_nvidia.open(&hip, &error), HT_ERROR_MISSING);
    cr_expect(strstr(error.message, "no function nvrtcVersion"), "%s", error.message);
}

Test(errors, compile_errors_are_the_units_own) {
    ht_device device = kernel_device("nvidia:0");
    kernel of = kernel_compile(&device, "\n__global__ void k() { oops; }\n",
                               (const char *const[]){"k", NULL});
    cr_expect_eq(of.result, HT_HIPRTC_ERROR_COMPILATION);
    cr_expect(strstr(of.log, "unit.hip:2:") && strstr(of.log, "oops"), "%s", of.log);
    kernel_free(&of);
}
