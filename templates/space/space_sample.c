/* Drawing legal configurations. From an exact diagram each has the same probability. Else from a
 * diagram of some of the constraints, dropping what the others forbid, which is uniform too; where
 * that finds too few, by a random walk that backs off from what is forbidden, which is not. */
#include "templates/space/space_internal.h"

#include <string.h>

enum {
    PROBES = 20000,     /* draws from which the share of legal ones is guessed */
    PROBES_LEGAL = 20,  /* fewer legal ones among them: walk instead */
    DRAWS_MAX = 200000, /* for one configuration */
    WALK_STEPS = 20000, /* before a new start */
    WALK_STARTS = 50
};

typedef struct walk {
    const ht_space *space;
    ht_random *random;
    ht_config config;
    uint64_t chosen; /* parameters */
    size_t steps;
} walk;

static bool draw(const ht_space *space, size_t most, ht_random *random, ht_config *out) {
    for (size_t i = 0; i < most; ++i) {
        *out = ht_diagram_sample(&space->diagram, random);
        if (ht_space_legal(space, out))
            return true;
    }
    return false;
}

/* Returns true if all constraints hold that the last choice completed. */
static bool completes(const walk *w, uint32_t param) {
    const ht_space_constraints *constraints = &w->space->constraints;
    for (size_t i = 0; i < constraints->count; ++i) {
        const ht_space_constraint *constraint = &constraints->items[i];
        if ((constraint->params >> param & 1) && !(constraint->params & ~w->chosen) &&
            ht_space_constraint_check(constraint, w->config.choice) != HT_CONDITION_TRUE)
            return false;
    }
    return true;
}

/* Tries the values of a level from a random one on, with a random stride. */
static bool walk_down(walk *w, uint32_t node, size_t level) {
    const ht_diagram *diagram = &w->space->diagram;
    if (level == diagram->levels)
        return ht_space_legal(w->space, &w->config);
    uint32_t param = diagram->order[level];
    size_t width = diagram->widths[level];
    uint16_t values[HT_PARAM_VALUES_MAX];
    for (size_t v = 0; v < width; ++v)
        values[v] = (uint16_t)v;
    w->chosen |= UINT64_C(1) << param;
    for (size_t left = width; left; --left) {
        size_t pick = ht_random_below(w->random, left);
        uint16_t value = values[pick];
        values[pick] = values[left - 1];
        uint32_t child = diagram->child[diagram->first[node] + value];
        w->config.choice[param] = value;
        if (!child)
            continue;
        if (++w->steps > WALK_STEPS)
            break;
        if (completes(w, param) && walk_down(w, child, level + 1))
            return true;
    }
    w->chosen &= ~(UINT64_C(1) << param);
    return false;
}

static bool wander(const ht_space *space, ht_random *random, ht_config *out) {
    for (int start = 0; start < WALK_STARTS; ++start) {
        walk w = {.space = space, .random = random};
        w.config.count = (uint16_t)space->diagram.params;
        if (walk_down(&w, space->diagram.root, 0)) {
            *out = w.config;
            return true;
        }
    }
    return false;
}

bool ht_space_sample_prepare(ht_space *space) {
    size_t legal = 0;
    ht_random random;
    ht_config config;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < PROBES && legal < PROBES_LEGAL; ++i) {
        config = ht_diagram_sample(&space->diagram, &random);
        if (ht_space_legal(space, &config)) {
            space->some = config;
            ++legal;
        }
    }
    space->descends = legal < PROBES_LEGAL;
    return legal || wander(space, &random, &space->some);
}

ht_config ht_space_sample(const ht_space *space, ht_random *random) {
    ht_config config;
    if (space->exact)
        return ht_diagram_sample(&space->diagram, random);
    if (!space->descends && draw(space, DRAWS_MAX, random, &config))
        return config;
    return wander(space, random, &config) ? config : space->some;
}
