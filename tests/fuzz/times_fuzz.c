/* Time models. A wrong checksum ends reading at once, so the length and the checksum are put right
 * first; what then opens must answer, and be written as it was read. */
#include "fuzz.h"

#include "base/little_endian.h"
#include "predictor/times/time_model.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

enum { HEADER = 32 };

static const char space_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[8, 16, 32]\", \"Default\": 8},"
    "{\"Name\": \"tile_size_x\", \"Type\": \"int\", \"Values\": \"[1, 2]\", \"Default\": 1}],"
    "\"Conditions\": [{\"Expression\": \"block_size_x * tile_size_x <= 32\"}]}}";

static void ask(const ht_time_model *model) {
    const ht_time_device device = {.wavefront = 32, .units = 4};
    ht_space *space = NULL;
    ht_error error = {0};
    ht_time_choice choices[4];
    FUZZ_CHECK(ht_space_parse_t1(space_text, "fuzz", 0, &space, &error) == HT_OK);
    ht_columns *columns = ht_columns_new(space, &device, "[100]");
    size_t count = ht_time_model_choose(model, space, columns, false, 4, choices);
    FUZZ_CHECK(count == 4);
    for (size_t i = 0; i < count; ++i)
        FUZZ_CHECK(ht_space_legal(space, &choices[i].config) && choices[i].over >= 1);
    ht_columns_free(columns);
    ht_space_free(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t magic[] = {0x89, 'H', 'T', 'T', 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0};
    uint8_t *copy = ht_alloc(size + 1, 1);
    ht_time_model *model = NULL;
    ht_error error = {0};
    memcpy(copy, data, size);
    if (size >= HEADER) {
        memcpy(copy, magic, sizeof magic);
        ht_bytes_put64(copy + 16, size);
        ht_bytes_put64(copy + 24, XXH3_64bits(copy + HEADER, size - HEADER));
    }
    ht_status status = ht_time_model_parse(copy, size, "fuzz", &model, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK)
        ask(model);
    ht_time_model_free(model);
    free(copy);
    return 0;
}
