#include "pipeline/skeleton.h"

#include "base/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *document_text(json_t *document) {
    char *text = json_dumps(document, JSON_INDENT(2));
    json_decref(document);
    char *lines = ht_format("%s\n", text ? text : "");
    free(text);
    return lines;
}

/* A problem file has one entry for a name, which may stand for several kernels. */
static bool has_entry(const json_t *kernels, const char *name) {
    size_t index;
    json_t *entry;
    json_array_foreach(kernels, index, entry) {
        if (name && !strcmp(name, json_string_value(json_object_get(entry, "kernel"))))
            return true;
    }
    return false;
}

char *ht_skeleton_merge(const char *const *texts, size_t count) {
    if (count == 1) /* as it was written */
        return ht_strdup(texts[0]);
    json_t *kernels = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_t *document = json_loads(texts[i], 0, NULL);
        json_t *own = document ? json_object_get(document, "kernels") : NULL, *entry;
        size_t index;
        json_array_foreach(own, index, entry) {
            if (!has_entry(kernels, json_string_value(json_object_get(entry, "kernel"))))
                json_array_append(kernels, entry);
        }
        json_decref(document);
    }
    return document_text(json_pack("{s:s, s:i, s:o}", "format", "hiptemper-problem", "version", 1,
                                   "kernels", kernels));
}

char *ht_skeleton_sizes(const ht_template *template) {
    const ht_problem_spec *spec = &template->problem;
    json_t *fields = json_object();
    ht_text family = {0};
    ht_problem_spec_print(spec, &family);
    for (size_t i = 0; i < spec->field_count; ++i) {
        if (spec->fields[i].kind == HT_FIELD_REQUIRED)
            json_object_set_new(fields, spec->fields[i].name, json_string("?"));
    }
    char *text = document_text(json_pack("{s:s, s:i, s:[{s:s, s:s, s:[{s:s, s:o}]}]}", "format",
                                         "hiptemper-problem", "version", 1, "kernels", "kernel",
                                         template->name, "problem", family.data, "instances",
                                         "name", "sizes", "fields", fields));
    ht_text_free(&family);
    return text;
}
