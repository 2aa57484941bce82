/* Shared by the strategies that learn from outcomes: the points asked so far with their costs,
 * and ways to legal configurations that were not asked yet. Every strategy draws only from here, so
 * none repeats itself, and each ends exactly when the space does.
 *
 * Costs are compared, never added: a failure is INFINITY, worse than any success. */
#ifndef HT_SEARCH_EXPLORER_H
#define HT_SEARCH_EXPLORER_H

#include "search/index_map.h"
#include "search/strategy.h"
#include "search/sweep.h"

enum { HT_NO_POINT = -1 };

typedef struct ht_point {
    ht_config config;
    double cost; /* INFINITY: failed, or not told yet */
    bool told;
    int owner; /* what the strategy gave; HT_NO_POINT: it did not propose this one */
} ht_point;

typedef struct ht_explorer {
    const ht_space *space;
    ht_random random;
    size_t dimensions;
    size_t *sizes; /* values of each dimension; owned */
    bool *ordered; /* dimensions whose values have an order; owned */

    ht_point *points; /* asked, in order; owned */
    size_t point_count;
    ht_index_map by_key; /* hash of a configuration -> its point */
    size_t told;

    ht_index_map moved; /* the shuffle of a listed space, see fresh() */
    uint64_t drawn;
    ht_sweep sweep; /* of a space that is not listed, once samples bring nothing new */
    bool sweeping;

    size_t fresh_due; /* fresh ones to ask before the strategy proposes again */

    ht_config *neighbours; /* of the last configuration looked at; owned */
    size_t neighbour_room;
} ht_explorer;

/* Seeds among the options count as asked from the beginning: the common code asks them first. */
void ht_explorer_begin(ht_explorer *explorer, const ht_space *space,
                       const ht_strategy_options *options);
void ht_explorer_end(ht_explorer *explorer);

/* Returns a hash by which a table distinguishes configurations. */
uint64_t ht_explorer_key(const ht_config *config);
/* The point of a configuration, HT_NO_POINT when it was not asked. */
ptrdiff_t ht_explorer_find(const ht_explorer *explorer, const ht_config *config);
/* Notes that a configuration is asked; its point. It must be legal and not asked before. */
size_t ht_explorer_ask(ht_explorer *explorer, const ht_config *config);
/* Notes an outcome, also of a configuration that was never asked here; its point. */
size_t ht_explorer_tell(ht_explorer *explorer, const ht_config *config, const ht_outcome *outcome);

/* Draws a uniformly random legal configuration that was not asked yet; false when none is left. The
 * caller asks it: it is not drawn again. */
bool ht_explorer_fresh(ht_explorer *explorer, ht_config *out_config);
/* A strategy's next configuration, legal and not asked yet, and who in the strategy wants to know
 * its outcome (it becomes the point's owner). False: the strategy has none. */
typedef bool (*ht_propose)(void *strategy, ht_config *out_config, int *out_owner);
/* Asks for `want` configurations: what `propose` gives, and fresh ones where it gives none. Before
 * it is asked for the first time, 12 configurations (seeds among them) are spread
 * over the space: each is, of 8 samples, the one farthest from all asked so far (best-candidate
 * sampling, Mitchell 1991, "Spectrally optimal sampling for distribution ray tracing"), where a
 * parameter counts for the difference of the values' positions over the length of their list, or 1
 * where values have no order. */
size_t ht_explorer_fill(ht_explorer *explorer, ht_propose propose, void *strategy, size_t want,
                        ht_config *out_configs);
/* A strategy that found no more starts anew: the next 12 configurations are fresh ones, not what it
 * proposes. */
void ht_explorer_restart(ht_explorer *explorer);
/* A random legal neighbour of `config`, asked or not: each parameter that has one is as likely,
 * then each of its values. So a parameter with many values does not draw all steps. False when
 * there is none. */
bool ht_explorer_neighbour(ht_explorer *explorer, const ht_config *config, ht_neighbourhood kind,
                           ht_config *out_config);
/* The same among those that were not asked yet. */
bool ht_explorer_step(ht_explorer *explorer, const ht_config *config, ht_neighbourhood kind,
                      ht_config *out_config);
/* Makes `config` legal. When it is not: a legal Hamming neighbour of it, and when there is none,
 * where a walk from the legal configuration `from` ends that takes over one parameter after the
 * other from `config`, in random order, as long as it stays legal. */
void ht_explorer_repair(ht_explorer *explorer, const ht_config *from, ht_config *config);

/* Uniform in [0, bound). */
size_t ht_explorer_below(ht_explorer *explorer, size_t bound);
/* True with probability `chance`. */
bool ht_explorer_chance(ht_explorer *explorer, double chance);

#endif
