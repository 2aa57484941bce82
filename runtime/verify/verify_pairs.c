#include "runtime/verify/verify_pairs.h"

#include "base/memory.h"

#include <stdlib.h>

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
    size_t threes = params * (params - 1) * (params > 2 ? params - 2 : 0) / 6;
    pairs->threes = ht_alloc(threes + 1, sizeof *pairs->threes);
    pairs->fours = ht_alloc(threes * (params > 3 ? params - 3 : 0) / 4 + 1, sizeof *pairs->fours);
}

void ht_pairs_free(ht_pairs *pairs) {
    free(pairs->seen);
    free(pairs->threes);
    free(pairs->fours);
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
    return value(pairs, of, param) != pairs->usual[param];
}

/* Counts what is new, or (`add`) notes it. */
static size_t visit(const ht_pairs *pairs, const drawn *of, bool add) {
    size_t count = 0, three = 0, four = 0;
    for (size_t a = 0; a < pairs->params; ++a)
        for (size_t b = 0; b < a; ++b) {
            bool *two = pair(pairs, of, a, b);
            size_t both = is_off(pairs, of, a) * 2 + is_off(pairs, of, b);
            count += !*two;
            *two = *two || add;
            for (size_t c = 0; c < b; ++c, ++three) {
                size_t all = both * 2 + is_off(pairs, of, c);
                count += !(pairs->threes[three] >> all & 1);
                pairs->threes[three] |= (uint8_t)(add << all);
                for (size_t d = 0; d < c; ++d, ++four) {
                    size_t state = all * 2 + is_off(pairs, of, d);
                    count += !(pairs->fours[four] >> state & 1);
                    pairs->fours[four] |= (uint16_t)(add << state);
                }
            }
        }
    return count;
}

size_t ht_pairs_new(const ht_pairs *pairs, const ht_config *config, bool inner) {
    return visit(pairs, &(drawn){config, inner}, false);
}

void ht_pairs_add(ht_pairs *pairs, const ht_config *config, bool inner) {
    visit(pairs, &(drawn){config, inner}, true);
}
