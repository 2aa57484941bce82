#include "pipeline/nightly/night_brief.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/tool.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

json_t *ht_night_brief(const json_t *document) {
    static const char *const names[] = {"kernel",     "problem", "device", "file",
                                        "kernel_key", "kept",    NULL};
    static const char *const said[] = {"status",   "reason",  "verdict", "change",
                                       "original", "machine", NULL};
    json_t *brief = json_copy((json_t *)document), *rows = json_array(), *row;
    size_t index;
    json_array_foreach(json_object_get(document, "kernels"), index, row) {
        json_t *copy = json_object();
        ht_report_json_copy(copy, row, names);
        if (!json_is_true(json_object_get(row, "kept")))
            ht_report_json_copy(copy, row, said);
        json_array_append_new(rows, copy);
    }
    json_object_set_new(brief, "kernels", rows);
    return brief;
}

char *ht_night_commit(const char *path) {
    enum { DIGITS = 40 };
    char *folder = ht_dir_exists(path) ? ht_strdup(path) : ht_path_folder(path);
    const char *const words[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL};
    const ht_tool_call call = {
        .arguments = words, .seconds = 10, .folder = folder, .no_errors = true};
    ht_text out = {0};
    int code = 1;
    ht_status status = ht_tool_run(&call, &out, &code, NULL);
    size_t digits = out.data ? strspn(out.data, "0123456789abcdef") : 0;
    bool is = status == HT_OK && code == 0 && digits >= DIGITS;
    char *commit = is ? ht_strndup(out.data, digits) : NULL;
    ht_text_free(&out);
    free(folder);
    return commit;
}
