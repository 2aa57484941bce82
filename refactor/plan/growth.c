#include "refactor/plan/growth.h"
#include "refactor/plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { ACCESSES_MOST = 1024 };

static long accesses_in(const ht_model *model, ht_range range) {
    long count = 0;
    for (size_t at = range.begin; at < range.end; ++at)
        count += model->text[at] == '[';
    return count ? count : 1;
}

static bool is_loop(const ht_planned_param *param) {
    return param->loop.begin < param->loop.end;
}

static bool is_outputs(const ht_planned_param *param) {
    bool coarsen = strncmp(param->name, "COARSEN_", 8) == 0 && !strstr(param->name, "_STRIDED") &&
                   !strstr(param->name, "_JAM");
    return coarsen || strncmp(param->name, "TILE_", 5) == 0;
}

static bool is_innermost(const ht_plan *plan, size_t index) {
    for (size_t i = 0; i < plan->params.count; ++i)
        if (i != index && is_loop(&plan->params.items[i]) &&
            ht_range_within(plan->params.items[i].loop, plan->params.items[index].loop))
            return false;
    return is_loop(&plan->params.items[index]);
}

/* Limits the code of `place`, the body of a loop or of the kernel. */
static void limit(ht_plan *plan, ht_range place) {
    ht_text text = {0};
    long accesses = accesses_in(plan->model, place), usual = accesses, factors = 0;
    ht_text_append(&text, "");
    if (accesses != 1)
        ht_text_printf(&text, "%ld", accesses);
    for (size_t i = 0; i < plan->params.count; ++i) {
        const ht_planned_param *param = &plan->params.items[i];
        if (!is_outputs(param) && !(is_loop(param) && ht_range_within(place, param->loop)))
            continue;
        long value = strtol(param->default_value, NULL, 10);
        usual *= value > 0 ? value : 1;
        ht_text_printf(&text, text.length ? " * %s" : "%s", param->name);
        ++factors;
    }
    long most = usual > ACCESSES_MOST ? usual : ACCESSES_MOST;
    if (factors > 1)
        ht_plan_require(plan, "%s <= %ld", text.data, most);
    ht_text_free(&text);
}

void ht_plan_limit_growth(ht_plan *plan) {
    size_t count = plan->params.count;
    for (size_t i = 0; i < count; ++i)
        if (is_innermost(plan, i))
            limit(plan, plan->params.items[i].loop);
    limit(plan, plan->model->definition.body_range);
}
