#include "search/strategy_classes.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct exhaustive {
    const ht_space *space;
    uint64_t next;
} exhaustive;

static void *exhaustive_create(const ht_space *space, const ht_strategy_options *options) {
    (void)options;
    exhaustive *self = ht_alloc(1, sizeof *self);
    self->space = space;
    return self;
}

static size_t exhaustive_ask(void *data, size_t want, ht_config *out_configs) {
    exhaustive *self = data;
    size_t count = 0;
    while (count < want && self->next < ht_space_count(self->space))
        out_configs[count++] = ht_space_at(self->space, self->next++);
    return count;
}

const ht_strategy_class ht_strategy_class_exhaustive = {
    .name = "exhaustive",
    .description = "every legal configuration, in the space's order",
    .create = exhaustive_create,
    .ask = exhaustive_ask,
    .destroy = free,
};
