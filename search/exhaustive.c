#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/sweep.h"

#include <stdlib.h>

static void *exhaustive_create(const ht_space *space, const ht_strategy_options *options) {
    (void)options;
    ht_sweep *self = ht_alloc(1, sizeof *self);
    ht_sweep_begin(self, space);
    return self;
}

static size_t exhaustive_ask(void *data, size_t want, ht_config *out_configs) {
    size_t count = 0;
    while (count < want && ht_sweep_next(data, &out_configs[count]))
        ++count;
    return count;
}

const ht_strategy_class ht_strategy_class_exhaustive = {
    .name = "exhaustive",
    .description = "every legal configuration, in the space's order",
    .create = exhaustive_create,
    .ask = exhaustive_ask,
    .destroy = free,
};
