/* The result of the pass over one file. Private to refactor/. */
#ifndef HT_REFACTOR_REWRITE_RESULT_H
#define HT_REFACTOR_REWRITE_RESULT_H

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

/* Definitions of __global__ functions in the user's files. free(items). */
ht_cursors ht_kernels_find(const ht_source *source);
/* Returns true if the kernel's definition is written by a macro. *out_callee (free()) is the first
 * function its body calls, or NULL. */
bool ht_kernel_from_macro(const ht_source *source, CXCursor kernel, char **out_callee);
/* The first error inside the kernel or the functions it reaches; NULL when there is none. */
const ht_source_error *ht_kernel_error(const ht_model *model);

/* The templates that the file's own annotations describe, for a kernel of this name; NULL when it
 * has none. *out_line becomes the line of a problem that has one in the file. */
ht_status ht_annotated_make(const ht_source *source, CXCursor kernel, const char *name,
                            ht_template **out_template, char **out_problem, int *out_line);

#endif
