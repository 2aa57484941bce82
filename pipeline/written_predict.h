/* How fast a tuned file is predicted to be on a GPU that is not there: its kernel, as it will be
 * delivered, compiled and followed next to the original (docs/gpu-model.md). */
#ifndef HT_PIPELINE_WRITTEN_PREDICT_H
#define HT_PIPELINE_WRITTEN_PREDICT_H

#include "pipeline/model_times.h"
#include "pipeline/pair_result.h"

/* Predicts a launch that was taken out of a tuned file, with the original for its baseline.
 * *out_times is not known where one of the two cannot be followed. Its ratios have no spread.
 * `memory`: what was predicted before; may be NULL. */
void ht_written_predict(const ht_model_devices *devices, ht_model_memory *memory,
                        const ht_template *contest, const ht_problem *problem,
                        ht_pair_times *out_times);

#endif
