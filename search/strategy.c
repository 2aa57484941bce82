/* The part that all strategies share: seeds come first, and nothing illegal or asked before
 * leaves. */
#include "search/strategy.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "search/earlier.h"
#include "search/index_map.h"
#include "search/strategy_internal.h"
#include "search/trust.h"

#include <stdlib.h>
#include <string.h>

struct ht_strategy {
    const ht_strategy_class *class;
    const ht_space *space;
    void *self;
    ht_config *seeds; /* legal, all different; owned */
    size_t seed_count;
    size_t seed_next;
    bool has_sources;
    ht_index_map seen; /* keys asked */
};

void ht_move_apply(const ht_move *move, const ht_config *untouched, ht_config *config) {
    for (size_t i = 0; i < config->count; ++i)
        if (move->set[i] && (!untouched || config->choice[i] == untouched->choice[i]))
            config->choice[i] = move->to.choice[i];
}

/* Finds the key of a configuration: the index where there is one. Spaces too large to be listed use
 * a hash; among a million asked, two share one with a probability of 3e-8, and one would be left
 * out. */
static bool key_of(const ht_space *space, const ht_config *config, uint64_t *out_key) {
    if (ht_space_listed(space))
        return ht_space_find(space, config, out_key);
    if (!ht_space_legal(space, config))
        return false;
    *out_key = ht_hash_short(config->choice, config->count * sizeof config->choice[0]);
    return true;
}

static const ht_strategy_class *class_find(const char *name, ht_error *error) {
    for (size_t i = 0; ht_strategy_classes[i]; ++i) {
        if (strcmp(ht_strategy_classes[i]->name, name) == 0)
            return ht_strategy_classes[i];
    }
    ht_text names = {0};
    for (size_t i = 0; ht_strategy_classes[i]; ++i)
        ht_text_printf(&names, "%s%s", i ? ", " : "", ht_strategy_classes[i]->name);
    ht_error_set(error, HT_ERROR_INPUT, "unknown strategy '%s'; there are: %s", name, names.data);
    ht_text_free(&names);
    return NULL;
}

static void seeds_take(ht_strategy *strategy, const ht_strategy_options *options) {
    ht_index_map taken = {0};
    for (size_t i = 0; i < options->seed_count; ++i) {
        uint64_t key;
        if (!key_of(strategy->space, &options->seeds[i], &key) || !ht_index_map_put(&taken, key, 0))
            continue;
        HT_GROW(strategy->seeds, strategy->seed_count);
        strategy->seeds[strategy->seed_count++] = options->seeds[i];
    }
    ht_index_map_free(&taken);
}

ht_status ht_strategy_create(const char *name, const ht_space *space,
                             const ht_strategy_options *options, ht_strategy **out_strategy,
                             ht_error *error) {
    const ht_strategy_class *class = class_find(name, error);
    if (!class)
        return HT_ERROR_INPUT;
    ht_strategy *strategy = ht_alloc(1, sizeof *strategy);
    strategy->class = class;
    strategy->space = space;
    strategy->has_sources = options->sources && ht_earlier_count(options->sources) > 0;
    seeds_take(strategy, options);
    strategy->self = class->create(space, options);
    *out_strategy = strategy;
    return HT_OK;
}

/* Keeps those of `configs` that are legal and new, in order. */
static size_t keep_new(ht_strategy *strategy, ht_config *configs, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t key;
        if (key_of(strategy->space, &configs[i], &key) && ht_index_map_put(&strategy->seen, key, 0))
            configs[kept++] = configs[i];
    }
    return kept;
}

size_t ht_strategy_ask(ht_strategy *strategy, size_t want, ht_config *out_configs) {
    size_t count = 0;
    while (count < want && strategy->seed_next < strategy->seed_count) {
        out_configs[count] = strategy->seeds[strategy->seed_next++];
        count += keep_new(strategy, &out_configs[count], 1);
    }
    while (count < want && strategy->seen.count < ht_space_count(strategy->space)) {
        size_t got = strategy->class->ask(strategy->self, want - count, out_configs + count);
        bool fewer = got < want - count;
        if (got == 0)
            break;
        count += keep_new(strategy, out_configs + count, got);
        if (fewer && count > 0)
            break;
    }
    return count;
}

void ht_strategy_tell(ht_strategy *strategy, const ht_config *config, const ht_outcome *outcome) {
    if (strategy->class->tell)
        strategy->class->tell(strategy->self, config, outcome);
}

size_t ht_strategy_learn(ht_strategy *strategy, const ht_trial *known, size_t count) {
    size_t learnt = 0;
    for (size_t i = 0; i < count; ++i) {
        ht_config config = known[i].config;
        if (!keep_new(strategy, &config, 1))
            continue;
        ht_strategy_tell(strategy, &config, &known[i].outcome);
        ++learnt;
    }
    return learnt;
}

void ht_strategy_free(ht_strategy *strategy) {
    if (!strategy)
        return;
    strategy->class->destroy(strategy->self);
    ht_index_map_free(&strategy->seen);
    free(strategy->seeds);
    free(strategy);
}

const ht_space *ht_strategy_space(const ht_strategy *strategy) {
    return strategy->space;
}

bool ht_strategy_expects(const char *name) {
    const ht_strategy_class *class = class_find(name, NULL);
    return class && class->expects;
}

bool ht_strategy_trust(const ht_strategy *strategy, ht_trust *out_trust) {
    if (!strategy->has_sources || !strategy->class->trust)
        return false;
    strategy->class->trust(strategy->self, out_trust);
    return true;
}
