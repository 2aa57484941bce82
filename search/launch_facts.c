#include "search/launch_facts.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static const double USUAL_THREADS = 256;

/* Of a prototype on recorded runs; why they are plausible elsewhere: a row of a tile that does not
 * divide begins within a cache line, so that each load of a wavefront may touch twice the lines:
 * log 2. Along y only the last row of blocks has less to do. Lanes that idle take their share of
 * the time, and what makes one wavefront unlike the others costs besides. Large blocks leave a
 * compute unit with nothing else to run while they wait; narrow ones read several rows at once.
 * Outputs of a thread side by side spread what a wavefront reads at once; one above the other they
 * leave it as it is. */
static const double weights[HT_FACTS] = {
    [HT_FACT_PARTIAL_X] = 0.7,  [HT_FACT_PARTIAL_YZ] = 0.15,  [HT_FACT_PARTIAL_WAVE] = 0.3,
    [HT_FACT_IDLE_LANES] = 1.0, [HT_FACT_LARGE_BLOCK] = 0.15, [HT_FACT_NARROW_BLOCK] = 0.15,
    [HT_FACT_WIDE_TILE] = 0.15,
};

double ht_wavefront_of_name(const char *device) {
    static const char *const wide[] = {"Vega", "Radeon VII", "gfx9"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i)
        if (strstr(device, wide[i]))
            return 64;
    for (const char *at = device; (at = strstr(at, "MI")) != NULL; at += strlen("MI"))
        if (isdigit((unsigned char)at[2]) && (at == device || !isalnum((unsigned char)at[-1])))
            return 64;
    return 32;
}

/* Finds STEM_x, or STEM for x. */
static ptrdiff_t dimension_named(const ht_space *space, const char *stem, int axis) {
    size_t length = strlen(stem);
    for (size_t i = 0; i < ht_space_dimension_count(space); ++i) {
        const char *name = ht_space_dimension(space, i)->name;
        if (strncmp(name, stem, length) != 0)
            continue;
        const char *end = name + length;
        if ((end[0] == '_' && end[1] == "xyz"[axis] && !end[2]) || (axis == 0 && !end[0]))
            return (ptrdiff_t)i;
    }
    return -1;
}

static void factor_named(const ht_space *space, const char *stem, int axis,
                         ht_space_product *product) {
    ptrdiff_t dimension = dimension_named(space, stem, axis);
    if (dimension >= 0)
        product->factors[product->count++] = (size_t)dimension;
}

/* Finds the launch by names; false: the space has no block. */
static bool launch_named(const ht_space *space, ht_space_launch *launch) {
    bool found = false;
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis) {
        launch[axis] = (ht_space_launch){.block.constant = 1};
        factor_named(space, "block_size", axis, &launch[axis].block);
        found = found || launch[axis].block.count > 0;
        launch[axis].covered = launch[axis].block;
        factor_named(space, "tile_size", axis, &launch[axis].covered);
    }
    return found;
}

/* Returns true if a product has a parameter that the other does not have. */
static bool has_more(const ht_space_product *product, const ht_space_product *other) {
    for (size_t i = 0; i < product->count; ++i) {
        bool shared = false;
        for (size_t k = 0; k < other->count; ++k)
            shared = shared || other->factors[k] == product->factors[i];
        if (!shared)
            return true;
    }
    return false;
}

/* Returns true if a thread's outputs lie side by side along x where they could lie along y or z. A
 * tile is that of a thread where a block covers its size times something; a parameter of its own
 * for what a block covers may be shared out by the threads in any way. */
static bool has_choice(const ht_space_launch *launch) {
    bool choice = false;
    for (int axis = 1; axis < HT_LAUNCH_AXES; ++axis)
        choice = choice || has_more(&launch[axis].covered, &launch[axis].block);
    return choice && !has_more(&launch[0].block, &launch[0].covered);
}

bool ht_launch_facts_of_space(const ht_space *space, const char *problem, const char *device,
                              ht_launch_facts *out_facts) {
    const ht_space_launch *declared = ht_space_declared_launch(space);
    *out_facts = (ht_launch_facts){.space = space, .wavefront = ht_wavefront_of_name(device)};
    if (declared)
        memcpy(out_facts->launch, declared, sizeof out_facts->launch);
    else if (!launch_named(space, out_facts->launch))
        return false;
    json_t *extents = json_loads(problem, JSON_DECODE_ANY, NULL);
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis) {
        const json_t *extent = json_array_get(extents, (size_t)axis);
        if (axis == 0 && !json_is_array(extents))
            extent = extents;
        out_facts->extent[axis] = json_is_number(extent) ? json_number_value(extent) : 0;
    }
    out_facts->choice = has_choice(out_facts->launch);
    json_decref(extents);
    return true;
}

void ht_launch_facts_of(const double block[HT_LAUNCH_AXES], const bool partial[HT_LAUNCH_AXES],
                        double wavefront, double *out_values) {
    double threads = block[0] * block[1] * block[2];
    double lanes = ceil(threads / wavefront) * wavefront;
    out_values[HT_FACT_PARTIAL_X] = partial[0];
    out_values[HT_FACT_PARTIAL_YZ] = partial[1] || partial[2];
    out_values[HT_FACT_PARTIAL_WAVE] = lanes > threads;
    out_values[HT_FACT_IDLE_LANES] = log(lanes / threads);
    out_values[HT_FACT_LARGE_BLOCK] = fmax(0, log2(threads / USUAL_THREADS));
    out_values[HT_FACT_NARROW_BLOCK] = fmax(0, log2(wavefront / block[0]));
}

void ht_launch_facts_sizes(const ht_launch_facts *facts, const ht_config *config,
                           double out_block[HT_LAUNCH_AXES], double out_covered[HT_LAUNCH_AXES]) {
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis) {
        const ht_space_launch *launch = &facts->launch[axis];
        out_block[axis] = fmax(1, ht_space_product_of(facts->space, &launch->block, config));
        out_covered[axis] = fmax(1, ht_space_product_of(facts->space, &launch->covered, config));
    }
}

void ht_launch_facts_values(const ht_launch_facts *facts, const ht_config *config,
                            double *out_values) {
    double block[HT_LAUNCH_AXES], covered[HT_LAUNCH_AXES];
    bool partial[HT_LAUNCH_AXES];
    ht_launch_facts_sizes(facts, config, block, covered);
    for (int axis = 0; axis < HT_LAUNCH_AXES; ++axis)
        partial[axis] = facts->extent[axis] > 0 && fmod(facts->extent[axis], covered[axis]) != 0;
    ht_launch_facts_of(block, partial, facts->wavefront, out_values);
    out_values[HT_FACT_WIDE_TILE] = facts->choice ? log2(fmax(1, covered[0] / block[0])) : 0;
}

static void values(const void *context, const ht_config *config, double *out_values) {
    ht_launch_facts_values(context, config, out_values);
}

ht_prior ht_launch_facts_weighted(void (*values_of)(const void *context, const ht_config *config,
                                                    double *out_values),
                                  const void *context) {
    ht_prior prior = {.count = HT_FACTS, .values = values_of, .context = context};
    memcpy(prior.weight, weights, sizeof weights);
    return prior;
}

ht_prior ht_launch_facts_prior(const ht_launch_facts *facts) {
    return ht_launch_facts_weighted(values, facts);
}
