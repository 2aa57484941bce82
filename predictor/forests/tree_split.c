#include "predictor/forests/tree_split.h"

#include <math.h>
#include <string.h>

/* With n rows in a part, and c of them in class i of output o, the part's Gini impurity is 1 -
 * sum_i (c/n)^2. Weighted by the parts' sizes and summed over outputs, the smallest impurity is the
 * greatest sum of c^2 / n over parts, the "score". */

typedef struct sums {
    int64_t squares; /* of the whole node's class counts */
    size_t rows;
} sums;

static const uint16_t *row_labels(const ht_tree_work *work, uint32_t row) {
    return work->data->labels + (size_t)row * work->data->stored;
}

static sums totals_count(ht_tree_work *work, const uint32_t *rows, size_t count) {
    sums node = {.rows = count};
    for (size_t i = 0; i < count; ++i) {
        const uint16_t *labels = row_labels(work, rows[i]);
        for (size_t o = 0; o < work->data->outputs; ++o)
            node.squares += 2 * (int64_t)work->total[labels[o]]++ + 1;
    }
    return node;
}

static void counts_clear(const ht_tree_work *work, uint32_t *counts, const uint32_t *rows,
                         size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint16_t *labels = row_labels(work, rows[i]);
        for (size_t o = 0; o < work->data->outputs; ++o)
            counts[labels[o]] = 0;
    }
}

static bool column_range(const float *column, const uint32_t *rows, size_t count, float *out_low,
                         float *out_high) {
    float low = column[rows[0]], high = low;
    for (size_t i = 1; i < count; ++i) {
        float value = column[rows[i]];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *out_low = low;
    *out_high = high;
    return low < high;
}

/* Returns the number with its last 16 bits dropped, or the next such number when that is below
 * `low`. */
static float threshold_shorten(float threshold, float low) {
    uint32_t bits;
    memcpy(&bits, &threshold, sizeof bits);
    bits &= 0xffff0000U;
    for (int i = 0; i < 2; ++i, bits += 0x10000U) {
        memcpy(&threshold, &bits, sizeof bits);
        if (threshold >= low)
            break;
    }
    return threshold;
}

/* Tries one threshold, uniform between the lowest and the highest value; there is no split when no
 * short threshold separates the two. */
static void split_random(ht_tree_work *work, const uint32_t *rows, const sums *node,
                         const float *column, float low, float high, ht_split *split) {
    float threshold = low + (float)ht_random_unit(&work->random) * (high - low);
    if (threshold >= high)
        threshold = low;
    if (work->settings->short_thresholds)
        threshold = threshold_shorten(threshold, low);
    if (!(threshold < high))
        return;
    size_t left = 0;
    int64_t squares = 0, crossed = 0;
    for (size_t i = 0; i < node->rows; ++i) {
        if (column[rows[i]] > threshold)
            continue;
        const uint16_t *labels = row_labels(work, rows[i]);
        ++left;
        for (size_t o = 0; o < work->data->outputs; ++o) {
            squares += 2 * (int64_t)work->left[labels[o]]++ + 1;
            crossed += work->total[labels[o]];
        }
    }
    counts_clear(work, work->left, rows, node->rows);
    size_t right = node->rows - left;
    if (left < work->settings->min_leaf || right < work->settings->min_leaf)
        return;
    /* (total - left)^2, summed */
    int64_t others = node->squares - 2 * crossed + squares;
    split->score = (double)squares / (double)left + (double)others / (double)right;
    split->threshold = threshold;
}

/* Returns the bits of a float in an order that integers compare. */
static uint64_t key_make(float value, uint32_t row) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = bits & 0x80000000U ? ~bits : bits | 0x80000000U;
    return (uint64_t)bits << 32 | row;
}

enum { RUN = 16 };

static void runs_sort(uint64_t *keys, size_t count) {
    for (size_t start = 0; start < count; start += RUN) {
        size_t end = start + RUN < count ? start + RUN : count;
        for (size_t i = start + 1; i < end; ++i) {
            uint64_t key = keys[i];
            size_t j = i;
            for (; j > start && keys[j - 1] > key; --j)
                keys[j] = keys[j - 1];
            keys[j] = key;
        }
    }
}

/* Sorts by merging; the result is in the array that is returned. */
static const uint64_t *keys_sort(uint64_t *keys, uint64_t *spare, size_t count) {
    runs_sort(keys, count);
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t a = start, b = middle;
            for (size_t i = start; i < end; ++i) {
                bool first = b == end || (a < middle && keys[a] <= keys[b]);
                spare[i] = first ? keys[a] : keys[b];
                a += first;
                b += !first;
            }
        }
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

/* Tries all thresholds between two different values. */
static void split_best(ht_tree_work *work, const uint32_t *rows, const sums *node,
                       const float *column, ht_split *split) {
    for (size_t i = 0; i < node->rows; ++i)
        work->keys[i] = key_make(column[rows[i]], rows[i]);
    const uint64_t *keys = keys_sort(work->keys, work->spare, node->rows);
    int64_t squares = 0, others = node->squares;
    for (size_t i = 0; i + 1 < node->rows; ++i) {
        const uint16_t *labels = row_labels(work, (uint32_t)keys[i]);
        for (size_t o = 0; o < work->data->outputs; ++o) {
            int64_t left = work->left[labels[o]]++;
            squares += 2 * left + 1;
            others -= 2 * (work->total[labels[o]] - left) - 1;
        }
        size_t left = i + 1, right = node->rows - left;
        if (keys[i] >> 32 == keys[i + 1] >> 32 || left < work->settings->min_leaf ||
            right < work->settings->min_leaf)
            continue;
        double score = (double)squares / (double)left + (double)others / (double)right;
        if (score > split->score) {
            float low = column[(uint32_t)keys[i]], high = column[(uint32_t)keys[i + 1]];
            float middle = low + (high - low) / 2;
            split->score = score;
            split->threshold = middle < high ? middle : low;
        }
    }
    counts_clear(work, work->left, rows, node->rows);
}

static size_t tried_count(const ht_tree_work *work) {
    double features = (double)work->data->features, tried = work->settings->tried;
    size_t count = (size_t)(tried > 0 ? tried * features + 0.5 : sqrt(features));
    return count > 0 ? count : 1;
}

ht_split ht_split_find(ht_tree_work *work, const uint32_t *rows, size_t count) {
    ht_split best = {.score = -1};
    if (count < 2 * work->settings->min_leaf || count < 2)
        return best;
    sums node = totals_count(work, rows, count);
    bool pure = node.squares == (int64_t)(count * count * work->data->outputs);
    size_t features = work->data->features, wanted = tried_count(work);
    /* Features in which all rows are equal do not count as tried. */
    for (size_t i = 0, tried = 0; i < features && tried < wanted && !pure; ++i) {
        size_t at = i + ht_random_below(&work->random, features - i);
        uint32_t feature = work->order[at];
        work->order[at] = work->order[i];
        work->order[i] = feature;
        const float *column = work->data->columns[feature];
        ht_split split = {.feature = feature, .score = -1};
        float low, high;
        if (!column_range(column, rows, count, &low, &high))
            continue;
        ++tried;
        if (work->settings->random_thresholds)
            split_random(work, rows, &node, column, low, high, &split);
        else
            split_best(work, rows, &node, column, &split);
        if (split.score > best.score)
            best = split;
    }
    counts_clear(work, work->total, rows, count);
    return best;
}
