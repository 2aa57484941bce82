/* An agent's answer: any bytes. One that is refused says why and proposes nothing. */
#include "fuzz.h"

#include "loop/agent/answer.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_answer answer;
    ht_refused refused = {0};
    ht_answer_read((const char *)data, size, 1, &answer, &refused);
    FUZZ_CHECK((refused.kind == HT_REFUSAL_NONE) == (refused.reason == NULL));
    if (refused.kind != HT_REFUSAL_NONE) {
        FUZZ_CHECK(refused.kind == HT_REFUSAL_MESSAGE && answer.kind == HT_ANSWER_PASS);
    } else {
        bool code = answer.kind == HT_ANSWER_KERNEL || answer.kind == HT_ANSWER_SOURCE ||
                    answer.kind == HT_ANSWER_TEMPLATE;
        FUZZ_CHECK(code == (answer.text != NULL));
        FUZZ_CHECK(!code || strlen(answer.text) <= HT_ANSWER_TEXT_MAX);
        FUZZ_CHECK((answer.kind == HT_ANSWER_SEARCH) == (answer.evaluations > 0));
        FUZZ_CHECK((answer.kind == HT_ANSWER_PARAMETERS) == (answer.parameter_count > 0));
    }
    free(ht_answer_parameters_text(&answer));
    ht_answer_free(&answer);
    ht_refused_free(&refused);
    return 0;
}
