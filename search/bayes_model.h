/* The model of the strategy `bayes`: a Gaussian process for the costs and a logistic regression for
 * success, over a pool of candidates. */
#ifndef HT_SEARCH_BAYES_MODEL_H
#define HT_SEARCH_BAYES_MODEL_H

#include "search/bayes.h"
#include "search/feasibility.h"
#include "search/gp.h"
#include "search/objective.h"
#include "search/pool.h"
#include "search/prior.h"
#include "search/trust.h"

typedef struct ht_bayes_model {
    const ht_bayes_settings *settings;
    ht_features *features;
    ht_explorer *explorer; /* borrowed: the points */
    ht_pool pool;
    ht_ranking ranking; /* of the successes */

    double *x; /* point_count * features, of the explorer's points */
    size_t described;

    /* Several processes with other parameters, each as likely: the data rarely tells which features
     * matter before there is plenty of it, and one set of parameters would be sure all the same. */
    ht_gp *processes[HT_BAYES_PROCESSES];
    ht_gp_parameters parameters[HT_BAYES_PROCESSES];
    size_t process_count; /* those in use */
    ht_gp_prior prior;
    ht_objective objective;
    size_t *observed; /* the points in the process, in order */
    size_t observed_count;
    size_t successes;        /* told */
    size_t successes_at_fit; /* 0: no fit yet */
    double best;             /* lowest standardised cost observed */
    size_t improved;         /* outcomes told when the best was found */

    ht_feasibility feasibility;
    size_t failures;
    float *chances; /* of the pool's candidates to succeed; NULL: all 1 */
    size_t told_at_chances;
    float *scores; /* of the pool's candidates, at the last pick */

    const ht_prior *expectation; /* the mean of the processes; NULL: 0; borrowed */
    ht_prior_weights weights;    /* of its facts, learnt at the last fit */
    const ht_earlier *sources;   /* part of the mean, too; NULL: none; borrowed */
    ht_trust trust;              /* in them, learnt at the last fit */
    float *expected; /* of the pool's candidates, in the objective's units; NULL: all 0 */
} ht_bayes_model;

void ht_bayes_model_begin(ht_bayes_model *model, ht_explorer *explorer,
                          const ht_bayes_settings *settings, const ht_prior *prior,
                          const ht_earlier *sources);
void ht_bayes_model_end(ht_bayes_model *model);
/* The features of a point of the explorer; borrowed until the next point. */
const double *ht_bayes_model_point(ht_bayes_model *model, size_t point);
void ht_bayes_model_asked(ht_bayes_model *model, const ht_config *config);
/* After a point was told for the first time. */
void ht_bayes_model_told(ht_bayes_model *model, size_t point);
/* How far the sources are to be trusted, by all told so far; there must be some. The weights are in
 * the unit of logarithms of times. */
void ht_bayes_model_trust(const ht_bayes_model *model, ht_trust *out_trust);
/* The candidate to ask next; false when none is left in the pool. Needs two successes. */
bool ht_bayes_model_pick(ht_bayes_model *model, ht_config *out_config);

#endif
