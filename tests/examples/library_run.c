#include "library_run.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, ARGS_MAX = 32 }; /* floats before and after each buffer */
static const float GUARD_VALUE = -1.25e30f;

#define HIP_OK(call) cr_assert_eq((call), HT_HIP_SUCCESS, "%s failed", #call)

typedef struct argument {
    size_t elements; /* 0: a scalar */
    float *host;     /* with both guards */
    void *device;
    void *pointer; /* the kernel's argument */
    int scalar;
} argument;

static void fill(argument *argument, const ht_arg *arg, ht_random *random) {
    size_t total = argument->elements + 2 * GUARD;
    argument->host = ht_alloc(total, sizeof(float));
    for (size_t i = 0; i < total; ++i) {
        bool inside = i >= GUARD && i < GUARD + argument->elements;
        argument->host[i] = GUARD_VALUE; /* in an output: a value that no result can have */
        if (inside && arg->role == HT_ARG_IN)
            argument->host[i] = (float)(2 * ht_random_unit(random) - 1);
    }
}

static void prepare(const ht_hip *hip, const ht_binding *binding, const ht_config *config,
                    argument *arguments, ht_random *random) {
    const ht_template *template = binding->template;
    ht_error error = {0};
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        argument *argument = &arguments[i];
        int64_t number = 0;
        if (arg->role == HT_ARG_SCALAR) {
            cr_assert_str_eq(arg->type, "int");
            cr_assert_eq(ht_binding_evaluate(binding, config, arg->values[0], &number, &error),
                         HT_OK, "%s", error.message);
            argument->scalar = (int)number;
            continue;
        }
        cr_assert_eq(ht_binding_extent(binding, config, arg, &number, &error), HT_OK, "%s",
                     error.message);
        argument->elements = (size_t)number;
        fill(argument, arg, random);
        size_t bytes = (argument->elements + 2 * GUARD) * sizeof(float);
        HIP_OK(hip->hipMalloc(&argument->device, bytes));
        HIP_OK(hip->hipMemcpy(argument->device, argument->host, bytes, HT_HIP_COPY_HOST_TO_DEVICE));
        argument->pointer = (float *)argument->device + GUARD;
    }
}

static void launch(const ht_hip *hip, const ht_program *program, const ht_binding *binding,
                   const ht_config *config, argument *arguments) {
    const ht_template *template = binding->template;
    ht_geometry geometry;
    ht_error error = {0};
    cr_assert_eq(template->launch_count, 1);
    cr_assert_eq(ht_binding_geometry(binding, config, &template->launches[0], &geometry, &error),
                 HT_OK, "%s", error.message);

    void *pointers[ARGS_MAX];
    cr_assert_leq(template->arg_count, ARGS_MAX);
    for (size_t i = 0; i < template->arg_count; ++i)
        pointers[i] = arguments[i].elements ? (void *)&arguments[i].pointer : &arguments[i].scalar;

    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    HIP_OK(hip->hipModuleLoadData(&module, program->code));
    HIP_OK(hip->hipModuleGetFunction(&function, module, program->kernels[0]));
    HIP_OK(hip->hipModuleLaunchKernel(function, geometry.grid[0], geometry.grid[1],
                                      geometry.grid[2], geometry.block[0], geometry.block[1],
                                      geometry.block[2], geometry.lds, NULL, pointers, NULL));
    HIP_OK(hip->hipDeviceSynchronize());
    HIP_OK(hip->hipModuleUnload(module));
}

static void check_guards(const argument *argument, const char *name) {
    for (size_t i = 0; i < GUARD; ++i)
        cr_assert(argument->host[i] == GUARD_VALUE &&
                      argument->host[GUARD + argument->elements + i] == GUARD_VALUE,
                  "the kernel wrote outside %s", name);
}

double library_run(const ht_hip *hip, const ht_program *program, const ht_binding *binding,
                   const ht_config *config, const conv_shape *shape, ht_random *random) {
    const ht_template *template = binding->template;
    argument arguments[ARGS_MAX] = {0};
    prepare(hip, binding, config, arguments, random);
    launch(hip, program, binding, config, arguments);

    const float *in = NULL, *weights = NULL, *out = NULL;
    for (size_t i = 0; i < template->arg_count; ++i) {
        argument *argument = &arguments[i];
        if (!argument->elements)
            continue;
        size_t bytes = (argument->elements + 2 * GUARD) * sizeof(float);
        HIP_OK(hip->hipMemcpy(argument->host, argument->device, bytes, HT_HIP_COPY_DEVICE_TO_HOST));
        HIP_OK(hip->hipFree(argument->device));
        check_guards(argument, template->args[i].name);
        const float *data = argument->host + GUARD;
        if (!strcmp(template->args[i].name, "in"))
            in = data;
        else if (!strcmp(template->args[i].name, "weights"))
            weights = data;
        else
            out = data;
    }
    double worst = conv_worst_error(shape, in, weights, out);
    for (size_t i = 0; i < template->arg_count; ++i)
        free(arguments[i].host);
    return worst;
}
