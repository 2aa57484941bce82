/* Writes the choices offered for a kernel as a recipe. */
#include "refactor/recipe_entry.h"

#include <string.h>

static json_t *values_json(const ht_param *param) {
    json_t *values = json_array();
    for (size_t i = 0; i < param->value_count; ++i) {
        const ht_param_value *value = &param->values[i];
        json_array_append_new(values, param->kind == HT_PARAM_INTEGER ? json_integer(value->number)
                                      : param->kind == HT_PARAM_BOOLEAN
                                          ? json_boolean(value->number != 0)
                                          : json_string(value->text));
    }
    return values;
}

json_t *ht_recipe_entry_json(const ht_kernel *kernel) {
    if (kernel->status != HT_KERNEL_TEMPLATED)
        return NULL;
    json_t *steps = json_array();
    for (size_t i = 0; i < kernel->transformation_count; ++i) {
        json_t *params = json_object();
        for (size_t k = 0; k < kernel->template->param_count; ++k)
            if (strcmp(kernel->origins[k], kernel->transformations[i]) == 0)
                json_object_set_new(params, kernel->template->params[k].name,
                                    values_json(&kernel->template->params[k]));
        json_array_append_new(steps, json_pack("{s:s, s:o}", "name", kernel->transformations[i],
                                               "parameters", params));
    }
    return json_pack("{s:s, s:o}", "kernel", kernel->name, "transformations", steps);
}
