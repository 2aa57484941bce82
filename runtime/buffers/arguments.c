#include "runtime/buffers/arguments.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

ht_status ht_scalar_fill(const ht_binding *binding, const ht_config *config,
                         const ht_layout_arg *arg, ht_scalar *out, ht_error *error) {
    if (arg->arg->is_real) {
        ht_element_set(arg->element, out->bytes, 0, arg->arg->real);
        return HT_OK;
    }
    for (size_t i = 0; i < arg->arg->value_count && i < arg->element.components; ++i) {
        int64_t value = 0;
        ht_status status = ht_binding_evaluate(binding, config, arg->arg->values[i], &value, error);
        if (status != HT_OK)
            return status;
        bool whole =
            arg->element.kind == HT_ELEMENT_SIGNED || arg->element.kind == HT_ELEMENT_UNSIGNED;
        if (whole) /* all 64 bits, which a double would not keep */
            memcpy(out->bytes + i * arg->element.bytes, &value, arg->element.bytes);
        else
            ht_element_set(arg->element, out->bytes, i, (double)value);
    }
    return HT_OK;
}

static size_t find_arg(const ht_template *template, const char *name) {
    for (size_t i = 0; i < template->arg_count; ++i)
        if (strcmp(template->args[i].name, name) == 0)
            return i;
    return template->arg_count;
}

ht_status ht_launch_arguments(const ht_template *template, const ht_launch *launch,
                              size_t **out_indices, size_t *out_count, ht_error *error) {
    size_t count = 0;
    size_t *indices = ht_alloc(template->arg_count + launch->argument_count + 1, sizeof *indices);
    for (size_t i = 0; !launch->has_arguments && i < template->arg_count; ++i)
        if (ht_arg_is_passed(&template->args[i]))
            indices[count++] = i;
    for (size_t i = 0; launch->has_arguments && i < launch->argument_count; ++i) {
        size_t index = find_arg(template, launch->arguments[i]);
        if (index == template->arg_count) {
            free(indices);
            return ht_error_set(error, HT_ERROR_INPUT, "launch of '%s': no argument '%s'",
                                launch->kernel, launch->arguments[i]);
        }
        indices[count++] = index;
    }
    *out_indices = indices;
    *out_count = count;
    return HT_OK;
}
