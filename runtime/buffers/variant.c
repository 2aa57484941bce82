#include "runtime/buffers/variant.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/buffers/arguments.h"
#include "runtime/buffers/structure.h"
#include "runtime/protocol/protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct loaded_launch {
    hipFunction_t function;
    ht_geometry geometry;
    void **arguments; /* owned; each points into the variant */
} loaded_launch;

struct ht_variant {
    const ht_hip *hip;
    const ht_template *template;
    ht_buffers *buffers;
    hipModule_t module;
    loaded_launch *launches;
    size_t launch_count;
    ht_layout_arg *args; /* owned; one per argument of the template, as its layout has it but for
                            fields in numbers of their own (structure.h) */
    ht_scalar *scalars;  /* one per argument of the template */
    ht_structure *structures; /* owned */
    size_t structure_count;
    char **constants; /* lowered names; owned */
    size_t constant_count;
    double seconds; /* of the last run */
};

static void *argument_pointer(ht_variant *variant, size_t index) {
    for (size_t i = 0; i < variant->structure_count; ++i)
        if (variant->structures[i].arg == index)
            return variant->template->args[index].is_pointed
                       ? (void *)&variant->structures[i].device
                       : (void *)variant->structures[i].bytes;
    return variant->template->args[index].role == HT_ARG_SCALAR
               ? (void *)variant->scalars[index].bytes
               : (void *)&variant->buffers->buffers[index].data;
}

static ht_status collect_arguments(ht_variant *variant, const ht_launch *launch, loaded_launch *out,
                                   ht_error *error) {
    size_t *indices = NULL, count = 0;
    ht_status status = ht_launch_arguments(variant->template, launch, &indices, &count, error);
    if (status != HT_OK)
        return status;
    out->arguments = ht_alloc(count + 1, sizeof(void *));
    for (size_t i = 0; i < count; ++i)
        out->arguments[i] = argument_pointer(variant, indices[i]);
    free(indices);
    return HT_OK;
}

static ht_status load_launch(ht_variant *variant, const ht_binding *binding,
                             const ht_config *config, const ht_launch *launch, ht_numbers numbers,
                             const char *lowered, loaded_launch *out, ht_error *error) {
    const ht_hip *hip = variant->hip;
    ht_status status = ht_binding_geometry(binding, config, launch, &out->geometry, error);
    if (status != HT_OK)
        return status;
    /* Dynamic LDS is written in bytes of floats; wider numbers need more of it. */
    out->geometry.lds *= numbers == HT_NUMBERS_TRACKED ? 4 : numbers == HT_NUMBERS_DOUBLE ? 2 : 1;
    status = ht_hip_check(hip, hip->hipModuleGetFunction(&out->function, variant->module, lowered),
                          launch->kernel, error);
    if (status != HT_OK)
        return status;
    return collect_arguments(variant, launch, out, error);
}

/* Reads where fields are. Their lowered names follow those of constants. */
static ht_status load_structures(ht_variant *variant, ht_error *error) {
    const ht_template *template = variant->template;
    size_t next = 0;
    ht_status status = HT_OK;
    for (size_t i = 0; i < template->arg_count; ++i)
        next += template->args[i].role == HT_ARG_CONSTANT;
    variant->structures = ht_alloc(template->arg_count + 1, sizeof *variant->structures);
    for (size_t i = 0; i < template->arg_count && status == HT_OK; ++i) {
        if (!template->args[i].is_struct)
            continue;
        if (next >= variant->constant_count)
            return ht_error_set(error, HT_ERROR_INTERNAL, "structure '%s' was not compiled",
                                template->args[i].name);
        status = ht_structure_read(variant->hip, variant->module, variant->constants[next++],
                                   variant->args, template->arg_count, i,
                                   &variant->structures[variant->structure_count++], error);
    }
    return status;
}

static ht_status load_scalars(ht_variant *variant, const ht_binding *binding,
                              const ht_config *config, ht_error *error) {
    const ht_template *template = variant->template;
    ht_status status = HT_OK;
    for (size_t i = 0; i < template->arg_count && status == HT_OK; ++i)
        if (template->args[i].role == HT_ARG_SCALAR && !template->args[i].is_struct)
            status =
                ht_scalar_fill(binding, config, &variant->args[i], &variant->scalars[i], error);
    return status;
}

static ht_status load_all(ht_variant *variant, const ht_binding *binding, const ht_config *config,
                          ht_launch_set set, ht_numbers numbers, const ht_program *program,
                          ht_error *error) {
    const ht_template *template = binding->template;
    const ht_hip *hip = variant->hip;
    const ht_launch *launches = ht_template_launches(template, set, &variant->launch_count);
    if (program->kernel_count != variant->launch_count)
        return ht_error_set(error, HT_ERROR_INTERNAL, "%zu kernels compiled for %zu launches",
                            program->kernel_count, variant->launch_count);
    variant->launches = ht_alloc(variant->launch_count, sizeof *variant->launches);
    variant->scalars = ht_alloc(template->arg_count, sizeof *variant->scalars);
    variant->args = ht_alloc(template->arg_count + 1, sizeof *variant->args);
    for (size_t i = 0; i < template->arg_count; ++i)
        variant->args[i] = variant->buffers->layout.args[i];
    variant->constants = ht_alloc(program->constant_count + 1, sizeof(char *));
    for (; variant->constant_count < program->constant_count; ++variant->constant_count)
        variant->constants[variant->constant_count] =
            ht_strdup(program->constants[variant->constant_count]);

    hipError_t loaded = hip->hipModuleLoadData(&variant->module, program->code);
    ht_status status = ht_hip_check(hip, loaded, "loading the compiled kernel", error);
    if (loaded == HT_HIP_SYSTEM_CALL_FAILED) {
        status = HT_ERROR_IO; /* which would have hit any other configuration as well */
        if (error)
            error->status = status;
    }
    if (status == HT_OK)
        status = load_structures(variant, error);
    if (status == HT_OK)
        status = load_scalars(variant, binding, config, error);
    for (size_t i = 0; i < variant->launch_count && status == HT_OK; ++i)
        status = load_launch(variant, binding, config, &launches[i], numbers, program->kernels[i],
                             &variant->launches[i], error);
    if (status == HT_OK)
        status = ht_variant_constants(variant, error);
    return status;
}

ht_status ht_variant_load(const ht_hip *hip, const ht_binding *binding, const ht_config *config,
                          ht_launch_set set, ht_numbers numbers, const ht_program *program,
                          ht_buffers *buffers, ht_variant **out_variant, ht_error *error) {
    ht_variant *variant = ht_alloc(1, sizeof *variant);
    *variant = (ht_variant){.hip = hip, .template = binding->template, .buffers = buffers};
    ++buffers->users;
    ht_status status = load_all(variant, binding, config, set, numbers, program, error);
    if (status != HT_OK) {
        ht_variant_free(variant);
        return status;
    }
    *out_variant = variant;
    return HT_OK;
}

void ht_variant_free(ht_variant *variant) {
    if (variant == NULL)
        return;
    if (variant->module != NULL)
        variant->hip->hipModuleUnload(variant->module);
    for (size_t i = 0; variant->launches != NULL && i < variant->launch_count; ++i)
        free(variant->launches[i].arguments);
    ht_strings_free(variant->constants, variant->constant_count);
    free(variant->launches);
    for (size_t i = 0; i < variant->structure_count; ++i)
        ht_structure_free(variant->hip, &variant->structures[i]);
    free(variant->structures);
    free(variant->scalars);
    free(variant->args);
    --variant->buffers->users;
    free(variant);
}

ht_buffers *ht_variant_buffers(const ht_variant *variant) {
    return variant->buffers;
}

void ht_variant_absolute(ht_variant *variant, bool absolute) {
    for (size_t i = 0; i < variant->template->arg_count; ++i) {
        const ht_layout_arg *arg = &variant->args[i];
        if (!arg->arg->is_real)
            continue;
        double value = absolute ? fabs(arg->arg->real) : arg->arg->real;
        ht_element_set(arg->element, variant->scalars[i].bytes, 0, value);
    }
}

ht_status ht_variant_constants(ht_variant *variant, ht_error *error) {
    const ht_hip *hip = variant->hip;
    size_t next = 0;
    for (size_t i = 0; i < variant->template->arg_count; ++i) {
        const ht_layout_arg *arg = &variant->buffers->layout.args[i];
        if (arg->arg->role != HT_ARG_CONSTANT)
            continue;
        if (next >= variant->constant_count)
            return ht_error_set(error, HT_ERROR_INTERNAL, "constant '%s' was not compiled",
                                arg->arg->name);
        hipDeviceptr_t symbol = NULL;
        size_t size = 0, bytes = ht_layout_bytes(arg);
        ht_status status = ht_hip_check(
            hip,
            hip->hipModuleGetGlobal(&symbol, &size, variant->module, variant->constants[next++]),
            arg->arg->name, error);
        if (status != HT_OK)
            return status;
        if (size < bytes)
            return ht_error_set_at(error, HT_ERROR_INPUT, arg->arg->place.file,
                                   arg->arg->place.line, arg->arg->place.column,
                                   "constant '%s' is annotated with %zu bytes but the symbol has "
                                   "%zu; correct the extent in arg(...)",
                                   arg->arg->name, bytes, size);
        status = ht_hip_check(hip,
                              hip->hipMemcpy(symbol, variant->buffers->buffers[i].contents, bytes,
                                             HT_HIP_COPY_HOST_TO_DEVICE),
                              "setting a constant", error);
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

ht_status ht_variant_compose(ht_variant *variant, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < variant->structure_count && status == HT_OK; ++i)
        status = ht_structure_compose(variant->hip, &variant->structures[i], variant->args,
                                      variant->scalars, variant->buffers, error);
    return status;
}

const ht_structure *ht_variant_structure(const ht_variant *variant, size_t index) {
    return index < variant->structure_count ? &variant->structures[index] : NULL;
}

ht_status ht_variant_launch(ht_variant *variant, ht_error *error) {
    const ht_hip *hip = variant->hip;
    ht_status composed = ht_variant_compose(variant, error); /* buffers may have moved */
    if (composed != HT_OK)
        return composed;
    for (size_t i = 0; i < variant->launch_count; ++i) {
        loaded_launch *launch = &variant->launches[i];
        const ht_geometry *g = &launch->geometry;
        hipError_t code = hip->hipModuleLaunchKernel(
            launch->function, g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1],
            g->block[2], g->lds, NULL, launch->arguments, NULL);
        if (code != HT_HIP_SUCCESS)
            return ht_hip_check(hip, code, "launching", error);
    }
    return HT_OK;
}

ht_status ht_variant_check(ht_variant *variant, ht_error *error) {
    ht_status status = ht_buffers_check(variant->buffers, error);
    for (size_t i = 0; i < variant->structure_count && status == HT_OK; ++i)
        status = ht_structure_check(variant->hip, &variant->structures[i], variant->args, error);
    return status;
}

ht_status ht_variant_run(ht_variant *variant, ht_error *error) {
    ht_status status = ht_buffers_reset(variant->buffers, error);
    double begin = ht_clock_seconds();
    if (status == HT_OK)
        status = ht_variant_launch(variant, error);
    if (status == HT_OK)
        status = ht_hip_check(variant->hip, variant->hip->hipDeviceSynchronize(), "running", error);
    variant->seconds = ht_clock_seconds() - begin;
    if (status == HT_OK)
        status = ht_variant_check(variant, error);
    return status;
}

double ht_variant_seconds(const ht_variant *variant) {
    return variant->seconds;
}

ht_resources ht_variant_resources(const ht_variant *variant, const ht_provider *provider) {
    ht_resources resources = ht_resources_unknown();
    if (provider->loaded_resources == NULL || variant->launch_count == 0)
        return resources;
    const loaded_launch *launch = &variant->launches[0];
    const ht_geometry *g = &launch->geometry;
    unsigned threads = (unsigned)(g->block[0] * g->block[1] * g->block[2]);
    if (provider->loaded_resources(launch->function, threads, (unsigned)g->lds, &resources, NULL))
        return ht_resources_unknown();
    return resources;
}
