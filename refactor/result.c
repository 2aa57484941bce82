#include "refactor/result.h"

#include <stdlib.h>

void ht_kernel_forget_plan(ht_kernel_work *work) {
    if (work->modelled) {
        ht_plan_free(&work->plan);
        ht_grid_free(&work->grid);
    }
    work->modelled = false;
}

void ht_kernel_forget_template(ht_kernel *kernel) {
    if (kernel->template)
        ht_template_free(kernel->template, 1);
    if (kernel->against)
        ht_template_free(kernel->against, 1);
    free(kernel->origins);
    free(kernel->rounds);
    free(kernel->transformations);
    kernel->template = kernel->against = NULL;
    kernel->origins = kernel->transformations = NULL;
    kernel->rounds = NULL;
    kernel->transformation_count = 0;
}

void ht_kernel_settle(ht_kernel *kernel, ht_kernel_status status, int line, char *reason) {
    kernel->status = status;
    kernel->reason = reason;
    kernel->reason_line = line;
}

void ht_kernel_clear(ht_kernel *kernel) {
    free(kernel->name);
    free(kernel->file);
    free(kernel->reason);
    free(kernel->skeleton);
    free(kernel->places);
    ht_problem_file_free(kernel->inferred);
    free(kernel->launch_file);
    ht_kernel_forget_template(kernel);
    for (size_t i = 0; i < kernel->remark_count; ++i) {
        free(kernel->remarks[i].file);
        free(kernel->remarks[i].message);
    }
    free(kernel->remarks);
    free(kernel->omitted);
}
