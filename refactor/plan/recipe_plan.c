/* Restricts a plan to a recipe. */
#include "refactor/plan/recipe_plan.h"

#include "base/memory.h"
#include "templates/annotations/param_parse.h"

#include <stdlib.h>
#include <string.h>

static char *nothing_of(const ht_plan *plan, const char *transformation) {
    for (size_t i = plan->remarks.count; i-- > 0;) {
        const ht_remark *remark = &plan->remarks.items[i];
        if (remark->kind == HT_REMARK_MISSED && strcmp(remark->transformation, transformation) == 0)
            return ht_format("the recipe's %s is not possible: %s", transformation,
                             remark->message);
    }
    return ht_format("the recipe's %s is not possible: it finds nothing to do", transformation);
}

static size_t value_find(const ht_param *param, const char *text) {
    size_t i = 0;
    while (i < param->value_count && strcmp(param->values[i].text, text) != 0)
        ++i;
    return i;
}

/* Finds the values that the recipe asks for, in the order in which they were offered. Returns which
 * one was not offered; NULL: all were, and *out_values has them. free() either. */
static char *values_choose(const ht_param *offered, const ht_recipe_param *asked,
                           char **out_values) {
    bool wanted[HT_PARAM_VALUES_MAX] = {false};
    ht_text text = {0};
    for (size_t i = 0; i < asked->value_count; ++i) {
        size_t at = value_find(offered, asked->values[i]);
        if (at == offered->value_count)
            return ht_format("the recipe's value %s of %s is not possible", asked->values[i],
                             asked->name);
        wanted[at] = true;
    }
    if (!wanted[offered->default_index])
        return ht_format("the recipe's values of %s leave out the original's, %s", asked->name,
                         offered->values[offered->default_index].text);
    ht_text_append(&text, offered->kind == HT_PARAM_TYPE ? "type " : "");
    for (size_t i = 0, count = 0; i < offered->value_count; ++i)
        if (wanted[i])
            ht_text_printf(&text, count++ ? ", %s" : "%s", offered->values[i].text);
    *out_values = ht_text_take(&text);
    return NULL;
}

static char *param_restrict(ht_planned_param *planned, const ht_recipe_step *step) {
    const ht_recipe_param *asked = NULL;
    for (size_t i = 0; i < step->param_count; ++i)
        if (strcmp(step->params[i].name, planned->name) == 0)
            asked = &step->params[i];
    char *text = ht_format("%s : %s = %s", planned->name, planned->values, planned->default_value);
    char *only[] = {planned->default_value}, *problem = NULL;
    const ht_recipe_param fixed = {planned->name, only, 1};
    ht_param offered;
    ht_error error = {0};
    if (ht_param_parse((ht_span){text, strlen(text), {0}}, &offered, &error) == HT_OK) {
        char *values = NULL;
        problem = values_choose(&offered, asked ? asked : &fixed, &values);
        if (!problem) {
            free(planned->values);
            planned->values = values;
        }
        ht_param_clear(&offered);
    } else
        problem = ht_format("%s cannot be read: %s", planned->name, error.message);
    free(text);
    return problem;
}

char *ht_recipe_restrict(ht_plan *plan, const ht_recipe_step *step, size_t first) {
    if (plan->params.count == first)
        return nothing_of(plan, step->transformation);
    for (size_t i = 0; i < step->param_count; ++i) {
        bool found = false;
        for (size_t k = first; k < plan->params.count; ++k)
            found = found || strcmp(plan->params.items[k].name, step->params[i].name) == 0;
        if (!found)
            return ht_format("the recipe's parameter %s of %s is not possible",
                             step->params[i].name, step->transformation);
    }
    char *problem = NULL;
    for (size_t k = first; k < plan->params.count && !problem; ++k)
        problem = param_restrict(&plan->params.items[k], step);
    return problem;
}
