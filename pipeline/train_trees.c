/* The forests that answer along with the networks. */
#include "pipeline/training.h"

#include "base/memory.h"
#include "pipeline/stop.h"

#include <stdlib.h>

static bool on_progress(void *context, double done) {
    ht_training *training = context;
    char *text = ht_format("growing, %.0f %%", done * 100);
    ht_progress_phase(training->progress, text);
    free(text);
    return !ht_interrupted;
}

ht_status ht_training_grow(ht_training *training, ht_error *error) {
    const ht_chain_settings *settings = &training->recipe.chain;
    if (settings->trees == 0)
        return HT_OK;
    ht_progress_begin(training->progress, "trees");
    ht_status status = ht_chain_grow(&training->data.train_records, settings, on_progress, training,
                                     &training->made.chain, error);
    ht_progress_pause(training->progress);
    return status == HT_ERROR_INTERRUPTED ? HT_OK : status;
}
