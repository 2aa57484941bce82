/* Models the kernels of one file, one after the other. */
#include "refactor/explain.h"

#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/kernel/model_build.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/footprint.h"
#include "refactor/kernel_model/kernel_model.h"

#include <stdlib.h>
#include <string.h>

static bool answers_to(const ht_model *model, const char *wanted) {
    return !wanted || strcmp(model->qualified, wanted) == 0 || strcmp(model->name, wanted) == 0;
}

static void explain_one(const ht_source *source, CXCursor cursor, const ht_problem_file *problems,
                        const char *wanted, ht_kernel_model_visit *visit, void *context,
                        size_t *out_found) {
    ht_model facts = {0};
    ht_model_build_of(source, cursor, problems, false, &facts);
    if (answers_to(&facts, wanted)) {
        const ht_source_error *wrong = ht_kernel_error(&facts);
        ht_kernel_model *model = wrong ? NULL : ht_kernel_model_of(&facts, (ht_km_variant){0});
        if (model)
            ht_kernel_model_footprints(model);
        char *problem = wrong ? ht_format("line %d: %s", wrong->line, wrong->message) : NULL;
        visit(model, facts.qualified, problem, context);
        free(problem);
        ++*out_found;
    }
    ht_model_free(&facts);
}

ht_status ht_kernel_model_each(const char *path, const ht_problem_file *problems,
                               const ht_refactor_options *options, const char *kernel,
                               ht_kernel_model_visit *visit, void *context, size_t *out_found,
                               ht_error *error) {
    ht_source *source;
    *out_found = 0;
    ht_status status = ht_source_open(path, options, &source, error);
    if (status != HT_OK)
        return status;
    ht_cursors list = ht_kernels_find(source);
    for (size_t i = 0; i < list.count; ++i) {
        size_t file;
        ht_range range;
        if (ht_source_range(source, list.items[i], &file, &range) && file == 0)
            explain_one(source, list.items[i], problems, kernel, visit, context, out_found);
    }
    free(list.items);
    ht_source_free(source);
    return HT_OK;
}
