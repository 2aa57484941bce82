/* hiptemper tune --device model:NAME: what is printed and written. */
#ifndef HT_CLI_COMMANDS_TUNE_MODEL_H
#define HT_CLI_COMMANDS_TUNE_MODEL_H

#include "cli/command.h"
#include "pipeline/entry.h"

typedef struct ht_tune_model_request {
    const char *path;   /* of the template */
    const char *folder; /* for the results */
    const char *json;   /* NULL: none is asked for */
    const ht_tuning_options *options;
} ht_tune_model_request;

/* Chooses for each entry by the model, prints and writes it. Returns the exit code. */
int ht_tune_model(const ht_tune_model_request *request, const ht_entries *entries);

#endif
