/* Hardware counters of rocprofv3 and of ncu: any bytes. */
#include "fuzz.h"

#include "pipeline/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_counters counters;
    ht_error error = {0};
    if (ht_counters_parse((const char *)data, size, "fuzz.csv", &counters, &error) != HT_OK) {
        FUZZ_CHECK(error.line >= 1 && *error.message && counters.count == 0);
        return 0;
    }
    for (size_t i = 0; i < counters.count; ++i) {
        FUZZ_CHECK(counters.items[i].launches > 0 && counters.items[i].sum >= 0);
        json_t *object = ht_counters_json(&counters, counters.items[i].kernel);
        FUZZ_CHECK(json_is_object(object));
        json_decref(object);
    }
    ht_counters_free(&counters);
    return 0;
}
