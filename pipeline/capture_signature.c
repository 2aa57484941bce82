#include "pipeline/capture_signature.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/capture_line.h"
#include "pipeline/capture_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* "scale_sizes" for "ns::scale<float>". */
static char *family(const char *kernel) {
    size_t length = strcspn(kernel, "<"), begin = length;
    while (begin > 0 && (isalnum((unsigned char)kernel[begin - 1]) || kernel[begin - 1] == '_'))
        --begin;
    return ht_format("%.*s_sizes", (int)(length - begin), kernel + begin);
}

/* "arg2 : in float[?]" or "arg3 : int = problem.arg3", whose field is added. */
static char *line(const char *launched, size_t parameter, const char *type, ht_text *fields) {
    char *pointee = ht_capture_pointee(launched, parameter), *text;
    const char *star = strchr(type, '*');
    size_t number = parameter + 1;
    bool constant = star != NULL && star - type > 6 && strncmp(star - 6, " const", 6) == 0;
    if (pointee != NULL) {
        text = ht_format("arg%zu : %s %s[?]", number, constant ? "in" : "inout", pointee);
    } else if (ht_capture_is_whole(type)) {
        text = ht_format("arg%zu : %s = problem.arg%zu", number, type, number);
        ht_text_printf(fields, "%sarg%zu", fields->length > 0 ? ", " : " : ", number);
    } else {
        text = ht_format("arg%zu : %s = ?", number, type);
    }
    free(pointee);
    return text;
}

char *ht_capture_signature(const ht_captured_launch *launch, json_t **out_entry) {
    *out_entry = NULL;
    if (strchr(launch->name, '(') == NULL)
        return ht_strdup("its name does not say the types of its arguments: name the source that "
                         "defines it");
    json_t *args = json_array();
    ht_text fields = {0};
    char *type;
    for (size_t i = 0; (type = ht_capture_parameter(launch->name, i)) != NULL; ++i) {
        char *text = line(launch->name, i, type, &fields);
        json_array_append_new(args, json_string(text));
        free(text);
        free(type);
    }
    if (json_array_size(args) != launch->argument_count) {
        char *words = ht_format("its code object describes %u arguments, and its name has %zu",
                                launch->argument_count, json_array_size(args));
        json_decref(args);
        ht_text_free(&fields);
        return words;
    }
    char *kernel = ht_capture_kernel_name(launch->name), *of = family(kernel);
    char *problem = ht_format("%s%s", of, fields.length > 0 ? fields.data : "");
    kernel[strcspn(kernel, "<")] = '\0';
    *out_entry = json_pack("{s:s, s:s, s:o, s:[s], s:[s]}", "kernel", kernel, "problem", problem,
                           "args", args, "block", "?", "grid", "?");
    ht_text_free(&fields);
    free(problem);
    free(of);
    free(kernel);
    return NULL;
}
