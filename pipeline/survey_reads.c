#include "pipeline/survey_reads.h"

#include "base/read_log.h"
#include "base/result.h"
#include "pipeline/report.h"

#include <stdlib.h>

/* Notes the files that hold contents of a template's buffers: verification reads them. */
static void contents_note(const ht_template *template) {
    for (size_t i = 0; template && i < template->arg_count; ++i)
        for (size_t j = 0; j < template->args[i].init.file_count; ++j) {
            char *path = ht_input_beside(template->args[i].init.files[j]);
            ht_read_log_add(path);
            free(path);
        }
}

json_t *ht_survey_reads_json(const ht_refactor *refactor) {
    json_t *reads = json_array();
    for (size_t i = 0; refactor && i < ht_refactor_kernel_count(refactor); ++i)
        contents_note(ht_refactor_kernel(refactor, i)->template);
    size_t count;
    const char *const *paths = ht_read_log_paths(&count);
    for (size_t i = 0; i < count; ++i) {
        json_t *path = json_string(paths[i]);
        json_array_append_new(reads, path ? path : json_null()); /* null: a name that is no UTF-8 */
    }
    return reads;
}

json_t *ht_survey_reads(const ht_source *source, const ht_refactor *refactor) {
    ht_read_log_add(source->path);
    ht_read_log_add(source->through);
    return ht_survey_reads_json(refactor);
}

json_t *ht_survey_names(const ht_refactor *refactor) {
    json_t *names = json_array();
    for (size_t i = 0; refactor && i < ht_refactor_kernel_count(refactor); ++i)
        json_array_append_new(names, ht_report_json_text(ht_refactor_kernel(refactor, i)->name));
    return names;
}
