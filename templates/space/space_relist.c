/* A diagram in declared order from one in another order. */
#include "templates/space/space_diagram.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct relister {
    const ht_diagram *from;
    ht_diagram *to;
    uint16_t *rows; /* configurations in declared order */
    size_t count;
    ht_intern sets[HT_PARAM_MAX]; /* by level: rows of children */
    uint32_t *nodes[HT_PARAM_MAX];
    uint32_t *children[HT_PARAM_MAX]; /* scratch */
} relister;

static void list(relister *r, uint32_t node, size_t level, uint16_t *path) {
    const ht_diagram *from = r->from;
    if (level == from->levels) {
        memcpy(r->rows + r->count++ * from->params, path, from->params * sizeof *path);
        return;
    }
    for (size_t v = 0; v < from->widths[level]; ++v) {
        uint32_t child = from->child[from->first[node] + v];
        path[from->order[level]] = (uint16_t)v;
        if (child)
            list(r, child, level + 1, path);
    }
}

static int by_values(const void *a, const void *b, void *params) {
    const uint16_t *x = a, *y = b;
    for (size_t i = 0; i < *(const size_t *)params; ++i)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Returns the node for rows [low, high), which agree on all levels before. */
static uint32_t gather(relister *r, size_t level, size_t low, size_t high) {
    const ht_diagram *to = r->to;
    bool fresh;
    if (level == to->levels)
        return 1;
    size_t width = to->widths[level], params = to->params, param = to->order[level];
    uint32_t *children = r->children[level];
    memset(children, 0, width * sizeof *children);
    while (low < high) {
        size_t next = low;
        uint16_t value = r->rows[low * params + param];
        while (next < high && r->rows[next * params + param] == value)
            ++next;
        children[value] = gather(r, level + 1, low, next);
        low = next;
    }
    uint32_t number = ht_intern_put(&r->sets[level], children, &fresh);
    if (fresh) {
        HT_GROW(r->nodes[level], number);
        r->nodes[level][number] = ht_diagram_add(r->to, children, width);
    }
    return r->nodes[level][number];
}

void ht_diagram_reorder(const ht_diagram *diagram, const ht_space_model *model,
                        ht_diagram *out_diagram) {
    relister r = {.from = diagram, .to = out_diagram};
    uint32_t order[HT_PARAM_MAX];
    uint16_t path[HT_PARAM_MAX] = {0};
    size_t params = diagram->params;
    for (size_t i = 0; i < params; ++i)
        order[i] = (uint32_t)i;
    ht_diagram_start(out_diagram, model, order);
    r.rows = ht_alloc(ht_diagram_count(diagram), params * sizeof *r.rows);
    list(&r, diagram->root, 0, path);
    qsort_r(r.rows, r.count, params * sizeof *r.rows, by_values, &params);
    for (size_t i = 0; i < out_diagram->levels; ++i) {
        r.sets[i].width = out_diagram->widths[i];
        r.children[i] = ht_alloc(out_diagram->widths[i], sizeof *r.children[i]);
    }
    ht_diagram_finish(out_diagram, gather(&r, 0, 0, r.count));
    for (size_t i = 0; i < out_diagram->levels; ++i) {
        ht_intern_free(&r.sets[i]);
        free(r.nodes[i]);
        free(r.children[i]);
    }
    free(r.rows);
}
