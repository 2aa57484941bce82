#include "cli/refactor_report.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const char *ht_kernel_status_name(ht_kernel_status status) {
    switch (status) {
    case HT_KERNEL_TEMPLATED:
        return "templated";
    case HT_KERNEL_ANNOTATED:
        return "annotated";
    case HT_KERNEL_NEEDS_PROBLEM:
        return "needs-problem";
    case HT_KERNEL_REFUSED:
        return "refused";
    case HT_KERNEL_UNPARSED:
        return "unparsed";
    }
    return "unknown";
}

static const char *remark_name(ht_remark_kind kind) {
    switch (kind) {
    case HT_REMARK_APPLIED:
        return "applied";
    case HT_REMARK_MISSED:
        return "missed";
    case HT_REMARK_NOTE:
        return "note";
    }
    return "note";
}

static const char *remark_color(ht_remark_kind kind) {
    return kind == HT_REMARK_APPLIED ? "\033[32m" : kind == HT_REMARK_MISSED ? "\033[33m" : "";
}

static void remark_print(const ht_remark *remark, FILE *out) {
    bool color = ht_report_has_color(out) && remark->kind != HT_REMARK_NOTE;
    fprintf(out, "%s:%d:%d: %s%s:%s %s", remark->file, remark->line, remark->column,
            color ? remark_color(remark->kind) : "", remark_name(remark->kind),
            color ? "\033[0m" : "", remark->message);
    if (remark->transformation)
        fprintf(out, " [%s]", remark->transformation);
    fputc('\n', out);
}

void ht_refactor_report_remarks(const ht_kernel *kernel, FILE *out) {
    if (kernel->reason)
        fprintf(out, "%s:%d: %s: %s: %s\n", kernel->file,
                kernel->reason_line ? kernel->reason_line : kernel->line,
                ht_kernel_status_name(kernel->status), kernel->name, kernel->reason);
    for (size_t i = 0; i < kernel->remark_count; ++i)
        remark_print(&kernel->remarks[i], out);
}

char *ht_refactor_parameters(const ht_kernel *kernel) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; kernel->template && i < kernel->template->param_count; ++i)
        ht_text_printf(&text, "%s%s", i ? " " : "", kernel->template->params[i].name);
    return ht_text_take(&text);
}

static char *transformations_text(const ht_kernel *kernel) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        ht_text_printf(&text, "%s%s", i ? " " : "", kernel->transformations[i]);
    return ht_text_take(&text);
}

void ht_refactor_report_table(const ht_refactor_row *rows, size_t count, FILE *out) {
    const char *heads[] = {"kernel", "where", "status", "transformations", "parameters"};
    ht_table *table = ht_table_new("llllt", heads);
    size_t counts[HT_KERNEL_UNPARSED + 1] = {0};
    for (size_t i = 0; i < count; ++i) {
        const ht_kernel *kernel = rows[i].kernel;
        char *where = ht_format("%s:%d", kernel->file, kernel->line);
        char *transformations = transformations_text(kernel);
        char *parameters = ht_refactor_parameters(kernel);
        const char *cells[] = {kernel->name, where, ht_kernel_status_name(kernel->status),
                               *transformations ? transformations : "-",
                               *parameters ? parameters : "-"};
        ht_table_row(table, cells);
        ++counts[kernel->status];
        free(where);
        free(transformations);
        free(parameters);
    }
    ht_table_finish(table, out, 0);
    fprintf(out, "\n%zu kernel%s", count, count == 1 ? "" : "s");
    for (size_t i = 0; i <= HT_KERNEL_UNPARSED; ++i) {
        if (counts[i])
            fprintf(out, ", %zu %s", counts[i], ht_kernel_status_name((ht_kernel_status)i));
    }
    fputc('\n', out);
}

static json_t *remarks_json(const ht_kernel *kernel) {
    json_t *array = json_array();
    for (size_t i = 0; i < kernel->remark_count; ++i) {
        const ht_remark *remark = &kernel->remarks[i];
        json_t *object =
            json_pack("{s:s, s:o, s:i, s:i, s:o}", "kind", remark_name(remark->kind), "file",
                      ht_report_json_text(remark->file), "line", remark->line, "column",
                      remark->column, "message", ht_report_json_text(remark->message));
        json_object_set_new(object, "transformation", ht_report_json_text(remark->transformation));
        json_array_append_new(array, object);
    }
    return array;
}

json_t *ht_refactor_row_json(const ht_refactor_row *row) {
    const ht_kernel *kernel = row->kernel;
    json_t *object = json_pack("{s:o, s:o, s:i, s:s}", "name", ht_report_json_text(kernel->name),
                               "file", ht_report_json_text(kernel->file), "line", kernel->line,
                               "status", ht_kernel_status_name(kernel->status));
    json_t *transformations = json_array();
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        json_array_append_new(transformations, json_string(kernel->transformations[i]));
    json_t *parameters = json_array();
    for (size_t i = 0; kernel->template && i < kernel->template->param_count; ++i)
        json_array_append_new(parameters, json_string(kernel->template->params[i].name));
    json_object_set_new(object, "transformations", transformations);
    json_object_set_new(object, "parameters", parameters);
    json_object_set_new(object, "reason", ht_report_json_text(kernel->reason));
    json_object_set_new(object, "reason_line",
                        kernel->reason_line ? json_integer(kernel->reason_line) : json_null());
    json_object_set_new(object, "launch_file", ht_report_json_text(kernel->launch_file));
    json_object_set_new(object, "launch_line",
                        kernel->launch_line ? json_integer(kernel->launch_line) : json_null());
    json_object_set_new(object, "template", ht_report_json_text(row->template_file));
    json_object_set_new(object, "skeleton", ht_report_json_text(row->skeleton_file));
    json_object_set_new(object, "remarks", remarks_json(kernel));
    return object;
}
