/* The model's times of a template's configurations, each predicted once: asked by a search batch by
 * batch, and read again for those that are chosen. */
#ifndef HT_PIPELINE_MODEL_TIMES_H
#define HT_PIPELINE_MODEL_TIMES_H

#include "runtime/measure/predicted.h"
#include "search/strategy.h"

enum { HT_MODEL_BLOCKS = 24 /* of a launch, followed */ };

typedef struct ht_model_devices {
    const ht_gpu *gpu;
    ht_device target; /* compiles for it */
    ht_device host;   /* verifies */
} ht_model_devices;

/* All predictions so far, of all templates, with why something has none. */
typedef struct ht_model_memory ht_model_memory;

ht_model_memory *ht_model_memory_new(void);
void ht_model_memory_free(ht_model_memory *memory); /* NULL: nothing */
/* How many times were predicted, originals among them. */
size_t ht_model_memory_count(const ht_model_memory *memory);

/* A template's times. */
typedef struct ht_model_times {
    const ht_model_devices *devices;
    ht_binding target;       /* on devices->target */
    ht_model_memory *memory; /* borrowed */
    char *template_text;     /* owned: what makes its times its own */
} ht_model_times;

/* Free with ht_model_times_end. The template and the problem are borrowed. */
void ht_model_times_begin(const ht_model_devices *devices, const ht_template *template,
                          const ht_problem *problem, ht_model_memory *memory,
                          ht_model_times *out_times);
void ht_model_times_end(ht_model_times *times);

/* Of type ht_evaluator.evaluate, `self` being ht_model_times: compiles for the GPU and follows what
 * was not predicted before. Costs are milliseconds. */
ht_status ht_model_times_evaluate(void *self, const ht_config *configs, size_t count,
                                  ht_outcome *out_outcomes, size_t *out_done, ht_error *error);

/* The time of a configuration that was evaluated; false: it has none. */
bool ht_model_times_find(const ht_model_times *times, const ht_config *config,
                         ht_gpu_time *out_time);

/* Predicts the original, or where that cannot be followed (*out_known is false) the default
 * configuration. *out_why: why neither can be; NULL: one was; free(). */
ht_status ht_model_times_original(ht_model_times *times, ht_gpu_time *out_time, bool *out_known,
                                  char **out_why, ht_error *error);

#endif
