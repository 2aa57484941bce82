/* The text of a rewrite, before clang reads it: any bytes. The original itself breaks no rule. */
#include "fuzz.h"

#include "loop/agent/rules.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char original[] = "#include <hip/hip_runtime.h>\n#define W 4\n"
                                   "__global__ void k(float *out) { out[threadIdx.x] = W; }\n";
    char *text = ht_alloc(size + 1, 1);
    if (size)
        memcpy(text, data, size);
    for (int annotated = 0; annotated < 2; ++annotated) {
        ht_refused file = {0}, unit = {0}, own = {0};
        ht_rules_file(text, original, annotated, &file);
        ht_rules_unit(text, text, original, &unit);
        ht_rules_file(text, text, annotated, &own);
        FUZZ_CHECK((file.kind == HT_REFUSAL_NONE) == (file.reason == NULL));
        FUZZ_CHECK((unit.kind == HT_REFUSAL_NONE) == (unit.reason == NULL));
        FUZZ_CHECK(file.line >= 0 && unit.line >= 0);
        /* only spellings that hide something are refused whoever wrote them */
        FUZZ_CHECK(own.kind == HT_REFUSAL_NONE || own.kind == HT_REFUSAL_FORBIDDEN);
        ht_refused_free(&file);
        ht_refused_free(&unit);
        ht_refused_free(&own);
    }
    free(text);
    return 0;
}
