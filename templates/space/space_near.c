/* Legality and legal neighbours, from the constraints alone: a neighbour's legality depends on the
 * constraints that see the changed parameter, the others stay as they are. */
#include "templates/space/space_internal.h"

#include <string.h>

bool ht_space_legal(const ht_space *space, const ht_config *config) {
    const ht_space_model *model = &space->model;
    if (config->count != model->dimension_count)
        return false;
    for (size_t i = 0; i < model->dimension_count; ++i)
        if (config->choice[i] >= model->dimensions[i].value_count)
            return false;
    for (size_t i = 0; i < space->constraints.count; ++i)
        if (ht_space_constraint_check(&space->constraints.items[i], config->choice) !=
            HT_CONDITION_TRUE)
            return false;
    return true;
}

const char *ht_space_default_breaks(const ht_space *space) {
    const ht_space_model *model = &space->model;
    uint16_t choice[HT_PARAM_MAX];
    for (size_t i = 0; i < model->dimension_count; ++i)
        choice[i] = (uint16_t)model->dimensions[i].default_index;
    for (size_t i = 0; i < space->constraints.count; ++i) {
        const ht_space_constraint *constraint = &space->constraints.items[i];
        if (ht_space_constraint_check(constraint, choice) != HT_CONDITION_TRUE)
            return model->sources[model->conditions[constraint->conditions[0]].source].text;
    }
    return NULL;
}

static bool is_step(const ht_dimension *dimension, ht_neighbourhood kind, size_t from, size_t to) {
    bool ordered = dimension->kind == HT_PARAM_INTEGER || dimension->kind == HT_PARAM_BOOLEAN;
    return from != to &&
           (kind == HT_NEIGHBOURS_HAMMING || !ordered || from + 1 == to || to + 1 == from);
}

/* Returns true if all constraints that do not see `param` hold. `broken` are those that do not. */
static bool only_breaks(const ht_space *space, uint32_t param, const uint32_t *broken,
                        size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!(space->constraints.items[broken[i]].params >> param & 1))
            return false;
    return true;
}

/* Finds the legal values of `param`, the other parameters as they are. */
static void legal_values(const ht_space *space, const ht_config *config, uint32_t param,
                         uint8_t *out_legal) {
    uint8_t verdicts[HT_PARAM_VALUES_MAX];
    size_t count = space->model.dimensions[param].value_count;
    memset(out_legal, 1, count);
    for (size_t i = 0; i < space->constraints.count; ++i) {
        const ht_space_constraint *constraint = &space->constraints.items[i];
        if (!(constraint->params >> param & 1))
            continue;
        ht_space_constraint_check_values(constraint, config->choice, param, count, verdicts);
        for (size_t v = 0; v < count; ++v)
            out_legal[v] &= verdicts[v] == HT_CONDITION_TRUE;
    }
}

size_t ht_space_neighbours(const ht_space *space, const ht_config *config, ht_neighbourhood kind,
                           ht_config *out_configs, size_t room) {
    enum { BROKEN_MAX = 32 };
    const ht_space_model *model = &space->model;
    uint8_t legal[HT_PARAM_VALUES_MAX];
    uint32_t broken[BROKEN_MAX];
    size_t broken_count = 0, count = 0;
    for (size_t i = 0; i < space->constraints.count && broken_count < BROKEN_MAX; ++i)
        if (ht_space_constraint_check(&space->constraints.items[i], config->choice) !=
            HT_CONDITION_TRUE)
            broken[broken_count++] = (uint32_t)i;
    for (uint32_t p = 0; p < model->dimension_count; ++p) {
        const ht_dimension *dimension = &model->dimensions[p];
        if (dimension->value_count < 2 || !only_breaks(space, p, broken, broken_count))
            continue;
        legal_values(space, config, p, legal);
        for (size_t v = 0; v < dimension->value_count; ++v) {
            if (!legal[v] || !is_step(dimension, kind, config->choice[p], v))
                continue;
            if (count < room) {
                out_configs[count] = *config;
                out_configs[count].choice[p] = (uint16_t)v;
            }
            ++count;
        }
    }
    return count;
}
