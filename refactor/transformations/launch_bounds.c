/* launch-bounds: __launch_bounds__(threads of the block) on or off, where the kernel has none. */
#include "refactor/transformations/launch_bounds.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/named.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct bounds {
    bool found;
    ht_range first; /* first argument's text */
    bool known;
    int64_t value;
} bounds;

static bounds find_bounds(const ht_model *model) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    bounds found = {0};
    for (size_t i = ht_tokens_at(tokens, model->definition.range.begin);
         i < tokens->count && tokens->items[i].begin < model->definition.body_range.begin; ++i) {
        if (!ht_tokens_is(tokens, i, "__launch_bounds__"))
            continue;
        found.found = true;
        size_t close = ht_tokens_close(tokens, i + 1), last = i + 2;
        if (close >= tokens->count || close <= i + 2)
            return found;
        int depth = 0;
        for (; last < close; ++last) {
            depth += ht_tokens_is(tokens, last, "(") - ht_tokens_is(tokens, last, ")");
            if (depth == 0 && ht_tokens_is(tokens, last, ","))
                break;
        }
        found.first = (ht_range){tokens->items[i + 2].begin, tokens->items[last - 1].end};
        found.known = ht_model_text_value(model, found.first, &found.value);
        return found;
    }
    return found;
}

static int64_t original_threads(const ht_model *model) {
    return model->axes[0].block * model->axes[1].block * model->axes[2].block;
}

char *ht_plan_threads(const ht_plan *plan) {
    ht_text text = {0};
    for (int axis = 0; axis < 3; ++axis) {
        const char *block = plan->axes[axis].block;
        if (strcmp(block, "1") != 0)
            ht_text_printf(&text, strpbrk(block, " +-") ? "%s(%s)" : "%s%s",
                           text.length ? " * " : "", block);
    }
    if (!text.length)
        ht_text_append(&text, "1");
    return ht_text_take(&text);
}

bool ht_launch_bounds_follow(ht_plan *plan) {
    bounds found = find_bounds(plan->model);
    if (!found.found)
        return true;
    if (!found.known) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "the value of its __launch_bounds__ is not understood");
        return false;
    }
    char *product = ht_plan_threads(plan);
    ht_text names = {0};
    ht_text_append(&names, "");
    (void)ht_expr_text_names(product, ht_plan_name_add, &names);
    if (found.value == original_threads(plan->model)) /* the author's text while the block stays */
        ht_plan_editf(plan, found.first, names.length ? names.data : NULL, "${%s}", product);
    else
        ht_plan_require(plan, "%s <= %lld", product, (long long)found.value);
    ht_text_free(&names);
    free(product);
    return true;
}

bool ht_kernel_name_place(const ht_model *model, size_t *out_offset) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    size_t index = ht_tokens_at(tokens, model->definition.name_begin);
    *out_offset = model->definition.name_begin;
    return index < tokens->count && tokens->items[index].begin == model->definition.name_begin &&
           ht_tokens_is(tokens, index, model->name) && !ht_tokens_is(tokens, index - 1, "::");
}

/* Returns true if the tuned source still launches the old block in some cases: one chosen at run
 * time, where the new one does not divide the number of threads. */
static bool may_fall_back(const ht_plan *plan) {
    const ht_model *model = plan->model;
    bool changed = plan->axes[0].changed || plan->axes[1].changed || plan->axes[2].changed;
    if (model->facts->assumed.text && (!changed || plan->launches.renumbered))
        return true;
    for (int axis = 0; axis < 3; ++axis)
        if (model->facts->assumed.text && plan->axes[axis].changed &&
            !plan->axes[axis].free_cover &&
            (plan->axes[axis].exact_cover || !(plan->axes[axis].bound || model->axes[axis].guard)))
            return true;
    return false;
}

static void apply(const ht_model *model, ht_plan *plan) {
    size_t offset;
    if (!model->launch_known || model->facts->problem.text)
        return;
    if (may_fall_back(plan)) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "the source goes on to launch blocks of any size");
        return;
    }
    if (find_bounds(model).found) {
        ht_plan_remark_place(plan, HT_REMARK_NOTE, HT_AT_KERNEL, "has __launch_bounds__ already");
        return;
    }
    if (!ht_kernel_name_place(model, &offset) || original_threads(model) > 1024)
        return;
    const char *name = ht_plan_name(plan, "LAUNCH_BOUNDS");
    char *product = ht_plan_threads(plan);
    ht_plan_param(plan, name, "false, true", "false");
    ht_plan_editf(plan, (ht_range){offset, offset}, name, "__launch_bounds__(${%s ? %s : 1024}) ",
                  name, product);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                         "__launch_bounds__ of the block's threads became a choice");
    free(product);
}

const ht_transformation ht_transformation_launch_bounds = {
    .name = "launch-bounds",
    .summary = "__launch_bounds__ of the block's threads, on or off",
    .apply = apply,
    .stopped_by = HT_PINNED_HEADER | HT_PINNED_LAUNCH,
    .searched = {.is_hint = true, .idle_emulated = true, .drops = {{20, NULL}}},
};
