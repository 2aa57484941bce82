/* Problems at the edges of what a delivered file's launch and its original's cover: with one item
 * more than blocks fill, and with just as many. Found by counting up each size and looking where a
 * grid grows, whatever a block covers and whatever borders are no output. */
#include "runtime/verify/verify_edges.h"

#include "base/memory.h"
#include "templates/bind.h"

#include <stdlib.h>

enum { SCAN_MAX = 1 << 14, THREADS_MAX = 1 << 22, FIELDS_MAX = 16 };

typedef enum edge { EDGE_ORIGINAL, EDGE_WRITTEN, EDGE_WHOLE, EDGES } edge;

typedef struct search {
    const ht_template *template;
    const ht_device *device;
    const ht_problem *base;
    const ht_verify_options *options;
    ht_problem *items;
    size_t count;
} search;

/* Makes the base with other values of some fields. */
static bool make(const search *in, const size_t *fields, const int64_t *values, size_t count,
                 ht_problem *out) {
    const ht_problem_spec *spec = &in->template->problem;
    ht_problem_value others[FIELDS_MAX];
    for (size_t i = 0; i < count; ++i)
        others[i] = (ht_problem_value){spec->fields[fields[i]].name, values[i]};
    return ht_problem_change(spec, in->base, others, count, out);
}

static bool grid_of(const search *in, const ht_launch *launch, const ht_problem *problem,
                    uint32_t grid[3]) {
    const ht_binding binding = {in->template, problem, &in->device->fields};
    const ht_config plain = ht_config_default(in->template);
    ht_geometry geometry;
    if (ht_binding_geometry(&binding, &plain, launch, &geometry, NULL) != HT_OK)
        return false;
    double threads = 1;
    for (int axis = 0; axis < 3; ++axis) {
        grid[axis] = geometry.grid[axis];
        threads *= (double)geometry.grid[axis] * geometry.block[axis];
    }
    return threads <= THREADS_MAX;
}

static bool is_wanted(const search *in, const ht_problem *problem) {
    const ht_verify_options *options = in->options;
    return (!options->asked || options->asked(options->context, problem)) &&
           (!options->skipped || !options->skipped(options->context, problem));
}

typedef struct grids {
    uint32_t original[3], written[3];
    bool wanted; /* the problem */
} grids;

static bool grids_of(const search *in, const ht_problem *problem, grids *out) {
    out->wanted = is_wanted(in, problem);
    return grid_of(in, in->template->reference_launches, problem, out->original) &&
           grid_of(in, in->template->launches, problem, out->written);
}

static bool is_more(const uint32_t now[3], const uint32_t before[3]) {
    return now[0] > before[0] || now[1] > before[1] || now[2] > before[2];
}

/* Notes where grids grow from value - 1 to value; edges that are found already stay. */
static void step_note(int64_t value, const grids *before, const grids *now, int64_t edges[EDGES]) {
    bool original = is_more(now->original, before->original);
    bool written = is_more(now->written, before->written);
    if (original && now->wanted && !edges[EDGE_ORIGINAL])
        edges[EDGE_ORIGINAL] = value;
    if (written && now->wanted && !edges[EDGE_WRITTEN])
        edges[EDGE_WRITTEN] = value;
    if (written && before->wanted && !edges[EDGE_WHOLE])
        edges[EDGE_WHOLE] = value - 1;
}

/* Finds the values of one field at each edge; 0: not found. */
static void edges_find(const search *in, size_t field, int64_t edges[EDGES]) {
    int64_t value = 0;
    grids before = {0}, now;
    bool known = false;
    ht_problem_get(in->base, in->template->problem.fields[field].name, &value);
    for (int64_t end = value + SCAN_MAX;
         value < end && !(edges[EDGE_ORIGINAL] && edges[EDGE_WRITTEN] && edges[EDGE_WHOLE]);
         ++value) {
        ht_problem problem;
        if (!make(in, &field, &value, 1, &problem))
            return;
        bool good = grids_of(in, &problem, &now);
        ht_problem_free(&problem);
        if (!good)
            return;
        if (known)
            step_note(value, &before, &now, edges);
        before = now;
        known = true;
    }
}

/* Adds the problem. False: there is none, or it is too large, or goes another way than what was
 * tuned. */
static bool add(search *in, const size_t *fields, const int64_t *values, size_t count) {
    ht_problem problem;
    grids own;
    if (!make(in, fields, values, count, &problem))
        return false;
    if (!grids_of(in, &problem, &own) || !own.wanted) {
        ht_problem_free(&problem);
        return false;
    }
    HT_GROW(in->items, in->count);
    in->items[in->count++] = problem;
    return true;
}

/* Adds all sizes at the edge together; one after the other where they cannot be. */
static void edge_add(search *in, const size_t *fields, int64_t (*edges)[EDGES], size_t count,
                     edge which) {
    size_t own[FIELDS_MAX], own_count = 0;
    int64_t values[FIELDS_MAX];
    for (size_t i = 0; i < count; ++i)
        if (edges[i][which]) {
            own[own_count] = fields[i];
            values[own_count++] = edges[i][which];
        }
    if (!own_count || add(in, own, values, own_count))
        return;
    for (size_t i = 0; i < own_count; ++i)
        add(in, &own[i], &values[i], 1);
}

void ht_verify_edges(const ht_template *template, const ht_device *device, const ht_problem *base,
                     const ht_verify_options *options, ht_problem **out_problems,
                     size_t *out_count) {
    search in = {.template = template, .device = device, .base = base, .options = options};
    size_t fields[FIELDS_MAX], count = 0;
    int64_t edges[FIELDS_MAX][EDGES] = {0};
    bool launched = template->launch_count && template->reference_launch_count;
    for (size_t i = 0; launched && i < template->problem.field_count && count < FIELDS_MAX; ++i)
        if (template->problem.fields[i].kind != HT_FIELD_DERIVED) {
            edges_find(&in, i, edges[count]);
            fields[count++] = i;
        }
    for (int which = 0; which < EDGES; ++which)
        edge_add(&in, fields, edges, count, (edge)which);
    *out_problems = in.items;
    *out_count = in.count;
}
