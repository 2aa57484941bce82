/* Boosted trees over bins (Friedman 2001, "Greedy function approximation"): each tree explains a
 * share of what those before it left of a target. The trees are oblivious (Kohavi 1994;
 * Prokhorenkova et al. 2018, "CatBoost"): all nodes of a level ask the same question, so that a
 * tree is up to six questions and a leaf for each pattern of answers, and thousands of rows are
 * asked at a time.
 *
 * Targets are compared within groups only: rows of one group share a constant that is not part of
 * the answer, so that a group of slow times and one of fast ones teach the same. Seeded; the result
 * does not depend on threads. */
#ifndef HT_PREDICTOR_TIMES_BOOST_H
#define HT_PREDICTOR_TIMES_BOOST_H

#include "predictor/times/split.h"

#include "base/text.h"

#include <stdbool.h>

typedef struct ht_boost_data {
    const uint8_t *const *columns; /* [column_count][rows]: bins, below HT_BINS_MOST */
    const size_t *bin_counts;      /* [column_count] */
    size_t column_count;
    const float *targets, *weights; /* [rows]; weights above 0 */
    const uint32_t *groups;         /* [rows], below group_count */
    size_t group_count;
} ht_boost_data;

typedef struct ht_boost_settings {
    size_t rounds, depth;           /* trees, and questions of each at most */
    double rate;                    /* share of the rest that a tree explains */
    double penalty;                 /* weight that a leaf needs to be half believed */
    double row_share, column_share; /* that a tree is made from */
    uint64_t seed, stream;
} ht_boost_settings;

typedef struct ht_boost ht_boost;

/* Learns from these rows. `out_losses`: [rounds], the mean squared rest after each tree; may be
 * NULL. The data is not needed afterwards. */
ht_boost *ht_boost_grow(const ht_boost_data *data, const uint32_t *rows, size_t count,
                        const ht_boost_settings *settings, double *out_losses);
void ht_boost_free(ht_boost *boost);
/* Adds the answers for `count` rows to out_sums. */
void ht_boost_add(const ht_boost *boost, const uint8_t *const *columns, size_t count,
                  float *out_sums);
/* Marks the columns that a question is about. */
void ht_boost_mark(const ht_boost *boost, bool *out_used);

/* As bytes: the number of trees as a u32, and of each the number of questions (a byte), the
 * questions (column u16, bin u8) and the leaves (float32), little-endian. */
void ht_boost_pack(const ht_boost *boost, ht_text *out);
/* Moves *at past one. False when these bytes do not begin with trees over `column_count` columns
 * with finite leaves: nothing is kept then. */
bool ht_boost_unpack(const uint8_t **at, const uint8_t *end, size_t column_count,
                     ht_boost **out_boost);

#endif
