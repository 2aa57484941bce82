/* Files with annotations of their own, and slices on request. */
#include "refactor/unit/annotated.h"

#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/unit/emit.h"
#include "refactor/unit/slice_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct writing {
    const ht_template *template;
    CXCursor kernel;
    const ht_slice *slice;
} writing;

/* Puts the annotations in front of their kernel. */
static bool replace(void *context, const ht_slice_item *item, ht_text *out) {
    writing *in = context;
    const ht_chunk *chunk = item->chunk;
    for (size_t i = 0; chunk && i < chunk->cursor_count; ++i)
        if (clang_equalCursors(chunk->cursors[i], in->kernel))
            ht_template_print(in->template, out);
    return false;
}

static bool names_kernel(const char *qualified, const char *name) {
    size_t length = strlen(qualified), size = strlen(name);
    return strcmp(qualified, name) == 0 ||
           (length > size + 2 && strcmp(qualified + length - size, name) == 0 &&
            strncmp(qualified + length - size - 2, "::", 2) == 0);
}

/* The definition of a kernel by its (perhaps qualified) name; null when there is none. */
static CXCursor find_kernel(const ht_cursors *kernels, const char *name) {
    const char *last = strrchr(name, ':');
    for (size_t i = 0; i < kernels->count; ++i)
        if (ht_cursor_named(kernels->items[i], last ? last + 1 : name))
            return kernels->items[i];
    return clang_getNullCursor();
}

/* The kernels of a template's launches and reference launches. */
static char *template_kernels(const ht_cursors *kernels, const ht_template *template,
                              ht_cursors *out) {
    for (int set = HT_LAUNCHES_OWN; set <= HT_LAUNCHES_BASELINE; ++set) {
        size_t count;
        const ht_launch *launches = ht_template_launches(template, (ht_launch_set)set, &count);
        for (size_t i = 0; i < count; ++i) {
            CXCursor kernel = find_kernel(kernels, launches[i].kernel);
            if (clang_Cursor_isNull(kernel))
                return ht_format("its annotations launch '%s', which the file does not define",
                                 launches[i].kernel);
            HT_GROW(out->items, out->count);
            out->items[out->count++] = kernel;
        }
    }
    return NULL;
}

/* "a, b": what the file defines; free(). */
static char *kernel_names(const ht_cursors *kernels) {
    ht_text names = {0};
    ht_text_append(&names, "");
    for (size_t i = 0; i < kernels->count; ++i) {
        char *name = ht_cursor_qualified_name(kernels->items[i]);
        ht_text_printf(&names, "%s%s", i ? ", " : "", name);
        free(name);
    }
    return ht_text_take(&names);
}

static bool is_reference(const ht_template *template, const char *name) {
    for (int set = HT_LAUNCHES_OWN; set <= HT_LAUNCHES_BASELINE; ++set) {
        size_t count;
        const ht_launch *launches = ht_template_launches(template, (ht_launch_set)set, &count);
        for (size_t i = 0; i < count; ++i)
            if (names_kernel(name, launches[i].kernel))
                return true;
    }
    return false;
}

static char *slice_template(const ht_source *source, CXCursor kernel, const ht_template *template,
                            ht_template **out_template) {
    ht_cursors kernels = ht_kernels_find(source), wanted = {0};
    char *problem = template_kernels(&kernels, template, &wanted);
    free(kernels.items);
    ht_slice slice = {0};
    if (!problem && !ht_slice_build(source, wanted.items, wanted.count, template, &slice))
        problem = ht_strdup(slice.reason);
    if (!problem) {
        writing in = {template, kernel, &slice};
        ht_text unit = {0};
        ht_template *parsed;
        size_t count;
        ht_error error;
        ht_slice_print(&slice, replace, &in, &unit);
        if (ht_template_parse(unit.data, source->path, &parsed, &count, &error) != HT_OK)
            problem = ht_format("its template does not parse: %s", error.message);
        else if (count != 1 || !(problem = ht_unit_check(source, parsed, template)))
            *out_template = parsed;
        else
            ht_template_free(parsed, count);
        ht_text_free(&unit);
    }
    ht_slice_free(&slice);
    free(wanted.items);
    return problem;
}

/* Takes "FILE:LINE: " from the front of a problem in this file; the line, else `line`. */
static int line_take(const char *path, char *problem, int line) {
    size_t length = strlen(path);
    if (strncmp(problem, path, length) != 0 || problem[length] != ':')
        return line;
    char *end;
    long place = strtol(problem + length + 1, &end, 10);
    if (place <= 0 || place > INT_MAX || strncmp(end, ": ", 2) != 0)
        return line;
    memmove(problem, end + 2, strlen(end + 2) + 1);
    return (int)place;
}

ht_status ht_annotated_make(const ht_source *source, CXCursor kernel, const char *name,
                            ht_template **out_template, char **out_problem, int *out_line) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error;
    ht_status status = ht_template_parse(source->text, source->path, &templates, &count, &error);
    if (status != HT_OK) {
        *out_problem = ht_format("line %d: %s", error.line, error.message);
        return HT_OK;
    }
    for (size_t i = 0; i < count && !*out_template && !*out_problem; ++i)
        if (names_kernel(name, templates[i].name)) {
            if (templates[i].is_unit)
                *out_template = ht_template_copy(&templates[i]);
            else
                *out_problem = slice_template(source, kernel, &templates[i], out_template);
        }
    for (size_t i = 0; i < count && !*out_template && !*out_problem; ++i)
        if (is_reference(&templates[i], name))
            *out_problem = ht_format("it belongs to the annotated template %s", templates[i].name);
    ht_template_free(templates, count);
    if (*out_problem)
        *out_line = line_take(source->path, *out_problem, *out_line);
    return HT_OK;
}

ht_status ht_slice_file(const char *path, const char *const *kernels, size_t kernel_count,
                        const ht_template *template, const ht_refactor_options *options,
                        char **out_unit, ht_error *error) {
    ht_source *source;
    *out_unit = NULL;
    ht_status status = ht_source_open(path, options, &source, error);
    if (status != HT_OK)
        return status;
    ht_cursors all = ht_kernels_find(source), wanted = {0};
    for (size_t i = 0; i < kernel_count && status == HT_OK; ++i) {
        CXCursor kernel = find_kernel(&all, kernels[i]);
        if (clang_Cursor_isNull(kernel)) {
            char *names = kernel_names(&all);
            status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                     "no kernel named '%s' is defined here; there %s%s", kernels[i],
                                     names[0] ? "are: " : "is no __global__ function", names);
            free(names);
        }
        HT_GROW(wanted.items, wanted.count);
        wanted.items[wanted.count++] = kernel;
    }
    ht_slice slice = {0};
    if (status == HT_OK && !ht_slice_build(source, wanted.items, wanted.count, template, &slice))
        status = ht_error_set_at(error, HT_ERROR_UNSUPPORTED, path, slice.reason_line, 0,
                                 "%s:%d: %s", path, slice.reason_line, slice.reason);
    if (status == HT_OK) {
        ht_text unit = {0};
        ht_slice_print(&slice, NULL, NULL, &unit);
        *out_unit = ht_text_take(&unit);
    }
    ht_slice_free(&slice);
    free(all.items);
    free(wanted.items);
    ht_source_free(source);
    return status;
}
