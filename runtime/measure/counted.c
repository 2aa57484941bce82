#include "runtime/measure/counted.h"

#include "base/memory.h"
#include "runtime/buffers/arguments.h"

#include <stdlib.h>

/* The arguments of a launch, with their memory. */
typedef struct passed {
    ht_layout layout;              /* owned */
    ht_scalar *scalars;            /* owned; one per argument of the template */
    ht_kernel_argument *arguments; /* owned */
    size_t count;
} passed;

static ht_status passed_fill(passed *out, const ht_binding *binding, const ht_config *config,
                             const size_t *indices, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < out->count && !status; i++) {
        size_t index = indices[i];
        const ht_layout_arg *arg = &out->layout.args[index];
        ht_kernel_argument *argument = &out->arguments[i];
        if (arg->arg->is_struct) /* where its fields are, the code object does not say */
            return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, arg->arg->place.file,
                                   arg->arg->place.line, arg->arg->place.column,
                                   "accesses of a kernel that takes the structure '%s' by value "
                                   "are not counted; pass its fields as arguments",
                                   arg->arg->name);
        if (ht_arg_is_buffer(arg->arg)) {
            argument->size = ht_layout_bytes(arg);
            argument->output_unit = ht_arg_is_output(arg->arg) ? ht_element_size(arg->element) : 0;
            continue;
        }
        status = ht_scalar_fill(binding, config, arg, &out->scalars[index], error);
        argument->value = out->scalars[index].bytes;
        argument->size = ht_element_size(arg->element);
    }
    return status;
}

static ht_status passed_make(passed *out, const ht_binding *binding, const ht_config *config,
                             const ht_launch *launch, ht_error *error) {
    size_t *indices = NULL;
    *out = (passed){0};
    ht_status status = ht_layout_make(binding, config, HT_NUMBERS_PLAIN, &out->layout, error);
    if (!status)
        status = ht_launch_arguments(binding->template, launch, &indices, &out->count, error);
    if (!status) {
        out->scalars = ht_alloc(binding->template->arg_count + 1, sizeof *out->scalars);
        out->arguments = ht_alloc(out->count + 1, sizeof *out->arguments);
        status = passed_fill(out, binding, config, indices, error);
    }
    free(indices);
    return status;
}

static void passed_free(passed *passed) {
    ht_layout_free(&passed->layout);
    free(passed->scalars);
    free(passed->arguments);
}

ht_status ht_launch_count(const ht_device *device, const ht_binding *binding,
                          const ht_config *config, const ht_launch *launch,
                          const ht_program *program, const char *lowered, uint64_t blocks_max,
                          ht_accesses *out_accesses, ht_error *error) {
    const ht_provider *provider = ht_provider_find(device->provider);
    passed passed = {0};
    ht_counted_launch counted = {.blocks_max = blocks_max};
    if (!provider || !provider->accesses)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "accesses are counted from AMD code alone, such as gfx90a's, and not "
                            "for %s",
                            device->name);
    ht_status status = passed_make(&passed, binding, config, launch, error);
    if (!status)
        status = ht_binding_geometry(binding, config, launch, &counted.geometry, error);
    counted.arguments = passed.arguments;
    counted.argument_count = passed.count;
    if (!status)
        status = provider->accesses(device, program->code, program->code_size, lowered, &counted,
                                    out_accesses, error);
    passed_free(&passed);
    return status;
}
