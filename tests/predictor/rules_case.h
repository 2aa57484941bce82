/* The meaning of rules, the slow way: expressions evaluated as trees, configurations one by one.
 * The reference of the look-ahead's and the beam's tests. */
#ifndef HT_TESTS_RULES_CASE_H
#define HT_TESTS_RULES_CASE_H

#include "predictor/rules/completion.h"

#include "base/random.h"

/* Returns true if this configuration satisfies all requirements, or an admit line. */
bool rules_legal(const ht_schema *schema, const int64_t *fields, const uint16_t *choice);
/* The first requirement that does not hold; -1 when legal. */
int rules_broken(const ht_schema *schema, const int64_t *fields, const uint16_t *choice);
void rules_canonical(const ht_schema *schema, const int64_t *fields, const uint16_t *choice,
                     int64_t *out_values);

/* Configurations in the order of a number with a digit for each parameter, the first leading. */
size_t rules_count(const ht_schema *schema);
void rules_config(const ht_schema *schema, size_t number, uint16_t *out_choice);
/* [rules_count]; free(). */
uint8_t *rules_legal_all(const ht_schema *schema, const int64_t *fields, size_t *out_legal);

/* A schema of a few parameters with a few values and random rules; parsed. */
ht_schema *rules_random_schema(ht_random *random);
/* Takes random values away until at most `most` configurations are left. */
void rules_thin_out(ht_schema *schema, ht_random *random, size_t most);

#endif
