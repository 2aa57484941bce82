/* Predicted times of inspected configurations, by the model of the GPU (docs/gpu-model.md). */
#ifndef HT_RUNTIME_MEASURE_PREDICTED_H
#define HT_RUNTIME_MEASURE_PREDICTED_H

#include "runtime/amd/model/time.h"
#include "runtime/measure/inspect.h"

#define HT_MODEL_PREFIX "model:"

/* Finds "model:NAME": the row of the model, and the compile-only device of its architecture with
 * this GPU's fields, which keeps the name that was asked for. An unknown NAME is HT_ERROR_INPUT and
 * lists them; a target that this machine's compiler does not take is that of ht_device_find. */
ht_status ht_model_device_find(const char *name, const ht_gpu **out_gpu, ht_device *out_device,
                               ht_error *error);

/* Predicts an inspected configuration: its launches, one after the other. HT_ERROR_UNSUPPORTED
 * where one was not counted, or does not fit on the GPU. */
ht_status ht_inspection_predict(const ht_gpu *gpu, const ht_inspection *inspection,
                                size_t launch_count, ht_gpu_time *out_time, ht_error *error);

/* Predicts `count` configurations and orders them: out_order[0] is the index of the fastest, and
 * those that cannot be predicted (out_times[i].seconds is INFINITY) come last, in their order. A
 * time of equals keeps their order too. Returns how many were predicted. */
size_t ht_inspections_rank(const ht_gpu *gpu, const ht_inspection *inspections, size_t count,
                           size_t launch_count, ht_gpu_time *out_times, size_t *out_order);

#endif
