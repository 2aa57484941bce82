#include "runtime/verify_pairs.h"

#include "base/memory.h"

#include <stdlib.h>

enum { STATES = 8 }; /* of three parameters, each at or off its default */

void ht_pairs_init(ht_pairs *pairs, const ht_template *template) {
    size_t params = template->param_count + 1;
    *pairs = (ht_pairs){.params = params};
    for (size_t i = 0; i + 1 < params; ++i) {
        pairs->first[i] = pairs->count;
        pairs->count += template->params[i].value_count;
        pairs->usual[i] = template->params[i].default_index;
    }
    pairs->first[params - 1] = pairs->count;
    pairs->count += 2;
    pairs->seen = ht_alloc(pairs->count * pairs->count + 1, sizeof *pairs->seen);
    pairs->threes = ht_alloc(params * params * params * STATES + 1, sizeof *pairs->threes);
}

void ht_pairs_free(ht_pairs *pairs) {
    free(pairs->seen);
    free(pairs->threes);
    *pairs = (ht_pairs){0};
}

typedef struct drawn {
    const ht_config *config;
    bool inner;
} drawn;

static size_t value(const ht_pairs *pairs, const drawn *of, size_t param) {
    return param + 1 < pairs->params ? of->config->choice[param] : of->inner;
}

static bool *pair(const ht_pairs *pairs, const drawn *of, size_t a, size_t b) {
    size_t row = pairs->first[a] + value(pairs, of, a);
    return &pairs->seen[row * pairs->count + pairs->first[b] + value(pairs, of, b)];
}

static size_t is_off(const ht_pairs *pairs, const drawn *of, size_t param) {
    size_t usual = param + 1 < pairs->params ? pairs->usual[param] : 0;
    return value(pairs, of, param) != usual;
}

static bool *three(const ht_pairs *pairs, const drawn *of, size_t a, size_t b, size_t c) {
    size_t state = is_off(pairs, of, a) * 4 + is_off(pairs, of, b) * 2 + is_off(pairs, of, c);
    return &pairs->threes[((a * pairs->params + b) * pairs->params + c) * STATES + state];
}

size_t ht_pairs_new(const ht_pairs *pairs, const ht_config *config, bool inner) {
    const drawn of = {config, inner};
    size_t count = 0;
    for (size_t a = 0; a < pairs->params; ++a)
        for (size_t b = 0; b < a; ++b) {
            count += !*pair(pairs, &of, a, b);
            for (size_t c = 0; c < b; ++c)
                count += !*three(pairs, &of, a, b, c);
        }
    return count;
}

void ht_pairs_add(ht_pairs *pairs, const ht_config *config, bool inner) {
    const drawn of = {config, inner};
    for (size_t a = 0; a < pairs->params; ++a)
        for (size_t b = 0; b < a; ++b) {
            *pair(pairs, &of, a, b) = true;
            for (size_t c = 0; c < b; ++c)
                *three(pairs, &of, a, b, c) = true;
        }
}
