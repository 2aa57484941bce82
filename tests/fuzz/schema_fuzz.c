/* Schemas: a text that parses is printed as one that parses to the same, and reads problems without
 * harm. */
#include "fuzz.h"

#include "predictor/schema/schema.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_schema *schema, *again;
    ht_error error;
    ht_status status = ht_schema_parse(text, "k.schema", &schema, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        ht_text first = {0}, second = {0};
        ht_schema_print(schema, &first);
        FUZZ_CHECK(ht_schema_parse(first.data, NULL, &again, &error) == HT_OK);
        ht_schema_print(again, &second);
        FUZZ_CHECK(!strcmp(first.data, second.data));
        ht_schema_free(again);
        ht_text_free(&second);
        ht_text_free(&first);
        int64_t fields[HT_SCHEMA_FIELDS_MAX] = {0}, features[HT_SCHEMA_RULES_MAX];
        ht_schema_features(schema, fields, features);
        status = ht_schema_problem_parse(schema, text, fields, &error);
        FUZZ_CHECK(status == HT_OK || error.message[0]);
        ht_schema_free(schema);
    }
    free(text);
    return 0;
}
