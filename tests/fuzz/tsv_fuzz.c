/* Tables of records, plain or packed: read whole or refused with a place; records that are read
 * become tokens. */
#include "fuzz.h"

#include "predictor/data/dataset.h"

#include <string.h>

static const char *const text = "kernel(K) field(n, m = n / 2) field(dir : F, B) field(cu)\n"
                                "device(cu) ignore(src) feature(n * m) param(a : 1, 2, 4)\n"
                                "param(o : ROWS, COLUMNS)";

static void use(const ht_schema *schema, const ht_dataset *dataset) {
    ht_tokenizer *tokenizer;
    ht_examples examples;
    ht_error error;
    ht_status status = ht_tokenizer_make(dataset, "default,digits", &tokenizer, &error);
    FUZZ_CHECK((status == HT_OK) == (dataset->count > 0));
    if (status != HT_OK)
        return;
    ht_examples_make(dataset, tokenizer, NULL, &examples);
    for (size_t i = 0; i < dataset->count * schema->param_count; ++i) {
        size_t step = i % schema->param_count;
        FUZZ_CHECK(dataset->targets[i] < schema->params[step].value_count);
    }
    ht_examples_free(&examples);
    ht_tokenizer_free(tokenizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_schema *schema;
    ht_dataset dataset;
    ht_error error;
    FUZZ_CHECK(ht_schema_parse(text, NULL, &schema, &error) == HT_OK);
    ht_status status = ht_dataset_parse(schema, data, size, "k.tsv", &dataset, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        use(schema, &dataset);
        ht_dataset_free(&dataset);
    }
    ht_schema_free(schema);
    return 0;
}
