/* Trees as bytes and back. Any bytes give valid trees or none: columns are in range, leaves
 * finite. */
#include "predictor/times/boost_internal.h"

#include "predictor/times/bins.h"

#include "base/little_endian.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_BYTES = 4, QUESTION_BYTES = 3, LEAF_BYTES = 4, TREES_MOST = 4096 };

static void tree_pack(const ht_boost_tree *tree, ht_text *out) {
    uint8_t bytes[LEAF_BYTES] = {(uint8_t)tree->depth};
    ht_text_append_n(out, (const char *)bytes, 1);
    for (size_t d = 0; d < tree->depth; ++d) {
        ht_bytes_put32(bytes, (uint32_t)tree->questions[d].column | (uint32_t)tree->questions[d].bin
                                                                        << 16);
        ht_text_append_n(out, (const char *)bytes, QUESTION_BYTES);
    }
    for (size_t l = 0; l < (size_t)1 << tree->depth; ++l) {
        ht_bytes_put_real(bytes, tree->leaves[l]);
        ht_text_append_n(out, (const char *)bytes, LEAF_BYTES);
    }
}

void ht_boost_pack(const ht_boost *boost, ht_text *out) {
    uint8_t bytes[COUNT_BYTES];
    ht_bytes_put32(bytes, (uint32_t)boost->count);
    ht_text_append_n(out, (const char *)bytes, COUNT_BYTES);
    for (size_t t = 0; t < boost->count; ++t)
        tree_pack(&boost->trees[t], out);
}

static bool tree_unpack(const uint8_t **at, const uint8_t *end, size_t column_count,
                        ht_boost_tree *tree) {
    if (*at == end || **at > HT_BOOST_DEPTH_MOST)
        return false;
    tree->depth = *(*at)++;
    size_t leaves = (size_t)1 << tree->depth;
    if ((size_t)(end - *at) < tree->depth * QUESTION_BYTES + leaves * LEAF_BYTES)
        return false;
    for (size_t d = 0; d < tree->depth; ++d, *at += QUESTION_BYTES) {
        uint16_t column = (uint16_t)((*at)[0] | (*at)[1] << 8);
        if (column >= column_count || (*at)[2] >= HT_BINS_MOST)
            return false;
        tree->questions[d] = (ht_boost_question){column, (*at)[2]};
    }
    for (size_t l = 0; l < leaves; ++l, *at += LEAF_BYTES) {
        tree->leaves[l] = ht_bytes_get_real(*at);
        if (!isfinite(tree->leaves[l]))
            return false;
    }
    return true;
}

bool ht_boost_unpack(const uint8_t **at, const uint8_t *end, size_t column_count,
                     ht_boost **out_boost) {
    if (end - *at < COUNT_BYTES)
        return false;
    size_t trees = ht_bytes_get32(*at);
    *at += COUNT_BYTES;
    if (trees > TREES_MOST)
        return false;
    ht_boost *boost = ht_alloc(1, sizeof *boost);
    boost->trees = ht_alloc(trees + 1, sizeof *boost->trees);
    bool good = true;
    while (good && boost->count < trees)
        good = tree_unpack(at, end, column_count, &boost->trees[boost->count++]);
    if (good)
        *out_boost = boost;
    else
        ht_boost_free(boost);
    return good;
}
