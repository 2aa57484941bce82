/* A uniformly random order of the legal configurations, drawn as it is asked for. It learns
 * nothing, so it needs no outcomes: the explorer remembers what it asked. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/explorer.h"

#include <stdlib.h>

static void *random_create(const ht_space *space, const ht_strategy_options *options) {
    ht_explorer *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(self, space, options);
    return self;
}

static size_t random_ask(void *data, size_t want, ht_config *out_configs) {
    size_t count = 0;
    for (; count < want && ht_explorer_fresh(data, &out_configs[count]); ++count)
        ht_explorer_ask(data, &out_configs[count]);
    return count;
}

static void random_destroy(void *data) {
    ht_explorer_end(data);
    free(data);
}

const ht_strategy_class ht_strategy_class_random = {
    .name = "random",
    .description = "legal configurations in uniformly random order, without repeats",
    .create = random_create,
    .ask = random_ask,
    .destroy = random_destroy,
};
