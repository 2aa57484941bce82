#include "refactor/unit/slice_file.h"

#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/unit/slice_print.h"

#include <stdlib.h>

/* Returns "a, b": the kernels that the file defines; free(). */
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
        CXCursor kernel = ht_kernels_named(&all, kernels[i]);
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
    const char *reason = status == HT_OK
                             ? ht_slice_build(source, wanted.items, wanted.count, template, &slice)
                             : NULL;
    if (reason)
        status = ht_error_set_at(error, HT_ERROR_UNSUPPORTED, path, slice.reason_line, 0,
                                 "%s:%d: %s", path, slice.reason_line, reason);
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
