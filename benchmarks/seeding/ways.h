/* Ways to begin a search, out of what was found on training problems. */
#ifndef HT_BENCHMARKS_SEEDING_WAYS_H
#define HT_BENCHMARKS_SEEDING_WAYS_H

#include "benchmarks/seeding/subject.h"
#include "predictor/data/match.h"
#include "predictor/predictor.h"
#include "predictor/times/time_model.h"

/* Each begins with the default configuration. From RANDOM to TIMES the same number of seeds
 * follows; TUNE and LEARNT are what `hiptemper tune` does with a database, without and with a model
 * of time next to it: sources, and five seeds each of the nearest problems and of that model. */
typedef enum ht_seeded_way {
    HT_WAY_UNSEEDED,
    HT_WAY_RANDOM,
    HT_WAY_PORTFOLIO, /* the same ones for all problems: the best over the training problems */
    HT_WAY_NEAREST,   /* the best ones of the nearest training problems */
    HT_WAY_MODEL,     /* proposals of a sequence model */
    HT_WAY_TIMES,     /* choices of a model of time */
    HT_WAY_TUNE,
    HT_WAY_LEARNT,
    HT_WAYS
} ht_seeded_way;

extern const char *const ht_seeded_way_names[HT_WAYS];

/* Everything that ways know; of what was not given a way makes no seeds. */
typedef struct ht_seeded_knowledge {
    const char *database; /* of the training problems */
    ht_database *training;
    ht_predictor *predictor;
    ht_match *match;
    ht_time_model *times;
    ht_config *portfolio; /* best first; owned */
    size_t portfolio_count;
    size_t evaluations; /* that the training problems took */
} ht_seeded_knowledge;

/* Ends the program on an error. */
void ht_seeded_knowledge_open(ht_seeded_knowledge *knowledge, const ht_seeded_setup *setup,
                              const char *model, const char *database);
void ht_seeded_knowledge_close(ht_seeded_knowledge *knowledge);

/* Searches one way, with this seed of the search. */
void ht_seeded_way_search(const ht_seeded_knowledge *knowledge, const ht_seeded_run *run,
                          ht_seeded_way way, uint64_t seed, ht_seeded_search *out);
/* The best configurations of the `want` nearest problems of a database; returns how many. */
size_t ht_seeded_nearest(const ht_seeded_run *run, ht_database *database, size_t want,
                         ht_config *out_seeds);

#endif
