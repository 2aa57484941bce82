#include "runtime/worker/worker.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/reference/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads registers, spills and occupancy, where the provider can: information, so a failure is not
 * one of the variant. The first launch stands for a sequence. */
static ht_resources read_resources(ht_worker *worker, const ht_config *config, ht_launch_set set,
                                   const ht_program *program) {
    ht_resources resources = ht_resources_unknown();
    ht_geometry geometry;
    size_t count;
    const ht_launch *launch = ht_template_launches(worker->spec.binding.template, set, &count);
    if (worker->provider->resources == NULL || program->kernel_count == 0 ||
        ht_binding_geometry(&worker->spec.binding, config, launch, &geometry, NULL) != HT_OK)
        return resources;
    unsigned threads = geometry.block[0] * geometry.block[1] * geometry.block[2];
    if (worker->provider->resources(&worker->spec.device, program->code, program->code_size,
                                    program->kernels[0], threads, geometry.lds, &resources,
                                    NULL) != HT_OK)
        return ht_resources_unknown();
    return resources;
}

/* One configuration of a request: its program, and where its code went. */
typedef struct result {
    ht_program program;
    ht_error error; /* status HT_OK: the program is valid */
    char name[64];  /* of the file in the job's folder */
} result;

/* Saves the code. Configurations of one program have the same code: one file then, with several
 * names, so that each can be removed when its configuration is done with. */
static ht_status save(const ht_worker *worker, const result *before, result *result) {
    char *path = ht_path_join(worker->folder, result->name);
    bool linked = false;
    if (before != NULL && before->error.status == HT_OK &&
        before->program.code_size == result->program.code_size &&
        memcmp(before->program.code, result->program.code, result->program.code_size) == 0) {
        char *other = ht_path_join(worker->folder, before->name);
        linked = link(other, path) == 0;
        free(other);
    }
    ht_status status = HT_OK;
    if (!linked)
        status =
            ht_file_write(path, result->program.code, result->program.code_size, &result->error);
    free(path);
    return status;
}

static json_t *describe(ht_worker *worker, const ht_config *config, ht_launch_set set,
                        const result *result) {
    json_t *entry = json_object();
    ht_message_set_error(entry, result->error.status, &result->error);
    if (result->error.status != HT_OK)
        return entry;
    ht_resources resources = read_resources(worker, config, set, &result->program);
    json_object_set_new(entry, "program", ht_message_program(&result->program, result->name));
    json_object_set_new(entry, "seconds", json_real(result->program.seconds));
    json_object_set_new(entry, "resources", ht_message_resources(&resources));
    return entry;
}

static void compile_all(const ht_worker *worker, const ht_binding *binding,
                        const ht_config *configs, size_t count, ht_launch_set set,
                        result *results) {
    if (set != HT_LAUNCHES_OWN) {
        ht_program_compile(&worker->spec.device, binding, configs, set, &results->program,
                           &results->error);
        return;
    }
    ht_program *programs = ht_alloc(count, sizeof *programs);
    ht_error *errors = ht_alloc(count, sizeof *errors);
    ht_program_compile_each(&worker->spec.device, binding, configs, count, programs, errors);
    for (size_t i = 0; i < count; ++i) {
        results[i].program = programs[i];
        results[i].error = errors[i];
    }
    free(errors);
    free(programs);
}

static json_t *compile_and_save(ht_worker *worker, const ht_binding *binding,
                                const ht_config *configs, size_t count, ht_launch_set set,
                                const char *output) {
    result *results = ht_alloc(count, sizeof *results);
    json_t *array = json_array();
    compile_all(worker, binding, configs, count, set, results);
    for (size_t i = 0; i < count; ++i) {
        snprintf(results[i].name, sizeof results[i].name, "%.40s.%zu", output, i);
        if (results[i].error.status == HT_OK)
            save(worker, i > 0 ? &results[i - 1] : NULL, &results[i]);
        json_array_append_new(array, describe(worker, &configs[i], set, &results[i]));
    }
    for (size_t i = 0; i < count; ++i)
        ht_program_free(&results[i].program);
    free(results);
    return array;
}

/* Returns NULL unless every one is a configuration of the template. free(). */
static ht_config *read_configs(const ht_worker *worker, const json_t *array, size_t *out_count) {
    *out_count = json_array_size(array);
    ht_config *configs = ht_alloc(*out_count + 1, sizeof *configs);
    for (size_t i = 0; i < *out_count; ++i)
        if (!ht_message_get_config(json_array_get(array, i), worker->spec.binding.template,
                                   &configs[i])) {
            free(configs);
            return NULL;
        }
    return configs;
}

ht_status ht_worker_compile(ht_worker *worker, const json_t *request, json_t *reply,
                            ht_error *error) {
    size_t count = 0;
    const char *output = json_string_value(json_object_get(request, "output"));
    ht_launch_set set = ht_message_get_set(request);
    ht_config *configs = read_configs(worker, json_object_get(request, "configs"), &count);
    if (output == NULL || configs == NULL || count == 0 || (set != HT_LAUNCHES_OWN && count != 1)) {
        free(configs);
        return ht_error_set(error, HT_ERROR_INTERNAL, "a malformed compile request");
    }
    ht_numbers numbers = (ht_numbers)json_integer_value(json_object_get(request, "numbers"));

    /* A twin is the same template with another text. */
    ht_template template = *worker->spec.binding.template;
    ht_binding binding = worker->spec.binding;
    binding.template = &template;
    template.unit = ht_twin_unit(template.unit, numbers);
    worker->spec.device.checked = json_is_true(json_object_get(request, "checked"));
    worker->spec.device.counted = json_is_true(json_object_get(request, "counted"));
    json_object_set_new(reply, "programs",
                        compile_and_save(worker, &binding, configs, count, set, output));
    free(template.unit);
    free(configs);
    return HT_OK;
}
