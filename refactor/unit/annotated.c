/* Templates of files with annotations of their own,. */
#include "refactor/unit/annotated.h"
#include "refactor/unit/make_template.h"

#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/source/names.h"
#include "refactor/unit/slice_print.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct writing {
    const ht_template *template;
    CXCursor kernel;
    const ht_slice *slice;
} writing;

/* Prints the annotations in front of their kernel. */
static bool replace(void *context, const ht_slice_item *item, ht_text *out) {
    writing *in = context;
    const ht_chunk *chunk = item->chunk;
    for (size_t i = 0; chunk && i < chunk->cursor_count; ++i)
        if (clang_equalCursors(chunk->cursors[i], in->kernel))
            ht_template_print(in->template, out);
    return false;
}

/* Finds the kernels of a template's launches and reference launches. Returns the problem if there
 * is one; free(). */
static char *template_kernels(const ht_cursors *kernels, const ht_template *template,
                              ht_cursors *out) {
    for (int set = HT_LAUNCHES_OWN; set <= HT_LAUNCHES_BASELINE; ++set) {
        size_t count;
        const ht_launch *launches = ht_template_launches(template, (ht_launch_set)set, &count);
        for (size_t i = 0; i < count; ++i) {
            CXCursor kernel = ht_kernels_named(kernels, launches[i].kernel);
            if (clang_Cursor_isNull(kernel))
                return ht_format("its annotations launch '%s', which the file does not define",
                                 launches[i].kernel);
            HT_GROW(out->items, out->count);
            out->items[out->count++] = kernel;
        }
    }
    return NULL;
}

static bool is_reference(const ht_template *template, const char *name) {
    for (int set = HT_LAUNCHES_OWN; set <= HT_LAUNCHES_BASELINE; ++set) {
        size_t count;
        const ht_launch *launches = ht_template_launches(template, (ht_launch_set)set, &count);
        for (size_t i = 0; i < count; ++i)
            if (ht_name_ends(name, launches[i].kernel))
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
    const char *uncut =
        problem ? NULL : ht_slice_build(source, wanted.items, wanted.count, template, &slice);
    if (uncut)
        problem = ht_strdup(uncut);
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

/* Removes "FILE:LINE: " from the front of a problem in this file. Returns its line, else `line`. */
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

char *ht_annotated_make(const ht_source *source, CXCursor kernel, const char *name,
                        ht_template **out_template, int *out_line) {
    ht_template *templates = NULL;
    char *problem = NULL;
    size_t count = 0;
    ht_error error;
    if (ht_template_parse(source->text, source->path, &templates, &count, &error) != HT_OK)
        return ht_format("line %d: %s", error.line, error.message);
    for (size_t i = 0; i < count && !*out_template && !problem; ++i)
        if (ht_name_ends(name, templates[i].name)) {
            if (templates[i].is_unit)
                *out_template = ht_template_copy(&templates[i]);
            else
                problem = slice_template(source, kernel, &templates[i], out_template);
        }
    for (size_t i = 0; i < count && !*out_template && !problem; ++i)
        if (is_reference(&templates[i], name))
            problem = ht_format("it belongs to the annotated template %s", templates[i].name);
    ht_template_free(templates, count);
    if (problem)
        *out_line = line_take(source->path, problem, *out_line);
    return problem;
}
