/* Which parameters a condition depends on, and whether it holds. */
#include "templates/bind_check.h"
#include "templates/space_build.h"

#include "base/memory.h"

#include <string.h>

typedef struct mask_context {
    const ht_template *template;
    uint64_t mask;
} mask_context;

static void add_name(void *context, const char *name) {
    mask_context *mask = context;
    for (size_t i = 0; i < mask->template->param_count; ++i)
        if (!strcmp(mask->template->params[i].name, name))
            mask->mask |= (uint64_t)1 << i;
    /* Scalar arguments depend on no parameter. */
}

static uint64_t mask_of_expr(const ht_template *template, const ht_expr *expr) {
    mask_context mask = {template, 0};
    if (expr)
        ht_expr_names(expr, add_name, &mask);
    return mask.mask;
}

ht_space_constraint *ht_space_constraints(const ht_template *template, size_t *out_count) {
    size_t count = template->require_count + template->launch_count;
    ht_space_constraint *constraints = ht_alloc(count ? count : 1, sizeof *constraints);
    for (size_t i = 0; i < template->require_count; ++i) {
        constraints[i].expr = template->requires[i].expr;
        constraints[i].params = mask_of_expr(template, constraints[i].expr);
    }
    for (size_t i = 0; i < template->launch_count; ++i) {
        ht_space_constraint *constraint = &constraints[template->require_count + i];
        const ht_launch *launch = &template->launches[i];
        constraint->launch = launch;
        constraint->params = mask_of_expr(template, launch->lds);
        for (int axis = 0; axis < 3; ++axis)
            constraint->params |= mask_of_expr(template, launch->block[axis]) |
                                  mask_of_expr(template, launch->grid[axis]);
    }
    *out_count = count;
    return constraints;
}

ht_status ht_space_constraint_holds(const ht_binding *binding,
                                    const ht_space_constraint *constraint, const ht_config *config,
                                    bool *out_holds, ht_error *error) {
    int64_t value = 0;
    if (constraint->launch)
        return ht_binding_launch_fits(binding, config, constraint->launch, out_holds, NULL, error);
    ht_status status = ht_binding_evaluate(binding, config, constraint->expr, &value, error);
    *out_holds = value != 0;
    return status;
}
