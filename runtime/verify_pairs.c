#include "runtime/verify_pairs.h"

#include "base/memory.h"

#include <stdlib.h>

void ht_pairs_init(ht_pairs *pairs, const ht_template *template) {
    *pairs = (ht_pairs){0};
    for (size_t i = 0; i < template->param_count; ++i) {
        pairs->first[i] = pairs->count;
        pairs->count += template->params[i].value_count;
    }
    pairs->seen = ht_alloc(pairs->count * pairs->count + 1, sizeof *pairs->seen);
}

void ht_pairs_free(ht_pairs *pairs) {
    free(pairs->seen);
    *pairs = (ht_pairs){0};
}

static bool *entry(const ht_pairs *pairs, const ht_config *config, size_t a, size_t b) {
    size_t row = pairs->first[a] + config->choice[a], column = pairs->first[b] + config->choice[b];
    return &pairs->seen[row * pairs->count + column];
}

size_t ht_pairs_new(const ht_pairs *pairs, const ht_config *config) {
    size_t count = 0;
    for (size_t a = 0; a < config->count; ++a)
        for (size_t b = 0; b < a; ++b)
            count += !*entry(pairs, config, a, b);
    return count;
}

void ht_pairs_add(ht_pairs *pairs, const ht_config *config) {
    for (size_t a = 0; a < config->count; ++a)
        for (size_t b = 0; b < a; ++b)
            *entry(pairs, config, a, b) = true;
}
