/* The answers of a diagram, and its parts. */
#include "templates/space/space_diagram.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_diagram_start(ht_diagram *diagram, const ht_space_model *model, const uint32_t *order) {
    *diagram = (ht_diagram){.params = model->dimension_count};
    for (size_t i = 0; i < diagram->params; ++i) {
        size_t width = model->dimensions[order[i]].value_count;
        if (width < 2) {
            diagram->single |= UINT64_C(1) << order[i];
            continue;
        }
        diagram->order[diagram->levels] = order[i];
        diagram->widths[diagram->levels++] = width;
    }
    for (diagram->node_count = 0; diagram->node_count < 2; ++diagram->node_count) {
        HT_GROW(diagram->first, diagram->node_count);
        HT_GROW(diagram->total, diagram->node_count);
        diagram->first[diagram->node_count] = 0;
        diagram->total[diagram->node_count] = diagram->node_count;
    }
}

static uint64_t sum(uint64_t a, uint64_t b) {
    uint64_t out;
    return __builtin_add_overflow(a, b, &out) ? UINT64_MAX : out;
}

uint32_t ht_diagram_add(ht_diagram *diagram, const uint32_t *children, size_t width) {
    uint64_t total = 0;
    size_t live = 0;
    while (live < width && !children[live])
        ++live;
    if (live == width)
        return 0;
    if (diagram->edge_capacity - diagram->edge_count < width) {
        diagram->edge_capacity = 2 * (diagram->edge_count + (uint32_t)width);
        diagram->child = ht_realloc(diagram->child, diagram->edge_capacity, sizeof *diagram->child);
        diagram->before =
            ht_realloc(diagram->before, diagram->edge_capacity, sizeof *diagram->before);
    }
    uint32_t at = diagram->edge_count;
    for (size_t v = 0; v < width; ++v) {
        diagram->child[at + v] = children[v];
        diagram->before[at + v] = total;
        total = sum(total, diagram->total[children[v]]);
    }
    diagram->edge_count += (uint32_t)width;
    HT_GROW(diagram->first, diagram->node_count);
    HT_GROW(diagram->total, diagram->node_count);
    diagram->first[diagram->node_count] = at;
    diagram->total[diagram->node_count] = total;
    return diagram->node_count++;
}

/* Sums weights; nodes come after those that they lead to. */
static void fill_weights(ht_diagram *diagram, uint32_t node, size_t level) {
    double weight = 0;
    if (diagram->weight[node] > 0 || node == 0)
        return;
    for (size_t v = 0; v < diagram->widths[level]; ++v) {
        uint32_t child = diagram->child[diagram->first[node] + v];
        fill_weights(diagram, child, level + 1);
        weight += diagram->weight[child];
    }
    diagram->weight[node] = weight;
}

void ht_diagram_finish(ht_diagram *diagram, uint32_t root) {
    diagram->root = root;
    if (diagram->total[root] != UINT64_MAX)
        return;
    diagram->weight = ht_alloc(diagram->node_count, sizeof *diagram->weight);
    diagram->weight[1] = 1;
    fill_weights(diagram, root, 0);
}

void ht_diagram_free(ht_diagram *diagram) {
    free(diagram->first);
    free(diagram->total);
    free(diagram->weight);
    free(diagram->child);
    free(diagram->before);
    *diagram = (ht_diagram){0};
}

uint64_t ht_diagram_count(const ht_diagram *diagram) {
    return diagram->total[diagram->root];
}

/* Returns the last edge with no more than `rank` configurations before it: those that lead nowhere
 * have as many before them as the next one. */
static size_t edge_of(const uint64_t *before, size_t width, uint64_t rank) {
    size_t low = 0, high = width;
    if (width <= 8) {
        while (high > 1 && before[high - 1] > rank)
            --high;
        return high - 1;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (before[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

ht_config ht_diagram_at(const ht_diagram *diagram, uint64_t index) {
    ht_config config = {.count = (uint16_t)diagram->params};
    uint32_t node = diagram->root;
    for (size_t level = 0; level < diagram->levels; ++level) {
        uint32_t first = diagram->first[node];
        size_t v = edge_of(diagram->before + first, diagram->widths[level], index);
        config.choice[diagram->order[level]] = (uint16_t)v;
        index -= diagram->before[first + v];
        node = diagram->child[first + v];
    }
    return config;
}

typedef struct lister {
    const ht_diagram *diagram;
    uint64_t skip; /* configurations to pass over first */
    ht_config path;
    ht_config *out;
    size_t count, room;
} lister;

static void list_below(lister *l, uint32_t node, size_t level) {
    const ht_diagram *diagram = l->diagram;
    const uint32_t *children = diagram->child + diagram->first[node];
    for (size_t v = 0; v < diagram->widths[level] && l->count < l->room; ++v) {
        uint64_t behind = diagram->total[children[v]];
        if (l->skip >= behind) { /* also when nothing is there */
            l->skip -= behind;
            continue;
        }
        l->path.choice[diagram->order[level]] = (uint16_t)v;
        if (level + 1 == diagram->levels)
            l->out[l->count++] = l->path;
        else
            list_below(l, children[v], level + 1);
    }
}

size_t ht_diagram_list(const ht_diagram *diagram, uint64_t first, ht_config *out, size_t room) {
    lister l = {.diagram = diagram, .skip = first, .out = out, .room = room};
    l.path.count = (uint16_t)diagram->params;
    if (!room || first >= ht_diagram_count(diagram))
        return 0;
    if (diagram->levels)
        list_below(&l, diagram->root, 0);
    else
        out[l.count++] = l.path;
    return l.count;
}

bool ht_diagram_find(const ht_diagram *diagram, const ht_config *config, uint64_t *out_index) {
    uint32_t node = diagram->root;
    uint64_t index = 0;
    size_t level = 0;
    if (config->count != diagram->params)
        return false;
    for (; level < diagram->levels; ++level) {
        size_t v = config->choice[diagram->order[level]];
        if (v >= diagram->widths[level])
            return false;
        uint32_t edge = diagram->first[node] + (uint32_t)v;
        index += diagram->before[edge];
        node = diagram->child[edge];
        if (!node)
            return false;
    }
    for (size_t i = 0; i < diagram->params && level < diagram->params; ++i)
        if (diagram->single >> i & 1 && config->choice[i])
            return false;
    *out_index = index;
    return node != 0;
}

/* Walks down the diagram with probabilities as the weights, for spaces too large for a rank. */
static ht_config sample_weighted(const ht_diagram *diagram, ht_random *random) {
    ht_config config = {.count = (uint16_t)diagram->params};
    uint32_t node = diagram->root;
    for (size_t level = 0; level < diagram->levels; ++level) {
        uint32_t first = diagram->first[node];
        double left = ht_random_unit(random) * diagram->weight[node];
        size_t chosen = 0;
        for (size_t v = 0; v < diagram->widths[level]; ++v) {
            double weight = diagram->weight[diagram->child[first + v]];
            if (weight <= 0)
                continue;
            chosen = v;
            if (left < weight)
                break;
            left -= weight;
        }
        config.choice[diagram->order[level]] = (uint16_t)chosen;
        node = diagram->child[first + chosen];
    }
    return config;
}

ht_config ht_diagram_sample(const ht_diagram *diagram, ht_random *random) {
    if (diagram->weight)
        return sample_weighted(diagram, random);
    return ht_diagram_at(diagram, ht_random_below(random, ht_diagram_count(diagram)));
}
