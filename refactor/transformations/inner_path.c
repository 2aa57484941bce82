/* inner-path: comparisons in the tiled form that test whether an output's window lies inside of its
 * input (the padding of a convolution) have the same result for all outputs except those at the
 * input's edges. Threads with only such outputs take a separate path, in which the compiler knows
 * the results.
 *
 * A comparison is value >= 0 with a value that is affine in the outputs' indices and the loops'
 * counters, with integer coefficients. Its smallest value over a thread's outputs and all
 * iterations is that at one corner, which is tested once, ahead (docs/tiling.md). If a loop's
 * bounds depend on something that differs inside of the form, or the value depends on anything
 * else, the comparison stays. */
#include "base/memory.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/sets.h"
#include "refactor/plan/plan.h"
#include "refactor/staging/print.h"
#include "refactor/staging/stage.h"
#include "refactor/transformations/lds_stage/stage_write.h"
#include "refactor/transformations/register_tile/tiled.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>
#include <string.h>

enum { CONDITIONS_MAX = 16 };

/* A comparison that can be decided ahead. */
typedef struct decided {
    const ht_syntax *node;
    bool holds; /* true on the inner path; false: never true there */
} decided;

typedef struct inner_path {
    ht_plan *plan;
    ht_tiled_form *form;
    ht_kernel_model *km;
    ht_stage_frame frame;
    ht_stage stage; /* used for printing only */
    decided *list;  /* owned */
    size_t count;
    char *thread[CONDITIONS_MAX], *block[CONDITIONS_MAX]; /* all must hold; owned */
    size_t condition_count;
    ht_fixed_steps steps; /* taken at the problem's values; none: any value will do */
} inner_path;

/* ---- the smallest value ---- */

/* Returns the value without the loop's counter, which is replaced by the end at which the value is
 * smallest. NULL: not known. */
static const ht_poly *over_loop(inner_path *in, const ht_poly *value, const ht_km_loop *loop) {
    ht_poly_pool *pool = &in->km->pool;
    int64_t factor, step;
    if (!ht_poly_coefficient(value, loop->symbol, &factor))
        return NULL;
    if (factor == 0)
        return value;
    if (!loop->normal || !loop->bound || !ht_poly_is_constant(loop->step, &step) || step == 0 ||
        factor % step != 0)
        return NULL;
    value = ht_poly_add(pool, value, ht_poly_of(pool, loop->symbol), -factor);
    if (factor > 0 || !value)
        return value;
    /* The counter stays within the bound, so its last value is less than a step before it. */
    const ht_poly *way = ht_poly_add(pool, loop->bound, loop->first, -1);
    const ht_poly *last = ht_poly_plus(pool, way, step > 0 ? -1 : 1);
    return ht_poly_add(pool, value, last, factor / step); /* for each unit of the counter */
}

/* Replaces the outputs' index along an axis by its name; *out_factor: its coefficient. */
static const ht_poly *over_outputs(inner_path *in, const ht_poly *value, int axis,
                                   int64_t *out_factor) {
    size_t thread = ht_builtin_symbol(in->km, HT_KM_THREAD, axis);
    return ht_poly_coefficient(value, thread, out_factor)
               ? ht_stage_name_output(&in->stage, value, axis)
               : NULL;
}

/* Returns true if all parts of the value are the same for the whole launch. (Outputs have names by
 * now.) */
static bool is_given(const inner_path *in, const ht_poly *value) {
    for (size_t i = 0; i < value->count; ++i)
        for (size_t k = 0; k < value->terms[i].count; ++k) {
            const ht_km_symbol *symbol = &in->km->pool.symbols[value->terms[i].symbols[k]];
            if (symbol->scope != HT_SCOPE_LAUNCH || symbol->kind != HT_KM_ARGUMENT)
                return false;
        }
    return true;
}

/* Returns "value >= 0" at the corner, for a thread's outputs or the block's; NULL: it cannot be
 * written. */
static char *corner(inner_path *in, const ht_poly *value, const int64_t factors[3], bool block) {
    char *ends[3] = {NULL, NULL, NULL};
    ht_text text = {0};
    for (size_t i = 0; i < in->form->axis_count; ++i) {
        const ht_tiled_axis *axis = &in->form->axes[i];
        const char *first = block ? axis->origin : axis->first;
        char *last = ht_tiled_last(in->form, i, block);
        ends[axis->axis] =
            ht_format("(%s)(%s)", in->stage.type, factors[axis->axis] < 0 ? last : first);
        in->stage.output_names[axis->axis] = ends[axis->axis];
        free(last);
    }
    bool done = ht_stage_print(&in->stage, value, &text);
    ht_text_append(&text, " >= 0");
    for (int axis = 0; axis < 3; ++axis) {
        in->stage.output_names[axis] = NULL;
        free(ends[axis]);
    }
    if (!done) {
        ht_text_free(&text);
        return NULL;
    }
    return ht_text_take(&text);
}

static bool add_condition(inner_path *in, char *thread, char *block) {
    for (size_t i = 0; i < in->condition_count && thread && block; ++i)
        if (strcmp(in->thread[i], thread) == 0) {
            free(thread);
            free(block);
            return true;
        }
    if (!thread || !block || in->condition_count == CONDITIONS_MAX) {
        free(thread);
        free(block);
        return false;
    }
    in->thread[in->condition_count] = thread;
    in->block[in->condition_count++] = block;
    return true;
}

/* Returns true if value >= 0 can be decided ahead for all outputs and iterations, and adds the
 * condition. False also if it does not depend on the outputs. */
static bool decide_value(inner_path *in, const ht_poly *value) {
    int64_t factors[3] = {0, 0, 0};
    for (size_t l = 0; l < in->km->loop_count && value; ++l)
        value = over_loop(in, value, &in->km->loops[l]);
    for (size_t i = 0; i < in->form->axis_count && value; ++i) {
        int axis = in->form->axes[i].axis;
        value = over_outputs(in, value, axis, &factors[axis]);
    }
    if (!value || !(factors[0] || factors[1] || factors[2]) || !is_given(in, value))
        return false;
    return add_condition(in, corner(in, value, factors, false), corner(in, value, factors, true));
}

/* ---- comparisons ---- */

static bool has_leaf(const ht_km_test *test, const ht_poly *value) {
    if (test->kind == HT_TEST_AND)
        return has_leaf(test->left, value) || has_leaf(test->right, value);
    return test->kind == HT_TEST_NOT_NEGATIVE && test->value == value;
}

/* Returns true if value >= 0 is a guard of an access. */
static bool guards_access(const inner_path *in, const ht_poly *value) {
    for (size_t i = 0; i < in->km->access_count && value; ++i) {
        const ht_km_control *control = &in->km->accesses[i].control;
        for (size_t k = 0; k < control->guard_count; ++k)
            if (has_leaf(control->guards[k].test, value))
                return true;
    }
    return false;
}

/* Decides a test, or both sides of the && that an unsigned comparison is. */
static bool decide_all(inner_path *in, const ht_km_test *test) {
    if (test->kind == HT_TEST_AND)
        return decide_all(in, test->left) && decide_all(in, test->right);
    return test->kind == HT_TEST_NOT_NEGATIVE && guards_access(in, test->value) &&
           decide_value(in, test->value);
}

static void decide(inner_path *in, const ht_km_comparison *of) {
    ht_poly_pool *pool = &in->km->pool;
    size_t before = in->condition_count;
    const ht_syntax *node = of->test ? of->node : NULL;
    if (!node || !ht_tiled_may_replace(in->form, node))
        return;
    bool holds = decide_all(in, of->test), fails = false;
    if (!holds) {
        while (in->condition_count > before) {
            free(in->thread[--in->condition_count]);
            free(in->block[in->condition_count]);
        }
        if (of->test->kind == HT_TEST_NOT_NEGATIVE) {
            const ht_poly *not = ht_poly_add(pool, ht_poly_constant(pool, -1), of->test->value, -1);
            fails = guards_access(in, not) && decide_value(in, not);
        }
    }
    if (!holds && !fails)
        return;
    HT_GROW(in->list, in->count);
    in->list[in->count++] = (decided){node, holds};
}

/* ---- the form ---- */

static char *join(char *const *list, size_t count) {
    ht_text text = {0};
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, i ? " && %s" : "%s", list[i]);
    return ht_text_take(&text);
}

static void write(inner_path *in) {
    ht_plan *plan = in->plan;
    const char *param = ht_plan_name(plan, "INNER_PATH");
    char *thread = join(in->thread, in->condition_count);
    char *block = join(in->block, in->condition_count);
    const char *inner = ht_tiled_inner(in->form, param, thread, block);
    for (size_t i = 0; i < in->count; ++i) {
        char *told = ht_format(in->list[i].holds ? "(%s || $@)" : "(!%s && $@)", inner);
        char *text = ht_format("$?{%s}{%s}{%s}$?{!%s}{}{$@}", param, told, told, param);
        ht_tiled_replace(in->form, in->list[i].node, text);
        free(text);
        free(told);
    }
    ht_plan_param(plan, param, "false, true", "false");
    ht_plan_require(plan, "!%s || %s", param, in->form->apart);
    for (size_t i = 0; i < in->steps.count; ++i)
        ht_plan_require(plan, "!%s || %s == %lld", param, in->steps.names[i],
                        (long long)in->steps.values[i].value);
    if (in->steps.count)
        ht_plan_needs_size(plan, param, in->steps.names[0]);
    ht_plan_remark_place(
        plan, HT_REMARK_APPLIED, in->list[0].node->at,
        "%s: threads whose outputs' windows are inside the input skip %zu comparison%s", param,
        in->count, in->count == 1 ? "" : "s");
    if (!plan->running.failed && !ht_tiled_write(in->form)) {
        plan->running.abandoned = true;
        ht_plan_remark_place(
            plan, HT_REMARK_MISSED, (ht_position){0},
            "the tiled form cannot be written with a path for threads inside the input");
    }
    free(thread);
    free(block);
}

/* Returns the type for comparisons: indices that are not int are compared as long long. */
static const char *type_of(const ht_tiled_form *form) {
    for (size_t i = 0; i < form->axis_count; ++i) {
        const ht_syntax *index = form->axes[i].variable->declaration;
        if (!index->is_signed || (index->bits != 16 && index->bits != 32))
            return "long long";
    }
    return "int";
}

static void forget(inner_path *in) {
    while (in->condition_count > 0) {
        free(in->thread[--in->condition_count]);
        free(in->block[in->condition_count]);
    }
    free(in->list);
    in->list = NULL;
    in->count = 0;
}

/* Collects all comparisons that can be decided with this model. */
static size_t collect(inner_path *in, ht_kernel_model *km) {
    in->km = km;
    in->stage = (ht_stage){.km = km, .frame = &in->frame, .type = type_of(in->form)};
    for (size_t i = 0; i < km->comparison_count; ++i)
        decide(in, &km->comparisons[i]);
    return in->count;
}

static void apply(const ht_model *model, ht_plan *plan) {
    inner_path in = {.plan = plan, .form = ht_tiled_of(plan)};
    if (!in.form)
        return;
    for (size_t i = 0; i < in.form->axis_count; ++i)
        in.frame.axis[in.form->axes[i].axis] = true;
    size_t any = collect(&in, ht_kernel_model_scan(model, (ht_km_variant){0}));
    const ht_fixed_steps steps = ht_staging_steps(plan);
    if (steps.count) { /* more can be decided with these values */
        inner_path with = in;
        with.list = NULL;
        with.count = with.condition_count = 0;
        with.steps = steps;
        const ht_km_variant variant = {.fixed = steps.values, .fixed_count = steps.count};
        bool more = collect(&with, ht_kernel_model_scan(model, variant)) > any;
        forget(more ? &in : &with);
        in = more ? with : in;
    }
    in.stage.frame = &in.frame;
    if (in.count)
        write(&in);
    forget(&in);
}

const ht_transformation ht_transformation_inner_path = {
    .name = "inner-path",
    .summary = "a path without edge tests for threads whose windows lie inside",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_FORMS,
    .searched = {.exports = {"INNER_PATH"}, .drops = {{140, NULL}}},
};
