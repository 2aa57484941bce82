/* Configurations next to one: what a refining search tries first. */
#ifndef HT_LOOP_NEIGHBOURS_H
#define HT_LOOP_NEIGHBOURS_H

#include "templates/annotations/template.h"

/* Lists configurations next to `config`, at most `most`; returns how many. Two kinds come in turn:
 *
 * - trades: one size goes a step up and another a step down, so that their product stays: half the
 *   threads of a block, and twice the outputs of each. Sizes that are balanced stay so, which is
 * why a best is often a step away from these alone;
 * - single steps, of sizes first, then of other parameters.
 *
 * Forms that nobody writes by hand are left as they are. Not all of them need be legal. */
size_t ht_neighbours_list(const ht_template *template, const ht_config *config,
                          ht_config *out_configs, size_t most);
/* Lists those trades alone that use one of the values from `counts[i]` on of some parameter i. */
size_t ht_neighbours_trades(const ht_template *template, const ht_config *config,
                            const size_t *counts, ht_config *out_configs, size_t most);
/* Returns true if the parameter is a size that may be any number above 0: of a block, of a thread's
 * outputs, of iterations unrolled, of blocks of a row. */
bool ht_neighbours_is_size(const ht_param *param);

#endif
