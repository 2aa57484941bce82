/* The result of the pass over one file. Private to refactor/. */
#ifndef HT_REFACTOR_RESULT_H
#define HT_REFACTOR_RESULT_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"
#include "refactor/refactor.h"

#include <jansson.h>

/* The part of an ht_kernel that is needed to apply it. */
typedef struct ht_kernel_work {
    bool modelled;                         /* model, plan and grid are set */
    const struct ht_recipe_kernel *recipe; /* NULL: none; borrowed */
    unsigned without;                      /* of ht_refactor_options, as the next */
    bool tries;
    bool own_build;
    bool leaves;     /* launches that cannot be rewritten stay */
    bool own_grid;   /* blocks of a grid that is not followed are sizes of their own */
    bool for_build;  /* the plan is for this build alone */
    char *elsewhere; /* where else the kernel is launched, perhaps, by a template's plan that does
                        not count it; NULL: nowhere; owned */
    bool unlaunched; /* block and grid are not known from the launches that there are */
    ht_model model;
    ht_plan plan;
    ht_grid grid;
} ht_kernel_work;

struct ht_refactor {
    ht_source *source; /* NULL for one that was recalled */
    json_t *recalled;  /* the document that it was made of; owned; NULL: the source was read */
    ht_kernel *kernels;
    ht_kernel_work *work; /* one for each kernel */
    size_t count;
};

/* Frees what was planned, so that it can be planned again. */
void ht_kernel_forget_plan(ht_kernel_work *work);
/* Frees the kernel's template with what is known of it. */
void ht_kernel_forget_template(ht_kernel *kernel);
/* Ends the kernel's pass. Takes over `reason`. `line`: of the reason; 0: it has none. */
void ht_kernel_settle(ht_kernel *kernel, ht_kernel_status status, int line, char *reason);
/* Frees what is known of the kernel. */
void ht_kernel_clear(ht_kernel *kernel);

#endif
