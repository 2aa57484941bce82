/* Which values can follow a prefix: the look-ahead of the constrained beam. For one schema and one
 * problem; exact, so a beam that only takes allowed values never runs empty while a legal
 * configuration exists, and every configuration it completes is legal. */
#ifndef HT_PREDICTOR_RULES_COMPLETION_H
#define HT_PREDICTOR_RULES_COMPLETION_H

#include "predictor/schema/schema.h"

/* A schema's rules ready for use: compiled once, shared by threads. The schema must outlive it. */
typedef struct ht_rules ht_rules;
/* `skip` lists requirements (indices) to leave out, for ablations. */
ht_status ht_rules_compile(const ht_schema *schema, const size_t *skip, size_t skip_count,
                           ht_rules **out_rules, ht_error *error);
void ht_rules_free(ht_rules *rules);

/* The rules for one problem. Not thread-safe: it remembers what it found out. */
typedef struct ht_completion ht_completion;
/* `fields` ([field_count], borrowed until freed). A completion can be moved on to another problem.
 */
ht_completion *ht_completion_new(const ht_rules *rules);
void ht_completion_start(ht_completion *completion, const int64_t *fields);
void ht_completion_free(ht_completion *completion);

/* The work on one problem is bounded (docs/constrained-beam.md). True while all answers since
 * ht_completion_start were exact; once false, a value may have been called allowed although nothing
 * completes it. Whether a whole configuration is legal is always exact. */
bool ht_completion_exact(const ht_completion *completion);
/* Whether any legal configuration exists. */
bool ht_completion_possible(ht_completion *completion);
/* out_allowed[v] = 1 where prefix[0..depth-1] followed by value v of parameter `depth` can be
 * completed; returns the number of such values. A rule that cannot be evaluated (a division by
 * zero) does not hold. */
size_t ht_completion_allowed(ht_completion *completion, const uint16_t *prefix, size_t depth,
                             uint8_t *out_allowed);
bool ht_completion_legal(ht_completion *completion, const uint16_t *choice);
/* Index of the first requirement (in the schema's order) that does not hold; -1 when legal. */
int ht_completion_broken(ht_completion *completion, const uint16_t *choice);
/* The canonical form of a configuration: aliases of one kernel become one (rules applied in their
 * order, each seeing what those before it made). A canonical value that the parameter does not have
 * is kept as a number: out_values are numbers, not indices. */
void ht_completion_canonical(ht_completion *completion, const uint16_t *choice,
                             int64_t *out_values);

#endif
