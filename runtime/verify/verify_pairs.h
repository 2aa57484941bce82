/* Which pairs of parameters' values, and which three or four parameters at or off their defaults,
 * have stood together in a configuration. A form of a kernel is run where some parameters say so
 * (vectors where outputs are tiled and nothing is staged, say): of configurations drawn at random,
 * those with new ones find more. Whether there are blocks inside of the grid counts as one more
 * parameter, since at the edges other code may run. Private to runtime/. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_PAIRS_H
#define HT_RUNTIME_VERIFY_VERIFY_PAIRS_H

#include "templates/annotations/template.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ht_pairs {
    size_t first[HT_PARAM_MAX + 1]; /* number of a parameter's first value among all values */
    size_t count;                   /* of values */
    bool *seen;                     /* count x count; owned */
    uint8_t *threes; /* by three parameters, in the order in which they are gone through: a bit for
                        each way of being at or off defaults; owned */
    uint16_t *fours; /* by four; owned */
    size_t params;   /* with the one more */
    size_t usual[HT_PARAM_MAX + 1]; /* the values' indices of the default */
} ht_pairs;

void ht_pairs_init(ht_pairs *pairs, const ht_template *template);
void ht_pairs_free(ht_pairs *pairs);
/* How many pairs, threes and fours of the configuration are new. */
size_t ht_pairs_new(const ht_pairs *pairs, const ht_config *config, bool inner);
void ht_pairs_add(ht_pairs *pairs, const ht_config *config, bool inner);

#endif
