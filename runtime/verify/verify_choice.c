#include "runtime/verify/verify_choice.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
    CANDIDATES = 16, /* drawn for each that is chosen */
    DRAWS_MAX = 40   /* draws for one more configuration that is new */
};

static bool is_chosen(const ht_choice *in, const ht_config *config) {
    for (size_t i = 0; i < in->count; ++i)
        if (ht_config_equal(&in->items[i], config))
            return true;
    return false;
}

static ht_geometry geometry_of(const ht_choice *in, const ht_config *config) {
    ht_geometry geometry;
    bool known = ht_binding_geometry(&in->binding, config, &in->template->launches[0], &geometry,
                                     NULL) == HT_OK;
    return known ? geometry : (ht_geometry){0};
}

/* Returns true if there are blocks with others on all sides, along each axis that has such by
 * default. Where the default has two, one of them is whole, and one shall be here. */
static bool is_inner(const ht_choice *in, const ht_config *config) {
    const uint32_t *usual = in->usual.grid;
    bool inner = true;
    if (usual[0] < 3 && usual[1] < 3 && usual[2] < 3) /* the default itself is before any size */
        return false;
    ht_geometry own = geometry_of(in, config);
    for (int axis = 0; axis < 3; ++axis)
        inner = inner && (own.grid[axis] >= 3 || own.grid[axis] >= usual[axis]);
    return inner;
}

static void choose(ht_choice *in, ht_config config) {
    HT_GROW(in->items, in->count);
    in->items[in->count++] = config;
    bool inner = is_inner(in, &config);
    ht_forms_add(&in->forms, &config, inner);
    ht_pairs_add(&in->pairs, &config, inner);
}

static size_t legal_count(const ht_choice *in, const ht_space *space) {
    size_t count = 0;
    for (size_t i = 0; i < in->count; ++i)
        count += ht_space_legal(space, &in->items[i]);
    return count;
}

/* Adds a configuration with this value of this parameter, if drawing finds one: none may be left
 * out. */
static void cover(ht_choice *in, const ht_space *space, size_t param, size_t value) {
    for (size_t i = 0; i < in->count; ++i)
        if (in->items[i].choice[param] == value)
            return;
    for (int draw = 0; draw < DRAWS_MAX; ++draw) {
        ht_config config = ht_space_sample(space, &in->random);
        if (config.choice[param] == value) {
            choose(in, config);
            return;
        }
    }
}

/* Walks from the default: parameter after parameter, in any order, takes another value where that
 * is legal. Samples alone are mostly of the forms that have many parameters of their own. */
static ht_config walk(ht_choice *in, const ht_space *space) {
    ht_config config = in->items[0];
    size_t order[HT_PARAM_MAX], count = in->template->param_count;
    if (!ht_space_legal(space, &config))
        return ht_space_sample(space, &in->random);
    for (size_t i = 0; i < count; ++i) {
        size_t at = ht_random_below(&in->random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; i < count; ++i) {
        uint16_t *choice = &config.choice[order[i]], kept = *choice;
        *choice =
            (uint16_t)ht_random_below(&in->random, in->template->params[order[i]].value_count);
        if (!ht_space_legal(space, &config))
            *choice = kept;
    }
    return config;
}

/* The part of a configuration that none before had. */
typedef struct news {
    ht_forms_news code;
    size_t pairs;
} news;

/* Returns true if `a` has more: first code that was not run, then code that was run otherwise. */
static bool is_more(news a, news b) {
    return a.code.forms != b.code.forms ? a.code.forms > b.code.forms
           : a.code.ways != b.code.ways ? a.code.ways > b.code.ways
                                        : a.pairs > b.pairs;
}

/* Draws some that are not chosen yet, and takes the one that has most that is new. */
static bool draw_one(ht_choice *in, const ht_space *space, ht_config *out_config) {
    bool found = false;
    news most = {0};
    for (int i = 0; i < CANDIDATES; ++i) {
        ht_config config = i % 2 ? walk(in, space) : ht_space_sample(space, &in->random);
        bool inner = is_inner(in, &config);
        news own = {ht_forms_new(&in->forms, &config, inner),
                    ht_pairs_new(&in->pairs, &config, inner)};
        if (is_chosen(in, &config) || (found && !is_more(own, most)))
            continue;
        *out_config = config;
        most = own;
        found = true;
    }
    return found;
}

static void draw(ht_choice *in, const ht_space *space) {
    size_t legal = legal_count(in, space);
    for (size_t failures = 0; legal < in->wanted && failures < DRAWS_MAX;) {
        ht_config config;
        if (draw_one(in, space, &config)) {
            choose(in, config);
            ++legal;
        } else
            ++failures;
    }
    for (size_t i = 0; i < in->template->param_count; ++i)
        for (size_t j = 0; j < in->template->params[i].value_count; ++j)
            cover(in, space, i, j);
}

void ht_choice_draw(ht_choice *choice, const ht_binding *binding, const ht_space *space) {
    choice->binding = *binding;
    choice->usual = geometry_of(choice, &choice->items[0]);
    if (!ht_space_listed(space) || ht_space_count(space) > choice->wanted) {
        draw(choice, space);
        return;
    }
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        if (!is_chosen(choice, &config))
            choose(choice, config);
    }
}

void ht_choice_init(ht_choice *choice, const ht_template *template, const char *unit, size_t wanted,
                    uint64_t seed) {
    *choice = (ht_choice){.template = template, .wanted = wanted};
    ht_random_seed(&choice->random, seed);
    ht_forms_init(&choice->forms, template, unit);
    ht_pairs_init(&choice->pairs, template);
    choose(choice, ht_config_default(template));
}

void ht_choice_free(ht_choice *choice) {
    free(choice->items);
    ht_forms_free(&choice->forms);
    ht_pairs_free(&choice->pairs);
    *choice = (ht_choice){0};
}
