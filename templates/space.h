/* The search space: the legal configurations of a bound template. Built once; read by many threads.
 */
#ifndef HT_TEMPLATES_SPACE_H
#define HT_TEMPLATES_SPACE_H

#include "base/random.h"
#include "templates/bind.h"

typedef struct ht_space ht_space;

/* Keeps copies of nothing: template, problem and device must outlive the space. An empty space is
 * an error that names the constraints that leave nothing. `max_legal` 0 means 4,000,000; more legal
 * configurations are an error. So is a constraint that cannot be evaluated for a configuration that
 * no other constraint excludes. */
ht_status ht_space_build(const ht_binding *binding, uint64_t max_legal, ht_space **out_space,
                         ht_error *error);
void ht_space_free(ht_space *space);

const ht_binding *ht_space_binding(const ht_space *space);
uint64_t ht_space_count(const ht_space *space);     /* legal configurations */
uint64_t ht_space_cartesian(const ht_space *space); /* all combinations; UINT64_MAX when more */
/* The i-th legal configuration, lexicographic by value index, first parameter slowest. */
ht_config ht_space_at(const ht_space *space, uint64_t index);
/* Index of a legal configuration; false when it is not legal. */
bool ht_space_find(const ht_space *space, const ht_config *config, uint64_t *out_index);
/* Uniform over legal configurations. */
ht_config ht_space_sample(const ht_space *space, ht_random *random);

#endif
