/* The result of the pass over one file. Private to refactor/. */
#ifndef HT_REFACTOR_RESULT_H
#define HT_REFACTOR_RESULT_H

#include "refactor/refactor.h"
#include "refactor/unit/emit.h"

/* Behind each ht_kernel: what applying needs. */
typedef struct ht_kernel_work {
    bool modelled;                         /* model, plan and grid are there */
    const struct ht_recipe_kernel *recipe; /* NULL: none; borrowed */
    ht_model model;
    ht_plan plan;
    ht_grid grid;
} ht_kernel_work;

struct ht_refactor {
    ht_source *source;
    ht_kernel *kernels;
    ht_kernel_work *work; /* as many */
    size_t count;
};

#endif
