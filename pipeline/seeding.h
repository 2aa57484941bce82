/* Configurations to start a search from, out of a trained model (--predictor). */
#ifndef HT_PIPELINE_SEEDING_H
#define HT_PIPELINE_SEEDING_H

#include "pipeline/tuning.h"
#include "search/strategy.h"

enum { HT_SEEDING_MOST = 100 };

/* Opens the model, when it is a file, so that a bad one is reported before anything runs; a
 * folder's models are opened when their kernels are tuned. */
ht_status ht_seeding_open(const ht_tuning_options *options, ht_predictor **out_predictor,
                          ht_error *error);

/* The model's likeliest legal configurations for this problem into out_seeds
 * [options.predictor_seeds]; returns how many. None with the reason in *out_refused (free()) when
 * there is no model for the kernel, or it does not match the template. */
size_t ht_seeding_propose(const ht_session *session, const ht_binding *binding,
                          const ht_space *space, ht_config *out_seeds, char **out_refused);

/* Returns the default configuration, then the session's first ones, then what the model proposes,
 * then what the model of time next to the database chooses, then the best ones of the nearest
 * problems in the database; free(). `out_seeds` counts them by where they are from. */
ht_config *ht_seeding_find(const ht_session *session, const ht_binding *binding, const ht_job *job,
                           const ht_space *space, ht_pair_seeds *out_seeds, size_t *out_count);

#endif
