#include "pipeline/written_predict.h"

#include "templates/bind.h"

#include <math.h>
#include <stdlib.h>

/* Predicts the only configuration. Returns false if it cannot be followed. */
static bool file_predict(ht_model_times *times, const ht_config *config, ht_gpu_time *out_time) {
    ht_outcome outcome;
    size_t done = 0;
    return ht_model_times_evaluate(times, config, 1, &outcome, &done, NULL) == HT_OK &&
           ht_model_times_find(times, config, out_time);
}

void ht_written_predict(const ht_model_devices *devices, ht_model_memory *memory,
                        const ht_template *contest, const ht_problem *problem,
                        ht_pair_times *out_times) {
    ht_model_memory *own = memory ? NULL : ht_model_memory_new();
    ht_model_times times;
    ht_gpu_time original = {0}, file = {0};
    ht_config config;
    bool known = false;
    char *why = NULL;
    *out_times = (ht_pair_times){0};
    ht_model_times_begin(devices, contest, problem, own ? own : memory, &times);
    if (ht_binding_first(&times.target, &config) && file_predict(&times, &config, &file) &&
        ht_model_times_original(&times, &original, &known, &why, NULL) == HT_OK && known)
        *out_times = (ht_pair_times){.known = true,
                                     .original = {.median_ms = 1e3 * original.seconds},
                                     .tuned = {.median_ms = 1e3 * file.seconds}};
    double speedup = original.seconds / fmax(file.seconds, 1e-12);
    if (out_times->known)
        out_times->speedup = out_times->speedup_lo = out_times->speedup_hi = speedup;
    free(why);
    ht_model_times_end(&times);
    ht_model_memory_free(own);
}
