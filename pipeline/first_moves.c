#include "pipeline/first_moves.h"

#include "refactor/plan/searched.h"
#include "refactor/transformations/transformations.h"

#include <string.h>

enum { SAMPLES = 200 };

/* A step, and who says so. */
typedef struct step {
    const char *transformation;
    const ht_first_step *first;
} step;

/* Compares names: COARSEN_X is not COARSEN_X_STRIDED, but STAGE_ is all that begins so. */
static bool is_named(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    bool begins = strncmp(name, prefix, length) == 0;
    return begins && (!name[length] || prefix[length - 1] == '_' || strcmp(prefix, "UNROLL") == 0);
}

static bool is_meant(const ht_param *param, const ht_wish *wish, const char *transformation) {
    const ht_searched *from = ht_searched_of(param->origin);
    return from && is_named(param->name, wish->prefix) &&
           (wish->of_others ? ht_searched_exports(from, wish->prefix)
                            : ht_param_is_from(param, transformation));
}

/* Returns the index of the first wish that the parameter has; the default's when it has none. */
static uint16_t value_wished(const ht_param *param, const ht_wish *wish) {
    for (size_t w = 0; w < HT_WISHED_VALUES; ++w)
        for (size_t i = 0; i < param->value_count; ++i)
            if (wish->values[w] && param->values[i].number == wish->values[w])
                return (uint16_t)i;
    return (uint16_t)param->default_index;
}

/* Sets what the wish is about; returns true if that differs from the default. */
static bool wish_grant(const ht_template *template, const ht_wish *wish, const char *transformation,
                       ht_move *move) {
    bool changed = false;
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (!is_meant(param, wish, transformation))
            continue;
        move->to.choice[i] = value_wished(param, wish);
        move->set[i] = move->to.choice[i] != param->default_index;
        changed = changed || move->set[i];
    }
    return changed;
}

/* Grants the first `count` wishes of a step; false: there is nothing to change. */
static bool wishes_grant(const ht_template *template, const step *step, size_t count,
                         ht_move *move) {
    *move = (ht_move){.to = ht_config_default(template)};
    for (size_t w = 0; w < count && step->first->wishes[w].prefix; ++w)
        if (!wish_grant(template, &step->first->wishes[w], step->transformation, move) && w == 0)
            return false;
    return true;
}

/* Makes a step that is legal from the default with sizes as constants. */
static bool step_make(const ht_space *space, const ht_config *base, const step *step,
                      ht_move *move) {
    for (size_t count = HT_WISHES; count > 0; --count) {
        if (!wishes_grant(ht_space_binding(space)->template, step, count, move))
            return false;
        ht_config config = *base;
        ht_move_apply(move, NULL, &config);
        if (ht_space_legal(space, &config))
            return true;
    }
    return false;
}

/* Makes sizes constants: those of a legal configuration that has the most of them. A constraint
 * gives the value of such a parameter; the other values are other problems'. */
static bool sizes_make(const ht_space *space, uint64_t seed, ht_move *move) {
    const ht_template *template = ht_space_binding(space)->template;
    ht_random random;
    size_t most = 0;
    ht_random_seed(&random, seed);
    for (int s = 0; s < SAMPLES; ++s) {
        ht_move other = {.to = ht_space_sample(space, &random), .foundation = true};
        size_t fixed = 0;
        for (size_t i = 0; i < template->param_count; ++i) {
            const ht_param *param = &template->params[i];
            const ht_searched *from = ht_searched_of(param->origin);
            other.set[i] =
                from && from->is_foundation && other.to.choice[i] != param->default_index;
            fixed += other.set[i];
        }
        if (fixed > most)
            *move = other;
        most = fixed > most ? fixed : most;
    }
    return most > 0;
}

/* Lists all steps that transformations name, by rank. */
static size_t steps_list(step out_steps[HT_FIRST_MOVES_MOST]) {
    size_t count = 0;
    const char *name;
    const ht_searched *searched;
    for (size_t i = 0; (searched = ht_searched_at(i, &name)) != NULL; ++i)
        for (size_t k = 0; k < HT_FIRST_STEPS && searched->steps[k].rank; ++k) {
            if (count + 1 >= HT_FIRST_MOVES_MOST) /* one is the sizes' */
                return count;
            size_t at = count++;
            for (; at > 0 && out_steps[at - 1].first->rank > searched->steps[k].rank; --at)
                out_steps[at] = out_steps[at - 1];
            out_steps[at] = (step){name, &searched->steps[k]};
        }
    return count;
}

size_t ht_first_moves_find(const ht_space *space, uint64_t seed,
                           ht_move out_moves[HT_FIRST_MOVES_MOST]) {
    ht_config base = ht_config_default(ht_space_binding(space)->template);
    size_t count = sizes_make(space, seed, &out_moves[0]);
    if (count)
        ht_move_apply(&out_moves[0], NULL, &base);
    step steps[HT_FIRST_MOVES_MOST];
    size_t step_count = steps_list(steps);
    for (size_t i = 0; i < step_count; ++i)
        count += step_make(space, &base, &steps[i], &out_moves[count]);
    return count;
}
