/* Parts of a data set: folds for cross-validation, a validation set, a share for training-size
 * curves. Which part a record falls into depends on its group (or on the whole record) and a seed
 * alone, so that it is the same in every run and whatever files stand next to it. */
#ifndef HT_PREDICTOR_DATA_SPLIT_H
#define HT_PREDICTOR_DATA_SPLIT_H

#include "predictor/data/dataset.h"

/* The records named by `rows`, copied. */
void ht_dataset_pick(const ht_dataset *dataset, const uint32_t *rows, size_t count,
                     ht_dataset *out_dataset);

/* Fold `index` (0..count-1) of `count`; count 0: no fold. */
typedef struct ht_fold {
    uint32_t index, count;
} ht_fold;
/* "2/5", counted from 1. */
ht_status ht_fold_parse(const char *text, ht_fold *out_fold, ht_error *error);

/* Every record its own group: the plain random split by rows. It leaks: the same problem on another
 * machine, or in another precision, may then stand on both sides. */
void ht_dataset_ungroup(ht_dataset *dataset);
/* Splits into the records of the fold and the others. */
void ht_dataset_split_fold(const ht_dataset *dataset, const ht_fold *fold, ht_dataset *out_inside,
                           ht_dataset *out_outside);
/* Splits off about `share` of the groups, chosen by `seed`. */
void ht_dataset_split_share(const ht_dataset *dataset, double share, uint64_t seed,
                            ht_dataset *out_inside, ht_dataset *out_outside);

#endif
