/* Search strategies: ask for a batch of configurations, tell their outcomes. Each strategy is one
 * file that fills an ht_strategy_class; strategies.c lists them.
 *
 * Rules every strategy keeps (tests/search checks them on each): only legal configurations; never
 * the same one twice; ask returns 0 once the space is exhausted; given
 * the same seed, seeds and outcomes, the same asks in the same order. Outcomes are told in the
 * order asked. */
#ifndef HT_SEARCH_STRATEGY_H
#define HT_SEARCH_STRATEGY_H

#include "search/evaluator.h"

/* A step that may be worth a try: some parameters take given values. */
typedef struct ht_move {
    ht_config to;
    bool set[HT_PARAM_MAX]; /* those that the step changes */
    bool foundation;        /* likely enough to help that others are tried on top of it at once */
} ht_move;

/* Takes the move's values over into `config`; where `untouched` is given, only those in which the
 * two are still alike. */
void ht_move_apply(const ht_move *move, const ht_config *untouched, ht_config *config);

typedef struct ht_strategy_options {
    uint64_t seed;
    const ht_config
        *seeds; /* asked first, in order, illegal and double ones dropped; borrowed during create */
    size_t seed_count;
    const ht_move *moves; /* tried early, from the seeds on, by the strategies that search/ladder.h
                             serves (bayes, auto); borrowed during create */
    size_t move_count;
    const struct ht_bayes_settings *bayes; /* search/bayes.h; NULL: the defaults; borrowed */
    /* Expectations of configurations (search/prior.h), for the strategies that make use of it;
     * NULL: nothing. Borrowed until the strategy is freed. */
    const struct ht_prior *prior;
    /* Earlier runs (search/earlier.h), for the same strategies; NULL: none. Borrowed likewise. */
    const struct ht_earlier *sources;
} ht_strategy_options;

typedef struct ht_strategy ht_strategy;
struct ht_trust;
struct ht_trial;

typedef struct ht_strategy_class {
    const char *name;        /* "random" */
    const char *description; /* one line for --help, with its source */
    bool expects;            /* makes use of ht_strategy_options.prior and .sources */
    void *(*create)(const ht_space *space, const ht_strategy_options *options);
    /* Up to `want` configurations; 0 only when the space is exhausted; fewer, but not 0, also when
     * outcomes should come before more is asked. Seeds and repeats
     * are handled by the caller (ht_strategy_ask): a class may propose what `seen` says was asked
     * already, and is asked again. */
    size_t (*ask)(void *self, size_t want, ht_config *out_configs);
    void (*tell)(void *self, const ht_config *config, const ht_outcome *outcome); /* may be NULL */
    void (*destroy)(void *self);
    /* How far ht_strategy_options.sources are believed by now; NULL: not at all. */
    void (*trust)(const void *self, struct ht_trust *out_trust);
} ht_strategy_class;

/* All strategies, NULL-terminated. */
extern const ht_strategy_class *const ht_strategy_classes[];

/* An unknown name is HT_ERROR_INPUT and lists the names there are. The space must outlive the
 * strategy. */
ht_status ht_strategy_create(const char *name, const ht_space *space,
                             const ht_strategy_options *options, ht_strategy **out_strategy,
                             ht_error *error);
size_t ht_strategy_ask(ht_strategy *strategy, size_t want, ht_config *out_configs);
void ht_strategy_tell(ht_strategy *strategy, const ht_config *config, const ht_outcome *outcome);
/* Tells outcomes that are known before the first ask: those configurations are not asked any more.
 * Returns how many of them are of this space, each once. */
size_t ht_strategy_learn(ht_strategy *strategy, const struct ht_trial *known, size_t count);
void ht_strategy_free(ht_strategy *strategy);
/* Returns true if a strategy of this name makes use of what is known before. */
bool ht_strategy_expects(const char *name);
/* How far the strategy trusts its sources by now (search/trust.h); false if it has none. */
bool ht_strategy_trust(const ht_strategy *strategy, struct ht_trust *out_trust);

/* The search loop. */
typedef struct ht_search_budget {
    uint64_t max_evaluations; /* 0: no limit. Outcomes taken from the database count too */
    double max_seconds;       /* 0: no limit */
    double each_seconds;      /* that a configuration is expected to take; 0: not known, and where
                                 there is a limit, the first batch is a small one */
} ht_search_budget;

typedef struct ht_search_event {
    uint64_t evaluated;
    uint64_t space;
    const ht_config *config;
    const ht_outcome *outcome;
    const ht_config *best; /* NULL before the first success */
    double best_cost;
    double seconds; /* since the search began */
} ht_search_event;

typedef struct ht_search_options {
    ht_search_budget budget;
    void (*on_event)(void *context,
                     const ht_search_event *event); /* after each outcome; may be NULL */
    void *context;
    const volatile int *interrupted; /* becomes non-zero on Ctrl-C; may be NULL */
    const struct ht_trial *known;    /* outcomes to begin with (ht_strategy_learn), which are no
                                        trials of this search and cost it nothing; borrowed */
    size_t known_count;
} ht_search_options;

/* One evaluated configuration, in the order told. */
typedef struct ht_trial {
    ht_config config;
    ht_outcome outcome;
} ht_trial;

typedef struct ht_search_result {
    ht_trial *trials; /* owned */
    size_t trial_count;
    bool exhausted; /* the whole space was evaluated, or known */
    bool interrupted;
    double each_seconds; /* that a configuration took, in the slowest batch */
} ht_search_result;

/* Runs until the space or the budget ends, or on interruption (HT_OK with result.interrupted set).
 * When the evaluator fails, its error is returned and the result still holds the trials told
 * before; free it in every case. */
ht_status ht_search_run(ht_strategy *strategy, ht_evaluator *evaluator,
                        const ht_search_options *options, ht_search_result *out_result,
                        ht_error *error);
void ht_search_result_free(ht_search_result *result);
/* Indices of the best successful trials, cheapest first, at most `want`; returns how many. */
size_t ht_search_result_best(const ht_search_result *result, size_t want, size_t *out_indices);

#endif
