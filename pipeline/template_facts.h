/* Facts of a template's launches, for searches on GPUs (search/launch_facts.h): block sizes by its
 * launch geometry; and where a grid rounds a quotient up, what does not divide. */
#ifndef HT_PIPELINE_TEMPLATE_FACTS_H
#define HT_PIPELINE_TEMPLATE_FACTS_H

#include "search/launch_facts.h"
#include "templates/bind.h"

typedef struct ht_template_facts ht_template_facts;

/* Of the template's first launch. NULL when its block is the same whatever the configuration. The
 * binding is borrowed. */
ht_template_facts *ht_template_facts_new(const ht_binding *binding, double wavefront);
void ht_template_facts_free(ht_template_facts *facts);
/* Writes HT_FACTS values; all 0 when the geometry has no value. Any number of threads may
 * ask at once. */
void ht_template_facts_values(ht_template_facts *facts, const ht_config *config,
                              double *out_values);
/* The prior borrows the facts. */
ht_prior ht_template_facts_prior(ht_template_facts *facts);

#endif
