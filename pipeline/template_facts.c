#include "pipeline/template_facts.h"

#include "base/hash.h"
#include "base/memory.h"
#include "search/index_map.h"
#include "templates/expr/quotients.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ht_template_facts {
    ht_binding binding;
    double wavefront;
    bool choice; /* of a thread's outputs along x or along y and z */
    /* A search asks for the same configurations at each fit. */
    pthread_mutex_t lock;
    ht_index_map known; /* hash of a configuration -> its row */
    double (*rows)[HT_FACTS];
    size_t count;
};

static void name_look(void *context, const char *name) {
    const void **look = context; /* the template, and whether a name was a parameter */
    if (ht_template_param(look[0], name))
        look[1] = look[0];
}

/* Returns true if the block depends on the configuration. */
static bool is_searched(const ht_template *template) {
    const void *look[2] = {template, NULL};
    for (int axis = 0; template->launch_count && axis < 3; ++axis)
        if (template->launches[0].block[axis])
            ht_expr_names(template->launches[0].block[axis], name_look, look);
    return look[1] != NULL;
}

/* Parameters that an extent of a launch names. */
typedef struct named {
    const ht_template *template;
    const ht_expr *without; /* those of this expression do not count */
    bool any;
} named;

static void same_look(void *context, const char *name) {
    const void **look = context; /* the name that is looked for, and whether it was met */
    if (strcmp(look[0], name) == 0)
        look[1] = look[0];
}

static void named_look(void *context, const char *name) {
    named *named = context;
    const void *look[2] = {name, NULL};
    if (!ht_template_param(named->template, name))
        return;
    ht_expr_names(named->without, same_look, look);
    named->any = named->any || !look[1];
}

/* Returns true if an extent names a parameter that another one does not. */
static bool names_more(const ht_template *template, const ht_expr *extent, const ht_expr *without) {
    named named = {.template = template, .without = without};
    ht_expr_names(extent, named_look, &named);
    return named.any;
}

/* Returns true if a thread's outputs lie side by side along x where they could lie along y or z:
 * what a block covers along y or z depends on more than its size, and along x it is its size times
 * something. Where it is a parameter of its own, threads may share it out in any way. */
static bool has_choice(const ht_template *template) {
    const ht_launch *launch = &template->launches[0];
    bool choice = false;
    for (int axis = 1; axis < HT_LAUNCH_AXES; ++axis)
        choice |= launch->block[axis] && launch->grid[axis] &&
                  names_more(template, launch->grid[axis], launch->block[axis]);
    return choice && launch->block[0] && launch->grid[0] &&
           !names_more(template, launch->block[0], launch->grid[0]);
}

ht_template_facts *ht_template_facts_new(const ht_binding *binding, double wavefront) {
    if (!is_searched(binding->template))
        return NULL;
    ht_template_facts *facts = ht_alloc(1, sizeof *facts);
    facts->binding = *binding;
    facts->wavefront = wavefront;
    facts->choice = has_choice(binding->template);
    pthread_mutex_init(&facts->lock, NULL);
    return facts;
}

void ht_template_facts_free(ht_template_facts *facts) {
    if (!facts)
        return;
    pthread_mutex_destroy(&facts->lock);
    ht_index_map_free(&facts->known);
    free(facts->rows);
    free(facts);
}

/* A quotient of a grid that is being looked at. */
typedef struct dividing {
    const ht_template_facts *facts;
    const ht_config *config;
    bool partial;
    double covered; /* by a block along the axis: the product of what it divides by */
} dividing;

static void quotient_look(void *context, const ht_expr *dividend, const ht_expr *divisor,
                          ht_quotient kind) {
    dividing *of = context;
    int64_t a, b;
    if (ht_binding_evaluate(&of->facts->binding, of->config, dividend, &a, NULL) != HT_OK ||
        ht_binding_evaluate(&of->facts->binding, of->config, divisor, &b, NULL) != HT_OK || b <= 0)
        return;
    of->covered *= (double)b;
    of->partial = of->partial || a % b != (kind == HT_QUOTIENT_PADDED ? b - 1 : 0);
}

static void compute(const ht_template_facts *facts, const ht_config *config, double *out_values) {
    const ht_launch *launch = &facts->binding.template->launches[0];
    ht_geometry geometry;
    double block[HT_LAUNCH_AXES];
    bool partial[HT_LAUNCH_AXES];
    memset(out_values, 0, HT_FACTS * sizeof *out_values);
    if (ht_binding_geometry(&facts->binding, config, launch, &geometry, NULL) != HT_OK)
        return;
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis) {
        dividing of = {.facts = facts, .config = config, .covered = 1};
        ht_expr_quotients(launch->grid[axis], quotient_look, &of);
        block[axis] = geometry.block[axis];
        partial[axis] = of.partial;
        if (axis == 0 && facts->choice && fmod(of.covered, block[0]) == 0)
            out_values[HT_FACT_WIDE_TILE] = log2(of.covered / block[0]);
    }
    ht_launch_facts_of(block, partial, facts->wavefront, out_values);
}

void ht_template_facts_values(ht_template_facts *facts, const ht_config *config,
                              double *out_values) {
    uint64_t key = ht_hash_short(config->choice, config->count * sizeof config->choice[0]), row;
    pthread_mutex_lock(&facts->lock);
    if (!ht_index_map_get(&facts->known, key, &row)) {
        row = facts->count;
        HT_GROW(facts->rows, facts->count);
        compute(facts, config, facts->rows[facts->count++]);
        ht_index_map_put(&facts->known, key, row);
    }
    memcpy(out_values, facts->rows[row], sizeof facts->rows[row]);
    pthread_mutex_unlock(&facts->lock);
}

static void values(const void *context, const ht_config *config, double *out_values) {
    ht_template_facts_values((ht_template_facts *)context, config, out_values);
}

ht_prior ht_template_facts_prior(ht_template_facts *facts) {
    return ht_launch_facts_weighted(values, facts);
}
