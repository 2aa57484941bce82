#include "tests/runtime/job/fake_device.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG = 64 << 20 };

fake_device fake;
static ht_random noise;

void fake_reset(void) {
    fake = (fake_device){
        .clock = 1, .slow_from = INFINITY, .mhz = -1, .throttled = -1, .memory_left = SIZE_MAX};
    ht_random_seed(&noise, 11);
}

static hipError_t fine(void) {
    return HT_HIP_SUCCESS;
}

static hipError_t event_create(hipEvent_t *event) {
    *event = calloc(1, sizeof(double));
    return HT_HIP_SUCCESS;
}

static hipError_t event_destroy(hipEvent_t event) {
    free(event);
    return HT_HIP_SUCCESS;
}

static hipError_t event_record(hipEvent_t event, hipStream_t stream) {
    (void)stream;
    *(double *)event = fake.step > 0 ? floor(fake.clock / fake.step) * fake.step : fake.clock;
    return HT_HIP_SUCCESS;
}

static hipError_t event_wait(hipEvent_t event) {
    (void)event;
    return HT_HIP_SUCCESS;
}

static hipError_t elapsed(float *ms, hipEvent_t start, hipEvent_t stop) {
    *ms = (float)(*(double *)stop - *(double *)start);
    return HT_HIP_SUCCESS;
}

static hipError_t module_load(hipModule_t *module, const void *image) {
    memcpy(module, image, sizeof *module);
    return HT_HIP_SUCCESS;
}

static hipError_t module_unload(hipModule_t module) {
    (void)module;
    return HT_HIP_SUCCESS;
}

static hipError_t get_function(hipFunction_t *function, hipModule_t module, const char *name) {
    (void)name;
    *function = module;
    return HT_HIP_SUCCESS;
}

static hipError_t launch(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds,
                         hipStream_t stream, void **arguments, void **extra) {
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)lds, (void)stream, (void)arguments, (void)extra;
    fake_kernel *kernel = function;
    ++kernel->launches;
    fake.last = kernel;
    double slower = fake.clock >= fake.slow_from ? 2 : 1;
    if (fake.throttle_end > fake.clock) {
        ++fake.throttled;
        slower = 3;
    }
    fake.clock += kernel->ms * slower * (1 + fake.noise * ht_random_unit(&noise));
    return HT_HIP_SUCCESS;
}

static hipError_t memory_get(void **pointer, size_t size) {
    if (size > fake.memory_left)
        return 2;
    *pointer =
        malloc(size < BIG ? size : 1); /* memory that is only written over need not be there */
    return HT_HIP_SUCCESS;
}

static hipError_t memory_free(void *pointer) {
    free(pointer);
    return HT_HIP_SUCCESS;
}

static hipError_t copy(void *to, const void *from, size_t size, int kind) {
    (void)kind;
    memcpy(to, from, size);
    return HT_HIP_SUCCESS;
}

static hipError_t set(void *pointer, int value, size_t size) {
    if (size >= BIG)
        ++fake.big_writes;
    else
        memset(pointer, value, size);
    return HT_HIP_SUCCESS;
}

static const char *words(hipError_t error) {
    (void)error;
    return "fake";
}

const ht_hip fake_hip = {.hipEventCreate = event_create,
                         .hipEventDestroy = event_destroy,
                         .hipEventRecord = event_record,
                         .hipEventSynchronize = event_wait,
                         .hipEventElapsedTime = elapsed,
                         .hipModuleLoadData = module_load,
                         .hipModuleUnload = module_unload,
                         .hipModuleGetFunction = get_function,
                         .hipModuleLaunchKernel = launch,
                         .hipMalloc = memory_get,
                         .hipFree = memory_free,
                         .hipMemcpy = copy,
                         .hipMemset = set,
                         .hipDeviceSynchronize = fine,
                         .hipGetLastError = fine,
                         .hipGetErrorString = words};

static void clocks(const ht_device *device, ht_clocks *out_clocks) {
    (void)device;
    *out_clocks = (ht_clocks){.mhz = fake.mhz, .throttled = fake.throttled};
    if (fake.throttle_end > 0) /* the device cools down as time goes by */
        fake.clock += 1;
}

const ht_provider fake_provider = {.name = "fake", .clocks = clocks};

static const char text[] = "#pragma tune kernel(k)\n"
                           "#pragma tune param(BLOCK : 32 = 32)\n"
                           "#pragma tune block(BLOCK)\n"
                           "#pragma tune grid(1)\n"
                           "#pragma tune arg(in : in float[32])\n"
                           "#pragma tune arg(out : %s float[32])\n"
                           "template <int BLOCK> __global__ void k(const float *in, float *out) {"
                           "}\n";

void fake_load(fake_variant *out, fake_kernel *kernel, bool inout) {
    char source[1024];
    snprintf(source, sizeof source, text, inout ? "inout" : "out");
    bind_text(&out->bound, source, NULL);
    ht_config config = ht_config_default(out->bound.binding.template);
    ht_layout layout;
    ht_error error = {0};
    char *names[] = {(char *)"k"};
    ht_program program = {.code = (char *)&kernel, .kernels = names, .kernel_count = 1};
    cr_assert_eq(ht_layout_make(&out->bound.binding, &config, HT_NUMBERS_PLAIN, &layout, &error),
                 HT_OK);
    cr_assert_eq(ht_buffers_create(&fake_hip, &layout, NULL, &out->buffers, &error), HT_OK);
    ht_buffers_fill(out->buffers, 1, false);
    cr_assert_eq(ht_variant_load(&fake_hip, &out->bound.binding, &config, false, HT_NUMBERS_PLAIN,
                                 &program, out->buffers, &out->variant, &error),
                 HT_OK, "%s", error.message);
}

void fake_unload(fake_variant *variant) {
    ht_variant_free(variant->variant);
    ht_buffers_free(variant->buffers);
    unbind(&variant->bound);
}
