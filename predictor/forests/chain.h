/* A chain of forests: for each parameter one, which knows the problem's numbers and the values of
 * the parameters before (classifier chains, Read et al. 2009, of extra trees, Geurts et al. 2006).
 *
 * It factors the probability of a configuration exactly as the networks' decoder does, so it
 * answers along with them in one beam, as one more voice with a weight (docs/predictor.md). It
 * remembers single records where networks smooth over them; together they are better than either.
 *
 * Where the records are of several architectures and precisions (the device fields that are
 * enumerations, and the field `precision`), groups with few records have forests of their own
 * besides: grown on their records alone, they answer along with those of all, so that old GPUs with
 * many records do not drown a new one. */
#ifndef HT_PREDICTOR_FORESTS_CHAIN_H
#define HT_PREDICTOR_FORESTS_CHAIN_H

#include "predictor/data/dataset.h"

typedef struct ht_chain_settings {
    uint32_t trees;    /* of each parameter; 0: no chain */
    uint32_t min_leaf; /* records */
    float tried;       /* share of the numbers that a split looks at */
    float share;       /* weight of the chain's answer, 0 to 1; the networks' is the rest */
    float own;         /* of a group's own forests in the chain's answer for it, 0 to 1; 0:
                          there are none */
    uint32_t own_leaf; /* records at a leaf of those */
    float own_share;   /* weight of the chain's answer for a group with its own forests */
    uint64_t seed;
} ht_chain_settings;
ht_chain_settings ht_chain_defaults(void);

typedef struct ht_chain ht_chain;
/* Grows the forests, with OpenMP over the trees; the result does not depend on the threads. The
 * data set's schema must outlive the chain, the data set need not. `progress` (may be NULL) gets
 * the share done; when it returns false the work stops with HT_ERROR_INTERRUPTED. */
ht_status ht_chain_grow(const ht_dataset *dataset, const ht_chain_settings *settings,
                        bool (*progress)(void *context, double done), void *context,
                        ht_chain **out_chain, ht_error *error);
void ht_chain_free(ht_chain *chain);
double ht_chain_share(const ht_chain *chain);
/* The weights of the two voices for a problem: the forests of all records, and those of its
 * group (0 when it has none). */
void ht_chain_shares(const ht_chain *chain, const int64_t *fields, double *out_all,
                     double *out_own);
/* How many groups have forests of their own. */
size_t ht_chain_own_count(const ht_chain *chain);
uint32_t ht_chain_trees(const ht_chain *chain);

/* Bytes for a model file (docs/model-format.md). */
void ht_chain_pack(const ht_chain *chain, ht_text *out);
/* False when the bytes are no chain for this schema. */
bool ht_chain_unpack(const ht_schema *schema, const uint8_t *data, size_t length,
                     ht_chain **out_chain);

/* Asking, one per thread; steps as a beam asks them (ht_beam_source). */
typedef struct ht_chain_asking ht_chain_asking;
/* `own`: the forests of each problem's group; those of all records when it has none. */
ht_chain_asking *ht_chain_asking_new(const ht_chain *chain, bool own, size_t max_rows);
void ht_chain_asking_free(ht_chain_asking *asking);
void ht_chain_asking_start(ht_chain_asking *asking, const int64_t *fields);
/* out_logits[rows][values of the step]: logarithms of the trees' mean shares. */
void ht_chain_asking_step(ht_chain_asking *asking, size_t rows, const uint32_t *parents,
                          const uint16_t *tokens, float *out_logits);

#endif
