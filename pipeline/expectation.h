/* Knowledge from before a search: earlier runs of the same template, out of the database and files,
 * and facts of its launches. */
#ifndef HT_PIPELINE_EXPECTATION_H
#define HT_PIPELINE_EXPECTATION_H

#include "pipeline/template_facts.h"
#include "pipeline/tuning.h"
#include "search/earlier.h"

typedef struct ht_expectation {
    ht_earlier *sources;      /* owned; NULL: none */
    ht_template_facts *facts; /* owned; NULL: none */
    ht_prior prior;           /* of the facts */
} ht_expectation;

/* Checks the files of --seeds-from, so that a bad one is reported before anything runs. */
ht_status ht_expectation_check(const ht_tuning_options *options, ht_error *error);

/* Gathers what there is for a strategy; nothing, when it makes no use of it. The database's runs of
 * the same template come first, then those of the files; `out_earlier` lists them. Binding, space
 * and device must outlive the expectation. */
void ht_expectation_begin(const ht_session *session, const ht_binding *binding, const ht_job *job,
                          const ht_space *space, const char *strategy, ht_pair_earlier *out_earlier,
                          ht_expectation *out_expectation);
/* Notes what a search that has ended made of the runs. */
void ht_expectation_note(const ht_strategy *strategy, ht_pair_earlier *earlier);
void ht_expectation_end(ht_expectation *expectation);

#endif
