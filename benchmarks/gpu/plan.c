#include "benchmarks/gpu/plan.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static ht_status run_read(const char *path, size_t index, json_t *item, ht_gpu_run *out,
                          ht_error *error) {
    json_error_t problem;
    if (json_unpack_ex(item, &problem, JSON_STRICT, "{s:s, s:s, s:s, s:s, s:i}", "name", &out->name,
                       "part", &out->part, "template", &out->template, "problem", &out->problem,
                       "max_evals", &out->max_evals) != 0)
        return ht_error_set(error, HT_ERROR_INPUT, "%s: run %zu: %s", path, index + 1,
                            problem.text);
    if (strcmp(out->part, "check") != 0 && strcmp(out->part, "tune") != 0)
        return ht_error_set(error, HT_ERROR_INPUT, "%s: run %zu: part is '%s', not check or tune",
                            path, index + 1, out->part);
    if (out->max_evals < 1)
        return ht_error_set(error, HT_ERROR_INPUT, "%s: run %zu: max_evals is below 1", path,
                            index + 1);
    return HT_OK;
}

static ht_status plan_read(const char *path, ht_gpu_plan *out, ht_error *error) {
    json_error_t problem;
    out->document = json_load_file(path, 0, &problem);
    if (!out->document)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "%s:%d: %s; is this folder made by the build "
                            "target gpu-check-bundle?",
                            path, problem.line, problem.text);
    json_t *runs = json_object_get(out->document, "runs");
    if (!json_is_array(runs) || json_array_size(runs) == 0)
        return ht_error_set(error, HT_ERROR_INPUT, "%s: no list 'runs'", path);
    out->runs = ht_alloc(json_array_size(runs), sizeof *out->runs);
    ht_status status = HT_OK;
    for (size_t i = 0; i < json_array_size(runs) && !status; i++) {
        status = run_read(path, i, json_array_get(runs, i), &out->runs[i], error);
        out->count += !status;
    }
    return status;
}

ht_status ht_gpu_plan_read(const char *bundle, ht_gpu_plan *out_plan, ht_error *error) {
    char *path = ht_path_join(bundle, "plan.json");
    *out_plan = (ht_gpu_plan){0};
    ht_status status = plan_read(path, out_plan, error);
    free(path);
    return status;
}

void ht_gpu_plan_free(ht_gpu_plan *plan) {
    json_decref(plan->document);
    free(plan->runs);
    *plan = (ht_gpu_plan){0};
}
