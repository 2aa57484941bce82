/* The constant portfolio: the configurations that together are best over the training problems. */
#ifndef HT_BENCHMARKS_SEEDING_PORTFOLIO_H
#define HT_BENCHMARKS_SEEDING_PORTFOLIO_H

#include "benchmarks/seeding/subject.h"

/* Chooses among all configurations that were tried on a training problem. The next one is always
 * that which lowers most the mean logarithm of the best time of those chosen over the best known;
 * one that was not tried, or failed, counts as four times the best. Writes at most `want`; returns
 * how many. */
size_t ht_portfolio_choose(const ht_template *template, const ht_database_earlier *training,
                           size_t want, ht_config *out_configs);

#endif
