/* Tuning for a GPU that is not there: configurations are compiled for it, searched by the time that
 * a model predicts (docs/gpu-model.md), and the first ones verified under host emulation. */
#ifndef HT_PIPELINE_MODEL_TUNING_H
#define HT_PIPELINE_MODEL_TUNING_H

#include "pipeline/model_times.h"
#include "pipeline/tuning.h"

enum { HT_MODEL_CHOICES = 2 /* the best and the next best */ };

/* A configuration that is predicted to be faster than the original, and does what that does. */
typedef struct ht_model_choice {
    ht_config config;
    ht_gpu_time time;
    double speedup; /* predicted */
} ht_model_choice;

typedef struct ht_model_request {
    const ht_model_devices *devices;
    const ht_tuning_options *options; /* max_evals, seed, strategy, min_speedup, compile_workers,
                                         check, plain and no_facts are looked at */
    const ht_config *first;           /* tried right after the default; borrowed */
    size_t first_count;
    const ht_trial *known; /* outcomes that the search begins with; borrowed */
    size_t known_count;
    /* Returns why no source can be written with a configuration, which is then no choice; NULL: one
     * can; free(). NULL: any can. */
    char *(*obstacle)(void *context, const ht_config *config);
    void *obstacle_context;
    size_t choices;          /* 1 to HT_MODEL_CHOICES */
    ht_model_memory *memory; /* what was predicted before; borrowed; NULL: nothing is kept */
    ht_progress *progress;   /* borrowed; NULL: nothing is printed */
} ht_model_request;

typedef struct ht_model_result {
    ht_pair_space space;   /* its size 0: not known */
    ht_pair_search search; /* costs are predicted milliseconds */
    size_t predicted;      /* trials that have a time */
    bool original_known;   /* else the default configuration stands for the original */
    ht_gpu_time original;  /* its seconds NAN: not even that is known */
    const char *reference; /* where the expected outputs came from; static; NULL: nothing ran */
    ht_model_choice choices[HT_MODEL_CHOICES]; /* the fastest first */
    size_t count;
    size_t refused;  /* faster ones that were not verified */
    char *first_why; /* why the first of them was not; owned; NULL: none */
    char *reason;    /* why there is no choice; owned; NULL where there is one */
} ht_model_result;

/* Finds both devices of "model:NAME". */
ht_status ht_model_devices_find(const char *name, ht_model_devices *out_devices, ht_error *error);

/* A space that the budget covers is predicted whole, another one searched. No configuration is
 * predicted twice. A kernel for which nothing is chosen has a reason; an error is what no kernel
 * could go on with, an interruption among them. Free the result in any case. */
ht_status ht_model_tune(const ht_model_request *request, const ht_template *template,
                        const ht_problem *problem, ht_model_result *out_result, ht_error *error);
void ht_model_result_free(ht_model_result *result);

#endif
