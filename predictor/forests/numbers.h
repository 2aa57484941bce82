/* A problem as numbers that trees can cut: its integer fields, the schema's features and products
 * that kernels tile (where the schema has the fields), each as it is, as a logarithm, and the power
 * of two in it; of products also what is left in a wavefront of 64. Enumerations as ordinals. */
#ifndef HT_PREDICTOR_FORESTS_NUMBERS_H
#define HT_PREDICTOR_FORESTS_NUMBERS_H

#include "predictor/schema/schema.h"

typedef struct ht_numbers ht_numbers;
ht_numbers *ht_numbers_new(const ht_schema *schema); /* which must outlive it */
void ht_numbers_free(ht_numbers *numbers);
size_t ht_numbers_count(const ht_numbers *numbers);
/* fields [field_count] of the schema; out [ht_numbers_count]. */
void ht_numbers_fill(const ht_numbers *numbers, const int64_t *fields, float *out);

#endif
