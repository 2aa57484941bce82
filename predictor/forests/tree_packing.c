/* Forests as bytes and back. Any bytes give a valid forest or an error: every node is reached from
 * its root exactly once, features and classes are in range. */
#include "predictor/forests/trees_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_number_pack(ht_text *out, uint64_t number) {
    char bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number);
    ht_text_append_n(out, bytes, count);
}

bool ht_number_unpack(const uint8_t **at, const uint8_t *end, uint64_t most, uint64_t *out_number) {
    *out_number = 0;
    for (unsigned shift = 0; shift < 63 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *out_number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return *out_number <= most;
    }
    return false;
}

static void node_pack(const ht_tree *tree, const ht_tree_node *node, ht_text *out) {
    if (node->feature >= 0) {
        uint32_t bits;
        memcpy(&bits, &node->threshold, sizeof bits);
        const char threshold[2] = {(char)(bits >> 16), (char)(bits >> 24)};
        ht_number_pack(out, 1 + (uint64_t)node->feature);
        ht_text_append_n(out, threshold, sizeof threshold);
        return;
    }
    const ht_tree_share *shares = tree->shares + node->at;
    ht_number_pack(out, 0);
    ht_number_pack(out, (uint64_t)-node->feature);
    for (int32_t i = 0; i < -node->feature; ++i) {
        ht_number_pack(out, shares[i].class);
        ht_number_pack(out, shares[i].count);
    }
}

static void tree_pack(const ht_tree *tree, ht_text *out) {
    uint32_t *stack = NULL;
    size_t depth = 0;
    HT_GROW(stack, depth);
    stack[depth++] = 0;
    while (depth > 0) {
        const ht_tree_node *node = &tree->nodes[stack[--depth]];
        node_pack(tree, node, out);
        for (uint32_t child = 2; child-- > 0 && node->feature >= 0;) {
            HT_GROW(stack, depth);
            stack[depth++] = node->at + child;
        }
    }
    free(stack);
}

void ht_forest_pack(const ht_forest *forest, ht_text *out) {
    for (size_t i = 0; i < forest->tree_count; ++i)
        tree_pack(&forest->trees[i], out);
}

static bool leaf_unpack(const uint8_t **at, const uint8_t *end, size_t classes, ht_tree *tree,
                        ht_tree_node *node) {
    uint64_t count, class, rows, total = 0;
    size_t first = tree->share_count;
    if (!ht_number_unpack(at, end, classes, &count) || count == 0)
        return false;
    for (uint64_t i = 0; i < count; ++i) {
        if (!ht_number_unpack(at, end, classes - 1, &class) ||
            !ht_number_unpack(at, end, UINT32_MAX, &rows) || rows == 0)
            return false;
        HT_GROW(tree->shares, tree->share_count);
        tree->shares[tree->share_count++] =
            (ht_tree_share){.class = (uint32_t)class, .count = (uint32_t)rows};
        total += rows;
    }
    for (size_t i = first; i < tree->share_count; ++i)
        tree->shares[i].share = (float)tree->shares[i].count / (float)total;
    *node = (ht_tree_node){.feature = -(int32_t)count, .at = (uint32_t)first};
    return tree->share_count <= UINT32_MAX;
}

static bool split_unpack(const uint8_t **at, const uint8_t *end, uint64_t feature,
                         ht_tree_node *node) {
    if (end - *at < 2)
        return false;
    uint32_t bits = (uint32_t)(*at)[0] << 16 | (uint32_t)(*at)[1] << 24;
    *at += 2;
    node->feature = (int32_t)feature;
    memcpy(&node->threshold, &bits, sizeof bits);
    return isfinite(node->threshold);
}

/* Each node is at least two bytes, so that the bytes bound what is allocated. */
static bool tree_unpack(const uint8_t **at, const uint8_t *end, size_t features, size_t classes,
                        ht_tree *tree) {
    uint32_t *stack = NULL; /* nodes that are to come, the next one last */
    size_t depth = 0;
    bool good = true;
    HT_GROW(tree->nodes, tree->node_count);
    tree->node_count = 1;
    HT_GROW(stack, depth);
    stack[depth++] = 0;
    while (good && depth > 0) {
        uint32_t index = stack[--depth];
        uint64_t number;
        ht_tree_node node = {0};
        good = ht_number_unpack(at, end, features, &number);
        if (good && number == 0)
            good = leaf_unpack(at, end, classes, tree, &node);
        else if (good)
            good = split_unpack(at, end, number - 1, &node);
        if (!good)
            break;
        if (number) {
            node.at = (uint32_t)tree->node_count;
            for (uint32_t child = 2; child-- > 0;) {
                HT_GROW(tree->nodes, tree->node_count);
                ++tree->node_count;
                HT_GROW(stack, depth);
                stack[depth++] = node.at + child;
            }
            good = tree->node_count < INT32_MAX;
        }
        tree->nodes[index] = node;
    }
    free(stack);
    return good;
}

bool ht_forest_unpack(const uint8_t **at, const uint8_t *end, size_t trees, size_t features,
                      size_t classes, ht_forest **out_forest) {
    ht_forest *forest = ht_alloc(1, sizeof *forest);
    bool good = trees <= (size_t)(end - *at) && classes > 0;
    forest->classes = classes;
    forest->trees = ht_alloc(good ? trees : 1, sizeof *forest->trees);
    while (good && forest->tree_count < trees)
        good = tree_unpack(at, end, features, classes, &forest->trees[forest->tree_count++]);
    if (good)
        *out_forest = forest;
    else
        ht_forest_free(forest);
    return good;
}
