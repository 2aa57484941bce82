/* The settings of the strategies `bayes` and `auto`, for the program that chose them
 * (benchmarks/search_settings.c); docs/search.md tells what each does and how it was chosen. */
#ifndef HT_SEARCH_BAYES_H
#define HT_SEARCH_BAYES_H

#include "search/features.h"

enum { HT_BAYES_PROCESSES = 8 };

typedef struct ht_bayes_settings {
    unsigned features; /* kinds, a bit each: 1 << HT_FEATURE_SIZE | ... */
    int design;        /* configurations spread over the space before the model is asked */
    int design_seeded; /* the same along with seeds, in turn with the model's */
    int design_apart;  /* where moves were given: the model's picks between two of the spread */
    int spread;        /* each is the farthest of N samples, but for those that are led */
    double clip;       /* log of the ratio to the best beyond which times are softly clipped */
    double length[HT_FEATURE_KINDS]; /* mean of the prior of log length scales, by kind */
    double length_spread;
    double noise;           /* mean of the prior of log noise */
    int refit;              /* successes between two fits: at least N, */
    double refit_share;     /* and at least this share of all */
    int fit_points;         /* successes a fit looks at: the best half and a sample */
    int first_steps, steps; /* of the fit: the first one, and later ones */
    int processes;          /* with parameters of their own, whose scores are averaged, */
    int processes_until;    /* up to N successes; then one */
    double bag;             /* share of the successes that all but the first are fitted to */
    int patience;           /* outcomes without a better one before the model dares more: every */
    double daring;          /* other pick asks for an improvement by this many deviations */
    int pool;               /* candidates looked at each time, in spaces larger than that */
    int design_led; /* with a prior (search/prior.h): the first N of the spread at most are led by
                       it, */
    double led;     /* which is to say out of the share of the space that it likes best; */
    int design_further; /* N more come in turn with the model's picks, */
    int design_alone;   /* as those that are led do after N of them; with sources, after all */
    double prior_noise; /* deviation of log times from what the prior's facts say */
    double prior_fade;  /* successes after which the prior's weights shrink */
    double source_fade; /* the same of the weights of sources (search/earlier.h) */
    int first_batch; /* configurations asked for at most before there are outcomes; later, as many
                        as there are */
    double trusted;  /* share of the variance that sources explain that spares most of the spread */
} ht_bayes_settings;

extern const ht_bayes_settings ht_bayes_defaults;

#endif
