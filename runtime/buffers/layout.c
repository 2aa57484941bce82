#include "runtime/buffers/layout.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Resolves a type. One written as a type parameter's name is the type which the configuration
 * chooses. */
static const char *resolve_type(const ht_template *template, const ht_config *config,
                                const char *type) {
    for (size_t i = 0; i < template->param_count && i < config->count; ++i) {
        const ht_param *param = &template->params[i];
        if (param->kind == HT_PARAM_TYPE && strcmp(param->name, type) == 0)
            return param->values[config->choice[i]].text;
    }
    return type;
}

static ht_element in_numbers(ht_element element, ht_numbers numbers) {
    if (element.kind == HT_ELEMENT_FLOAT && numbers == HT_NUMBERS_DOUBLE)
        return (ht_element){HT_ELEMENT_DOUBLE, 8, element.components};
    if (element.kind == HT_ELEMENT_FLOAT && numbers == HT_NUMBERS_TRACKED)
        return (ht_element){HT_ELEMENT_TRACKED, 16, element.components};
    return element;
}

ht_status ht_layout_make(const ht_binding *binding, const ht_config *config, ht_numbers numbers,
                         ht_layout *out_layout, ht_error *error) {
    const ht_template *template = binding->template;
    *out_layout =
        (ht_layout){ht_alloc(template->arg_count, sizeof *out_layout->args), template->arg_count};
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        ht_layout_arg *out = &out_layout->args[i];
        const char *type = resolve_type(template, config, arg->type);
        *out = (ht_layout_arg){.arg = arg, .count = 1};
        ht_status status = HT_OK;
        if (arg->is_struct) /* its size is the compiler's (structure.h) */
            out->plain = (ht_element){HT_ELEMENT_UNSIGNED, 1, 1};
        else if (!ht_element_parse(type, &out->plain))
            status = ht_error_set_at(error, HT_ERROR_UNSUPPORTED, arg->place.file, arg->place.line,
                                     arg->place.column,
                                     "argument '%s': values of type '%s' cannot be made; use a "
                                     "scalar or HIP vector type",
                                     arg->name, type);
        out->element = in_numbers(out->plain, numbers);
        int64_t extent = 0;
        if (status == HT_OK && ht_arg_is_buffer(arg)) {
            status = ht_binding_extent(binding, config, arg, &extent, error);
            out->count = (size_t)extent;
        }
        if (status != HT_OK) {
            ht_layout_free(out_layout);
            return status;
        }
    }
    return HT_OK;
}

void ht_layout_free(ht_layout *layout) {
    free(layout->args);
    *layout = (ht_layout){0};
}

bool ht_layout_equal(const ht_layout *a, const ht_layout *b) {
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; ++i) {
        const ht_layout_arg *x = &a->args[i], *y = &b->args[i];
        if (x->arg != y->arg || x->count != y->count || x->element.kind != y->element.kind ||
            x->element.bytes != y->element.bytes || x->element.components != y->element.components)
            return false;
    }
    return true;
}

bool ht_arg_is_output(const ht_arg *arg) {
    return arg->role == HT_ARG_OUT || arg->role == HT_ARG_INOUT;
}

bool ht_arg_is_initialised(const ht_arg *arg) {
    return arg->role == HT_ARG_IN || arg->role == HT_ARG_INOUT || arg->role == HT_ARG_CONSTANT;
}

bool ht_arg_is_buffer(const ht_arg *arg) {
    return arg->role != HT_ARG_SCALAR;
}

size_t ht_layout_bytes(const ht_layout_arg *arg) {
    return ht_element_size(arg->element) * arg->count;
}
