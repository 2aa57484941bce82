#include "predictor/times/boost_internal.h"

#include "predictor/times/bins.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1024 }; /* rows that are asked together: their leaves stay in the cache */

/* The memory of a sequence while it grows. */
typedef struct growing {
    const ht_boost_data *data;
    const ht_boost_settings *settings;
    const uint32_t *rows;
    size_t count;
    ht_random random;
    float *answers;  /* [count]: of the trees so far */
    double *offsets; /* [groups]: the constant of each */
    double *weights; /* [groups] */
    uint8_t *leaves; /* [count] */
    uint32_t *order; /* [columns], a permutation */
    /* The rows that a tree is made from. */
    uint32_t *drawn; /* [count]: of the columns */
    uint8_t *nodes;
    float *rests, *row_weights;
    size_t drawn_count;
} growing;

static double rest_of(const growing *self, size_t i) {
    uint32_t row = self->rows[i];
    return (double)self->data->targets[row] - (double)self->answers[i] -
           self->offsets[self->data->groups[row]];
}

/* Sets each group's constant to what is left of it on average. */
static void offsets_set(growing *self) {
    const ht_boost_data *data = self->data;
    memset(self->offsets, 0, data->group_count * sizeof *self->offsets);
    memset(self->weights, 0, data->group_count * sizeof *self->weights);
    for (size_t i = 0; i < self->count; ++i) {
        uint32_t row = self->rows[i], group = data->groups[row];
        double weight = (double)data->weights[row];
        self->offsets[group] += weight * ((double)data->targets[row] - (double)self->answers[i]);
        self->weights[group] += weight;
    }
    for (size_t g = 0; g < data->group_count; ++g)
        if (self->weights[g] > 0)
            self->offsets[g] /= self->weights[g];
}

static void rows_draw(growing *self) {
    bool all = self->settings->row_share >= 1;
    self->drawn_count = 0;
    for (size_t i = 0; i < self->count; ++i) {
        if (!all && ht_random_unit(&self->random) >= self->settings->row_share)
            continue;
        size_t at = self->drawn_count++;
        self->drawn[at] = self->rows[i];
        self->rests[at] = (float)rest_of(self, i);
        self->row_weights[at] = self->data->weights[self->rows[i]];
        self->nodes[at] = 0;
    }
}

/* Draws columns to the front of the order; returns how many. */
static size_t columns_draw(growing *self) {
    size_t all = self->data->column_count;
    size_t want = (size_t)ceil(self->settings->column_share * (double)all);
    want = want < all ? want : all;
    for (size_t i = 0; i < want && want < all; ++i) {
        size_t other = i + (size_t)ht_random_below(&self->random, all - i);
        uint32_t kept = self->order[i];
        self->order[i] = self->order[other];
        self->order[other] = kept;
    }
    return want;
}

static void level_descend(growing *self, ht_boost_question question, size_t depth) {
    const uint8_t *values = self->data->columns[question.column];
    for (size_t i = 0; i < self->drawn_count; ++i)
        self->nodes[i] |= (uint8_t)((values[self->drawn[i]] > question.bin) << depth);
}

static void questions_choose(growing *self, ht_boost_tree *tree) {
    size_t columns = columns_draw(self);
    for (tree->depth = 0; tree->depth < self->settings->depth; ++tree->depth) {
        ht_boost_split best = {0};
        const ht_level level = {.rows = self->drawn,
                                .nodes = self->nodes,
                                .rests = self->rests,
                                .weights = self->row_weights,
                                .count = self->drawn_count,
                                .node_count = (size_t)1 << tree->depth,
                                .penalty = self->settings->penalty};
        for (size_t c = 0; c < columns; ++c) {
            uint32_t column = self->order[c];
            ht_boost_split_improve(&level, column, self->data->columns[column],
                                   self->data->bin_counts[column], &best);
        }
        if (best.gain <= 0)
            break;
        tree->questions[tree->depth] = (ht_boost_question){(uint16_t)best.column, best.bin};
        level_descend(self, tree->questions[tree->depth], tree->depth);
    }
}

static void leaves_set(const growing *self, ht_boost_tree *tree) {
    double rests[HT_BOOST_LEAVES] = {0}, weights[HT_BOOST_LEAVES] = {0};
    for (size_t i = 0; i < self->drawn_count; ++i) {
        rests[self->nodes[i]] += (double)(self->rests[i] * self->row_weights[i]);
        weights[self->nodes[i]] += (double)self->row_weights[i];
    }
    for (size_t l = 0; l < (size_t)1 << tree->depth; ++l)
        tree->leaves[l] =
            (float)(self->settings->rate * rests[l] / (weights[l] + self->settings->penalty));
}

/* Adds what the tree says of all rows to the answers so far. */
static void answers_add(growing *self, const ht_boost_tree *tree) {
    memset(self->leaves, 0, self->count);
    for (size_t d = 0; d < tree->depth; ++d) {
        const uint8_t *values = self->data->columns[tree->questions[d].column];
        for (size_t i = 0; i < self->count; ++i)
            self->leaves[i] |= (uint8_t)((values[self->rows[i]] > tree->questions[d].bin) << d);
    }
    for (size_t i = 0; i < self->count; ++i)
        self->answers[i] += tree->leaves[self->leaves[i]];
}

static double loss_of(const growing *self) {
    double sum = 0, weights = 0;
    for (size_t i = 0; i < self->count; ++i) {
        double weight = (double)self->data->weights[self->rows[i]], rest = rest_of(self, i);
        sum += weight * rest * rest;
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

static void growing_begin(growing *self) {
    size_t count = self->count + 1, groups = self->data->group_count + 1;
    self->answers = ht_alloc(count, sizeof *self->answers);
    self->leaves = ht_alloc(count, sizeof *self->leaves);
    self->drawn = ht_alloc(count, sizeof *self->drawn);
    self->nodes = ht_alloc(count, sizeof *self->nodes);
    self->rests = ht_alloc(count, sizeof *self->rests);
    self->row_weights = ht_alloc(count, sizeof *self->row_weights);
    self->offsets = ht_alloc(groups, sizeof *self->offsets);
    self->weights = ht_alloc(groups, sizeof *self->weights);
    self->order = ht_alloc(self->data->column_count + 1, sizeof *self->order);
    for (size_t c = 0; c < self->data->column_count; ++c)
        self->order[c] = (uint32_t)c;
    ht_random_stream(&self->random, self->settings->seed, self->settings->stream);
}

static void growing_end(growing *self) {
    free(self->answers);
    free(self->leaves);
    free(self->drawn);
    free(self->nodes);
    free(self->rests);
    free(self->row_weights);
    free(self->offsets);
    free(self->weights);
    free(self->order);
}

ht_boost *ht_boost_grow(const ht_boost_data *data, const uint32_t *rows, size_t count,
                        const ht_boost_settings *settings, double *out_losses) {
    growing self = {.data = data, .settings = settings, .rows = rows, .count = count};
    ht_boost *boost = ht_alloc(1, sizeof *boost);
    boost->trees = ht_alloc(settings->rounds + 1, sizeof *boost->trees);
    growing_begin(&self);
    offsets_set(&self);
    for (size_t t = 0; t < settings->rounds; ++t) {
        ht_boost_tree *tree = &boost->trees[boost->count++];
        rows_draw(&self);
        questions_choose(&self, tree);
        leaves_set(&self, tree);
        answers_add(&self, tree);
        offsets_set(&self);
        if (out_losses)
            out_losses[t] = loss_of(&self);
    }
    growing_end(&self);
    return boost;
}

void ht_boost_free(ht_boost *boost) {
    if (boost)
        free(boost->trees);
    free(boost);
}

/* Sets a bit of the leaves of all rows of a higher bin: without a branch, and of signed bytes, as
 * there is an instruction that compares many of those. Bins are below 64. Inlined it would not be
 * known that the two do not overlap. */
__attribute__((noinline)) static void leaves_part(const uint8_t *restrict values, uint8_t bin,
                                                  uint8_t bit, size_t count,
                                                  uint8_t *restrict leaves) {
    const int8_t *at = (const int8_t *)values, most = (int8_t)bin;
    for (size_t i = 0; i < count; ++i) {
        int8_t higher = at[i] > most ? -1 : 0;
        leaves[i] |= (uint8_t)higher & bit;
    }
}

static void tree_add(const ht_boost_tree *tree, const uint8_t *const *columns, size_t first,
                     size_t count, float *restrict sums) {
    uint8_t leaves[AT_ONCE] = {0};
    for (size_t d = 0; d < tree->depth; ++d)
        leaves_part(columns[tree->questions[d].column] + first, tree->questions[d].bin,
                    (uint8_t)(1U << d), count, leaves);
    for (size_t i = 0; i < count; ++i)
        sums[i] += tree->leaves[leaves[i]];
}

void ht_boost_add(const ht_boost *boost, const uint8_t *const *columns, size_t count,
                  float *out_sums) {
    for (size_t first = 0; first < count; first += AT_ONCE) {
        size_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
        for (size_t t = 0; t < boost->count; ++t)
            tree_add(&boost->trees[t], columns, first, some, out_sums + first);
    }
}

void ht_boost_mark(const ht_boost *boost, bool *out_used) {
    for (size_t t = 0; t < boost->count; ++t)
        for (size_t d = 0; d < boost->trees[t].depth; ++d)
            out_used[boost->trees[t].questions[d].column] = true;
}
