#include "refactor/recall.h"

#include "base/memory.h"
#include "refactor/result.h"

#include <stdlib.h>
#include <string.h>

static const char format[] = "hiptemper-analysis";
enum { VERSION = 1 };

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- templates */

/* Reads the template that a unit has; NULL: it has none, or several. */
/* Sets the forms of parameters, which no text of a template has. Borrowed from `forms`. */
static void forms_set(const json_t *forms, ht_template *template) {
    for (size_t i = 0; i < template->param_count; ++i)
        template->params[i].form =
            json_string_value(json_object_get(forms, template->params[i].name));
}

static json_t *forms_json(const ht_template *template) {
    json_t *forms = json_object();
    for (size_t i = 0; i < template->param_count; ++i)
        if (template->params[i].form)
            json_object_set_new(forms, template->params[i].name,
                                json_string(template->params[i].form));
    return forms;
}

static bool same_templates(const ht_template *a, const ht_template *b) {
    if (!a || !b)
        return a == b;
    bool same = ht_template_equal(a, b) && same_text(a->unit, b->unit) &&
                same_text(a->file, b->file) && a->line == b->line && a->is_unit == b->is_unit &&
                a->param_count == b->param_count;
    for (size_t i = 0; same && i < a->param_count; ++i)
        same = same_text(a->params[i].form, b->params[i].form) &&
               same_text(a->params[i].origin, b->params[i].origin);
    return same;
}

/* Returns a template's text; NULL: what is read from it is another one. New reference. */
static json_t *template_pack(const ht_template *template) {
    json_t *packed = json_pack("{s:s, s:s, s:i, s:b, s:o}", "unit", template->unit, "file",
                               template->file, "line", template->line, "is_unit", template->is_unit,
                               "forms", forms_json(template));
    ht_template *again =
        packed ? ht_template_parse_one(template->unit, template->file, NULL) : NULL;
    if (again) {
        forms_set(json_object_get(packed, "forms"), again);
        again->line = template->line; /* in the source, for an annotated one */
        again->is_unit = template->is_unit;
    }
    if (!again || !same_templates(template, again)) {
        json_decref(packed);
        packed = NULL;
    }
    if (again)
        ht_template_free(again, 1);
    return packed;
}

static ht_template *template_unpack(const json_t *packed) {
    const char *unit = json_string_value(json_object_get(packed, "unit"));
    const char *file = json_string_value(json_object_get(packed, "file"));
    ht_template *template = unit && file ? ht_template_parse_one(unit, file, NULL) : NULL;
    if (!template)
        return NULL;
    forms_set(json_object_get(packed, "forms"), template);
    template->line = (int)json_integer_value(json_object_get(packed, "line"));
    template->is_unit = json_is_true(json_object_get(packed, "is_unit"));
    return template;
}

/* ---- kernels */

static bool is_lasting(ht_kernel_status status) {
    return status == HT_KERNEL_TEMPLATED || status == HT_KERNEL_ANNOTATED ||
           status == HT_KERNEL_NEEDS_PROBLEM || status == HT_KERNEL_REFUSED;
}

/* Texts of a kernel, by name. */
typedef struct member {
    const char *name;
    size_t offset;
} member;
static const member texts[] = {{"name", offsetof(ht_kernel, name)},
                               {"file", offsetof(ht_kernel, file)},
                               {"reason", offsetof(ht_kernel, reason)},
                               {"skeleton", offsetof(ht_kernel, skeleton)},
                               {"places", offsetof(ht_kernel, places)},
                               {"rounds", offsetof(ht_kernel, rounds)},
                               {"launch_file", offsetof(ht_kernel, launch_file)}};
static const member numbers[] = {{"line", offsetof(ht_kernel, line)},
                                 {"column", offsetof(ht_kernel, column)},
                                 {"reason_line", offsetof(ht_kernel, reason_line)},
                                 {"launch_line", offsetof(ht_kernel, launch_line)}};
enum { TEXTS = sizeof texts / sizeof *texts, NUMBERS = sizeof numbers / sizeof *numbers };

static char **text_of(const ht_kernel *kernel, size_t index) {
    return (char **)((char *)kernel + texts[index].offset);
}

static int *number_of(const ht_kernel *kernel, size_t index) {
    return (int *)((char *)kernel + numbers[index].offset);
}

static json_t *kernel_pack(const ht_kernel *kernel) {
    json_t *names = json_array(),
           *template = kernel->template ? template_pack(kernel->template) : json_null();
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        json_array_append_new(names, json_string(kernel->transformations[i]));
    bool good = is_lasting(kernel->status) && template && kernel->name && kernel->file;
    json_t *packed =
        json_pack("{s:i, s:i, s:b, s:b, s:o, s:o}", "status", (int)kernel->status, "problem",
                  (int)kernel->problem, "inferred", kernel->inferred != NULL, "reassociates",
                  kernel->reassociates, "transformations", names, "template",
                  template ? template : json_null());
    for (size_t i = 0; i < TEXTS; ++i) {
        const char *text = *text_of(kernel, i);
        json_t *value = text ? json_string(text) : json_null();
        good = good && value; /* else it is not UTF-8 */
        json_object_set_new(packed, texts[i].name, value ? value : json_null());
    }
    for (size_t i = 0; i < NUMBERS; ++i)
        json_object_set_new(packed, numbers[i].name, json_integer(*number_of(kernel, i)));
    if (good)
        return packed;
    json_decref(packed);
    return NULL;
}

static bool inferred_read(ht_kernel *kernel) {
    return kernel->skeleton && ht_problem_file_parse(kernel->skeleton, "the problem inferred",
                                                     &kernel->inferred, NULL) == HT_OK;
}

static void names_unpack(const json_t *names, ht_kernel *kernel) {
    size_t index;
    json_t *name;
    kernel->transformations = ht_alloc(json_array_size(names) + 1, sizeof *kernel->transformations);
    json_array_foreach(names, index, name) if (json_is_string(name))
        kernel->transformations[kernel->transformation_count++] = json_string_value(name);
}

/* Fills a kernel; its names and forms are the document's. Returns false if it is not one. */
static bool kernel_unpack(const json_t *packed, ht_kernel *out) {
    const json_t *template = json_object_get(packed, "template");
    for (size_t i = 0; i < TEXTS; ++i) {
        const char *text = json_string_value(json_object_get(packed, texts[i].name));
        *text_of(out, i) = text ? ht_strdup(text) : NULL;
    }
    for (size_t i = 0; i < NUMBERS; ++i)
        *number_of(out, i) = (int)json_integer_value(json_object_get(packed, numbers[i].name));
    out->status = (ht_kernel_status)json_integer_value(json_object_get(packed, "status"));
    out->problem = (ht_problem_origin)json_integer_value(json_object_get(packed, "problem"));
    out->reassociates = json_is_true(json_object_get(packed, "reassociates"));
    names_unpack(json_object_get(packed, "transformations"), out);
    out->template = json_is_object(template) ? template_unpack(template) : NULL;
    bool tuned = out->status == HT_KERNEL_TEMPLATED || out->status == HT_KERNEL_ANNOTATED;
    return out->name && out->file && is_lasting(out->status) && tuned == (out->template != NULL) &&
           (!json_is_true(json_object_get(packed, "inferred")) || inferred_read(out));
}

/* ---- results */

json_t *ht_refactor_pack(const ht_refactor *refactor) {
    json_t *kernels = json_array();
    bool good = true;
    for (size_t i = 0; i < refactor->count && good; ++i) {
        json_t *packed = kernel_pack(&refactor->kernels[i]);
        good = packed != NULL;
        if (packed)
            json_array_append_new(kernels, packed);
    }
    if (good)
        return json_pack("{s:s, s:i, s:o}", "format", format, "version", (int)VERSION, "kernels",
                         kernels);
    json_decref(kernels);
    return NULL;
}

ht_refactor *ht_refactor_recall(const json_t *document) {
    json_t *kernels = json_object_get(document, "kernels");
    if (!same_text(json_string_value(json_object_get(document, "format")), format) ||
        json_integer_value(json_object_get(document, "version")) != VERSION ||
        !json_is_array(kernels))
        return NULL;
    size_t count = json_array_size(kernels);
    ht_refactor *refactor = ht_alloc(1, sizeof *refactor);
    refactor->recalled = json_incref((json_t *)document);
    refactor->kernels = ht_alloc(count + 1, sizeof *refactor->kernels);
    refactor->work = ht_alloc(count + 1, sizeof *refactor->work);
    bool good = true;
    while (refactor->count < count && good) {
        size_t index = refactor->count++;
        good = kernel_unpack(json_array_get(kernels, index), &refactor->kernels[index]);
    }
    if (good)
        return refactor;
    ht_refactor_free(refactor);
    return NULL;
}

bool ht_refactor_is_recalled(const ht_refactor *refactor) {
    return refactor->recalled != NULL;
}

bool ht_refactor_agrees(const ht_refactor *refactor, const ht_refactor *with) {
    bool same = refactor->count == with->count;
    for (size_t i = 0; i < refactor->count && same; ++i) {
        const ht_kernel *a = &refactor->kernels[i], *b = &with->kernels[i];
        same = a->status == b->status && a->problem == b->problem &&
               a->reassociates == b->reassociates && same_templates(a->template, b->template);
        for (size_t j = 0; j < TEXTS && same; ++j)
            same = same_text(*text_of(a, j), *text_of(b, j));
        for (size_t j = 0; j < NUMBERS && same; ++j)
            same = *number_of(a, j) == *number_of(b, j);
    }
    return same;
}
