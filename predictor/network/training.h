/* Training: mini-batch Adam on the cross-entropy of each step given the true tokens before it
 * (teacher forcing), with gradient clipping, a learning-rate schedule and early stopping.
 *
 * The softmax of a step is over the allowed values only when the examples say what is allowed, so
 * that no capacity goes into learning the constraints. The result depends on the settings, examples
 * and seed alone: a batch is cut into a fixed number of shards, whose gradients are added in a
 * fixed order, whatever the thread count. */
#ifndef HT_PREDICTOR_NETWORK_TRAINING_H
#define HT_PREDICTOR_NETWORK_TRAINING_H

#include "predictor/network/network.h"

typedef struct ht_training_settings {
    uint32_t epochs;
    uint32_t batch;
    float rate;          /* the highest learning rate */
    float rate_end;      /* share of it at the end (cosine) */
    uint32_t warmup;     /* batches */
    float clip;          /* of the gradient's norm; 0: none */
    float weight_decay;  /* decoupled */
    float smoothing;     /* label smoothing over the allowed values */
    float token_dropout; /* share of the input's identifiers that is hidden, so that no single one
                            is relied on (a value seen often, say, where its size would do) */
    float averaging;     /* exponential moving average of the weights over batches; 0: none */
    uint32_t patience; /* epochs without a better validation loss before training stops; 0: never */
    uint32_t threads;  /* 0: as many as OpenMP gives */
    uint64_t seed;
} ht_training_settings;

typedef struct ht_epoch {
    uint32_t epoch;                /* from 1 */
    double train_loss, valid_loss; /* mean over examples of the summed cross-entropy of all steps;
                                      NaN without a validation set */
    double valid_accuracy; /* mean share of steps whose likeliest token is the target, given true
                              tokens before */
    double rate;
    double seconds; /* since the start */
    bool best;      /* the best validation loss so far */
} ht_epoch;

typedef struct ht_training_watch {
    void *context;
    void (*epoch)(void *context, const ht_epoch *epoch);                     /* may be NULL */
    void (*batch)(void *context, uint32_t epoch, size_t done, size_t count); /* may be NULL */
    bool (*stop)(
        void *context); /* asked after every batch; the best weights so far are kept; may be NULL */
} ht_training_watch;

ht_training_settings ht_training_defaults(const char *architecture);
/* Leaves the weights of the epoch with the best validation loss (the last one without a validation
 * set). `valid` may be NULL. */
ht_status ht_network_train(ht_network *network, const ht_examples *train, const ht_examples *valid,
                           const ht_training_settings *settings, const ht_training_watch *watch,
                           ht_error *error);

#endif
