/* T1 files: a space holds only what is legal, in order, and finds it again. */
#include "fuzz.h"

#include "templates/space/space.h"

#include <string.h>

static void check_one(const ht_space *space, const ht_config *config) {
    ht_config near[8];
    double value;
    FUZZ_CHECK(ht_space_legal(space, config));
    size_t count = ht_space_neighbours(space, config, HT_NEIGHBOURS_ADJACENT, near, 8);
    for (size_t i = 0; i < count && i < 8; ++i)
        FUZZ_CHECK(ht_space_legal(space, &near[i]));
    for (size_t i = 0; i < ht_space_term_count(space); ++i)
        ht_space_term(space, i, config, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_space *space;
    ht_error error;
    ht_random random;
    ht_random_seed(&random, 1);
    ht_status status = ht_space_parse_t1(text, "t1.json", 1000, &space, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        uint64_t count = ht_space_listed(space) ? ht_space_count(space) : 0, index;
        for (uint64_t i = 0; i < count; ++i) {
            ht_config config = ht_space_at(space, i), listed;
            FUZZ_CHECK(ht_space_find(space, &config, &index) && index == i);
            FUZZ_CHECK(ht_space_list(space, i, &listed, 1) == 1);
            FUZZ_CHECK(ht_config_equal(&config, &listed));
            check_one(space, &config);
        }
        for (int i = 0; i < 4; ++i) {
            ht_config config = ht_space_sample(space, &random);
            check_one(space, &config);
        }
        ht_space_free(space);
    }
    free(text);
    return 0;
}
