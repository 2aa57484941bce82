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
