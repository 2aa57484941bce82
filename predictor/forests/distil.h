/* Distillation (Hinton et al. 2015; for sequences Kim and Rush 2016): what several networks answer
 * together becomes the examples from which one learns.
 *
 * Each record gives one example along its own label: at each step the target is the teachers' mean
 * distribution over the allowed values, given the label's values before, mixed with the label. And
 * `samples` more, along configurations drawn from the teachers step by step: there the label says
 * nothing, the teachers' distributions do. So the student learns the teachers' joint distribution,
 * not only what follows on measured prefixes. */
#ifndef HT_PREDICTOR_FORESTS_DISTIL_H
#define HT_PREDICTOR_FORESTS_DISTIL_H

#include "predictor/data/dataset.h"
#include "predictor/network/network.h"

typedef struct ht_distil_settings {
    uint32_t samples;    /* configurations drawn for each record */
    float sample_weight; /* of an example along a drawn one, of the record's weight */
    float labels;        /* share of the label in the targets along it, 0 to 1 */
    uint32_t threads;    /* 0: as many as OpenMP gives; the result does not depend on it */
    uint64_t seed;
} ht_distil_settings;
ht_distil_settings ht_distil_defaults(void);

/* `examples` were made of `dataset` (ht_examples_make), record by record; `rules` NULL: every value
 * is allowed. out_examples shares nothing with them; drawn examples share their record's inputs.
 * `progress` (may be NULL) gets the share done, from one thread; when it returns false the work
 * stops with HT_ERROR_INTERRUPTED. */
ht_status ht_distil(const ht_network *const *teachers, size_t teacher_count,
                    const ht_dataset *dataset, const ht_examples *examples, const ht_rules *rules,
                    const ht_distil_settings *settings,
                    bool (*progress)(void *context, double done), void *context,
                    ht_examples *out_examples, ht_error *error);

#endif
