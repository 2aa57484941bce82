/* A uniformly random permutation of the legal configurations, drawn as it is asked for: Fisher and
 * Yates' shuffle in which only the positions that were swapped are stored (Durstenfeld 1964, kept
 * sparse), so that neither time nor memory grows with the space. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/index_map.h"

#include <stdlib.h>

typedef struct random_search {
    const ht_space *space;
    ht_random random;
    ht_index_map
        moved; /* position -> index now at that position, where it is not the position itself */
    uint64_t drawn;
} random_search;

static void *random_create(const ht_space *space, const ht_strategy_options *options) {
    random_search *self = ht_alloc(1, sizeof *self);
    self->space = space;
    ht_random_seed(&self->random, options->seed);
    return self;
}

static uint64_t index_at(const random_search *self, uint64_t position) {
    uint64_t index;
    return ht_index_map_get(&self->moved, position, &index) ? index : position;
}

static size_t random_ask(void *data, size_t want, ht_config *out_configs) {
    random_search *self = data;
    uint64_t space = ht_space_count(self->space);
    size_t count = 0;
    for (; count < want && self->drawn < space; ++self->drawn) {
        uint64_t position = self->drawn + ht_random_below(&self->random, space - self->drawn);
        uint64_t index = index_at(self, position);
        ht_index_map_put(&self->moved, position, index_at(self, self->drawn));
        out_configs[count++] = ht_space_at(self->space, index);
    }
    return count;
}

static void random_destroy(void *data) {
    random_search *self = data;
    ht_index_map_free(&self->moved);
    free(self);
}

const ht_strategy_class ht_strategy_class_random = {
    .name = "random",
    .description = "legal configurations in uniformly random order, without repeats",
    .create = random_create,
    .ask = random_ask,
    .destroy = random_destroy,
};
