/* A search on a GPU that is not there: the model's time of what was compiled for it stands in for
 * a measurement (docs/gpu-model.md), and the winner is verified under host emulation. */
#ifndef HT_PIPELINE_MODEL_SEARCH_H
#define HT_PIPELINE_MODEL_SEARCH_H

#include "pipeline/model_tuning.h"

/* As ht_tuning_run, with the devices of session->model: times are predicted, not measured, and
 * without a spread, so that intervals are points. The result's one finalist besides the default is
 * the winner, which did what the original does on the host. */
ht_status ht_model_search_run(ht_session *session, const ht_template *template,
                              const ht_problem *problem, ht_pair_result *out_result,
                              ht_error *error);

#endif
