#include "runtime/worker.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/twin.h"

#include <stdlib.h>

/* Registers, spills and occupancy, where the provider can read them: information, so a failure is
 * not one of the variant. The first launch stands for a sequence. */
static ht_resources read_resources(ht_worker *worker, const ht_config *config, bool reference,
                                   const ht_program *program) {
    ht_resources resources = ht_resources_unknown();
    const ht_template *template = worker->spec.binding.template;
    ht_geometry geometry;
    const ht_launch *launch = reference ? template->reference_launches : template->launches;
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

static ht_status compile_and_save(ht_worker *worker, const ht_binding *binding,
                                  const ht_config *config, bool reference, const char *output,
                                  json_t *reply, ht_error *error) {
    ht_program program = {0};
    ht_status status =
        ht_program_compile(&worker->spec.device, binding, config, reference, &program, error);
    if (status != HT_OK)
        return status;
    char *path = ht_path_join(worker->folder, output);
    status = ht_file_write(path, program.code, program.code_size, error);
    free(path);
    if (status == HT_OK) {
        ht_resources resources = read_resources(worker, config, reference, &program);
        json_object_set_new(reply, "program", ht_message_program(&program, output));
        json_object_set_new(reply, "seconds", json_real(program.seconds));
        json_object_set_new(reply, "resources", ht_message_resources(&resources));
    }
    ht_program_free(&program);
    return status;
}

ht_status ht_worker_compile(ht_worker *worker, const json_t *request, json_t *reply,
                            ht_error *error) {
    ht_config config;
    const char *output = json_string_value(json_object_get(request, "output"));
    if (output == NULL || !ht_message_get_config(json_object_get(request, "config"),
                                                 worker->spec.binding.template, &config))
        return ht_error_set(error, HT_ERROR_INTERNAL, "a malformed compile request");
    bool reference = json_is_true(json_object_get(request, "reference"));
    ht_numbers numbers = (ht_numbers)json_integer_value(json_object_get(request, "numbers"));

    /* A twin is the same template with another text. */
    ht_template template = *worker->spec.binding.template;
    ht_binding binding = worker->spec.binding;
    binding.template = &template;
    template.unit = ht_twin_unit(template.unit, numbers);
    worker->spec.device.checked = json_is_true(json_object_get(request, "checked"));
    ht_status status = compile_and_save(worker, &binding, &config, reference, output, reply, error);
    free(template.unit);
    return status;
}
