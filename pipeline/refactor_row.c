/* A kernel's object in the JSON report of `refactor`. */
#include "pipeline/refactor_row.h"

#include "pipeline/input.h"
#include "pipeline/report.h"
#include "refactor/recipe_entry.h"

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
    case HT_KERNEL_TOO_COMPLEX:
        return "too-complex";
    case HT_KERNEL_CRASHED:
        return "crashed";
    case HT_KERNEL_NOT_REACHED:
        return "not-reached";
    }
    return "unknown";
}

const char *ht_problem_origin_name(ht_problem_origin origin) {
    switch (origin) {
    case HT_PROBLEM_MISSING:
        return "missing";
    case HT_PROBLEM_GIVEN:
        return "given";
    case HT_PROBLEM_ANNOTATED:
        return "annotated";
    case HT_PROBLEM_INFERRED:
        return "inferred";
    }
    return "missing";
}

static const char *remark_name(ht_remark_kind kind) {
    switch (kind) {
    case HT_REMARK_APPLIED:
        return "applied";
    case HT_REMARK_MISSED:
        return "missed";
    case HT_REMARK_NOTE:
        return "note";
    case HT_REMARK_DOUBT:
        return "doubt";
    }
    return "note";
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

static json_t *line_json(int line) {
    return line ? json_integer(line) : json_null();
}

json_t *ht_refactor_row_json(const ht_kernel *kernel, const char *template_file,
                             const char *skeleton_file) {
    json_t *object =
        json_pack("{s:o, s:o, s:i, s:i, s:s}", "name", ht_report_json_text(kernel->name), "file",
                  ht_report_json_text(kernel->file), "line", kernel->line, "column", kernel->column,
                  "status", ht_kernel_status_name(kernel->status));
    json_t *transformations = json_array();
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        json_array_append_new(transformations, json_string(kernel->transformations[i]));
    json_t *parameters = json_array();
    for (size_t i = 0; kernel->template && i < kernel->template->param_count; ++i)
        json_array_append_new(parameters, json_string(kernel->template->params[i].name));
    json_object_set_new(object, "transformations", transformations);
    json_t *omitted = json_array();
    for (size_t i = 0; i < kernel->omitted_count; ++i)
        json_array_append_new(omitted, json_string(kernel->omitted[i]));
    json_object_set_new(object, "left_out", omitted);
    json_object_set_new(object, "parameters", parameters);
    json_t *recipe = ht_recipe_entry_json(kernel);
    json_object_set_new(object, "recipe", recipe ? recipe : json_null());
    json_object_set_new(object, "reason", ht_report_json_text(kernel->reason));
    json_object_set_new(object, "reason_line", line_json(kernel->reason_line));
    json_object_set_new(object, "earlier", json_null());
    json_object_set_new(object, "verified", json_false());
    json_object_set_new(object, "verification", json_null());
    json_object_set_new(object, "bug_report", json_null());
    json_object_set_new(object, "launcher", json_null());
    json_object_set_new(object, "template", ht_report_json_text(template_file));
    json_object_set_new(object, "skeleton", ht_report_json_text(skeleton_file));
    json_object_set_new(object, "problem", json_string(ht_problem_origin_name(kernel->problem)));
    char *inferred =
        kernel->inferred && template_file ? ht_problem_path_beside(template_file) : NULL;
    json_object_set_new(object, "problem_file", ht_report_json_text(inferred));
    free(inferred);
    json_object_set_new(object, "launch_file", ht_report_json_text(kernel->launch_file));
    json_object_set_new(object, "launch_line", line_json(kernel->launch_line));
    json_object_set_new(object, "remarks", remarks_json(kernel));
    return object;
}
