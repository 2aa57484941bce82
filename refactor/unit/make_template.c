#include "refactor/unit/make_template.h"
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/source/source_try.h"
#include "refactor/unit/annotations.h"
#include "refactor/unit/layout.h"
#include "refactor/unit/requires.h"
#include "refactor/unit/unit.h"

#include "templates/bind.h"

#include <stdlib.h>
#include <string.h>

enum { CHECKS_MAX = 3 };

/* Returns a configuration unlike the default: `step` values further in each parameter. */
static ht_config other_config(const ht_template *template, size_t step) {
    ht_config config = ht_config_default(template);
    for (size_t i = 0; i < template->param_count; ++i)
        config.choice[i] = (uint16_t)((config.choice[i] + step) % template->params[i].value_count);
    return config;
}

/* A text that is compiled to see whether the kernels exist, and the source of its lines. */
typedef struct instances {
    const ht_template *template, *written;
    size_t number;
    ht_text text;
} instances;

static void write_instance(instances *in, const ht_launch *launch, ht_place place,
                           const ht_config *config) {
    ht_device_fields device = {0};
    ht_binding binding = {in->template, NULL, &device};
    char *name = ht_binding_name_expression(&binding, config, launch);
    if (place.line)
        ht_text_printf(&in->text, "#line %d \"%s\"\n", place.line, in->written->file);
    else
        ht_text_append(&in->text, "#line 1 \"the template\"\n");
    ht_text_printf(&in->text, "static auto ht_check_%zu = &%s;\n", in->number++, name);
    free(name);
}

static void write_launches(instances *in, ht_launch_set set, const ht_config *config) {
    size_t count, written_count = 0;
    const ht_launch *launches = ht_template_launches(in->template, set, &count);
    const ht_launch *written =
        in->written ? ht_template_launches(in->written, set, &written_count) : NULL;
    for (size_t i = 0; i < count; ++i)
        write_instance(in, &launches[i], i < written_count ? written[i].place : (ht_place){0},
                       config);
}

/* Returns the compiler's message. If there is no such kernel, that names a variable of the check,
 * which is replaced. */
static char *message_of(const char *first) {
    const char *words = strstr(first, "variable 'ht_check_");
    if (!words || !strstr(words, "'<overloaded function type>'"))
        return ht_strdup(first);
    return ht_format("%.*s" HT_NO_SUCH_KERNEL, (int)(words - first), first);
}

static char *check_config(const ht_source *source, const ht_template *template,
                          const ht_template *written, const ht_config *configs, size_t count) {
    instances in = {.template = template, .written = written};
    ht_config plain = ht_config_default(template);
    ht_text_append(&in.text, template->unit);
    ht_text_append(&in.text, "\n");
    for (size_t i = 0; i < count; ++i)
        write_launches(&in, HT_LAUNCHES_OWN, &configs[i]);
    if (template->reference_kind == HT_REFERENCE_KERNEL)
        write_launches(&in, HT_LAUNCHES_REFERENCE, &plain);
    ht_device_fields device = {0};
    ht_binding binding = {template, NULL, &device};
    char **macros, **messages, *path = ht_format("%s.unit.hip", source->path);
    size_t macro_count;
    ht_binding_macros(&binding, &configs[0], &macros, &macro_count);
    size_t errors = ht_source_try(source, path, in.text.data, false, (const char *const *)macros,
                                  macro_count, &messages);
    char *first = errors ? message_of(messages[0]) : NULL;
    ht_strings_free(messages, errors);
    ht_strings_free(macros, macro_count);
    free(path);
    ht_text_free(&in.text);
    return first;
}

char *ht_unit_check(const ht_source *source, const ht_template *template,
                    const ht_template *written) {
    ht_config configs[CHECKS_MAX] = {ht_config_default(template)};
    bool macro = false;
    for (size_t i = 0; i < template->param_count; ++i)
        macro = macro || template->params[i].binding == HT_BIND_MACRO;
    for (size_t i = 1; i < CHECKS_MAX; ++i)
        configs[i] = other_config(template, i);
    if (!macro)
        return check_config(source, template, written, configs, CHECKS_MAX);
    char *error = check_config(source, template, written, &configs[0], 1);
    return error ? error : check_config(source, template, written, &configs[1], 1);
}

/* Gives the template's parameters the forms that are known of them. */
static void forms_take(const ht_plan *plan, ht_template *template) {
    for (size_t i = 0; template && i < template->param_count; ++i)
        for (size_t k = 0; k < plan->params.count; ++k)
            if (strcmp(plan->params.items[k].name, template->params[i].name) == 0)
                template->params[i].form = plan->params.items[k].form;
}

/* Compares the template that was parsed with what parsing its own print gives, and compiles that.
 * Returns why it is not good. */
static char *reread(const ht_plan *plan, const ht_slice *slice, const ht_template *first,
                    ht_template **out_second) {
    ht_error error = {0};
    char *unit = NULL, *annotations = ht_layout_annotations(first);
    free(ht_unit_write(plan, slice, annotations, &unit));
    free(annotations);
    *out_second =
        unit ? ht_template_parse_one(unit, plan->model->facts->source->path, &error) : NULL;
    free(unit);
    forms_take(plan, *out_second);
    if (!*out_second || !ht_template_equal(first, *out_second))
        return ht_format("its template does not survive printing: %s", error.message);
    char *said = ht_unit_check(plan->model->facts->source, *out_second, NULL);
    char *problem = said ? ht_format("cut out of its file it does not compile: %s", said) : NULL;
    free(said);
    return problem;
}

char *ht_template_make(const ht_plan *plan, const ht_grid *grid, const ht_slice *slice,
                       ht_template **out_template) {
    ht_error error = {0};
    char *unit = NULL, *annotations = ht_annotations_write(plan, grid, false);
    char *problem = ht_unit_write(plan, slice, annotations, &unit);
    free(annotations);
    *out_template = NULL;
    if (problem)
        return problem;
    ht_template *first = ht_template_parse_one(unit, plan->model->facts->source->path, &error);
    free(unit);
    if (!first)
        return ht_format("its template does not parse: %s", error.message);
    ht_requires_simplify(first);
    problem = reread(plan, slice, first, out_template);
    ht_template_free(first, 1);
    if (problem && *out_template) {
        ht_template_free(*out_template, 1);
        *out_template = NULL;
    }
    return problem;
}

ht_template *ht_template_against(const ht_plan *plan, const ht_grid *grid, const ht_slice *slice) {
    char *unit = NULL, *annotations = ht_annotations_write(plan, grid, true);
    free(ht_unit_write(plan, slice, annotations, &unit));
    ht_template *made =
        unit ? ht_template_parse_one(unit, plan->model->facts->source->path, NULL) : NULL;
    free(unit);
    free(annotations);
    return made;
}
