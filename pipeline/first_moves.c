#include "pipeline/first_moves.h"

#include <string.h>

enum { SAMPLES = 200, WISHES = 3, CHANGES = 6 };

/* Parameters, by the transformation that they come from and how their names begin, and the values
 * wished for, the dearest first; the first one that a parameter has is taken. */
typedef struct change {
    const char *origin, *prefix; /* origin NULL: any */
    int64_t wishes[WISHES];
} change;

/* Together, a step. What the first change is about must be there, the rest need not; where all of
 * them together are not legal, the last ones are left out. */
typedef struct step {
    change changes[CHANGES];
} step;

static const step steps[] = {
    {{{"coarsen-x", "COARSEN_X", {4, 2}}}},
    {{{"register-tile", "TILED", {1}},
      {NULL, "COARSEN_X", {2}},
      {NULL, "COARSEN_Y", {2}},
      {"register-tile", "TILE_", {4, 2}}}},
    {{{"register-tile", "TILED", {1}},
      {NULL, "COARSEN_X", {8, 4, 2}},
      {"inner-path", "INNER_PATH", {1}},
      {"vector-width", "VECTOR_OUTPUTS", {4}},
      {"register-tile", "TILE_", {2}}}},
    {{{"lds-stage", "STAGE_", {1}},
      {NULL, "TILED", {1}},
      {NULL, "COARSEN_X", {8, 4, 2}},
      {NULL, "COARSEN_Y", {2}},
      {"vector-width", "VECTOR_", {4, 2}},
      {"register-tile", "TILE_", {2}}}},
    {{{"stream-window", "STREAM_", {8, 4}}, {NULL, "TILED", {1}}, {NULL, "COARSEN_X", {4, 2}}}},
    {{{"unroll", "UNROLL", {4, 8, 2}}}},
    {{{"coarsen-yz", "COARSEN_Y", {4, 2}}}},
    {{{"block-size", "BLOCK_X", {64, 128}}, {"block-size", "BLOCK_Y", {4, 8}}}},
    {{{"coarsen-x", "COARSEN_X", {2, 4}}, {"coarsen-x", "COARSEN_X_STRIDED", {1}}}},
    {{{"coarsen-yz", "COARSEN_Z", {4, 2}}}},
};

/* COARSEN_X is not COARSEN_X_STRIDED, but STAGE_ is all that begins so. */
static bool is_named(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    bool begins = strncmp(name, prefix, length) == 0;
    return begins && (!name[length] || prefix[length - 1] == '_' || strcmp(prefix, "UNROLL") == 0);
}

static bool is_meant(const ht_param *param, const change *change) {
    return ht_param_is_from(param, change->origin) && is_named(param->name, change->prefix);
}

/* The index of the first wish that the parameter has; the default's when it has none. */
static uint16_t wish(const ht_param *param, const change *change) {
    for (size_t w = 0; w < WISHES; ++w)
        for (size_t i = 0; i < param->value_count; ++i)
            if (change->wishes[w] && param->values[i].number == change->wishes[w])
                return (uint16_t)i;
    return (uint16_t)param->default_index;
}

/* Sets what the change is about; does that differ from the default? */
static bool change_make(const ht_template *template, const change *change, ht_move *move) {
    bool changed = false;
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        if (!is_meant(param, change))
            continue;
        move->to.choice[i] = wish(param, change);
        move->set[i] = move->to.choice[i] != param->default_index;
        changed = changed || move->set[i];
    }
    return changed;
}

/* The first `count` changes of a step; false: there is nothing to change. */
static bool changes_make(const ht_template *template, const step *step, size_t count,
                         ht_move *move) {
    *move = (ht_move){.to = ht_config_default(template)};
    for (size_t c = 0; c < count && step->changes[c].prefix; ++c)
        if (!change_make(template, &step->changes[c], move) && c == 0)
            return false;
    return true;
}

/* A step that is legal from the default with sizes as constants. */
static bool step_make(const ht_space *space, const ht_config *base, const step *step,
                      ht_move *move) {
    for (size_t count = CHANGES; count > 0; --count) {
        if (!changes_make(ht_space_binding(space)->template, step, count, move))
            return false;
        ht_config config = *base;
        ht_move_apply(move, NULL, &config);
        if (ht_space_legal(space, &config))
            return true;
    }
    return false;
}

/* Sizes as constants: those of a legal configuration that has the most of them. What such a
 * parameter must be is said by a constraint; the other values are other problems'. */
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
            other.set[i] = ht_param_is_from(param, "fixed-sizes") &&
                           other.to.choice[i] != param->default_index;
            fixed += other.set[i];
        }
        if (fixed > most)
            *move = other;
        most = fixed > most ? fixed : most;
    }
    return most > 0;
}

size_t ht_first_moves_find(const ht_space *space, uint64_t seed,
                           ht_move out_moves[HT_FIRST_MOVES_MOST]) {
    ht_config base = ht_config_default(ht_space_binding(space)->template);
    size_t count = sizes_make(space, seed, &out_moves[0]);
    if (count)
        ht_move_apply(&out_moves[0], NULL, &base);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
        count += step_make(space, &base, &steps[i], &out_moves[count]);
    return count;
}
