#include "runtime/verify_pairs.h"

#include "base/memory.h"

#include <stdlib.h>

enum { STATES = 8 }; /* of three parameters, each at or off its default */

void ht_pairs_init(ht_pairs *pairs, const ht_template *template) {
    size_t params = template->param_count;
    *pairs = (ht_pairs){.params = params};
    for (size_t i = 0; i < params; ++i) {
        pairs->first[i] = pairs->count;
        pairs->count += template->params[i].value_count;
        pairs->usual[i] = template->params[i].default_index;
    }
    pairs->seen = ht_alloc(pairs->count * pairs->count + 1, sizeof *pairs->seen);
    pairs->threes = ht_alloc(params * params * params * STATES + 1, sizeof *pairs->threes);
}

void ht_pairs_free(ht_pairs *pairs) {
    free(pairs->seen);
    free(pairs->threes);
    *pairs = (ht_pairs){0};
}

static bool *pair(const ht_pairs *pairs, const ht_config *config, size_t a, size_t b) {
    size_t row = pairs->first[a] + config->choice[a], column = pairs->first[b] + config->choice[b];
    return &pairs->seen[row * pairs->count + column];
}

static size_t is_off(const ht_pairs *pairs, const ht_config *config, size_t param) {
    return config->choice[param] != pairs->usual[param];
}

static bool *three(const ht_pairs *pairs, const ht_config *config, size_t a, size_t b, size_t c) {
    size_t state =
        is_off(pairs, config, a) * 4 + is_off(pairs, config, b) * 2 + is_off(pairs, config, c);
    return &pairs->threes[((a * pairs->params + b) * pairs->params + c) * STATES + state];
}

size_t ht_pairs_new(const ht_pairs *pairs, const ht_config *config) {
    size_t count = 0;
    for (size_t a = 0; a < config->count; ++a)
        for (size_t b = 0; b < a; ++b) {
            count += !*pair(pairs, config, a, b);
            for (size_t c = 0; c < b; ++c)
                count += !*three(pairs, config, a, b, c);
        }
    return count;
}

void ht_pairs_add(ht_pairs *pairs, const ht_config *config) {
    for (size_t a = 0; a < config->count; ++a)
        for (size_t b = 0; b < a; ++b) {
            *pair(pairs, config, a, b) = true;
            for (size_t c = 0; c < b; ++c)
                *three(pairs, config, a, b, c) = true;
        }
}
