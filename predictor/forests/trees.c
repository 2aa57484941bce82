#include "predictor/forests/trees_internal.h"

#include "predictor/forests/tree_split.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct part {
    uint32_t node;
    size_t start, count;
} part;

static uint32_t node_add(ht_tree *tree) {
    HT_GROW(tree->nodes, tree->node_count);
    return (uint32_t)tree->node_count++;
}

static void leaf_make(ht_tree_work *work, ht_tree *tree, uint32_t node, const uint32_t *rows,
                      size_t count) {
    const ht_tree_data *data = work->data;
    size_t first = tree->share_count;
    for (size_t i = 0; i < count; ++i)
        for (size_t o = 0; o < data->stored; ++o)
            ++work->left[data->labels[rows[i] * data->stored + o]];
    for (size_t i = 0; i < count; ++i)
        for (size_t o = 0; o < data->stored; ++o) {
            uint16_t class = data->labels[rows[i] * data->stored + o];
            if (work->left[class] == 0)
                continue;
            HT_GROW(tree->shares, tree->share_count);
            tree->shares[tree->share_count++] =
                (ht_tree_share){class, work->left[class], (float)work->left[class] / (float)count};
            work->left[class] = 0;
        }
    tree->nodes[node] =
        (ht_tree_node){.feature = -(int32_t)(tree->share_count - first), .at = (uint32_t)first};
}

static size_t rows_divide(const float *column, float threshold, uint32_t *rows, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
        if (column[rows[i]] <= threshold) {
            uint32_t row = rows[i];
            rows[i] = rows[left];
            rows[left++] = row;
        }
    return left;
}

static void tree_grow(ht_tree_work *work, uint32_t *rows, size_t count, ht_tree *tree) {
    part *stack = NULL;
    size_t depth = 0;
    HT_GROW(stack, depth);
    stack[depth++] = (part){node_add(tree), 0, count};
    while (depth > 0) {
        part at = stack[--depth];
        ht_split split = ht_split_find(work, rows + at.start, at.count);
        if (split.score < 0) {
            leaf_make(work, tree, at.node, rows + at.start, at.count);
            continue;
        }
        size_t left = rows_divide(work->data->columns[split.feature], split.threshold,
                                  rows + at.start, at.count);
        uint32_t child = node_add(tree);
        node_add(tree);
        tree->nodes[at.node] = (ht_tree_node){(int32_t)split.feature, child, split.threshold};
        HT_GROW(stack, depth);
        stack[depth++] = (part){child, at.start, left};
        HT_GROW(stack, depth);
        stack[depth++] = (part){child + 1, at.start + left, at.count - left};
    }
    free(stack);
}

static void tree_make(const ht_tree_data *data, const uint32_t *rows, size_t count,
                      const ht_forest_settings *settings, size_t index, ht_tree *tree) {
    ht_tree_work work = {.data = data,
                         .settings = settings,
                         .keys = ht_alloc(count, sizeof *work.keys),
                         .spare = ht_alloc(count, sizeof *work.spare),
                         .total = ht_alloc(data->classes, sizeof *work.total),
                         .left = ht_alloc(data->classes, sizeof *work.left),
                         .order = ht_alloc(data->features, sizeof *work.order)};
    uint32_t *sample = ht_alloc(count, sizeof *sample);
    ht_random_stream(&work.random, settings->seed, index);
    for (size_t i = 0; i < data->features; ++i)
        work.order[i] = (uint32_t)i;
    for (size_t i = 0; i < count; ++i)
        sample[i] = rows[settings->bootstrap ? ht_random_below(&work.random, count) : i];
    tree_grow(&work, sample, count, tree);
    free(sample);
    free(work.keys);
    free(work.spare);
    free(work.total);
    free(work.left);
    free(work.order);
}

ht_forest *ht_forest_grow(const ht_tree_data *data, const uint32_t *rows, size_t count,
                          const ht_forest_settings *settings) {
    ht_forest *forest = ht_alloc(1, sizeof *forest);
    forest->classes = data->classes;
    forest->tree_count = settings->trees;
    forest->trees = ht_alloc(settings->trees, sizeof *forest->trees);
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < settings->trees; ++i)
        tree_make(data, rows, count, settings, i, &forest->trees[i]);
    return forest;
}

void ht_forest_free(ht_forest *forest) {
    for (size_t i = 0; forest && i < forest->tree_count; ++i) {
        free(forest->trees[i].nodes);
        free(forest->trees[i].shares);
    }
    if (forest)
        free(forest->trees);
    free(forest);
}

void ht_forest_ask(const ht_forest *forest, const float *features, double *out_shares) {
    for (size_t i = 0; i < forest->classes; ++i)
        out_shares[i] = 0;
    for (size_t i = 0; i < forest->tree_count; ++i) {
        const ht_tree *tree = &forest->trees[i];
        const ht_tree_node *node = tree->nodes;
        while (node->feature >= 0)
            node = tree->nodes + node->at + (features[node->feature] > node->threshold);
        const ht_tree_share *share = tree->shares + node->at;
        for (int32_t j = 0; j < -node->feature; ++j)
            out_shares[share[j].class] += share[j].share;
    }
    for (size_t i = 0; i < forest->classes; ++i)
        out_shares[i] /= (double)forest->tree_count;
}
