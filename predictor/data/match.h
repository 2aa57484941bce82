/* A model's schema next to a template: which parameter and value of one is which of the other, and
 * what the model's fields are for a problem on a device. */
#ifndef HT_PREDICTOR_DATA_MATCH_H
#define HT_PREDICTOR_DATA_MATCH_H

#include "predictor/schema/schema.h"
#include "templates/annotations/device_fields.h"

typedef struct ht_match ht_match;

/* The template must have the schema's parameters and no others, with all of its values, and its
 * problem and the devices the schema's fields; what differs is HT_ERROR_INPUT that names it. Both
 * must outlive the match. */
ht_status ht_match_make(const ht_schema *schema, const ht_template *template_, ht_match **out_match,
                        ht_error *error);
void ht_match_free(ht_match *match);
/* The template's configuration for a choice of value indices of the schema. */
ht_config ht_match_config(const ht_match *match, const uint16_t *choice);
/* The schema's choice for a configuration of the template; false when the schema lacks a value. */
bool ht_match_choice(const ht_match *match, const ht_config *config, uint16_t *out_choice);
/* out_fields is [field_count]. The problem is one of the template's. */
ht_status ht_match_fields(const ht_match *match, const ht_problem *problem,
                          const ht_device_fields *device, int64_t *out_fields, ht_error *error);

#endif
