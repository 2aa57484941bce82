/* The types of the elements that a kernel's arguments point to. */
#include "pipeline/capture_fill.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/capture_line.h"

#include <stdlib.h>
#include <string.h>

char **ht_capture_entry_types(const json_t *entry, size_t *out_count) {
    const json_t *args = json_object_get(entry, "args");
    char **types = ht_alloc(json_array_size(args) + 1, sizeof *types);
    size_t index;
    json_t *text;
    *out_count = 0;
    json_array_foreach(args, index, text) {
        ht_capture_line line;
        bool read = ht_capture_line_read(json_string_value(text), &line);
        if (read && line.role && strcmp(line.role, "constant") == 0) { /* it is never passed */
            ht_capture_line_free(&line);
            continue;
        }
        types[(*out_count)++] = read && line.role ? ht_strdup(line.type) : NULL;
        if (read)
            ht_capture_line_free(&line);
    }
    return types;
}

char **ht_capture_template_types(const ht_template *template, size_t *out_count) {
    *out_count = 0;
    /* A launch of its own order, or of several kernels, does not pass the arguments as declared. */
    if (template == NULL || template->launch_count != 1 || template->launches[0].has_arguments)
        return NULL;
    char **types = ht_alloc(template->arg_count + 1, sizeof *types);
    for (size_t i = 0; i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        if (arg->role == HT_ARG_CONSTANT)
            continue;
        types[(*out_count)++] = arg->role == HT_ARG_SCALAR ? NULL : ht_strdup(arg->type);
    }
    return types;
}
