/* Tuning for a GPU that is not there: configurations are compiled for it, ordered by the time that
 * a model predicts (docs/gpu-model.md), and the first ones verified under host emulation. */
#ifndef HT_PIPELINE_MODEL_TUNING_H
#define HT_PIPELINE_MODEL_TUNING_H

#include "pipeline/tuning.h"
#include "runtime/measure/predicted.h"

enum {
    HT_MODEL_CHOICES = 2, /* the best and the next best */
    HT_MODEL_BLOCKS = 24  /* of a launch, followed */
};

typedef struct ht_model_devices {
    const ht_gpu *gpu;
    ht_device target; /* compiles for it */
    ht_device host;   /* verifies */
} ht_model_devices;

/* A configuration that is predicted to be faster than the original, and does what that does. */
typedef struct ht_model_choice {
    ht_config config;
    ht_gpu_time time;
    double speedup; /* predicted */
} ht_model_choice;

typedef struct ht_model_result {
    uint64_t legal;          /* configurations; 0: not known */
    size_t tried, predicted; /* of these compiled, and predicted */
    bool original_known;     /* else the default configuration stands for the original */
    ht_gpu_time original;
    ht_model_choice choices[HT_MODEL_CHOICES]; /* the fastest first */
    size_t count;
    size_t refused;  /* faster ones that were not verified */
    char *first_why; /* why the first of them was not; owned; NULL: none */
    char *reason;    /* why there is no choice; owned; NULL where there is one */
} ht_model_result;

/* Finds both devices of "model:NAME". */
ht_status ht_model_devices_find(const char *name, ht_model_devices *out_devices, ht_error *error);

/* Predicts the original, or where that cannot be followed (*out_known is false) the default
 * configuration. *out_why: why neither can be; NULL: one was; free(). */
ht_status ht_model_original(const ht_model_devices *devices, const ht_binding *target,
                            ht_gpu_time *out_time, bool *out_known, char **out_why,
                            ht_error *error);

/* `options`: max_evals, seed, compile_workers, check and plain are looked at. A kernel for which
 * nothing is chosen has a reason; an error is what no kernel could go on with, an interruption
 * among them. Free the result. */
ht_status ht_model_tune(const ht_model_devices *devices, const ht_tuning_options *options,
                        const ht_template *template, const ht_problem *problem,
                        ht_model_result *out_result, ht_error *error);
void ht_model_result_free(ht_model_result *result);

#endif
