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

char *ht_skeleton_merge(const char *const *texts, size_t count) {
    if (count == 1) /* as it was written */
        return ht_strdup(texts[0]);
    json_t *kernels = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_t *document = json_loads(texts[i], 0, NULL);
        json_t *own = document ? json_object_get(document, "kernels") : NULL;
        if (own)
            json_array_extend(kernels, own);
        json_decref(document);
    }
    return document_text(json_pack("{s:s, s:i, s:o}", "format", "hiptemper-problem", "version", 1,
                                   "kernels", kernels));
}

char *ht_skeleton_catalogue(const ht_problem_spec *spec) {
    json_t *fields = json_object();
    for (size_t i = 0; i < spec->field_count; ++i) {
        if (spec->fields[i].kind == HT_FIELD_REQUIRED)
            json_object_set_new(fields, spec->fields[i].name, json_integer(1));
    }
    return document_text(json_pack("{s:s, s:i, s:s, s:[{s:s, s:o}]}", "format", "hiptemper-problem",
                                   "version", 1, "problem", spec->name, "instances", "name",
                                   "fill in the sizes", "fields", fields));
}
