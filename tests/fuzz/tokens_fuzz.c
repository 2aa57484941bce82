/* Descriptions of tokenizers: one that parses is printed as itself and stays within its own
 * vocabulary. */
#include "fuzz.h"

#include "predictor/data/dataset.h"

#include <string.h>

static const char *const text = "kernel(K) field(n, m) field(dir : F, B) feature(n * m, n / m)\n"
                                "param(a : 1, 2)";

static void use(const ht_tokenizer *tokenizer) {
    static const int64_t problems[][3] = {
        {1, 2, 0}, {64, 56, 1}, {0, 0, -1}, {INT64_MIN, INT64_MAX, 5}, {-7, 1000003, 1}};
    const ht_input_shape *shape = ht_tokenizer_shape(tokenizer);
    size_t count = (size_t)shape->positions * shape->ids;
    ht_unseen unseen[3];
    uint32_t *ids = ht_alloc(count, sizeof *ids);
    float *features = ht_alloc((size_t)shape->positions * shape->features + 1, sizeof *features);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
        ht_tokenizer_encode(tokenizer, problems[i], ids, features);
        FUZZ_CHECK(ht_tokenizer_unseen(tokenizer, problems[i], unseen) <= 3);
        for (size_t k = 0; k < count; ++k)
            FUZZ_CHECK(ids[k] < shape->vocabulary);
    }
    free(ids);
    free(features);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *description = ht_strndup((const char *)data, size);
    ht_schema *schema;
    ht_tokenizer *tokenizer, *again;
    ht_error error;
    FUZZ_CHECK(ht_schema_parse(text, NULL, &schema, &error) == HT_OK);
    ht_status status = ht_tokenizer_parse(schema, description, &tokenizer, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        ht_text first = {0}, second = {0};
        ht_tokenizer_print(tokenizer, &first);
        FUZZ_CHECK(ht_tokenizer_parse(schema, first.data, &again, &error) == HT_OK);
        ht_tokenizer_print(again, &second);
        FUZZ_CHECK(!strcmp(first.data, second.data));
        use(tokenizer);
        ht_tokenizer_free(again);
        ht_tokenizer_free(tokenizer);
        ht_text_free(&first);
        ht_text_free(&second);
    }
    ht_schema_free(schema);
    free(description);
    return 0;
}
