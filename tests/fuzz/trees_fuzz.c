/* The forests of a model file, without their compression. Those that are read must answer. */
#include "fuzz.h"

#include "predictor/forests/chain.h"

#include <math.h>

static const char schema_text[] = "kernel(k)\nfield(n, c)\nparam(tile : pow2(1, 16))\n"
                                  "param(vec : 1, 2, 4)\n";

static void ask(const ht_chain *chain) {
    static const int64_t fields[] = {7, INT64_MIN};
    static const uint32_t parents[] = {0, 0};
    static const uint16_t tokens[] = {0, 4};
    float logits[2 * 5];
    ht_chain_asking *asking = ht_chain_asking_new(chain, false, 2);
    ht_chain_asking_start(asking, fields);
    ht_chain_asking_step(asking, 1, parents, tokens, logits);
    ht_chain_asking_step(asking, 2, parents, tokens, logits);
    for (int v = 0; v < 6; ++v)
        FUZZ_CHECK(isfinite(logits[v]));
    ht_chain_asking_free(asking);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_schema *schema = NULL;
    ht_chain *chain = NULL;
    ht_error error;
    FUZZ_CHECK(ht_schema_parse(schema_text, "fuzz", &schema, &error) == HT_OK);
    if (ht_chain_unpack(schema, data, size, &chain)) {
        ht_text again = {0};
        ask(chain);
        ht_chain_pack(chain, &again);
        ht_chain *second = NULL;
        FUZZ_CHECK(ht_chain_unpack(schema, (const uint8_t *)again.data, again.length, &second));
        ht_chain_free(second);
        ht_text_free(&again);
    }
    ht_chain_free(chain);
    ht_schema_free(schema);
    return 0;
}
