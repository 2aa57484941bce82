#include "runtime/protocol/spec.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/protocol/protocol.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char SPEC_FILE[] = "job.json";
static const char TEXT_FILE[] = "template.hip"; /* annotations, to be parsed */
static const char UNIT_FILE[] = "unit.hip";     /* what is compiled */

static const ht_template *find_equal(const ht_template *templates, size_t count,
                                     const ht_template *wanted) {
    for (size_t i = 0; i < count; ++i)
        if (ht_template_equal(&templates[i], wanted))
            return &templates[i];
    return NULL;
}

static bool parses_to(const char *text, const ht_template *template) {
    ht_template *parsed = NULL;
    size_t count = 0;
    if (ht_template_parse(text, template->file, &parsed, &count, NULL) != HT_OK)
        return false;
    bool found = find_equal(parsed, count, template) != NULL;
    ht_template_free(parsed, count);
    return found;
}

/* Returns the annotated text. A unit usually carries its annotations; for one that was put together
 * in memory they are printed in front. */
static char *annotated_text(const ht_template *template) {
    if (parses_to(template->unit, template))
        return ht_strdup(template->unit);
    ht_text text = {0};
    ht_template_print(template, &text);
    ht_text_append(&text, "\n");
    ht_text_append(&text, template->unit);
    char *out = ht_text_take(&text);
    if (parses_to(out, template))
        return out;
    free(out);
    return NULL;
}

static ht_status write_in(const char *folder, const char *name, const char *text, ht_error *error) {
    char *path = ht_path_join(folder, name);
    ht_status status = ht_file_write(path, text, strlen(text), error);
    free(path);
    return status;
}

static json_t *encode_device(const ht_device *device, const ht_device_fields *fields) {
    json_t *object = json_object(), *values = json_object();
    json_object_set_new(object, "name", ht_message_text(device->name));
    json_object_set_new(object, "provider", ht_message_text(device->provider));
    json_object_set_new(object, "description", ht_message_text(device->description));
    json_object_set_new(object, "arch", ht_message_text(device->arch));
    json_object_set_new(object, "compiler", ht_message_text(device->compiler));
    json_object_set_new(object, "ordinal", json_integer(device->ordinal));
    json_object_set_new(object, "can_run", json_boolean(device->can_run));
    json_object_set_new(object, "emulated", json_boolean(device->emulated));
#define SET(field) json_object_set_new(values, #field, json_integer(fields->field));
    HT_DEVICE_FIELDS(SET)
#undef SET
    json_object_set_new(object, "fields", values);
    return object;
}

/* ---- places: a worker may parse the annotations as printed, which stand elsewhere */

typedef void visit_place(void *context, ht_place *place);

static void each_place(ht_template *template, visit_place *visit, void *context) {
    for (size_t i = 0; i < template->arg_count; ++i)
        visit(context, &template->args[i].place);
    for (size_t i = 0; i < template->launch_count; ++i)
        visit(context, &template->launches[i].place);
    for (size_t i = 0; i < template->reference_launch_count; ++i)
        visit(context, &template->reference_launches[i].place);
    for (size_t i = 0; i < template->baseline_launch_count; ++i)
        visit(context, &template->baseline_launches[i].place);
}

static void encode_place(void *context, ht_place *place) {
    json_array_append_new(context, json_integer(place->line));
    json_array_append_new(context, json_integer(place->column));
}

static json_t *encode_places(const ht_template *template) {
    ht_template borrowed = *template;
    json_t *places = json_array();
    each_place(&borrowed, encode_place, places);
    return places;
}

typedef struct place_reader {
    const json_t *places;
    const char *file;
    size_t at;
} place_reader;

static void decode_place(void *context, ht_place *place) {
    place_reader *in = context;
    place->file = in->file;
    place->line = (int)json_integer_value(json_array_get(in->places, in->at++));
    place->column = (int)json_integer_value(json_array_get(in->places, in->at++));
}

static void decode_places(const json_t *json, ht_template *template) {
    place_reader reader = {.places = json_object_get(json, "places"), .file = template->file};
    each_place(template, decode_place, &reader);
    template->line = (int)json_integer_value(json_object_get(json, "line"));
}

ht_status ht_spec_write(const char *folder, const ht_binding *binding, const ht_device *device,
                        ht_error *error) {
    const ht_template *template = binding->template;
    char *text = annotated_text(template);
    if (text == NULL)
        return ht_error_set(error, HT_ERROR_INTERNAL,
                            "the annotations of '%s' do not survive printing and parsing",
                            template->name);
    json_t *spec = json_object();
    json_object_set_new(spec, "template", ht_message_text(template->name));
    json_object_set_new(spec, "file", ht_message_text(template->file));
    json_object_set_new(spec, "line", json_integer(template->line));
    json_object_set_new(spec, "places", encode_places(template));
    if (binding->problem != NULL) {
        char *problem = ht_problem_string(&template->problem, binding->problem);
        json_object_set_new(spec, "problem", ht_message_text(problem));
        free(problem);
    }
    json_object_set_new(spec, "device", encode_device(device, binding->device));
    char *json = json_dumps(spec, JSON_INDENT(1));
    json_decref(spec);
    ht_status status = write_in(folder, SPEC_FILE, json, error);
    if (status == HT_OK)
        status = write_in(folder, TEXT_FILE, text, error);
    if (status == HT_OK)
        status = write_in(folder, UNIT_FILE, template->unit, error);
    free(json);
    free(text);
    return status;
}

static void decode_text(const json_t *object, const char *key, char *out, size_t size) {
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(out, size, "%s", text ? text : "");
}

static void decode_device(const json_t *object, ht_device *device) {
    *device = (ht_device){0};
    decode_text(object, "name", device->name, sizeof device->name);
    decode_text(object, "provider", device->provider, sizeof device->provider);
    decode_text(object, "description", device->description, sizeof device->description);
    decode_text(object, "arch", device->arch, sizeof device->arch);
    decode_text(object, "compiler", device->compiler, sizeof device->compiler);
    device->ordinal = (int)json_integer_value(json_object_get(object, "ordinal"));
    device->can_run = json_is_true(json_object_get(object, "can_run"));
    device->emulated = json_is_true(json_object_get(object, "emulated"));
    const json_t *fields = json_object_get(object, "fields");
#define GET(field) device->fields.field = json_integer_value(json_object_get(fields, #field));
    HT_DEVICE_FIELDS(GET)
#undef GET
}

static ht_status read_in(const char *folder, const char *name, char **out, ht_error *error) {
    char *path = ht_path_join(folder, name);
    ht_status status = ht_file_read(path, 0, out, NULL, error);
    free(path);
    return status;
}

/* Reads the template by name among those parsed, with the unit that is compiled. */
static ht_status read_template(const char *folder, const json_t *json, ht_spec *spec,
                               ht_error *error) {
    const char *name = json_string_value(json_object_get(json, "template"));
    const char *file = json_string_value(json_object_get(json, "file"));
    char *text = NULL, *unit = NULL;
    ht_status status = read_in(folder, TEXT_FILE, &text, error);
    if (status == HT_OK)
        status = read_in(folder, UNIT_FILE, &unit, error);
    if (status == HT_OK)
        status = ht_template_parse(text, file, &spec->templates, &spec->template_count, error);
    free(text);
    for (size_t i = 0; i < spec->template_count && status == HT_OK; ++i) {
        ht_template *template = &spec->templates[i];
        if (name == NULL || strcmp(template->name, name) != 0)
            continue;
        free(template->unit);
        template->unit = unit;
        decode_places(json, template);
        spec->binding.template = template;
        return HT_OK;
    }
    free(unit);
    return status != HT_OK ? status
                           : ht_error_set(error, HT_ERROR_INTERNAL,
                                          "no template '%s' in the job's files", name ? name : "");
}

ht_status ht_spec_read(const char *folder, ht_spec *spec, ht_error *error) {
    *spec = (ht_spec){0};
    char *text = NULL;
    ht_status status = read_in(folder, SPEC_FILE, &text, error);
    if (status != HT_OK)
        return status;
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    status = read_template(folder, json, spec, error);
    if (status == HT_OK) {
        decode_device(json_object_get(json, "device"), &spec->device);
        spec->binding.device = &spec->device.fields;
        spec->default_config = ht_config_default(spec->binding.template);
        const char *problem = json_string_value(json_object_get(json, "problem"));
        if (problem != NULL) {
            status =
                ht_problem_parse(&spec->binding.template->problem, problem, &spec->problem, error);
            spec->has_problem = status == HT_OK;
            spec->binding.problem = spec->has_problem ? &spec->problem : NULL;
        }
    }
    json_decref(json);
    if (status != HT_OK)
        ht_spec_free(spec);
    return status;
}

void ht_spec_free(ht_spec *spec) {
    if (spec->templates != NULL)
        ht_template_free(spec->templates, spec->template_count);
    if (spec->has_problem)
        ht_problem_free(&spec->problem);
    *spec = (ht_spec){0};
}
