/* `hiptemper predict` with a model of time (predictor/times/): alone, or with a sequence model,
 * both in one list. */
#ifndef HT_CLI_COMMANDS_PREDICT_TIMES_H
#define HT_CLI_COMMANDS_PREDICT_TIMES_H

#include "predictor/predictor.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_predict_times {
    const char *times;             /* the model's file */
    const char *sequence;          /* that of the sequence model, as given; NULL: none */
    const ht_predictor *predictor; /* opened; NULL: none */
    const char *problem, *device;  /* as given; device NULL: host */
    size_t k;
    ht_beam_settings beam;
    bool explain;
    const char *json;
} ht_predict_times;

/* Prints the proposals; returns the exit code. */
int ht_predict_times_run(const ht_predict_times *given);

#endif
