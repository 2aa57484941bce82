/* A profiler's CSV file: any bytes. */
#include "fuzz.h"

#include "pipeline/profile.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ht_profile profile;
    ht_error error = {0};
    if (ht_profile_parse((const char *)data, size, "fuzz.csv", &profile, &error) != HT_OK) {
        FUZZ_CHECK(error.line >= 1 && *error.message);
        return 0;
    }
    double sum = 0;
    ht_profile_choose(&profile, 0.5);
    for (size_t i = 0; i < profile.count; ++i) {
        FUZZ_CHECK(profile.kernels[i].ns >= 0);
        FUZZ_CHECK(i == 0 || profile.kernels[i - 1].ns >= profile.kernels[i].ns);
        (void)ht_profile_wants(&profile, profile.kernels[i].name);
        sum += profile.kernels[i].ns;
    }
    FUZZ_CHECK(sum <= profile.ns * 1.001 + 1 && profile.ns <= sum * 1.001 + 1);
    ht_profile_free(&profile);
    return 0;
}
