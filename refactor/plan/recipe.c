/* Reads and writes recipes. */
#include "refactor/plan/recipe.h"
#include "refactor/plan/transform.h"
#include "refactor/source/names.h"

#include "base/file.h"
#include "base/memory.h"
#include "templates/problem_file/json_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char format_name[] = "hiptemper-recipe";

static void param_free(ht_recipe_param *param) {
    ht_strings_free(param->values, param->value_count);
    free(param->name);
}

void ht_recipe_free(ht_recipe *recipe) {
    for (size_t i = 0; recipe && i < recipe->kernel_count; ++i) {
        ht_recipe_kernel *kernel = &recipe->kernels[i];
        for (size_t j = 0; j < kernel->step_count; ++j) {
            for (size_t k = 0; k < kernel->steps[j].param_count; ++k)
                param_free(&kernel->steps[j].params[k]);
            free(kernel->steps[j].params);
            free(kernel->steps[j].transformation);
        }
        free(kernel->steps);
        free(kernel->kernel);
    }
    if (recipe)
        free(recipe->kernels);
    free(recipe);
}

/* ---- reading */

static ht_status read_value(ht_json_reader *reader, const json_t *value, ht_recipe_param *param) {
    char *text = NULL;
    const char *words;
    if (json_is_integer(value))
        text = ht_format("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_boolean(value))
        text = ht_strdup(json_is_true(value) ? "true" : "false");
    else if (ht_json_string(reader, value, &words) == HT_OK)
        text = ht_strdup(words);
    else
        return ht_json_fail(reader, "expected a number, true, false or a name");
    for (size_t i = 0; i < param->value_count; ++i)
        if (strcmp(param->values[i], text) == 0) {
            free(text);
            return ht_json_fail(reader, "the value stands here twice");
        }
    HT_GROW(param->values, param->value_count);
    param->values[param->value_count++] = text;
    return HT_OK;
}

static ht_status read_param(ht_json_reader *reader, const char *name, const json_t *values,
                            ht_recipe_step *step) {
    if (!json_is_array(values) || !json_array_size(values))
        return ht_json_fail(reader, "expected a list [...] of at least one value");
    HT_GROW(step->params, step->param_count);
    ht_recipe_param *param = &step->params[step->param_count++];
    *param = (ht_recipe_param){.name = ht_strdup(name)};
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < json_array_size(values); ++i) {
        size_t mark = ht_json_enter_index(reader, i);
        status = read_value(reader, json_array_get(values, i), param);
        ht_json_leave(reader, mark);
    }
    return status;
}

/* Returns the place of a transformation in the order; -1: there is none of this name. */
static int position_of(const char *name) {
    for (int i = 0; ht_transformations[i]; ++i)
        if (strcmp(ht_transformations[i]->name, name) == 0)
            return i;
    return -1;
}

static ht_status read_name(ht_json_reader *reader, const json_t *object, ht_recipe_kernel *kernel,
                           ht_recipe_step *step) {
    const char *name;
    size_t mark = ht_json_enter(reader, "name");
    ht_status status = ht_json_string(reader, json_object_get(object, "name"), &name);
    if (status == HT_OK) {
        const ht_recipe_step *last =
            kernel->step_count > 1 ? &kernel->steps[kernel->step_count - 2] : NULL;
        step->transformation = ht_strdup(name);
        if (position_of(name) < 0)
            status = ht_json_fail(reader, "there is no transformation %.80s", name);
        else if (last && position_of(name) <= position_of(last->transformation))
            status = ht_json_fail(reader, "%s cannot run after %s", name, last->transformation);
    }
    ht_json_leave(reader, mark);
    return status;
}

static ht_status read_step(ht_json_reader *reader, const json_t *object, ht_recipe_kernel *kernel) {
    static const char *const keys[] = {"name", "parameters", NULL};
    ht_status status = ht_json_check_keys(reader, object, keys);
    if (status != HT_OK)
        return status;
    HT_GROW(kernel->steps, kernel->step_count);
    ht_recipe_step *step = &kernel->steps[kernel->step_count++];
    *step = (ht_recipe_step){0};
    status = read_name(reader, object, kernel, step);
    const json_t *params = json_object_get(object, "parameters");
    size_t outer = ht_json_enter(reader, "parameters");
    if (status == HT_OK && (!json_is_object(params) || !json_object_size(params)))
        status = ht_json_fail(reader, "expected an object {\"NAME\": [VALUE, ...], ...}");
    const char *name;
    json_t *values;
    if (status == HT_OK)
        json_object_foreach((json_t *)params, name, values) {
            size_t mark = ht_json_enter(reader, name);
            status = read_param(reader, name, values, step);
            ht_json_leave(reader, mark);
            if (status != HT_OK)
                break;
        }
    ht_json_leave(reader, outer);
    return status;
}

static ht_status read_kernel(ht_json_reader *reader, const json_t *object, ht_recipe *recipe) {
    static const char *const keys[] = {"kernel", "transformations", NULL};
    const char *name;
    ht_status status = ht_json_check_keys(reader, object, keys);
    if (status != HT_OK)
        return status;
    size_t mark = ht_json_enter(reader, "kernel");
    status = ht_json_string(reader, json_object_get(object, "kernel"), &name);
    for (size_t i = 0; status == HT_OK && i < recipe->kernel_count; ++i)
        if (strcmp(recipe->kernels[i].kernel, name) == 0)
            status = ht_json_fail(reader, "kernel %.80s has two entries", name);
    ht_json_leave(reader, mark);
    if (status != HT_OK)
        return status;
    HT_GROW(recipe->kernels, recipe->kernel_count);
    ht_recipe_kernel *kernel = &recipe->kernels[recipe->kernel_count++];
    *kernel = (ht_recipe_kernel){.kernel = ht_strdup(name)};
    const json_t *steps = json_object_get(object, "transformations");
    size_t outer = ht_json_enter(reader, "transformations");
    if (!json_is_array(steps) || !json_array_size(steps))
        status = ht_json_fail(reader, "expected a list [...] of at least one transformation");
    for (size_t i = 0; status == HT_OK && i < json_array_size(steps); ++i) {
        size_t inner = ht_json_enter_index(reader, i);
        status = read_step(reader, json_array_get(steps, i), kernel);
        ht_json_leave(reader, inner);
    }
    ht_json_leave(reader, outer);
    return status;
}

static ht_status read_root(ht_json_reader *reader, const json_t *root, ht_recipe *recipe) {
    static const char *const keys[] = {"format",    "version", "description",
                                       "hiptemper", "kernels", NULL};
    ht_status status = ht_json_check_keys(reader, root, keys);
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *kernels = json_object_get(root, "kernels");
    if (status == HT_OK && (!format || strcmp(format, format_name) != 0))
        return ht_json_fail(reader, "expected \"format\": \"%s\"", format_name);
    if (status == HT_OK && json_integer_value(json_object_get(root, "version")) != 1)
        return ht_json_fail(reader, "expected \"version\": 1");
    size_t outer = ht_json_enter(reader, "kernels");
    if (status == HT_OK && (!json_is_array(kernels) || !json_array_size(kernels)))
        status = ht_json_fail(reader, "expected a list [...] of at least one kernel");
    for (size_t i = 0; status == HT_OK && i < json_array_size(kernels); ++i) {
        size_t mark = ht_json_enter_index(reader, i);
        status = read_kernel(reader, json_array_get(kernels, i), recipe);
        ht_json_leave(reader, mark);
    }
    ht_json_leave(reader, outer);
    return status;
}

ht_status ht_recipe_parse(const char *text, const char *path, ht_recipe **out_recipe,
                          ht_error *error) {
    json_error_t at;
    ht_json_reader reader = {.file = path, .error = error};
    *out_recipe = NULL;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (!root)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, at.line > 0 ? at.line : 0,
                               at.column > 0 ? at.column : 0, "malformed JSON: %s", at.text);
    ht_recipe *recipe = ht_alloc(1, sizeof *recipe);
    ht_status status = read_root(&reader, root, recipe);
    json_decref(root);
    if (status == HT_OK)
        *out_recipe = recipe;
    else
        ht_recipe_free(recipe);
    return status;
}

ht_status ht_recipe_load(const char *path, ht_recipe **out_recipe, ht_error *error) {
    char *text;
    *out_recipe = NULL;
    ht_status status = ht_file_read_text(path, "a recipe", &text, error);
    if (status != HT_OK)
        return status;
    status = ht_recipe_parse(text, path, out_recipe, error);
    free(text);
    return status;
}

/* ---- queries ---- */

const ht_recipe_kernel *ht_recipe_find(const ht_recipe *recipe, const char *kernel) {
    for (size_t i = 0; i < recipe->kernel_count; ++i)
        if (strcmp(recipe->kernels[i].kernel, kernel) == 0)
            return &recipe->kernels[i];
    for (size_t i = 0; i < recipe->kernel_count; ++i)
        if (ht_name_ends(kernel, recipe->kernels[i].kernel))
            return &recipe->kernels[i];
    return NULL;
}

const ht_recipe_step *ht_recipe_step_find(const ht_recipe_kernel *kernel,
                                          const char *transformation) {
    for (size_t i = 0; i < kernel->step_count; ++i)
        if (strcmp(kernel->steps[i].transformation, transformation) == 0)
            return &kernel->steps[i];
    return NULL;
}

json_t *ht_recipe_document(json_t *entries) {
    return json_pack("{s:s, s:i, s:O}", "format", format_name, "version", 1, "kernels", entries);
}
