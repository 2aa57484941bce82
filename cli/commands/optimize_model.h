/* hiptemper optimize --device model:NAME: what is chosen, printed and written. */
#ifndef HT_CLI_COMMANDS_OPTIMIZE_MODEL_H
#define HT_CLI_COMMANDS_OPTIMIZE_MODEL_H

#include "cli/command.h"
#include "pipeline/model_tuning.h"
#include "pipeline/survey.h"

typedef struct ht_optimize_model_request {
    ht_survey *survey;
    ht_session *session; /* on the host, where all is verified */
    const ht_model_devices *devices;
    const ht_refactor_options *compiler;
    const char *folder; /* for the results; prepared */
    const char *json;   /* NULL: none is asked for */
} ht_optimize_model_request;

/* Chooses for each kernel of the survey by the model, prints and writes it. Returns the exit code.
 */
int ht_optimize_model(const ht_optimize_model_request *request);

#endif
