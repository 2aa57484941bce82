/* Model files. A wrong checksum ends reading at once, so the length and the checksum are put right
 * first; what then opens must answer. */
#include "fuzz.h"

#include "predictor/model/model_file.h"
#include "predictor/predictor.h"

#include <string.h>

/* Answers a problem: every proposal is a configuration that the schema has. */
static void ask(const ht_predictor *predictor) {
    const ht_schema *schema = ht_predictor_schema(predictor);
    ht_beam_settings beam = {.width = 4, .constrained = true};
    ht_proposer *proposer = NULL;
    ht_error error = {0};
    ht_status status = ht_proposer_new(predictor, NULL, &beam, &proposer, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status != HT_OK)
        return;
    int64_t *fields = ht_alloc(schema->field_count + 1, sizeof *fields);
    ht_proposal proposals[4];
    for (size_t i = 0; i < schema->field_count; ++i)
        fields[i] = schema->fields[i].names ? 0 : (int64_t)(i + 1) * 3;
    size_t count = ht_proposer_propose(proposer, fields, 4, proposals);
    for (size_t i = 0; i < count; ++i) {
        FUZZ_CHECK(proposals[i].legal);
        for (size_t p = 0; p < schema->param_count; ++p)
            FUZZ_CHECK(proposals[i].choice[p] < schema->params[p].value_count);
    }
    free(fields);
    ht_proposer_free(proposer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = ht_alloc(size + HT_MODEL_ALIGN, 1);
    memcpy(copy, data, size);
    if (size >= HT_MODEL_HEADER) {
        memcpy(copy, ht_model_magic, sizeof ht_model_magic);
        ht_bytes_put32(copy + 8, HT_MODEL_VERSION);
        ht_bytes_put64(copy + 16, size);
        ht_bytes_put64(copy + 24, ht_model_checksum(copy, size));
    }
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    ht_status status = ht_predictor_parse(copy, size, "fuzz.model", &predictor, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK)
        ask(predictor);
    ht_predictor_free(predictor);
    free(copy);
    return 0;
}
