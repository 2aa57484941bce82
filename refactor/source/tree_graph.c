#include "refactor/source/tree_graph.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool ht_tree_is_main(const graph *in, size_t index) {
    const node *of = &in->nodes[index];
    return of->compiled || (ht_tree_is_unit(of->path) && !of->is_included);
}

reach ht_tree_reach(const graph *in) {
    return (reach){ht_alloc(in->count + 1, sizeof(unsigned)),
                   ht_alloc(in->count + 1, sizeof(size_t))};
}

void ht_tree_reach_free(reach *from) {
    free(from->steps);
    free(from->queue);
}

void ht_tree_steps(const graph *in, size_t unit, reach *out) {
    memset(out->steps, 0, in->count * sizeof *out->steps);
    size_t first = 0, count = 0;
    out->steps[unit] = 1;
    out->queue[count++] = unit;
    while (first < count) {
        size_t at = out->queue[first++];
        for (size_t i = 0; i < in->nodes[at].include_count; ++i) {
            size_t to = in->nodes[at].includes[i];
            if (out->steps[to])
                continue;
            out->steps[to] = out->steps[at] + 1;
            out->queue[count++] = to;
        }
    }
}
