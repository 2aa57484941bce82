/* The rewrites of convolutions and stencils that the loop is compared with (benchmarks/loop):
 * configurations of each, at sizes that no block or vector divides, against what the kernel is
 * defined to compute, in float64. */
#include "base/memory.h"
#include "base/random.h"
#include "runtime/compile/compile.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(rewrites, .timeout = 600);

enum { SAMPLES = 10, TRIES = 100000, ARGS_MAX = 16, GUARD = 64 };
static const float GUARD_VALUE = -1.25e30f;

#define HIP_OK(call) cr_assert_eq((call), HT_HIP_SUCCESS, "%s failed", #call)

/* A run's buffers, by the names of the arguments. */
typedef struct argument {
    const char *name;
    size_t elements; /* 0: a scalar */
    float *host;     /* with guards at both ends; owned */
    void *device, *pointer;
    int scalar;
} argument;

typedef struct run {
    const ht_binding *binding;
    const ht_config *config;
    argument arguments[ARGS_MAX];
} run;

static int size_of(const run *in, const char *field) {
    int64_t value = 0;
    cr_assert(ht_problem_get(in->binding->problem, field, &value), "no field %s", field);
    return (int)value;
}

static const float *buffer_of(const run *in, const char *name) {
    for (size_t i = 0; i < in->binding->template->arg_count; ++i)
        if (strcmp(in->arguments[i].name, name) == 0)
            return in->arguments[i].host + GUARD;
    cr_assert(false, "no buffer %s", name);
    return NULL;
}

/* ---- what is to be computed: output number `at` */

/* The convolution of NCHW or NHWC, with as many groups as channels or one. */
static double convolution(const run *in, const char *input, const char *filter, int at, bool nhwc) {
    const float *x = buffer_of(in, input), *w = buffer_of(in, filter);
    int C = size_of(in, "C"), H = size_of(in, "H"), W = size_of(in, "W"), K = size_of(in, "K");
    int R = size_of(in, "R"), S = size_of(in, "S"), P = size_of(in, "P"), Q = size_of(in, "Q");
    int pad = size_of(in, "pad_h"), stride = size_of(in, "stride_h");
    int each = C / size_of(in, "groups"); /* input channels of a filter */
    int k = nhwc ? at % K : at / (P * Q) % K, q = nhwc ? at / K % Q : at % Q;
    int p = nhwc ? at / (K * Q) % P : at / Q % P, n = at / (K * P * Q);
    double sum = 0;
    for (int c = 0; c < each; ++c)
        for (int r = 0; r < R; ++r)
            for (int s = 0; s < S; ++s) {
                int h = p * stride - pad + r, v = q * stride - pad + s;
                int channel = k / (K / size_of(in, "groups")) * each + c;
                if (h < 0 || h >= H || v < 0 || v >= W)
                    continue;
                sum += nhwc ? (double)x[((n * H + h) * W + v) * C + channel] *
                                  w[((r * S + s) * C + c) * K + k]
                            : (double)x[((n * C + channel) * H + h) * W + v] *
                                  w[((k * each + c) * R + r) * S + s];
            }
    return sum;
}

static double depthwise(const run *in, int at) {
    return convolution(in, "input", "filter", at, false);
}

static double direct(const run *in, int at) {
    return convolution(in, "x", "w", at, false);
}

static double channels_last(const run *in, int at) {
    return convolution(in, "in", "flt", at, true);
}

static double pointwise(const run *in, int at) {
    int k = at / (size_of(in, "P") * size_of(in, "Q")) % size_of(in, "K");
    return fmax(0, convolution(in, "in", "weight", at, false) + buffer_of(in, "bias")[k]);
}

static double blur(const run *in, int at) {
    int W = size_of(in, "W"), radius = size_of(in, "radius"), x = at % W;
    const float *row = buffer_of(in, "src") + at / W * W, *taps = buffer_of(in, "taps");
    double sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        int from = x + k < 0 ? 0 : x + k >= W ? W - 1 : x + k;
        sum += (double)taps[k + radius] * row[from];
    }
    return sum;
}

static double mask(const run *in, int at) {
    int W = size_of(in, "W"), M = size_of(in, "M"), x = at % W, y = at / W;
    double sum = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j)
            sum += (double)buffer_of(in, "input")[(y + i) * (W + M - 1) + x + j] *
                   buffer_of(in, "d_mask")[i * M + j];
    return sum;
}

typedef struct subject {
    const char *file, *output;
    double (*exact)(const run *in, int at);
    const char *problems[2];
} subject;

static const subject subjects[] = {
    {"depthwise",
     "output",
     depthwise,
     {"N=2 C=3 H=13 W=19 K=3 R=3 S=3 pad=1 groups=3",
      "N=1 C=2 H=15 W=37 K=2 R=3 S=3 stride=2 groups=2"}},
    {"conv2d", "y", direct, {"N=2 C=3 H=11 W=41 K=8 R=3 S=3", "N=1 C=2 H=9 W=21 K=8 R=2 S=5"}},
    {"conv_nhwc",
     "out",
     channels_last,
     {"N=2 C=5 H=7 W=9 K=20 R=3 S=3 pad=1 stride=2", "N=1 C=3 H=6 W=11 K=68 R=1 S=2"}},
    {"conv1x1",
     "out",
     pointwise,
     {"N=2 C=70 H=9 W=13 K=8 R=1 S=1", "N=1 C=3 H=17 W=19 K=24 R=1 S=1"}},
    {"blur_rows", "dst", blur, {"W=77 H=13", "W=3 H=5"}},
    {"filter_image", "output", mask, {"W=77 H=29", "W=5 H=3"}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* ---- a run */

static void prepare(const ht_hip *hip, run *in, ht_random *random) {
    const ht_template *template = in->binding->template;
    ht_error error = {0};
    cr_assert_leq(template->arg_count, ARGS_MAX);
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        argument *own = &in->arguments[i];
        int64_t number = 0;
        *own = (argument){.name = arg->name};
        if (arg->role == HT_ARG_SCALAR) {
            cr_assert_eq(
                ht_binding_evaluate(in->binding, in->config, arg->values[0], &number, &error),
                HT_OK, "%s", error.message);
            own->scalar = (int)number;
            continue;
        }
        cr_assert_eq(ht_binding_extent(in->binding, in->config, arg, &number, &error), HT_OK, "%s",
                     error.message);
        own->elements = (size_t)number;
        size_t total = own->elements + 2 * GUARD;
        own->host = ht_alloc(total, sizeof(float));
        for (size_t k = 0; k < total; ++k) {
            bool inside = k >= GUARD && k < GUARD + own->elements && arg->role != HT_ARG_OUT;
            own->host[k] = inside ? (float)(2 * ht_random_unit(random) - 1) : GUARD_VALUE;
        }
        HIP_OK(hip->hipMalloc(&own->device, total * sizeof(float)));
        HIP_OK(hip->hipMemcpy(own->device, own->host, total * sizeof(float),
                              HT_HIP_COPY_HOST_TO_DEVICE));
        own->pointer = (float *)own->device + GUARD;
    }
}

static void constants_set(const ht_hip *hip, hipModule_t module, const ht_program *program,
                          const run *in) {
    const ht_template *template = in->binding->template;
    size_t next = 0;
    for (size_t i = 0; i < template->arg_count; ++i) {
        const argument *own = &in->arguments[i];
        hipDeviceptr_t symbol = NULL;
        size_t bytes = 0;
        if (template->args[i].role != HT_ARG_CONSTANT)
            continue;
        HIP_OK(hip->hipModuleGetGlobal(&symbol, &bytes, module, program->constants[next++]));
        cr_assert_eq(bytes, own->elements * sizeof(float));
        HIP_OK(hip->hipMemcpy(symbol, own->host + GUARD, bytes, HT_HIP_COPY_HOST_TO_DEVICE));
    }
}

static void launch(const ht_hip *hip, const ht_program *program, run *in) {
    const ht_template *template = in->binding->template;
    ht_geometry geometry;
    ht_error error = {0};
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    void *pointers[ARGS_MAX];
    size_t count = 0;
    cr_assert_eq(
        ht_binding_geometry(in->binding, in->config, &template->launches[0], &geometry, &error),
        HT_OK, "%s", error.message);
    for (size_t i = 0; i < template->arg_count; ++i)
        if (template->args[i].role != HT_ARG_CONSTANT)
            pointers[count++] = in->arguments[i].elements ? (void *)&in->arguments[i].pointer
                                                          : &in->arguments[i].scalar;
    HIP_OK(hip->hipModuleLoadData(&module, program->code));
    constants_set(hip, module, program, in);
    HIP_OK(hip->hipModuleGetFunction(&function, module, program->kernels[0]));
    HIP_OK(hip->hipModuleLaunchKernel(function, geometry.grid[0], geometry.grid[1],
                                      geometry.grid[2], geometry.block[0], geometry.block[1],
                                      geometry.block[2], geometry.lds, NULL, pointers, NULL));
    HIP_OK(hip->hipDeviceSynchronize());
    HIP_OK(hip->hipModuleUnload(module));
}

/* Takes the buffers back; expects nothing written past their ends. */
static void finish(const ht_hip *hip, run *in) {
    for (size_t i = 0; i < in->binding->template->arg_count; ++i) {
        argument *own = &in->arguments[i];
        if (own->elements == 0)
            continue;
        HIP_OK(hip->hipMemcpy(own->host, own->device, (own->elements + 2 * GUARD) * sizeof(float),
                              HT_HIP_COPY_DEVICE_TO_HOST));
        HIP_OK(hip->hipFree(own->device));
        for (size_t k = 0; k < GUARD; ++k)
            cr_assert(own->host[k] == GUARD_VALUE &&
                          own->host[GUARD + own->elements + k] == GUARD_VALUE,
                      "the kernel wrote outside %s", own->name);
    }
}

static void outputs_expect(const subject *of, const run *in) {
    const float *out = buffer_of(in, of->output);
    size_t count = 0, wrong = 0;
    for (size_t i = 0; i < in->binding->template->arg_count; ++i)
        if (strcmp(in->arguments[i].name, of->output) == 0)
            count = in->arguments[i].elements;
    for (size_t i = 0; i < count; ++i) {
        double exact = of->exact(in, (int)i);
        wrong += !(fabs(out[i] - exact) <= 1e-4 * (1 + fabs(exact)));
    }
    char *config = ht_config_string(in->binding->template, in->config);
    cr_expect_gt(count, 0);
    cr_expect_eq(wrong, 0, "%s, %s: %zu of %zu outputs are wrong", of->file, config, wrong, count);
    free(config);
}

/* ---- which configurations */

static ht_config sample(const ht_binding *binding, ht_random *random) {
    ht_config config = ht_config_default(binding->template);
    ht_error error = {0};
    for (int i = 0; i < TRIES; ++i) {
        bool legal = false;
        for (size_t p = 0; p < binding->template->param_count; ++p)
            config.choice[p] =
                (uint16_t)ht_random_below(random, binding->template->params[p].value_count);
        cr_assert_eq(ht_binding_legal(binding, &config, &legal, NULL, &error), HT_OK, "%s",
                     error.message);
        if (legal)
            return config;
    }
    cr_assert(false, "no legal configuration found");
    return config;
}

static void subject_run(const subject *of, const char *words, uint64_t stream) {
    ht_template *templates = NULL;
    ht_problem problem;
    ht_device device;
    const ht_hip *hip = NULL;
    ht_random random;
    ht_error error = {0};
    size_t count = 0;
    char path[512];
    snprintf(path, sizeof path, HT_SOURCE_DIR "/benchmarks/loop/rewrites/%s.hip", of->file);
    cr_assert_eq(ht_template_load(path, &templates, &count, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_problem_parse(&templates->problem, words, &problem, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_provider_host.open(&hip, &error), HT_OK, "%s", error.message);
    ht_random_stream(&random, 20261128, stream);
    const ht_binding binding = {templates, &problem, &device.fields};
    ht_config configs[SAMPLES];
    ht_program programs[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i)
        configs[i] = i == 0 ? ht_config_default(templates) : sample(&binding, &random);
    cr_assert_eq(ht_program_compile_batch(&device, &binding, configs, SAMPLES, programs, &error),
                 HT_OK, "%s", error.message);
    for (int i = 0; i < SAMPLES; ++i) {
        run now = {.binding = &binding, .config = &configs[i]};
        prepare(hip, &now, &random);
        launch(hip, &programs[i], &now);
        finish(hip, &now);
        outputs_expect(of, &now);
        for (size_t k = 0; k < templates->arg_count; ++k)
            free(now.arguments[k].host);
        ht_program_free(&programs[i]);
    }
    ht_problem_free(&problem);
    ht_template_free(templates, count);
}

static int numbers[2 * SUBJECTS];

ParameterizedTestParameters(rewrites, compute_what_the_kernel_is_defined_to) {
    for (int i = 0; i < 2 * SUBJECTS; ++i)
        numbers[i] = i;
    return cr_make_param_array(int, numbers, 2 * SUBJECTS);
}

ParameterizedTest(int *number, rewrites, compute_what_the_kernel_is_defined_to) {
    const subject *of = &subjects[*number / 2];
    subject_run(of, of->problems[*number % 2], (uint64_t)*number);
}
