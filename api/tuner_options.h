/* The options of `hiptemper tune` that the library sets by name. */
#ifndef HT_API_TUNER_OPTIONS_H
#define HT_API_TUNER_OPTIONS_H

#include "pipeline/tuning.h"
#include "runtime/sandbox/sandbox.h"

typedef struct ht_tuner_options {
    ht_tuning_options tuning; /* its texts are owned */
    ht_sandbox_mode sandbox;
} ht_tuner_options;

/* Gives all their defaults, those of the command. */
void ht_tuner_options_init(ht_tuner_options *options);
/* HT_ERROR_INPUT for a name or value that is none of the command's. Copies the value. */
ht_status ht_tuner_options_set(ht_tuner_options *options, const char *name, const char *value,
                               ht_error *error);
void ht_tuner_options_free(ht_tuner_options *options);

#endif
